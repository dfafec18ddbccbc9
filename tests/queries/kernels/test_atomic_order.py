"""Which operations of atomics commute: for all words by a solver, and on small integers one by one."""

from itertools import combinations_with_replacement, product

import pytest

from visaproof.checking.stages import Fails, Holds, decide_goal
from visaproof.instructions.dword_atomic import integer_new_value
from visaproof.isa.atomics import COMPARING_OPS, PAGE_OPS, AtomicOp, commute
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import Bool, eq, symbol

INTEGER = [op for op in PAGE_OPS if op not in COMPARING_OPS]
PAIRS = list(combinations_with_replacement(INTEGER, 2))
SMALL = range(4)


def same_in_either_order(op: AtomicOp, other: AtomicOp, bits: int) -> Bool:
    """Whether a cell holds the same after both, whichever comes first."""
    old, src0, src1, mine, theirs = (symbol(name, bits) for name in ("old", "src0", "src1", "mine", "theirs"))
    first = new_value(other, new_value(op, old, src0, src1), mine, theirs)
    return eq(first, new_value(op, new_value(other, old, mine, theirs), src0, src1))


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_what_is_said_to_commute_does(bits: int) -> None:
    for pair in (one for one in PAIRS if commute(*one)):
        assert isinstance(decide_goal((), same_in_either_order(*pair, bits), 10_000), Holds), pair


@pytest.mark.parametrize(
    "pair",
    [
        (AtomicOp.ADD, AtomicOp.XOR),
        (AtomicOp.AND, AtomicOp.OR),
        (AtomicOp.MIN, AtomicOp.MAX),
        (AtomicOp.MIN, AtomicOp.IMIN),
        (AtomicOp.XCHG, AtomicOp.XCHG),
        (AtomicOp.CMPXCHG, AtomicOp.CMPXCHG),
    ],
)
def test_what_is_not_said_to_commute_does_not(pair: tuple[AtomicOp, AtomicOp]) -> None:
    assert not commute(*pair)
    assert isinstance(decide_goal((), same_in_either_order(*pair, 32), 10_000), Fails)


def test_on_two_bits_exactly_the_stated_operations_commute() -> None:
    """By `execute`'s table, for every old value and every two operands."""
    for op, other in PAIRS:
        always = all(
            one_after_the_other((op, mine), (other, theirs), old)
            == one_after_the_other((other, theirs), (op, mine), old)
            for old, mine, theirs in product(SMALL, product(SMALL, SMALL), product(SMALL, SMALL))
        )
        assert always == commute(op, other), (op, other)


Operation = tuple[AtomicOp, tuple[int, int]]


def one_after_the_other(first: Operation, second: Operation, old: int) -> int:
    for op, sources in (first, second):
        old = integer_new_value(op, old, *sources, bits=2) % 4
    return old
