"""Slices of words, words put together, the shifts that are slices, and quotients, which are shifts by powers of two.

Division is as in SMT-LIB: by 0 the quotient is all ones and the remainder the dividend.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import cast

from visaproof.smt.arithmetic import add, linear_parts, mul, remainder, scale
from visaproof.smt.bits import (
    bit_and,
    bit_or,
    bit_xor,
    branches,
    constant_below,
    sign_extend,
    sub_constant,
    zero_extend,
)
from visaproof.smt.logic import ite
from visaproof.smt.terms import (
    BitVec,
    Bool,
    Op,
    bit_vector,
    common_width,
    const,
    interned,
    kept,
    lowest_bit,
    value_of,
)


def lshr(term: BitVec, amount: BitVec) -> BitVec:
    """Logical right shift; an amount of `width` or more gives 0."""
    width = common_width((term, amount))
    if (bits := value_of(amount)) is not None:
        return zero_extend(extract(term, width - 1, bits), width) if bits < width else const(0, width)
    return bit_vector(Op.LSHR, (term, amount), None, width, (0, term.high))


def ashr(term: BitVec, amount: BitVec) -> BitVec:
    """Arithmetic right shift; an amount of `width` or more gives copies of the sign."""
    width = common_width((term, amount))
    if (bits := value_of(amount)) is not None:
        bits = min(bits, width - 1)
        return sign_extend(extract(term, width - 1, bits), width)
    return bit_vector(Op.ASHR, (term, amount), None, width)


def truncate(term: BitVec, to: int) -> BitVec:
    """The low `to` bits."""
    return extract(term, to - 1, 0)


MOST_SLICED = 64
"""Parts of a word into which a slice is pushed: bit-sliced ciphers shift words of many thousand operations."""

KEPT_SLICES = 4_096
"""A comparison slices the words of each lane again, which may be long choices."""

Slice = tuple[BitVec, int, int]
"""A term, and the bits of it that are meant: the highest and the lowest."""


def extract(term: BitVec, high: int, low: int) -> BitVec:
    """Bits `high` down to `low`, pushed into the term where that loses nothing and its parts are few.

    What terms share is sliced once, and without recursion: a long chain of products has many ways and is deep.
    """
    if not 0 <= low <= high < term.width:
        raise ValueError(f"bits {high}..{low} of {term.width}")
    known = _known_slice(term, high, low)
    return _pushed(term, high, low) if known is None else known


@kept(KEPT_SLICES)
def _pushed(term: BitVec, high: int, low: int) -> BitVec:
    made: dict[Slice, BitVec] = {}
    waiting = [(term, high, low)]
    while waiting:
        one = waiting[-1]
        parts, ahead = _parts(*one), len(waiting)
        for part in parts:
            if part in made:
                continue
            if (known := _known_slice(*part)) is None:
                waiting.append(part)
            else:
                made[part] = known
        if len(waiting) == ahead:
            waiting.pop()
            made[one] = _put_together(*one, [made[part] for part in parts])
        elif len(made) > MOST_SLICED:
            return _put_together(term, high, low, [])
    return made[term, high, low]


def _known_slice(term: BitVec, high: int, low: int) -> BitVec | None:
    width = high - low + 1
    if width == term.width:
        return term
    if (found := interned(Op.EXTRACT, (term,), (high, low), width)) is not None:
        return cast(BitVec, found)  # nothing below could do better, so nothing would now
    if term.low >> low == term.high >> low:  # a constant, or the bits above what a sum varies by
        return const(term.low >> low, width)
    if (term.zeros >> low) & ((1 << width) - 1) == (1 << width) - 1:
        return const(0, width)
    return None


def _slice_bounds(term: BitVec, high: int, low: int) -> tuple[int, int] | None:
    return (term.low >> low, term.high >> low) if term.high < 1 << (high + 1) else None


def _slice_zeros(term: BitVec, low: int, width: int) -> int:
    return (term.zeros >> low) & ((1 << width) - 1)


def _parts(term: BitVec, high: int, low: int) -> tuple[Slice, ...]:
    """The slices that a slice is made of; none where it stays one of the whole term."""
    operands = cast(tuple[BitVec, ...], term.args)
    match term.op:
        case Op.EXTRACT:
            _, inner_low = cast(tuple[int, int], term.payload)
            return ((operands[0], high + inner_low, low + inner_low),)
        case Op.CONCAT:
            return tuple(_parts_of_concat(operands, high, low))
        case Op.ZERO_EXTEND | Op.SIGN_EXTEND if low < operands[0].width:
            return ((operands[0], min(high, operands[0].width - 1), low),)
        case Op.SUM if low == 0:
            return tuple((atom, high, low) for atom in _summands(term, high)[1])
        case Op.SUM if below := constant_below(term, low):
            return ((sub_constant(term, below), high, low),)
        case Op.AND | Op.OR | Op.XOR:
            return tuple((operand, high, low) for operand in operands)
        case Op.MUL if low == 0:
            return tuple((operand, high, low) for operand in operands)
        case Op.ITE:
            return tuple((branch, high, low) for branch in operands[1:])
        case _:
            return ()


def _summands(term: BitVec, high: int) -> tuple[int, dict[BitVec, int]]:
    """The summands that bits up to `high` depend on: multiples of 2^(high + 1) add nothing to these.

    All of them if none does: a term without parts stays whole.
    """
    constant, factors = linear_parts(term)
    below = (1 << high + 1) - 1
    return constant, {atom: factor for atom, factor in factors.items() if factor * lowest_bit(atom) & below} or factors


def _parts_of_concat(operands: tuple[BitVec, ...], high: int, low: int) -> Iterator[Slice]:
    """Least significant first."""
    base = 0
    for part in reversed(operands):
        top = base + part.width - 1
        if base <= high and top >= low:
            yield part, min(high, top) - base, max(low, base) - base
        base += part.width


def _put_together(term: BitVec, high: int, low: int, slices: list[BitVec]) -> BitVec:
    """The slice of a term from those of its `_parts`."""
    width = high - low + 1
    if not slices:
        bounds, zeros = _slice_bounds(term, high, low), _slice_zeros(term, low, width)
        return bit_vector(Op.EXTRACT, (term,), (high, low), width, bounds, zeros)
    match term.op:
        case Op.CONCAT:
            return concat(*reversed(slices))
        case Op.ZERO_EXTEND:
            return zero_extend(slices[0], width)
        case Op.SIGN_EXTEND:
            return sign_extend(slices[0], width)
        case Op.SUM if low == 0:
            constant, factors = _summands(term, high)
            return add(const(constant, width), *map(scale, slices, factors.values()))
        case Op.MUL:
            return reduce(mul, slices, const(1, width))
        case Op.AND | Op.OR | Op.XOR:
            return {Op.AND: bit_and, Op.OR: bit_or, Op.XOR: bit_xor}[term.op](*slices)
        case Op.ITE:
            return ite(cast(Bool, term.args[0]), *slices)
        case _:
            return slices[0]


def concat(*parts: BitVec) -> BitVec:
    """The parts side by side, most significant first."""
    merged: list[BitVec] = []
    for part in _flattened(parts):
        joined = _join(merged[-1], part) if merged else None
        if joined is None:
            merged.append(part)
        else:
            merged[-1] = joined
    if len(merged) == 1:
        return merged[0]
    width = sum(part.width for part in merged)
    if value_of(merged[0]) == 0:
        return zero_extend(concat(*merged[1:]), width)
    if value_of(merged[-1]) == 0:
        low_bits = merged[-1].width
        return scale(zero_extend(concat(*merged[:-1]), width), 1 << low_bits)
    low = high = zeros = 0
    for part in merged:
        low, high, zeros = (
            (low << part.width) | part.low,
            (high << part.width) | part.high,
            (zeros << part.width) | part.zeros,
        )
    return bit_vector(Op.CONCAT, tuple(merged), None, width, (low, high), zeros)


def _flattened(parts: tuple[BitVec, ...]) -> Iterable[BitVec]:
    for part in parts:
        if part.op is Op.CONCAT:
            yield from cast(tuple[BitVec, ...], part.args)
        elif part.op is Op.ZERO_EXTEND:
            inner = cast(BitVec, part.args[0])
            yield const(0, part.width - inner.width)
            yield from _flattened((inner,))
        else:
            yield part


def _join(upper: BitVec, lower: BitVec) -> BitVec | None:
    """Neighbours as one part: two constants, two neighbouring slices of one term, or choices by one condition."""
    upper_value, lower_value = value_of(upper), value_of(lower)
    if upper_value is not None and lower_value is not None:
        return const(upper_value << lower.width | lower_value, upper.width + lower.width)
    upper_term, upper_high, upper_low = _as_slice(upper)
    lower_term, lower_high, lower_low = _as_slice(lower)
    if upper_term is lower_term and upper_low == lower_high + 1 and upper_value is None:
        return extract(upper_term, upper_high, lower_low)
    if upper.op is Op.ITE is lower.op and upper.args[0] is lower.args[0]:
        condition, then, otherwise = branches(upper, lambda branch: branch)
        _, low_then, low_otherwise = branches(lower, lambda branch: branch)
        return ite(condition, concat(then, low_then), concat(otherwise, low_otherwise))
    return None


def _as_slice(term: BitVec) -> tuple[BitVec, int, int]:
    if term.op is Op.EXTRACT:
        high, low = cast(tuple[int, int], term.payload)
        return cast(BitVec, term.args[0]), high, low
    return term, term.width - 1, 0


def udiv(left: BitVec, right: BitVec) -> BitVec:
    """The quotient of two unsigned words, rounded down."""
    width = common_width((left, right))
    dividend, divisor = value_of(left), value_of(right)
    if divisor == 0:
        return const(-1, width)
    if dividend is not None and divisor is not None:
        return const(dividend // divisor, width)
    if divisor is not None and divisor.bit_count() == 1:
        return lshr(left, const(divisor.bit_length() - 1, width))
    if left.high < right.low:
        return const(0, width)
    bounds = (left.low // right.high, left.high // right.low) if right.low else None
    return bit_vector(Op.UDIV, (left, right), None, width, bounds)


def urem(left: BitVec, right: BitVec) -> BitVec:
    """The remainder of two unsigned words."""
    width = common_width((left, right))
    dividend, divisor = value_of(left), value_of(right)
    if divisor == 0 or left.high < right.low:
        return left
    if dividend is not None and divisor is not None:
        return const(dividend % divisor, width)
    if divisor is not None and divisor.bit_count() == 1:
        return bit_and(left, const(divisor - 1, width))
    return remainder(left, right)
