"""Groups in which two lanes collide, by the work items that do: what a solver says of any, where groups are small.

The items of one group have the numbers n(x, y, z) = x + lx·(y + ly·z), and a message of m lanes has those of one ⌊n/m⌋:

    P ∧ M ∧ lx·ly·lz ≤ 1024 ∧ ⌊n(x, y, z)/m⌋ = ⌊n(x', y', z')/m⌋      P: premises, M: that both lanes write one byte

Where there is no model, no launch exists in which they do.  A model names local sizes and a thread: M has no products
of unknowns, so the launch is asked about again, and run.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from visaproof.analysis.conflicts.any_items.items_apart import ItemsApart
from visaproof.analysis.conflicts.any_items.pair_collisions import PairCollision
from visaproof.analysis.conflicts.any_items.products import without_products
from visaproof.analysis.conflicts.results import Never
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.launch.ids.consecutive_items import counts_items
from visaproof.launch.ids.group_shape import GroupShape, rows_of
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.launch.ids.local_ids import Triple
from visaproof.launch.ids.open_ids import orders_of, values_of_thread
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import BitVec, Bool, Term, add, conj, const, eq, extract, neg, substitute, ule, zero_extend
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.arithmetic import mul
from visaproof.smt.evaluate import evaluate_all
from visaproof.smt.solvers import solve

STAGE = "items of one message"
"""Of a proof of this kind, beside the solver."""
MOST_GROUPS = 3
"""Of different sizes."""
MOST_MS = 1_000
"""For one question."""
WIDTH = 32
"""Bits of the number of an item: no product of three sizes or ids below 1025 wraps."""


def colliding_groups(items: ItemsApart, question: ConflictQuestion) -> Never | Iterator[dict[Term, int]]:
    """Threads of launches that exist, by the values of the symbols that say which: one for each size that is found.

    `question` is one of those that `items` puts.  No run has confirmed that the lanes collide there.  Where no pair of
    lanes has such a model, in any order in which items may be counted, they never collide.
    """
    shape, launched = items.groups, items.start.group.launched
    if launched is None or not counts_items(shape):
        return iter(())
    solvers = dict[str, None]()
    for collision in items.some_collisions(question).some:
        meet = without_products(conj(*question.premises, collision.meet))
        for when, order in orders_of(shape, shape.open, dict(enumerate(launched.sizes))):
            number, near = _in_one_message(launched, question, collision, order)
            formula = conj(meet, when, *near)
            match solve([formula], min(MOST_MS, items.asked.timeout_ms)):
                case Unsatisfiable(solver):
                    solvers[solver] = None
                case Satisfiable(values, _):
                    return _groups(items.groups, launched, formula, number, order, values)
                case _:
                    return iter(())
    return Never(", ".join((STAGE, *solvers)))


def _in_one_message(
    launched: LaunchedIds, question: ConflictQuestion, collision: PairCollision, order: Sequence[int]
) -> tuple[BitVec, list[Bool]]:
    """The number of the first item, and that it is in one message with the other."""
    lanes, sizes = [one.lane for one in question.lanes], [zero_extend(launched.sizes[d], WIDTH) for d in order]
    alike = (min(lanes) ^ max(lanes)).bit_length()  # the bits above these are the same in all lanes
    one, other = (
        _number([zero_extend(substitute(launched.ids[lane][d], collision.any_two), WIDTH) for d in order], sizes)
        for lane in (collision.pair.first, collision.pair.second)
    )
    small = ule(reduce(mul, sizes), const(launched.most, WIDTH))
    return one, [small, eq(extract(one, WIDTH - 1, alike), extract(other, WIDTH - 1, alike))]


def _groups(
    shape: GroupShape, launched: LaunchedIds, formula: Bool, number: BitVec, order: Sequence[int], values: Values
) -> Iterator[dict[Term, int]]:
    """Those of this model, and of some others."""
    for left in reversed(range(MOST_GROUPS)):
        first, x, y, z = evaluate_all((number, *launched.sizes), values)
        yield from _laid_out(shape, order, (x, y, z), first // shape.simd)
        same = (eq(word, const(size, word.width)) for word, size in zip(launched.sizes, (x, y, z), strict=True))
        formula = conj(formula, neg(conj(*same)))
        answer = solve([formula], MOST_MS) if left else None
        if not isinstance(answer, Satisfiable):
            return
        values = answer.values


def _number(ids: Sequence[BitVec], sizes: Sequence[BitVec]) -> BitVec:
    """Of an item in its group, the fastest id first."""
    number = ids[-1]
    for word, size in zip(ids[-2::-1], sizes[-2::-1], strict=True):
        number = add(word, mul(size, number))
    return number


def _laid_out(shape: GroupShape, order: Sequence[int], size: Triple, thread: int) -> Iterator[dict[Term, int]]:
    """This thread, if a launch lays out groups of this size in this order."""
    for way in shape.ways():
        if [d for d in way.order(size) if d in order] == list(order) and thread < len(rows_of(way, size)):
            yield values_of_thread(shape, shape.open, way, size, thread)
            return
