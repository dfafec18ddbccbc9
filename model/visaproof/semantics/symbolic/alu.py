"""Integer arithmetic, logic and comparison of one element, on terms.

A source is a term in its own width together with its type.  Operations modulo 2^w work in the wider of the sources
and the destination; those that look at the order of values work where every source, negated or not, keeps its value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visaproof.isa.errors import NotModelled
from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.bit_tables import by_table
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    ashr,
    bit,
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    concat,
    const,
    eq,
    extract,
    ite,
    lshr,
    mul,
    neg,
    negate,
    shl,
    sign_extend,
    sle,
    slt,
    sub,
    truncate,
    ule,
    ult,
    zero_extend,
)


@dataclass(frozen=True, slots=True)
class Source:
    """An element as it was read, its type, and the modifier that applies to it."""

    bits: BitVec
    type: DataType
    modifier: str = ""

    def modulo(self, width: int) -> BitVec:
        """The value modulo 2^width; exact where `width` exceeds the type's by one."""
        match self.modifier:
            case "-":
                return negate(self._plain(width))
            case "~":
                return Source(bit_not(self.bits), self.type).modulo(width)
            case "abs" | "-abs":
                return self._absolute(width)
            case _:
                return self._plain(width)

    def _plain(self, width: int) -> BitVec:
        if width <= self.type.bits:
            return truncate(self.bits, width)
        return sign_extend(self.bits, width) if self.type.signed else zero_extend(self.bits, width)

    def _absolute(self, width: int) -> BitVec:
        value = self._plain(width)
        if self.type.signed:
            value = ite(bit(self.bits, self.type.bits - 1), negate(value), value)
        return value if self.modifier == "abs" else negate(value)


def resized(term: BitVec, width: int, signed: bool) -> BitVec:
    """The term cut or extended to `width` bits."""
    if term.width >= width:
        return truncate(term, width)
    return sign_extend(term, width) if signed else zero_extend(term, width)


def ring_width(sources: Sequence[Source], result: DataType) -> int:
    return max(result.bits, *(source.type.bits for source in sources))


def order_width(sources: Sequence[Source]) -> tuple[int, bool]:
    """A width in which the sources compare as the integers that they are, and whether as signed ones."""
    signs = {source.type.signed for source in sources}
    widest = max(source.type.bits for source in sources)
    if len(signs) == 1 and not any(source.modifier in ("-", "abs", "-abs") for source in sources):
        return widest, signs.pop()
    return widest + 2, True


def _ring(operation: Callable[..., BitVec]) -> "Operation":
    """Addition and its like: modulo 2^w of the wider of sources and destination."""

    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        width = ring_width(sources, result)
        return truncate(operation(*(source.modulo(width) for source in sources)), result.bits)

    return apply


def _itself(value: BitVec) -> BitVec:
    return value


def _multiply_add(first: BitVec, second: BitVec, third: BitVec) -> BitVec:
    return add(mul(first, second), third)


def _ordered(choose: Callable[[BitVec, BitVec, bool], BitVec]) -> "Operation":
    """Operations whose result depends on the order of values."""

    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        width, signed = order_width(sources)
        left, right = (source.modulo(width) for source in sources)
        return resized(choose(left, right, signed), result.bits, signed)

    return apply


def _less(left: BitVec, right: BitVec, signed: bool) -> Bool:
    return slt(left, right) if signed else ult(left, right)


def shift_amount(source: Source, result: DataType, width: int) -> BitVec:
    """Pages SHL, SHR, ASR: "the last 5 (or 6 for Q/UQ type destinations) LSB bits of src1 are used".

    In `width` bits; every integer type has room for it.
    """
    used = 6 if result.size == 8 else 5
    amount = truncate(source.modulo(max(used, source.type.bits)), used)
    return zero_extend(amount, width)


def _shift_left(sources: Sequence[Source], result: DataType) -> BitVec:
    width = max(result.bits, sources[0].type.bits)
    return truncate(shl(sources[0].modulo(width), shift_amount(sources[1], result, width)), result.bits)


def _shift_right_logical(sources: Sequence[Source], result: DataType) -> BitVec:
    width = sources[0].type.bits
    shifted = lshr(sources[0].modulo(width), shift_amount(sources[1], result, width))
    return resized(shifted, result.bits, signed=False)


def _shift_right_arithmetic(sources: Sequence[Source], result: DataType) -> BitVec:
    width, signed = order_width(sources[:1])
    shift = ashr if signed else lshr
    shifted = shift(sources[0].modulo(width), shift_amount(sources[1], result, width))
    return resized(shifted, result.bits, signed)


def _rotate(left: bool) -> "Operation":
    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        width = result.bits
        value, amount = sources[0].modulo(width), sources[1].modulo(max(width, sources[1].type.bits))
        by = bit_and(truncate(amount, width), const(width - 1, width))
        back = bit_and(negate(by), const(width - 1, width))
        up, down = (by, back) if left else (back, by)
        return bit_or(shl(value, up), lshr(value, down))

    return apply


def _average(left: BitVec, right: BitVec, signed: bool) -> BitVec:
    width = left.width + 1
    total = add(resized(left, width, signed), resized(right, width, signed), const(1, width))
    return extract(total, width - 1, 1)


def _high_half(sources: Sequence[Source], result: DataType) -> BitVec:
    width = 32 + result.bits
    left, right = (source.modulo(width) for source in sources)
    return extract(mul(left, right), width - 1, 32)


def _count_bits(sources: Sequence[Source], result: DataType) -> BitVec:
    value = sources[0].modulo(sources[0].type.bits)
    return add(*(resized(extract(value, k, k), result.bits, signed=False) for k in range(value.width)))


