"""Scatters whose lanes collide in a run in which those of an earlier scatter do: one launch shows both.

    P ∧ M   holds for values with which the run comes to scatter k, past a scatter j whose lanes collide,
            and depends on nothing that messages from j on load

P is the premise, and M says that two lanes of k write one byte.  Then those of k collide whichever of their values the
lanes of j leave.  The run that confirms it goes on after j as if that stored nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product, takewhile

from visaproof.analysis.conflicts.lane_conditions import OfLanes, lanes_of
from visaproof.analysis.conflicts.launches.usual_launches import constants_of
from visaproof.analysis.conflicts.launches.usual_search import InVain, UsualSearch
from visaproof.analysis.conflicts.simpler_formulas import without_products
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.isa.errors import Position
from visaproof.machine.concrete.run import Outcome, PerformedMessage
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.queries.kernels.lane_accesses import stores_by_lane
from visaproof.queries.kernels.suspects import tainted
from visaproof.semantics.symbolic.names import is_size
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import Bool, Term, conj, disj, symbols_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.evaluate import all_hold, evaluate_all
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import substitute

EXCLUDED_MS = 250, 2_000
"""For the first pair of lanes, and for all of them."""

LIKE_MS = 250
"""For values that are like those of a conflict."""

LARGE = 1 << 32
"""Bytes of a surface, and extents of an image."""


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
    question: ConflictQuestion, asked: Asked, shown: Sequence[Values], in_vain: InVain | None = None
) -> Iterator[tuple[int, Values]]:
    """Those of all values that a run may confirm: with others, lanes collide before, and data decides where these do.

    What depends on no load from some scatter before this one on depends on none from the last of these on.  Groups of
    launches that were asked about `in_vain` are not again.
    """
    alone, last = dict[int, bool](), _last_before(question, asked.trace)
    for index, values in _candidates(question, asked, shown, {} if in_vain is None else in_vain):
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


def _candidates(
    question: ConflictQuestion, asked: Asked, shown: Sequence[Values], in_vain: InVain
) -> Iterator[tuple[int, Values]]:
    """Pairs of lanes that collide whatever earlier scatters do: with values that have shown another conflict, also
    with larger surfaces, or the zeros among them, then in the first groups of launches.
    """
    premise, meets = conj(*question.premises), [pair.meet for pair in question.pairs]
    symbols = symbols_of(premise, *meets)
    large = {one: min(LARGE, (1 << one.width) - 1) for one in symbols if is_size(one)}
    for values, sizes in product(shown, ({}, large)):
        known = {**values, **{one: values.get(one, 0) for one in symbols}, **sizes}
        holds, *met = evaluate_all((premise, *meets), known)
        if holds and any(met):
            yield met.index(1), known
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
