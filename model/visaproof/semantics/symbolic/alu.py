"""Integer arithmetic, logic and comparison of one element, symbolically.

A source is a term in its own width together with its type.  Operations modulo 2^w work in the wider of the sources
and the destination; those that look at the order of values work where every source, negated or not, keeps its value.
"""

from collections.abc import Callable, Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.bit_counts import BIT_OPERATIONS
from visaproof.semantics.symbolic.bit_tables import by_table
from visaproof.semantics.symbolic.elements import Operation, Source, order_width, resized, ring_width
from visaproof.semantics.symbolic.pairs import sum_of_differences
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    ashr,
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    const,
    eq,
    extract,
    ite,
    lshr,
    mul,
    neg,
    negate,
    shl,
    sle,
    slt,
    sub,
    truncate,
    ule,
    ult,
    zero_extend,
)


def _ring(operation: Callable[..., BitVec]) -> Operation:
    """Addition and its like: modulo 2^w of the wider of sources and destination."""

    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        width = ring_width(sources, result)
        return truncate(operation(*(source.modulo(width) for source in sources)), result.bits)

    return apply


def _itself(value: BitVec) -> BitVec:
    return value


def multiply_add(first: BitVec, second: BitVec, third: BitVec) -> BitVec:
    return add(mul(first, second), third)


def _ordered(choose: Callable[[BitVec, BitVec, bool], BitVec]) -> Operation:
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


def _rotate(left: bool) -> Operation:
    """Pages ROL, ROR: "RotateMask = sizeof(src0) * 8 - 1"."""

    def apply(sources: Sequence[Source], result: DataType) -> BitVec:
        bits = sources[0].type.bits
        width = max(result.bits, bits)
        value = zero_extend(sources[0].modulo(bits), width)
        amount = sources[1].modulo(max(width, sources[1].type.bits))
        by = bit_and(truncate(amount, width), const(bits - 1, width))
        back = bit_and(negate(by), const(bits - 1, width))
        up, down = (by, back) if left else (back, by)
        return truncate(bit_or(shl(value, up), lshr(value, down)), result.bits)

    return apply


def average(left: BitVec, right: BitVec, signed: bool) -> BitVec:
    width = left.width + 1
    total = add(resized(left, width, signed), resized(right, width, signed), const(1, width))
    return extract(total, width - 1, 1)


def _high_half(sources: Sequence[Source], result: DataType) -> BitVec:
    width = 32 + result.bits
    left, right = (source.modulo(width) for source in sources)
    return extract(mul(left, right), width - 1, 32)


def _differences(sources: Sequence[Source], result: DataType) -> BitVec:
    return sum_of_differences(sources).cut(result)


OPERATIONS: dict[str, Operation] = {
    "mov": _ring(_itself),
    "add": _ring(add),
    "add3": _ring(add),
    "mul": _ring(mul),
    "mad": _ring(multiply_add),
    "mulh": _high_half,
    "avg": _ordered(average),
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
    **BIT_OPERATIONS,
    "sad2": _differences,
    "sad2add": _differences,
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