def _first_set(from_top: bool, none: Callable[[int], int]) -> "Operation":
    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        value = sources[0].modulo(sources[0].type.bits)
        found = const(none(value.width), result.bits)
        for k in range(value.width):
            place, count = (k, value.width - 1 - k) if from_top else (value.width - 1 - k,) * 2
            found = ite(bit(value, place), const(count, result.bits), found)
        return found

    return apply


def _reversed(sources: Sequence[Source], result: DataType) -> BitVec:
    value = sources[0].modulo(sources[0].type.bits)
    return resized(concat(*(extract(value, k, k) for k in range(value.width))), result.bits, signed=False)


def _field(sources: Sequence[Source]) -> tuple[BitVec, BitVec]:
    """Pages BFE, BFI: ones in the low bits that the width names, and the offset, in 32 bits."""
    width, offset = (bit_and(source.modulo(32), const(31, 32)) for source in sources[:2])
    return sub(shl(const(1, 32), width), const(1, 32)), offset


def _extracted(sources: Sequence[Source], result: DataType) -> BitVec:
    if sources[2].type.signed:
        raise NotModelled("bfe of a signed source")
    ones, offset = _field(sources)
    return resized(bit_and(lshr(sources[2].modulo(32), offset), ones), result.bits, signed=False)


def _inserted(sources: Sequence[Source], result: DataType) -> BitVec:
    ones, offset = _field(sources)
    mask = shl(ones, offset)
    inserted = bit_and(shl(sources[2].modulo(32), offset), mask)
    return resized(bit_or(inserted, bit_and(sources[3].modulo(32), bit_not(mask))), result.bits, signed=False)


def _dot_product(sources: Sequence[Source], result: DataType) -> BitVec:
    """Page DP4A: the bytes of each source are signed as it is."""
    products: list[BitVec] = []
    for start in range(0, 32, 8):
        left, right = (
            resized(extract(source.modulo(32), start + 7, start), 32, source.type.signed) for source in sources[1:]
        )
        products.append(mul(left, right))
    return resized(add(sources[0].modulo(32), *products), result.bits, result.signed)


Operation = Callable[[Sequence[Source], DataType], BitVec]
"""From the sources and the destination's type to the destination's bits."""

OPERATIONS: dict[str, Operation] = {
    "mov": _ring(_itself),
    "add": _ring(add),
    "add3": _ring(add),
    "mul": _ring(mul),
    "mad": _ring(_multiply_add),
    "mulh": _high_half,
    "avg": _ordered(_average),
    "min": _ordered(lambda left, right, signed: ite(_less(right, left, signed), right, left)),
    "max": _ordered(lambda left, right, signed: ite(_less(left, right, signed), right, left)),
    "and": _ring(bit_and),
    "or": _ring(bit_or),
    "xor": _ring(bit_xor),
    "not": _ring(bit_not),
    "shl": _shift_left,
    "shr": _shift_right_logical,
    "asr": _shift_right_arithmetic,
    "rol": _rotate(left=True),
    "ror": _rotate(left=False),
    "cbit": _count_bits,
    "fbl": _first_set(from_top=False, none=lambda _: 0xFFFF_FFFF),
    "fbh": _first_set(from_top=True, none=lambda _: 0xFFFF_FFFF),
    "lzd": _first_set(from_top=True, none=lambda width: width),
    "bfrev": _reversed,
    "bfe": _extracted,
    "bfi": _inserted,
    "dp4a": _dot_product,
}
"""Opcodes with one destination that are functions of integers alone."""


def add_with_carry(left: BitVec, right: BitVec) -> tuple[BitVec, BitVec]:
    """Page ADDC: the sum of two UD, and its carry as bit 32 of the wide sum."""
    wide = add(zero_extend(left, 64), zero_extend(right, 64))
    return add(left, right), extract(wide, 63, 32)


def subtract_with_borrow(left: BitVec, right: BitVec) -> tuple[BitVec, BitVec]:
    """Page SUBB: the difference of two UD, and 1 where it would be negative."""
    return sub(left, right), ite(ult(left, right), const(1, 32), const(0, 32))


def multiply_add_wide(sources: Sequence[Source]) -> tuple[BitVec, BitVec]:
    """Page MADW: the low and the high dword of a·b + c."""
    first, second, third = (source.modulo(64) for source in sources)
    result = add(mul(first, second), third)
    return truncate(result, 32), extract(result, 63, 32)


def boolean_function(table: int, sources: Sequence[Source], result: DataType) -> BitVec:
    """Page BFN: the disjunction of the table's entries, each a conjunction of the sources or their complements."""
    width = ring_width(sources, result)
    return truncate(by_table(table, [source.modulo(width) for source in sources]), result.bits)


def compare(relation: str, left: Source, right: Source) -> Bool:
    """The relation of CMP between the integers that the types make of the bits."""
    width, signed = order_width((left, right))
    a, b = left.modulo(width), right.modulo(width)
    return _RELATIONS[relation](a, b, signed)


_RELATIONS: dict[str, Callable[[BitVec, BitVec, bool], Bool]] = {
    "eq": lambda a, b, _: eq(a, b),
    "ne": lambda a, b, _: neg(eq(a, b)),
    "lt": lambda a, b, signed: slt(a, b) if signed else ult(a, b),
    "le": lambda a, b, signed: sle(a, b) if signed else ule(a, b),
    "gt": lambda a, b, signed: slt(b, a) if signed else ult(b, a),
    "ge": lambda a, b, signed: sle(b, a) if signed else ule(b, a),
}
