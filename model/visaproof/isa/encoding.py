"""The numbers of byte code: the codes of sizes, types, operations, strides and predicates.

Source: docs/pages/instructions.md §0.1, §0.3, §0.4, §4; the codes of types and strides were read off Intel's own byte
code.
"""

from typing import NamedTuple

from visaproof.isa.atomics import FLOAT_OPS, PAGE_OPS, AtomicOp
from visaproof.isa.execution import EXEC_SIZES, Combine
from visaproof.isa.types import DataType

EXEC_SIZE_CODES = {size: code for code, size in enumerate(EXEC_SIZES)}
"""1 → 0, 2 → 1, … 32 → 5: of lanes, and of the owords of OWORD_LD."""

BLOCK_CODES = {1: 0, 2: 1, 4: 2, 8: 3}
"""Num_blocks of QW_SCATTER, bits 1..0."""

TYPE_CODES = {
    DataType.UD: 0x0,
    DataType.D: 0x1,
    DataType.UW: 0x2,
    DataType.W: 0x3,
    DataType.UB: 0x4,
    DataType.B: 0x5,
    DataType.DF: 0x6,
    DataType.F: 0x7,
    DataType.V: 0x8,
    DataType.VF: 0x9,
    DataType.UQ: 0xB,
    DataType.UV: 0xC,
    DataType.Q: 0xD,
    DataType.HF: 0xE,
}
"""The type of an immediate; 0xA is the boolean, which no immediate may have."""

STRIDE_CODES = {0: 1, 1: 2, 2: 3, 4: 4, 8: 5, 16: 6, 32: 7}
"""Strides and widths of a region; 0 would stand for "none"."""

OFF_THE_PAGE = {"fadd": 0x13, "fsub": 0x14}
"""Float operations that the grammar can spell and the page does not have (D29)."""

FLOAT_ATOMICS = (*(op.spelling for op in FLOAT_OPS if op.spelling), *OFF_THE_PAGE)
"""Every float operation of TYPED_ATOMIC by the grammar's name."""

ATOMIC_CODES = {op.spelling: op.code for op in PAGE_OPS if op.spelling} | OFF_THE_PAGE
"""Every operation that the grammar can spell; predec (0x0D) it cannot (D28)."""

PREDEC_CODE = AtomicOp.PREDEC.code

ATOMIC_SOURCES = {op.spelling: op.sources for op in PAGE_OPS if op.spelling} | dict.fromkeys(OFF_THE_PAGE, 1)
"""How many of Src0 and Src1 an operation reads (D39)."""


class PredicateField(NamedTuple):
    """The Pred field; `variable` 0 says that there is no predicate.

    ``15: invert | 14..13: combine (00 plain, 01 any, 10 all) | 12: zero | 11..0: index``
    """

    variable: int = 0
    inverse: bool = False
    combine: Combine = Combine.PLAIN

    @property
    def word(self) -> int:
        return self.inverse << 15 | self.combine.value << 13 | self.variable


def predicate_field(word: int) -> PredicateField:
    """The predicate in a Pred field.  Raises ValueError where a reserved bit or code is set."""
    combine, index = word >> 13 & 3, word & 0xFFF
    if word >> 12 & 1 or combine == 3 or (index == 0 and word):
        raise ValueError(f"the Pred field {word:#06x} has reserved bits")
    return PredicateField(index, bool(word >> 15), Combine(combine))


class RegionField(NamedTuple):
    """A region `<v;w,h>` in sixteen bits: ``11..8: code of h | 7..4: code of w | 3..0: code of v``."""

    vertical: int = 0
    width: int = 1
    horizontal: int = 0

    @property
    def word(self) -> int:
        vertical, width, horizontal = (STRIDE_CODES[stride] for stride in self)
        return horizontal << 8 | width << 4 | vertical


SCALAR_REGION = RegionField()
"""`<0;1,0>`"""


def region_field(word: int) -> RegionField:
    """The region in its sixteen bits.  Raises ValueError where a code stands for none."""
    strides = {code: stride for stride, code in STRIDE_CODES.items()}
    codes = word & 0xF, word >> 4 & 0xF, word >> 8
    if not all(code in strides for code in codes):
        raise ValueError(f"the region {word:#06x} has reserved codes")
    return RegionField(*(strides[code] for code in codes))
