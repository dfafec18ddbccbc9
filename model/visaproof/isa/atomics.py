"""The operations of TYPED_ATOMIC, and those of LSC_ATOMIC beside them.

Page: TYPED_ATOMIC.md, field Op; roles: docs/decisions.md D28, D29, D38, D39; `fadd` and `fsub`:
docs/pages/current-compiler.md.
"""

from enum import Enum
from typing import NamedTuple, assert_never

from visaproof.isa.answers import FloatAtomics


class _OpFacts(NamedTuple):
    code: int
    spelling: str | None
    sources: int


class AtomicOp(Enum):
    """An operation; its value is (code, spelling in TYPED_ATOMIC's grammar, number of sources)."""

    ADD = _OpFacts(0x00, "add", 1)
    SUB = _OpFacts(0x01, "sub", 1)
    INC = _OpFacts(0x02, "inc", 0)
    DEC = _OpFacts(0x03, "dec", 0)
    MIN = _OpFacts(0x04, "min", 1)
    MAX = _OpFacts(0x05, "max", 1)
    XCHG = _OpFacts(0x06, "xchg", 1)
    CMPXCHG = _OpFacts(0x07, "cmpxchg", 2)
    AND = _OpFacts(0x08, "and", 1)
    OR = _OpFacts(0x09, "or", 1)
    XOR = _OpFacts(0x0A, "xor", 1)
    IMIN = _OpFacts(0x0B, "minsint", 1)
    IMAX = _OpFacts(0x0C, "maxsint", 1)
    PREDEC = _OpFacts(0x0D, None, 0)
    FMAX = _OpFacts(0x10, "fmax", 1)
    FMIN = _OpFacts(0x11, "fmin", 1)
    FCMPWR = _OpFacts(0x12, "fcmpwr", 2)
    FADD = _OpFacts(0x13, None, 1)
    FSUB = _OpFacts(0x14, None, 1)

    @property
    def code(self) -> int:
        return self.value.code

    @property
    def spelling(self) -> str | None:
        """The name in the grammar of TYPED_ATOMIC; predec has none (D28), nor have those that only LSC_ATOMIC has."""
        return self.value.spelling

    @property
    def sources(self) -> int:
        """How many of Src0 and Src1 it reads; the others must be null (D39)."""
        return self.value.sources

    @property
    def commuting_group(self) -> "AtomicOp | None":
        """The operation that stands for all that commute with this one; None if not even two of its own do.

        Two operations of a group leave the same in a cell in either order, whatever the cell and their operands hold.
        """
        match self:
            case AtomicOp.ADD | AtomicOp.SUB | AtomicOp.INC | AtomicOp.DEC | AtomicOp.PREDEC:
                return AtomicOp.ADD  # each adds a number that does not depend on the cell
            case AtomicOp.AND | AtomicOp.OR | AtomicOp.XOR:
                return self
            case AtomicOp.MIN | AtomicOp.MAX | AtomicOp.IMIN | AtomicOp.IMAX:
                return self
            case AtomicOp.XCHG | AtomicOp.CMPXCHG:
                return None  # the last one wins, or the first
            case AtomicOp.FMAX | AtomicOp.FMIN | AtomicOp.FCMPWR:
                return None  # NaNs and the sign of zero may tell
            case AtomicOp.FADD | AtomicOp.FSUB:
                return None  # each step is rounded
            case _:
                assert_never(self)


LOWERED = {AtomicOp.FMAX: AtomicOp.AND, AtomicOp.FMIN: AtomicOp.OR, AtomicOp.FCMPWR: AtomicOp.XOR}
"""The integer operation that Intel's finalizer sends for a float one of TYPED_ATOMIC (D29)."""

COMPARING_OPS = tuple(LOWERED)
"""The operations of TYPED_ATOMIC on floating-point numbers; their operands carry the bits as UD."""

ROUNDED_OPS = (AtomicOp.FADD, AtomicOp.FSUB)
"""The operations that no page has but LSC_ATOMIC's: they leave a number that need not be one of their operands."""

FLOAT_OPS = (*COMPARING_OPS, *ROUNDED_OPS)
"""All operations on floating-point numbers."""

PAGE_OPS = tuple(op for op in AtomicOp if op not in ROUNDED_OPS)
"""The operations of TYPED_ATOMIC, DWORD_ATOMIC and SVM_ATOMIC."""


def commute(one: AtomicOp, other: AtomicOp) -> bool:
    """Whether the order of both on one cell does not show in what they leave there."""
    group = one.commuting_group
    return group is not None and group is other.commuting_group


def carried_out(op: AtomicOp, reading: FloatAtomics) -> AtomicOp:
    """The operation that is carried out: not the one that is named where that is read as lowered (D29)."""
    return LOWERED.get(op, op) if reading is FloatAtomics.AS_LOWERED else op


def atomic_named(spelling: str) -> AtomicOp:
    """The operation that the grammar spells so.  Raises KeyError for any other word."""
    by_spelling = {op.spelling: op for op in PAGE_OPS if op.spelling}
    return by_spelling[spelling]
