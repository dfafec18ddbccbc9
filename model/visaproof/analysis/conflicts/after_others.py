"""Scatters whose lanes collide in a run in which those of an earlier scatter do: one launch shows both.

    P ∧ M   holds for values with which the run comes to scatter k, past a scatter j whose lanes collide,
            and depends on nothing that messages from j on load

P is the premise, and M says that two lanes of k write one byte.  Then those of k collide whichever of their values the
lanes of j leave.  The run that confirms it goes on after j as if that stored nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from typing import Generic, TypeVar

from msgspec import Struct

from visaproof.analysis.conflicts.any_items.items_after_others import PAIR_MS, QUICK_MS, SOON_MS
from visaproof.analysis.conflicts.lane_conditions import OfLanes, lanes_of
from visaproof.analysis.conflicts.launches.other_data import with_other_data
from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES, likely_size
from visaproof.analysis.conflicts.launches.usual_launches import constants_of
from visaproof.analysis.conflicts.launches.usual_search import InVain, UsualSearch
from visaproof.analysis.conflicts.results import Found, Never, Progress
from visaproof.analysis.conflicts.simpler_formulas import without_products
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.isa.errors import Position, TooLong
from visaproof.machine.concrete.run import Outcome, PerformedMessage
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.queries.kernels.lane_accesses import stores_by_lane
from visaproof.queries.kernels.suspects import tainted
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import Bool, Term, conj, disj, symbols_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import all_hold
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import substitute

T = TypeVar("T")

EXCLUDED_MS = 250, 2_000
"""For the first pair of lanes, and for all of them."""

LIKE_MS = 250
"""For values that are like those of a conflict."""

ROWS = 128
"""To which arguments are enlarged: of images that have so many rows and columns, most groups are inside."""


class Others(Struct, Generic[T], frozen=True):
    """What conflicts of other scatters say of one question."""

    question: ConflictQuestion
    asked: Asked
    shown: Sequence[Values]
    """The values that have shown them."""
    threads: Callable[[Iterable[Values]], Iterable[Values]]
    """The same in the other threads of their groups."""
    among_items: Callable[[int], str]
    """By what it is excluded in so many ms, of any work items, that lanes collide here first; or nothing."""
    confirm: Callable[[int, Values], T | None]
    """Runs the kernel past collisions on values under which lanes of this pair collide."""
    progress: Progress

    def unless_excluded(self, found: Found[T] | None, most_ms: int) -> Never | Found[T] | None:
        """What was found after others, unless that is excluded."""
        by = "" if found is None else self.among_items(most_ms)
        return Never(by) if by else found

    def alike(self) -> Never | Found[T] | None:
        """What a run shows on values like these, also with other data, or what is soon excluded."""
        if not self.shown:
            return None
        found = candidates(self.question, self.asked, self._evaluated())
        first = next(found, None)
        if by := self.among_items(SOON_MS if first is None else QUICK_MS):
            return Never(by)
        return None if first is None else self._first(chain((first,), found))

    def asked_for(self, left: Sequence[int]) -> Never | Found[T] | None:
        """What a solver excludes, or finds and a run shows."""
        if not self.shown:
            return None
        if solver := excluded_by_others(self.question, left, partial(self.among_items, PAIR_MS)):
            return Never(solver)
        found = solved(self.question, self.asked, self.shown, self.progress.after_others)
        return self._first(candidates(self.question, self.asked, found))

    def _evaluated(self) -> Iterator[tuple[int, Values]]:
        """With other data before other threads, which load from elsewhere."""
        yield from evaluated(self.question, self.asked, self.shown)
        for values in self.shown:
            yield from with_other_data(self.question, self.asked, values)
        yield from evaluated(self.question, self.asked, self.threads(self.shown))

    def _first(self, found: Iterable[tuple[int, Values]]) -> Found[T] | None:
        """The first of these that a run confirms."""
        for index, values in found:
            if (key := (index, frozenset(values.items()))) in self.progress.past_collisions:
                continue
            try:
                shown = self.confirm(index, values)
            except TooLong:
                return None  # others are mostly as long
            if shown is not None:
                return Found(shown)
            self.progress.past_collisions.add(key)
        return None


def excluded_by_others(question: ConflictQuestion, left: Sequence[int], among_items: Callable[[], str]) -> str:
    """The solver that soon shows that no lanes collide unless those of an earlier scatter do; empty where none does.

    `among_items` is asked before all pairs of lanes are at once.
    """
    premise, meets = conj(*question.premises), [question.pairs[index].meet for index in left]
    first = OfLanes.of(question.earlier).within(lanes_of(meets)[meets[0]])
    if not _excluded(conj(premise, meets[0], *first), EXCLUDED_MS[0]):
        return ""
    return among_items() or _excluded(conj(premise, disj(*meets), *question.earlier), EXCLUDED_MS[1])


def _excluded(formula: Bool, most_ms: int) -> str:
    answer = solve([without_products(formula)], most_ms)
    return answer.solver if isinstance(answer, Unsatisfiable) else ""


def candidates(
    question: ConflictQuestion, asked: Asked, found: Iterable[tuple[int, Values]]
) -> Iterator[tuple[int, Values]]:
    """Those of all values that a run may confirm: with others, lanes collide before, and data decides where these do.

    What depends on no load from some scatter before this one on depends on none from the last of these on.
    """
    alone, last = dict[int, bool](), _last_before(question, asked.trace)
    for index, values in found:
        if index not in alone:
            condition = conj(*question.premises, question.pairs[index].meet)
            alone[index] = last is not None and whatever_is_stored(asked.trace, last, condition)
        if alone[index] or all_hold(question.earlier, values):
            yield index, values


def _last_before(question: ConflictQuestion, trace: Trace) -> Position | None:
    """Of the scatters to which a run comes before this question, the one to which it comes last."""
    before = takewhile(lambda one: one is not question.performed, trace.performed)
    positions = dict.fromkeys(one.instruction.position for one in before if stores_by_lane(one))
    return next(reversed(positions), None)


def evaluated(question: ConflictQuestion, asked: Asked, known: Iterable[Values]) -> Iterator[tuple[int, Values]]:
    """Pairs of lanes that collide with values that have shown another conflict, or such in other threads: as they are,
    with larger surfaces, and with larger arguments, of which those that are 0 stay so.  No solver is asked.
    """
    premise, meets = conj(*question.premises), [pair.meet for pair in question.pairs]
    symbols = symbols_of(premise, *meets)
    run_all = compiled((premise, *meets), symbols)
    large = {one: size for one in symbols if (size := likely_size(one, SURFACE_BYTES, asked.local)) is not None}
    words = [one for one in asked.arguments if one in symbols]
    for values in known:
        longer = {one: max(ROWS, value) for one in words if (value := values.get(one, 0))}
        for sizes in (values, {**values, **large}, {**values, **longer, **large}):
            now = [sizes.get(one, 0) for one in symbols]
            holds, *met = run_all(now)
            if holds and any(met):
                yield met.index(1), {**sizes, **dict(zip(symbols, now, strict=True))}


def solved(
    question: ConflictQuestion, asked: Asked, shown: Sequence[Values], in_vain: InVain
) -> Iterator[tuple[int, Values]]:
    """Pairs of lanes that collide whatever earlier scatters do, by a solver: with the zeros of values that have shown
    another conflict, then in the first groups of launches; those that were asked about `in_vain` are not again.
    """
    premise, meets = conj(*question.premises), [pair.meet for pair in question.pairs]
    for values in shown:
        yield from _with_zeros_of(values, premise, meets)
    yield from UsualSearch(asked, meets, range(len(meets)), premise, in_vain).in_first_groups()


def _with_zeros_of(shown: Values, premise: Bool, meets: Sequence[Bool]) -> Iterator[tuple[int, Values]]:
    """Values that are 0 where those are, as strides are in which lanes of many scatters collide; others may be larger.

    Asked of the first pair of lanes alone, whichever lanes had collided.
    """
    formula = conj(premise, meets[0])
    zeros: dict[Term, int] = {one: 0 for one in symbols_of(formula) if one.width and not shown.get(one)}
    match solve([substitute(formula, constants_of(zeros))], LIKE_MS):
        case Satisfiable(values, _):
            yield 0, {**shown, **zeros, **values}
        case _:
            pass


def collision_after(question: ConflictQuestion, outcome: Outcome) -> tuple[PerformedMessage, Position] | None:
    """The message of the question whose lanes collide in a run that went on past collisions, and where the first of
    these was.
    """
    collided = [outcome.performed[place] for place in outcome.collided]
    mine = (one for one in collided if one.instruction.position == question.instruction.position)
    message = next(mine, None)
    return None if message is None else (message, collided[0].instruction.position)


def whatever_is_stored(trace: Trace, first: Position, condition: Bool) -> bool:
    """Whether the condition depends on no load from a message on, the first one at this place.

    What a loop leaves may depend on loads in it; on none of these if the message itself depends on that loop, which
    ended before.  Of a message that stands for those of many iterations it need not have.  What the model left open
    before the message, as whether a comparison of floats holds that decides which lanes are on, is what it was.
    """
    places = [k for k, one in enumerate(trace.performed) if one.instruction.position == first]
    later, symbols = trace.performed[min(places, default=0) :], frozenset(symbols_of(condition))
    ended = bool(places) and not later[0].any_round
    parts = (part for one in later[0].accesses for part in (one.guard, *one.cell)) if ended else ()
    if not _loops(symbols) <= _loops(symbols_of(*parts)) or any(_stores_privately(trace, one) for one in later):
        return False
    loaded = frozenset(symbols_of(*(value for one in later for _, value in one.loaded)))
    since = trace.arbitrary[later[0].left_open :] if later else ()
    unknown = {one.symbol for one in since if one.operands is None or one.origin is not None}
    return symbols.isdisjoint(tainted(trace, loaded | unknown))


def _loops(symbols: Iterable[Term]) -> frozenset[str]:
    """Those with iterations that were not unrolled, of which these symbols speak."""
    return frozenset(one.payload.loop for one in symbols if isinstance(one.payload, OfLoop))


def _stores_privately(trace: Trace, performed: Performed) -> bool:
    """What a lane stores there, its later loads bring without a symbol."""
    return any(is_private(trace, performed, one) for one in performed.accesses)
