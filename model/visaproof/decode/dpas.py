"""`dpas`: a product of matrices, accumulated.  Source: docs/pages/current-compiler.md §7.

dpas.W.A.D.R (M1, LANES)  DST  ACC  B  A(r,c)        D = C + A × B, M = R rows, N = LANES columns, K = D · q
"""

from enum import Enum

from msgspec import Struct

from visaproof.decode.statement import Statement, execution_of
from visaproof.decode.surfaces import first_byte
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm import syntax

DWORD_BITS = 32


class Element(Enum):
    """The type of an element of A or B: (spelling, bits, signed, floating)."""

    U1 = ("u1", 1, False, False)
    S1 = ("s1", 1, True, False)
    U2 = ("u2", 2, False, False)
    S2 = ("s2", 2, True, False)
    U4 = ("u4", 4, False, False)
    S4 = ("s4", 4, True, False)
    U8 = ("u8", 8, False, False)
    S8 = ("s8", 8, True, False)
    BF = ("bf", 16, True, True)
    HF = ("hf", 16, True, True)
    TF32 = ("tf32", 32, True, True)

    def __init__(self, spelling: str, bits: int, signed: bool, floating: bool) -> None:
        self.spelling = spelling
        self.bits = bits
        self.signed = signed
        self.floating = floating


NARROW_BITS = 4
MOST_REPEATS = 8
DEPTHS = (1, 2, 4, 8)
RESULTS = {False: (DataType.D, DataType.UD), True: (DataType.F,)}
"""The types of DST and ACC, for integers and for floats."""


class Dpas(Struct, frozen=True):
    """The statement, by root variables and bytes."""

    execution: Execution
    b_type: Element
    a_type: Element
    depth: int
    rows: int
    dst: RawOperand
    acc: RawOperand
    """Null for zeros."""
    b: RawOperand
    a: RawOperand

    @property
    def in_a_dword(self) -> int:
        """Elements that one step of the depth takes: q."""
        if self.b_type.floating:
            return DWORD_BITS // self.b_type.bits
        return 8 if max(self.b_type.bits, self.a_type.bits) <= NARROW_BITS else 4

    @property
    def inner(self) -> int:
        """Columns of A and rows of B: K."""
        return self.depth * self.in_a_dword

    @property
    def floating(self) -> bool:
        return self.b_type.floating

    @property
    def b_dwords(self) -> int:
        """Dwords of each lane, one in each register."""
        return -(-self.inner * self.b_type.bits // DWORD_BITS)

    @property
    def a_bits(self) -> int:
        """Of a row."""
        return self.inner * self.a_type.bits


def decode_dpas(instruction: syntax.Instruction, kernel: syntax.Kernel, platform: Platform) -> Dpas:
    """Raises ReadError for operands that do not fit, NotModelled for other forms."""
    s = Statement(instruction, kernel, platform)
    dst, acc, b, a = s.operands(4)
    types = [_element(instruction, word) for word in instruction.suffixes[:2]]
    if len(instruction.suffixes) != 4 or len(types) != 2:
        raise ReadError("dpas needs two types, a depth and a repeat count", s.position, "as in dpas.hf.hf.8.8")
    b_type, a_type = types
    depth, rows = (_count(instruction, word) for word in instruction.suffixes[2:])
    if depth not in DEPTHS or not 1 <= rows <= MOST_REPEATS:
        raise ReadError(f"a depth of {depth} with {rows} rows", s.position, "a depth of 1, 2, 4 or 8, and 1 to 8 rows")
    if b_type.floating != a_type.floating or (b_type.floating and b_type is not a_type):
        raise ReadError(f"{b_type.spelling} and {a_type.spelling} do not go together", s.position)
    if instruction.predicate is not None:
        raise NotModelled("dpas under a predicate", s.position)
    if not isinstance(a, syntax.VectorSource) or a.modifier:
        raise ReadError("the last operand is where A begins: V(row,column)", a.position)
    for operand in (dst, acc):
        if s.raw(operand) != NULL and s.type_of(operand) not in RESULTS[b_type.floating]:
            raise NotModelled("dpas with sums of this type", operand.position)
    if 4 * (execution := execution_of(instruction)).size != platform.grf_bytes:
        raise NotModelled(f"dpas of {execution.size} lanes", s.position)
    return Dpas(
        execution, b_type, a_type, depth, rows, s.raw(dst), s.raw(acc), s.raw(b),
        RawOperand(*first_byte(kernel, a, platform)),
    )  # fmt: skip


def _element(instruction: syntax.Instruction, word: str) -> Element:
    try:
        return Element[word.upper()]
    except KeyError:
        raise NotModelled(f"dpas of {word}", instruction.position) from None


def _count(instruction: syntax.Instruction, word: str) -> int:
    if not word.isdecimal():
        raise ReadError(f"{word} is no number", instruction.position, "as in dpas.hf.hf.8.8")
    return int(word)
