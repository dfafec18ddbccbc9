"""Decides conflict questions by normal form, simple values and solver; runs confirm each conflict."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from visaproof.analysis.conflicts.after_others import Others, collision_after, whatever_is_stored
from visaproof.analysis.conflicts.any_items.items_after_others import SOON_MS
from visaproof.analysis.conflicts.known_apart import KnownApart
from visaproof.analysis.conflicts.launches.collisions import colliding
from visaproof.analysis.conflicts.launches.samples import Samples
from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES
from visaproof.analysis.conflicts.missing_relations import Missing
from visaproof.analysis.conflicts.other_arguments import with_other_arguments
from visaproof.analysis.conflicts.reach import NOT_REACHED
from visaproof.analysis.conflicts.results import Found, Never, Open, Progress
from visaproof.analysis.conflicts.search import MOST_STATEMENTS, UNDEFINED_BEFORE, Search
from visaproof.analysis.conflicts.thread_states import Asked, Values, bits_of, state_of
from visaproof.checking.all_choices import under_all_choices
from visaproof.checking.shrink import minimised
from visaproof.checking.stages import NORMAL_FORM
from visaproof.isa.errors import NotModelled, Position, TooLong
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.concrete.run import MissingSurface, Outcome, PerformedMessage, run
from visaproof.queries.kernels.conflict import ConflictQuestion, LanePair
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Write
from visaproof.semantics.symbolic.names import is_lane, is_size, lane_on
from visaproof.smt import Bool, Term, conj, neg, symbols_of, true
from visaproof.smt.evaluate import all_hold


class Free(Struct, frozen=True):
    """No two lanes can write one byte or texel, for all inputs under the assumptions."""

    by: str
    bounded: tuple[Position, ...] = ()
    """Loops that may run longer than they were unrolled: nothing is said of the runs that do."""

    @property
    def vacuous(self) -> bool:
        """Whether this is only so because no defined run comes to the scatter, or none that is asked about."""
        return self.by in (UNDEFINED_BEFORE, NOT_REACHED)


class Conflict(Struct, frozen=True):
    """Two lanes that write one byte or texel, in a run of the kernel on `state`."""

    first: Write
    second: Write
    writes: tuple[Write, ...]
    """All writes of the message in that run; lanes count from its first."""
    state: ConcreteState
    """Before the run."""
    message: str
    values: Values
    depends_on: tuple[str, ...]
    """The symbols on which it depends whether these lanes meet."""
    after: Position | None = None
    """The first scatter whose lanes collide before, whose values decide nothing here; None where none do."""


class Undecided(Struct, frozen=True):
    """Neither was shown."""

    reason: str
    stuck: bool = False
    """Whether a run that was to confirm a conflict did not end in time."""


Answer = Free | Conflict | Undecided


class Finding(Struct, frozen=True):
    """The answer for one scatter."""

    question: ConflictQuestion
    answer: Answer
    missing: Missing | None = None
    """Relations between arguments and the launch under which it was proved that there is no conflict."""
    searched: bool = True
    """Whether such relations were looked for to the end, where lanes collide."""


Shown = Callable[[ConflictQuestion, Asked, LanePair, Values, Choices], Conflict | None]
"""What a run on the values shows."""


def decide_conflict(
    question: ConflictQuestion,
    asked: Asked,
    proof: Callable[[], str] = lambda: "",
    most_ms: Callable[[], int | None] = lambda: None,
    known: KnownApart | None = None,
    progress: Progress | None = None,
    shown: Sequence[Values] = (),
    samples: Samples | None = None,
    relations_known: bool = False,
    among_items: Callable[[int], str] = lambda _: "",
    groups: Callable[[], Never | Iterable[Mapping[Term, int]]] = lambda: (),
    easily: bool = False,
    threads: Callable[[Iterable[Values]], Iterable[Values]] = lambda _: (),
) -> Answer:
    """Whether two lanes of the scatter can write one byte or texel.

    `proof` is asked before a solver is, which then has `most_ms` for a question, or all the time if that is None.
    `known` is what was proved of other scatters of the kernel, and `progress` what was asked of this one before.
    On these values conflicts of other scatters were `shown`; what they show of this one, also in other `threads`, and
    what `samples` do, is looked at before a proof is.
    Among any work items it is excluded, in so many ms, that lanes collide here first where `among_items` says by what.
    Where `relations_known` free the scatter, a solver is not asked for the launches that are left before anything else.
    `groups` are threads in which they may collide, if not never.
    With `easily` nothing is asked behind the samples: what they do not show stays open.
    """
    if not question.pairs:
        return Free(question.no_lane or (NORMAL_FORM if len(question.lanes) > 1 else "one lane"))
    premise, tried = conj(*question.premises), progress or Progress()

    others = Others(
        question, asked, shown, threads, among_items,
        lambda index, values: _confirmed(question, asked, premise, question.pairs[index], values, _shown_after), tried,
    )  # fmt: skip

    def sampled() -> Never | Found[Conflict] | None:
        """The samples that show this scatter first, or after others."""
        first = _sampled(question, asked, samples, after=False)
        return first or others.unless_excluded(_sampled(question, asked, samples, after=True), SOON_MS)

    search = Search(
        conditions=[pair.meet for pair in question.pairs],
        premise=premise,
        earlier=question.earlier,
        until=question.performed,
        subject="the lanes",
        verb="meet",
        confirm=lambda index, values: _confirmed(question, asked, premise, question.pairs[index], values, _shown),
        uninterpreted=asked.trace.arbitrary,
        likely_size=SURFACE_BYTES,
        proof=proof,
        most_ms=most_ms,
        known=known,
        wider=lambda index: question.pairs[index].overlap,
        progress=tried,
        otherwise=others.asked_for,
        sampled=sampled,
        alike=others.alike,
        relations_known=relations_known,
        groups=groups,
        easily=easily,
    )
    match search.run(asked):
        case Never(by):
            return Free(by)
        case Found(conflict):
            return conflict
        case Open(reason, stuck):
            return Undecided(reason, stuck)


def proved(
    question: ConflictQuestion, asked: Asked, proof: Callable[[], str], known: KnownApart | None = None
) -> Free | None:
    """The proof that no two lanes can write one byte or texel; the first launch in which they collide symbolically ends
    the search.

    No concrete run confirms such a launch, so this also answers for a trace with more behaviours than the kernel has.
    """
    if not question.pairs:
        return Free(question.no_lane or (NORMAL_FORM if len(question.lanes) > 1 else "one lane"))
    lanes = launched_lanes(asked.kernel)

    def meet(_: int, values: Values) -> bool | None:
        return (asked.start.is_launch(lanes, values) and bits_of(lanes, values) != 0) or None

    search = Search(
        conditions=[pair.meet for pair in question.pairs],
        premise=conj(*question.premises),
        earlier=question.earlier,
        until=question.performed,
        subject="the lanes",
        verb="meet",
        confirm=meet,
        uninterpreted=asked.trace.arbitrary,
        likely_size=SURFACE_BYTES,
        proof=proof,
        known=known,
        wider=lambda index: question.pairs[index].overlap,
    )
    found = search.run(asked)
    return Free(found.by) if isinstance(found, Never) else None


def easily_shown(
    rounds: Sequence[ConflictQuestion],
    asked: Asked,
    known: KnownApart | None,
    samples: Samples,
    among_items: Callable[[int, int], str],
) -> Finding | None:
    """The conflict of a scatter that simple values or samples show: hardly a proof or a solver is asked."""
    for number, question in enumerate(rounds):
        by = partial(among_items, number)
        match decide_conflict(question, asked, known=known, samples=samples, easily=True, among_items=by):
            case Conflict() as conflict:
                return Finding(question, conflict)
            case Undecided():
                return None
            case Free():
                pass
    return None


def _confirmed(
    question: ConflictQuestion, asked: Asked, premise: Bool, pair: LanePair, values: Values, shown: "Shown"
) -> Conflict | None:
    """The conflict of this pair if a run of the kernel on these values shows it, with these two lanes alone or all."""
    lanes = launched_lanes(asked.kernel)
    alone = {lane_on(lane): int(lane in (pair.first, pair.second)) for lane in range(len(lanes))}

    def candidates() -> Iterator[Values]:
        small = minimised(values, (premise, pair.meet), neg(true()))
        yield from ({**small, **alone}, small)
        if question.earlier and all_hold(question.earlier, values):
            small = minimised(values, (premise, pair.meet, *question.earlier), neg(true()))
            yield from ({**small, **alone}, small)
        yield from ({**values, **alone}, values)

    tried = list[Values]()
    for candidate in candidates():
        if candidate in tried:
            continue
        tried.append(candidate)
        if not asked.start.is_launch(lanes, candidate) or not bits_of(lanes, candidate):
            continue
        show = partial(_under_choices, shown, question, asked, pair)
        found = with_other_arguments(show, asked, candidate, (premise, pair.meet))
        if found is not None:
            return found
    return None


def _under_choices(
    shown: Shown, question: ConflictQuestion, asked: Asked, pair: LanePair, values: Values
) -> Conflict | None:
    return under_all_choices(partial(shown, question, asked, pair, values))


def _shown(
    question: ConflictQuestion, asked: Asked, pair: LanePair, values: Values, choices: Choices
) -> Conflict | None:
    """The conflict that a run on the values shows."""
    outcome = run(asked.kernel, state_of(asked, question.performed, values, choices), most=MOST_STATEMENTS)
    met = _collision_of(question, outcome)
    if met is None or outcome.undefined is None:
        return None
    first, second, message = met
    before = state_of(asked, question.performed, values)  # the run has changed its own
    return Conflict(first, second, message.writes, before, outcome.undefined.message, values, _depends(pair))


def _shown_after(
    question: ConflictQuestion, asked: Asked, pair: LanePair, values: Values, choices: Choices
) -> Conflict | None:
    """The same in a run that goes on where lanes of another scatter collide, and ends once these do."""
    state, here = state_of(asked, question.performed, values, choices), question.instruction.position

    def is_shown(one: PerformedMessage) -> bool:
        return one.instruction.position == here and colliding(one.writes) is not None

    try:
        outcome = run(asked.kernel, state, enough=is_shown, most=MOST_STATEMENTS, past_collisions=True)
        found = collision_after(question, outcome)
    except TooLong:
        raise
    except (NotModelled, MissingSurface):
        return None  # other values may do
    if found is None:
        return None
    message, first = found
    if first == here:
        return _shown(question, asked, pair, values, choices)
    met = colliding(message.writes)
    if met is None or not whatever_is_stored(asked.trace, first, conj(*question.premises, pair.meet)):
        return None
    text = f"lanes {met[0].lane} and {met[1].lane} collide after those of line {first.line}"
    before = state_of(asked, question.performed, values)  # the run has changed its own
    return Conflict(*met, message.writes, before, text, values, _depends(pair), first)


def _sampled(
    question: ConflictQuestion, asked: Asked, samples: Samples | None, *, after: bool
) -> Found[Conflict] | None:
    """The conflict that a sample shows: its first one, or one `after` that depends on nothing that is loaded since."""
    here = question.instruction.position
    for sample in samples.found if samples is not None else ():
        found = sample.collision(here)
        if found is None or samples is None:
            continue
        message, first = found
        met = colliding(message.writes)
        if met is None or after != (first != here) or (after and not samples.whatever_is_stored(sample, first, here)):
            continue
        lanes = {question.instruction.first_lane + (one.lane or 0) for one in met}
        pair = next((one for one in question.pairs if {one.first, one.second} == lanes), question.pairs[0])
        text = f"lanes {met[0].lane} and {met[1].lane} collide in line {here.line}"
        before = state_of(asked, samples.questions[0].performed, sample.values)
        since = None if first == here else first
        return Found(Conflict(*met, message.writes, before, text, sample.values, _depends(pair), since))
    return None


def _depends(pair: LanePair) -> tuple[str, ...]:
    return tuple(str(one.payload) for one in symbols_of(pair.meet) if _is_input(one))


def _is_input(one: Term) -> bool:
    return not is_lane(one) and not is_size(one)


def _collision_of(question: ConflictQuestion, outcome: Outcome) -> tuple[Write, Write, PerformedMessage] | None:
    """Two writes of different lanes to one place, in the message of the question, which ended the run."""
    if outcome.undefined is None or outcome.undefined.position != question.instruction.position:
        return None
    message = outcome.performed[-1]
    met = colliding(message.writes)
    return None if met is None else (*met, message)
