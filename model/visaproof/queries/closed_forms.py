"""What any number of lanes of one atomic leave on a texel, where that does not depend on their order."""

from collections.abc import Callable

from msgspec import Struct

from visaproof.isa.atomics import AtomicOp
from visaproof.smt import BitVec, add, bit_and, bit_or, bit_xor, const, ite, sle, sub, ule


class ClosedForm(Struct, frozen=True):
    """What any number of lanes leave, written over one accumulated operand."""

    neutral: Callable[[int], int]
    """The accumulated operand of no lanes, of the width in bits."""
    joined: Callable[[BitVec, BitVec], BitVec]
    """The accumulated operand with one more lane's src0."""
    final: Callable[[BitVec, BitVec], BitVec]
    """The texel, of its old value and the accumulated operand."""


def _zero(_: int) -> int:
    return 0


def _lesser(one: BitVec, other: BitVec) -> BitVec:
    return ite(ule(one, other), one, other)


def _greater(one: BitVec, other: BitVec) -> BitVec:
    return ite(ule(one, other), other, one)


def _signed_lesser(one: BitVec, other: BitVec) -> BitVec:
    return ite(sle(one, other), one, other)


def _signed_greater(one: BitVec, other: BitVec) -> BitVec:
    return ite(sle(one, other), other, one)


def _one_more(accumulated: BitVec, _: BitVec) -> BitVec:
    return add(accumulated, const(1, accumulated.width))


CLOSED_FORMS: dict[AtomicOp, ClosedForm] = {
    AtomicOp.ADD: ClosedForm(_zero, add, add),  # old + Σ operands
    AtomicOp.SUB: ClosedForm(_zero, add, sub),  # old − Σ operands
    AtomicOp.INC: ClosedForm(_zero, _one_more, add),  # old + number of lanes
    AtomicOp.DEC: ClosedForm(_zero, _one_more, sub),
    AtomicOp.PREDEC: ClosedForm(_zero, _one_more, sub),
    AtomicOp.MIN: ClosedForm(lambda bits: 2**bits - 1, _lesser, _lesser),
    AtomicOp.MAX: ClosedForm(_zero, _greater, _greater),
    AtomicOp.IMIN: ClosedForm(lambda bits: 2 ** (bits - 1) - 1, _signed_lesser, _signed_lesser),
    AtomicOp.IMAX: ClosedForm(lambda bits: 2 ** (bits - 1), _signed_greater, _signed_greater),
    AtomicOp.AND: ClosedForm(lambda bits: 2**bits - 1, bit_and, bit_and),
    AtomicOp.OR: ClosedForm(_zero, bit_or, bit_or),
    AtomicOp.XOR: ClosedForm(_zero, bit_xor, bit_xor),
}
"""Every operation whose final value does not depend on the order."""
