"""Groups in which two lanes collide, by the work items that do: what a solver says of any, where groups are small.

The items of one group have the numbers n(x, y, z) = x + lx·(y + ly·z), and a message of m lanes has those of one ⌊n/m⌋:

    P ∧ M ∧ lx·ly·lz ≤ 1024 ∧ ⌊n(x, y, z)/m⌋ = ⌊n(x', y', z')/m⌋      P: premises, M: that both lanes write one byte

A model names local sizes and a thread.  M has no products of unknowns, so the launch is asked about again, and run.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from visaproof.analysis.conflicts.any_items.items_apart import ItemsApart
from visaproof.analysis.conflicts.any_items.products import without_products
from visaproof.launch.ids.group_shape import GroupShape, rows_of
from visaproof.launch.ids.local_ids import Triple
from visaproof.launch.ids.open_ids import orders_of, values_of_thread
from visaproof.queries.kernels.conflict import ConflictQuestion
from visaproof.smt import BitVec, Term, add, conj, const, eq, extract, neg, substitute, ule, zero_extend
from visaproof.smt.answers import Satisfiable
from visaproof.smt.arithmetic import mul
from visaproof.smt.evaluate import evaluate_all
from visaproof.smt.solvers import solve

MOST_GROUPS = 3
"""Of different sizes."""
MOST_MS = 1_000
"""For each of them."""
WIDTH = 32
"""Bits of the number of an item: no product of three sizes or ids below 1025 wraps."""


def colliding_groups(items: ItemsApart, question: ConflictQuestion) -> Iterator[dict[Term, int]]:
    """Threads of launches that exist, by the values of the symbols that say which: one for each size that is found.

    `question` is one of those that `items` puts.  No run has confirmed that the lanes collide there.
    """
    shape, launched = items.groups, items.start.group.launched
    collision = next(iter(items.some_collisions(question).some), None)
    if launched is None or collision is None or not shape.counted:
        return
    bits = (len(question.lanes) - 1).bit_length()
    (when, order), *_ = orders_of(shape, shape.open, dict(enumerate(launched.sizes)))
    sizes = [zero_extend(launched.sizes[d], WIDTH) for d in order]
    one, other = (
        _number([zero_extend(substitute(launched.ids[lane][d], collision.any_two), WIDTH) for d in order], sizes)
        for lane in (collision.pair.first, collision.pair.second)
    )
    formula = conj(
        without_products(conj(*question.premises, collision.meet)),
        when,
        ule(reduce(mul, sizes), const(launched.most, WIDTH)),
        eq(extract(one, WIDTH - 1, bits), extract(other, WIDTH - 1, bits)),
    )
    for _ in range(MOST_GROUPS):
        answer = solve([formula], min(MOST_MS, items.asked.timeout_ms))
        if not isinstance(answer, Satisfiable):
            return
        number, x, y, z = evaluate_all((one, *launched.sizes), answer.values)
        yield from _laid_out(shape, order, (x, y, z), number // shape.simd)
        same = (eq(word, const(size, word.width)) for word, size in zip(launched.sizes, (x, y, z), strict=True))
        formula = conj(formula, neg(conj(*same)))


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
