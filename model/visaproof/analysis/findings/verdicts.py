"""Decides whether a kernel's behaviour depends on an undefined value; a pair of runs confirms every "yes"."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from time import process_time

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.analysis.findings.pairs import behaviour, other, two_states
from visaproof.isa.errors import Position
from visaproof.isa.identity import Same
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.kernel import Kernel
from visaproof.program.lower import lowered
from visaproof.queries.kernels.full_sub_groups import assumes_full_sub_groups
from visaproof.queries.kernels.suspects import Effect, Sink, Suspect, sinks, suspects, tainted
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.semantics.concrete.beyond import Found
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.value_names import BeyondVariable, InSecondRun, OpenValue
from visaproof.smt import Bool, Term, conj, disj, eq, evaluate, iff, implies, is_false, neg, subterms, symbols_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import substitute_all
from visaproof.smt.terms import BitVec

MOST_SINKS = 24
"""Of one suspect, how many terms are asked about, one lane of each statement first."""

MOST_UNCONFIRMED = 4
"""Of one suspect, how many terms differ though no pair of runs does, until it is given up."""

TOGETHER_MS = 2_000
"""For the question whether anything depends on any of the values: mostly nothing does, and one proof says it of all."""

MOST_TOGETHER = 20_000
"""Terms of that question: larger ones take a solver hundreds of megabytes, and were never proved in time."""

PATIENCE = 3
"""How many times the time for one question all of them together may take."""


class Shown(Struct, frozen=True):
    """Two runs that differ in the undefined values alone behave differently here; or one writes beyond a variable."""

    effect: Effect
    position: Position
    state: ConcreteState
    """Before the first run."""
    values: Values
    depends_on: tuple[str, ...] = ()


class NoEffect(Struct, frozen=True):
    """No address, branch, mask or output depends on the values."""


class MayDepend(Struct, frozen=True):
    """Neither was shown."""

    reason: str


class Allowed(Struct, frozen=True):
    """The user has allowed this kind: nothing was asked."""


Answer = Shown | NoEffect | MayDepend | Allowed

Choices = Mapping[UndefinedKind, bool]
"""Of the kinds that the user named, whether they are forbidden."""


class UndefinedUse(Struct, frozen=True):
    """A use of undefined values, and whether it matters."""

    suspect: Suspect
    answer: Answer


def undefined_uses(
    asked: Asked, premises: Sequence[Bool] = (), choices: Choices | None = None, *, nothing_depends: bool = False
) -> Iterator[UndefinedUse]:
    """Every use of undefined values in a kernel; `premises` say what holds of a launch.

    `nothing_depends` says that it is known of what was uninitialised when the kernel began.
    What some path has initialised is listed only if it is shown to have an effect: masked writes leave the other lanes
    as they were.
    """
    found = _Sinks.of(asked.trace, _full(asked))
    holds = conj(*premises, *_launched(asked), *(condition for condition, _ in asked.trace.bounded))
    end = process_time() + PATIENCE * asked.timeout_ms / 1000
    every, forbidden = suspects(lowered(asked.kernel, asked.platform), asked.trace), choices or {}
    known = {Same(one) for one in every if nothing_depends and one.is_uninitialised_value}
    open_ = (one for one in every if forbidden.get(one.kind) is not False and Same(one) not in known)
    none = _none_of_them([_Question(asked, one, holds, end) for one in open_], found)
    for suspect in every:
        answer: Answer = Allowed()
        if forbidden.get(suspect.kind) is not False:
            question = _Question(asked, suspect, holds, end)
            if Same(suspect) in known:
                answer = NoEffect()
            elif suspect.written:
                answer = question.of_a_write(found.all)
            else:
                answer = question.unfollowed() if none else question.of_a_read(found)
        if isinstance(answer, Shown | Allowed) or not suspect.partly or forbidden.get(suspect.kind):
            yield UndefinedUse(suspect, answer)


def assumed_lanes(kernel: Kernel) -> str:
    """What `_launched` says, for the user."""
    if _states_lanes(kernel):
        return "a thread starts with its first lanes enabled, one at least (the dispatch of devices)"
    return "a thread starts with all lanes enabled (the kernel states no SIMD size above 1)"


def _states_lanes(kernel: Kernel) -> bool:
    return (kernel.work_items or 1) > 1


def _launched(asked: Asked) -> Iterator[Bool]:
    """Devices enable the first lanes of a thread, and all lanes of a kernel that states no SIMD size."""
    lanes = launched_lanes(asked.kernel)
    if _states_lanes(asked.kernel):
        yield lanes[0]
        yield from (implies(later, lane) for lane, later in pairwise(lanes))
    else:
        yield from lanes


def _full(asked: Asked) -> Bool:
    """That all lanes are on, as far as it is assumed where messages of other sub-groups are undefined."""
    assumed = assumes_full_sub_groups(asked.start.assumed)
    return conj(*launched_lanes(asked.kernel)[: asked.kernel.work_items]) if assumed else conj()


class _Sinks(Struct, frozen=True):
    """The places where values may matter, and all their terms, arguments first."""

    all: tuple[Sink, ...]
    subterms: tuple[Term, ...]

    @staticmethod
    def of(trace: Trace, full: Bool) -> "_Sinks":
        found = tuple(sinks(trace, full))
        return _Sinks(found, tuple(subterms(*(term for one in found for term in one.terms))))

    def depending(self, values: frozenset[Term]) -> list[Sink]:
        """Those in whose terms one of the values stands."""
        reached = set(values)
        for term in self.subterms:
            if not reached.isdisjoint(term.args):
                reached.add(term)
        return [one for one in self.all if not reached.isdisjoint(one.terms)]


def _none_of_them(questions: Sequence["_Question"], found: _Sinks) -> bool:
    """Whether it is proved at once that nothing depends on any of the values that are read, however they differ."""
    reads = [one for one in questions if not one.suspect.written]
    if len(reads) < 2:
        return False
    together = frozenset[Term]().union(*(one.suspect.symbols for one in reads))
    question = replace(reads[0], suspect=replace(reads[0].suspect, symbols=together))
    undefined, formulas = question.formulas(found)
    return question.never(formulas, undefined)


class _Question(Struct, frozen=True):
    """Does it matter?"""

    asked: Asked
    suspect: Suspect
    premise: Bool
    end: float
    """When no solver is asked any longer."""

    def of_a_write(self, found: Sequence[Sink]) -> Answer:
        """A write beyond a variable changes other registers, so that whatever comes later may depend on it."""
        loops = any(one.any_round for one in self.asked.trace.performed)
        if not loops and not any(sink.position.line > self.suspect.position.line for sink in found):
            return NoEffect()
        formula = conj(self.premise, disj(*self.suspect.written))
        values = self._values(formula, ())
        if not isinstance(values, dict):
            return values
        if not self._is_launch(values):
            return MayDepend("it may happen, but in no launch that was tried")
        state, _ = two_states(self.asked, self.suspect, values)
        state.beyond = Found(strict=frozenset((self.suspect.variable,)))
        ran = behaviour(self.asked, state)
        undefined = ran and ran.outcome.undefined
        if undefined and undefined.position == self.suspect.position:
            return Shown(Effect.WRITTEN, self.suspect.position, state, values)
        return MayDepend("it may happen, but a run does not confirm it")

    def of_a_read(self, found: _Sinks) -> Answer:
        undefined, formulas = self.formulas(found)
        if len(formulas) > 1 and self.never(formulas, undefined):
            return self.unfollowed()
        unconfirmed: list[MayDepend] = []
        for number, (sink, formula) in enumerate(formulas):
            if number == MOST_SINKS or len(unconfirmed) == MOST_UNCONFIRMED:
                return unconfirmed[0] if unconfirmed else MayDepend(f"more than {MOST_SINKS} terms may depend on it")
            values = self._values(formula, undefined)
            if isinstance(values, dict):
                if (shown := self._shown(sink, values, symbols_of(formula))) is not None:
                    return shown
                unconfirmed.append(MayDepend(f"line {sink.position.line} may depend on it: {sink.effect.value}"))
            elif isinstance(values, MayDepend):
                unconfirmed.append(values)
        return unconfirmed[0] if unconfirmed else self.unfollowed()

    def formulas(self, found: _Sinks) -> tuple[list[Term], list[tuple[Sink, Bool]]]:
        """The values and what they are in the second run; and when what happens at a sink depends on them.

        Sinks of which it is seen that it never does are left out.
        """
        taint = tainted(self.asked.trace, self.suspect.symbols)
        primed: dict[Term, Term] = {one: other(one) for one in taint}
        formulas: list[tuple[Sink, Bool]] = []
        reached = _spread(found.depending(taint))
        changed = iter(substitute_all([term for sink in reached for term in sink.terms], primed))
        for sink in reached:
            differ = disj(*(_differ(term, next(changed)) for term in sink.terms))
            formula = conj(self.premise, sink.guard, differ)
            if not is_false(formula):
                formulas.append((sink, formula))
        return [*taint, *primed.values()], formulas

    def never(self, formulas: Sequence[tuple[Sink, Bool]], undefined: Sequence[Term]) -> bool:
        """Whether it is proved at once that none of them holds; only a solver that has time is asked."""
        formula = disj(*(formula for _, formula in formulas))
        if is_false(formula):
            return True
        too_late, too_large = process_time() > self.end, len(subterms(formula)) > MOST_TOGETHER
        if too_late or too_large or self._simple(formula, undefined) is not None:
            return False
        return isinstance(solve([formula], min(TOGETHER_MS, self.asked.timeout_ms)), Unsatisfiable)

    def _values(self, formula: Bool, undefined: Sequence[Term]) -> Values | NoEffect | MayDepend:
        """Values under which the formula holds; simple ones before those of a solver."""
        if is_false(formula):
            return NoEffect()
        if (simple := self._simple(formula, undefined)) is not None:
            return simple
        launched = self.asked.start.group.launched
        if process_time() > self.end:
            return MayDepend("timed out before it was asked: try a larger --timeout")
        if launched is not None:  # else of lanes that count from any item on
            match solve([formula, launched.is_usual()], self.asked.timeout_ms):
                case Satisfiable(values, _):
                    return dict(values)
                case _:
                    pass
        match solve([formula], self.asked.timeout_ms):
            case Unsatisfiable():
                return NoEffect()
            case Satisfiable(values, _):
                return dict(values)
            case undecided:
                return MayDepend(undecided.reason)

    def _simple(self, formula: Bool, undefined: Sequence[Term]) -> Values | None:
        """Simple values under which the formula holds."""
        symbols = symbols_of(formula)
        for first, second, word in ((0, -1, 0), (0, 1, 0), (0, -1, 1), (-1, 0, 1), (1, 0, 0)):
            values: Values = {one: _fitted(word if one.width else 1, one) for one in symbols}
            for one in undefined:
                values[one] = _fitted(second if isinstance(one.payload, InSecondRun) else first, one)
            if evaluate(formula, values) and self._is_launch(values):
                return values
        return None

    def _shown(self, sink: Sink, values: Values, depends: Sequence[Term]) -> Shown | None:
        """What a pair of runs on these values shows at the sink."""
        if sink.effect is Effect.SHARED:
            return None
        for candidate in self._candidates(values):
            first, second = two_states(self.asked, self.suspect, candidate)
            if not first.exec_mask or not self._is_launch(candidate):
                continue
            ran = behaviour(self.asked, first), behaviour(self.asked, second)
            if ran[0] is not None and ran[1] is not None and ran[0].at(sink) != ran[1].at(sink):
                names = tuple(str(one.payload) for one in depends if one not in self.suspect.symbols)
                inputs = {one: value for one, value in candidate.items() if _is_input(one)}
                return Shown(sink.effect, sink.position, first, inputs, names)
        return None

    def _is_launch(self, values: Values) -> bool:
        return self.asked.start.is_launch(launched_lanes(self.asked.kernel), values)

    def _candidates(self, values: Values) -> Iterator[Values]:
        """The values, and the same with values far apart in the place of the undefined ones."""
        yield values
        for second in (-1, 0x3F80_0000_3F80_0000):
            far = dict.fromkeys(self.suspect.symbols, 0)
            yield values | far | {other(one): _fitted(second, one) for one in far}

    def unfollowed(self) -> NoEffect | MayDepend:
        """The answer where no term depends on it: the values are not followed everywhere."""
        trace = self.asked.trace
        if self.suspect.harmless:
            return NoEffect()
        if trace.stopped is not None:
            return MayDepend("the kernel is not modelled to its end")
        if trace.bounded or any(one.any_round for one in trace.performed):
            return MayDepend("there are loops in which it is not followed")
        return NoEffect()


def _is_input(one: Term) -> bool:
    return not isinstance(one.payload, InSecondRun | OpenValue | BeyondVariable)


def _fitted(value: int, one: Term) -> int:
    return value & ((1 << max(1, one.width)) - 1)


def _differ(term: Term, changed: Term) -> Bool:
    if isinstance(term, BitVec) and isinstance(changed, BitVec):
        return neg(eq(term, changed))
    assert isinstance(term, Bool)
    assert isinstance(changed, Bool)
    return neg(iff(term, changed))


def _spread(found: Sequence[Sink]) -> list[Sink]:
    """One of each statement and effect first."""
    seen = set[tuple[Effect, Position]]()
    ahead = [one for one in found if (key := (one.effect, one.position)) not in seen and not seen.add(key)]
    first = set(map(Same, ahead))
    return [*ahead, *(one for one in found if Same(one) not in first)]
