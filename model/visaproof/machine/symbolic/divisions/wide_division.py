"""Quotients of qwords by way of `inv` and doubles, as Intel's compiler makes them for PVC and later: found and proved.

The sequence for x and y, of doubles rounded to nearest but for `inv`.  A word w has the halves w′ (high) and w″ (low).

    i = double(inv(float(y)))    e = 1 − double(y)·i    c = i + i·(e − 2^-48)
    h = ud(c·double(x′))         r = x′ − h·y″
    l = uq(c·(2^32·double(r) + double(x″)))
    s = 2^32·(r − l″·y′ − (l′ = 0 ? 0 : y″)) + x″ − l″·y″
    quotient = 2^32·h + l + (s ≥ y)        remainder = s − (s ≥ y ? y : 0)

Claim: q = 2^32·h + l is ⌊x/y⌋ or ⌊x/y⌋ − 1, and s = x − q·y without wrapping, for y ≠ 0.  With u = 2^-53, of rounding:

1. float(y) is within a part 2^-23 of y, and 2u of it if it was a double before, however it is rounded; `inv` is within
   2.5 ulps of its inverse (reading "approximations").  With Y = double(y), i = (1/Y)(1 + d) where |d| < 3.6·2^-23.
2. e is −d, and 2^-48 less after the sum, but for parts u of these, which are below 2^-73.  So c is
   (1/Y)(1 + d)(1 − d − 2^-48) = (1/Y)(1 − d² − 2^-48·(1 + d)) but for a part u and parts of 2^-72, and Y is y but for
   2u however it is rounded.  As d² < 13·2^-46 and 2^-48 = 32u, (1/y)(1 − 13.3·2^-46) < c < (1/y)(1 − 28u).
3. So c times a number n of at most 64 bits, where n and the product lose or gain a part u each, is less than n/y, and
   more than (n/y)(1 − 13.4·2^-46).  Rounded down it is ⌊n/y⌋ or ⌊n/y⌋ − 1 where n/y < 2^33: it loses less than 2^-9.
4. x′/y < 2^32, so h is ⌊x′/y⌋ or one less.  It is 0 for y ≥ 2^32, and else y″ = y.  So r = x′ − h·y is from 0 to x′,
   and below y(1 + 2^-9) where y < 2^32: at most y for y ≤ 2^9.
5. n = 2^32·r + x″ = x − 2^32·h·y is below 2^64.  n/y is below 2^33: for y ≤ 2^9, n ≤ 2^32·y + x″, and x″/y < 2^32; for
   larger y < 2^32, r/y < 1 + 2^-9 and x″/y < 2^23; for y ≥ 2^32, n < 2^64.  So l is ⌊n/y⌋ or one less, q is ⌊x/y⌋
   or one less, and l′ is 0 or 1.
6. x − q·y = n − l·y, which is below 2·y, and at most n.  Modulo 2^64, l·y is 2^32·(l″·y′ + l′·y″) + l″·y″, so it is s.

For y = 0, h and l may be anything, and s is x, whatever they are.

Where x′ and y′ are 0, the compiler has other code, which divides x″ by y″ (`integer_division`), and zeros before that.

`tests/machine/symbolic/test_wide_division.py` compares it with exact arithmetic, at the ends of what is allowed.
"""

from collections.abc import Iterator
from typing import NamedTuple, cast

from visaproof.isa.types import DataType
from visaproof.machine.symbolic.divisions.float_definitions import FloatDefinitions
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    add,
    bit,
    bit_or,
    concat,
    conj,
    const,
    disj,
    eq,
    extract,
    is_true,
    ite,
    linear_parts,
    mul,
    neg,
    sub,
    truncate,
    udiv,
    ule,
    ult,
    urem,
    value_of,
    zero_extend,
)
from visaproof.smt.halves.sums import as_order, as_whole

ONE = 0x3FF0_0000_0000_0000
LESS = 0xBCF0_0000_0000_0000
"""−2^-48."""
RAISED = 0x41F0_0000_0000_0000
"""2^32."""

QWORD, _HALF = 64, 32


class WideQuotient(NamedTuple):
    """What the sequence divides, the dividend in halves, h, and r."""

    upper: BitVec
    lower: BitVec
    divisor: BitVec
    first: BitVec
    left: BitVec


class _Narrow(NamedTuple):
    """The result of a division of whole words, and which, where one of their low halves was found."""

    found: WideQuotient
    whole: BitVec
    by_nothing: BitVec
    """The result of the low halves where the divisor is 0."""


class WideDivisions:
    """Finds the last part of a quotient among the double operations of a run, and what follows it."""

    def __init__(self, doubles: FloatDefinitions) -> None:
        self._doubles = doubles
        self._words: dict[BitVec, BitVec] = {}
        """Words that are computed in halves, and what they are."""
        self._narrow: dict[BitVec, _Narrow] = {}

    def ended_by(self, converted: BitVec) -> WideQuotient | None:
        """What is divided, if this is c·(2^32·double(r) + double(x″))."""
        for inverse, number in self._doubles.operands(converted, "mul"):
            divisor = self._inverted(inverse)
            for factor, high, addend in self._doubles.products(number) if divisor is not None else ():
                left, low = (self._doubles.moved(one, DataType.UD, DataType.DF) for one in (high, addend))
                if divisor is None or left is None or low is None or value_of(factor) != RAISED:
                    continue
                for first in _factors(left):
                    upper = add(left, mul(first, truncate(divisor, _HALF)))
                    if self._is_first(first, upper, inverse):
                        return WideQuotient(upper, low, divisor, first, left)
        return None

    def last_part(self, found: WideQuotient, unknown: BitVec, assumed: Literals) -> tuple[BitVec, dict[Bool, Bool]]:
        """l where this holds, and what the comparisons of s with y are, given a qword of which nothing is known.

        l = ⌊x/y⌋ − 2^32·h − (t ? 1 : 0), where t is unknown; for y = 0 it is anything, and s = x ≥ y holds.  Elsewhere
        s = x mod y + (t ? y : 0) does not wrap, as s ≤ x, and s ≥ y is t, as x mod y < y.
        """
        x, y = as_whole(found.upper, found.lower), found.divisor
        nothing, by_nothing = const(0, QWORD), under(eq(y, const(0, QWORD)), assumed)
        too_small, exact = disj(by_nothing, bit(unknown, 0)), udiv(x, y)
        corrected = add(exact, ite(by_nothing, unknown, nothing))
        quotient = sub(corrected, ite(too_small, const(1, QWORD), nothing))
        last = concat(sub(_high(quotient), found.first), _low(quotient))
        left = add(sub(x, mul(exact, y)), ite(too_small, y, nothing))
        subtracted = concat(*(ite(too_small, one, const(0, _HALF)) for one in (_high(y), _low(y))))
        added = ite(too_small, const(1, QWORD), nothing)
        self._words[_what_is_left(found, last)] = left
        self._words[sub(left, subtracted)] = urem(x, y)
        self._words[add(concat(_high(quotient), _low(quotient)), added)] = ite(
            by_nothing, sub(unknown, const(1, QWORD)), exact
        )
        self._narrow[udiv(found.lower, _low(y))] = _Narrow(found, exact, const(-1, _HALF))
        self._narrow[urem(found.lower, _low(y))] = _Narrow(found, urem(x, y), found.lower)
        return last, {_order(left, y): neg(too_small), _order(y, left, or_equal=True): too_small}

    def word(self, value: BitVec, assumed: Literals) -> BitVec:
        """The value of a qword, in another way where it is known to be one of a division."""
        if not self._words:
            return value
        if (known := self._words.get(value)) is not None:
            return known
        if value.op is Op.ZERO_EXTEND and value.args[0].width == _HALF:
            widened = self._widened(cast(BitVec, value.args[0]), assumed)
            return value if widened is None else widened[0]
        return value

    def _widened(self, half: BitVec, assumed: Literals) -> tuple[BitVec, BitVec] | None:
        """A dword as qword, and the divisor, where it is a result for low halves, and the high ones are 0.

        Then y″ = 0 is y = 0, of which alone the results differ: as words x″ / 0 and x / 0 are all ones.
        """
        zero = const(0, QWORD)
        if (narrow := self._narrow.get(half)) is not None and _is_low(narrow.found, assumed):
            divisor = narrow.found.divisor
            return ite(eq(divisor, zero), zero_extend(narrow.by_nothing, QWORD), narrow.whole), divisor
        if half.op is not Op.ITE:
            return None
        condition, *branches = cast(tuple[Bool, BitVec, BitVec], half.args)
        found = [self._widened(one, assumed) for one in branches]
        divisor = next((one[1] for one in found if one is not None), None)
        if divisor is None:
            return None
        condition = eq(divisor, zero) if condition is eq(_low(divisor), const(0, _HALF)) else condition
        then, otherwise = (
            zero_extend(one, QWORD) if two is None else two[0] for one, two in zip(branches, found, strict=True)
        )
        return ite(condition, then, otherwise), divisor

    def _inverted(self, inverse: BitVec) -> BitVec | None:
        """y of c."""
        for one, error, addend in self._doubles.products(inverse):
            for exact, less in self._doubles.operands(error, "add") if one is addend else ():
                for factor, again, above in self._doubles.products(exact) if value_of(less) == LESS else ():
                    if again is one and value_of(above) == ONE:
                        divisor = self._doubles.negative(factor)
                        if self._is_inverse(one, divisor):
                            return self._integer(divisor)
        return None

    def _is_inverse(self, inverse: BitVec, divisor: BitVec) -> bool:
        """Whether it is double(inv(float(y))), where the divisor is double(y)."""
        found = self._doubles.moved(inverse, DataType.F, DataType.DF)
        number = None if found is None else self._doubles.unary(found, "inv", DataType.F, DataType.F)
        if number is None:
            return False
        if self._doubles.moved(number, DataType.DF, DataType.F) is divisor:
            return True
        return any(
            (one := self._doubles.moved(number, each, DataType.F)) is not None
            and one is self._doubles.moved(divisor, each, DataType.DF)
            for each in (DataType.UD, DataType.UQ)
        )

    def _integer(self, converted: BitVec) -> BitVec | None:
        """The integer of a double, as a qword."""
        for each in (DataType.UQ, DataType.UD):
            if (found := self._doubles.moved(converted, each, DataType.DF)) is not None:
                return zero_extend(found, QWORD)
        return None

    def _is_first(self, first: BitVec, upper: BitVec, inverse: BitVec) -> bool:
        """Whether it is ud(c·double(x′))."""
        product = self._doubles.moved(first, DataType.DF, DataType.UD)
        for factor, number in self._doubles.operands(product, "mul") if product is not None else ():
            if factor is inverse and self._doubles.moved(number, DataType.UD, DataType.DF) is upper:
                return True
        return False


def _what_is_left(found: WideQuotient, last: BitVec) -> BitVec:
    """s, as the compiler computes it."""
    (high, low), y = (_high(last), _low(last)), found.divisor
    other = ite(eq(high, const(0, _HALF)), const(0, _HALF), _low(y))
    upper = sub(found.left, add(mul(low, _high(y)), other))
    carried = _high(mul(zero_extend(low, QWORD), zero_extend(_low(y), QWORD)))
    return sub(concat(upper, found.lower), concat(carried, mul(low, _low(y))))


def _order(left: BitVec, right: BitVec, *, or_equal: bool = False) -> Bool:
    """The order of two words as it is made of their halves."""
    below = (ule if or_equal else ult)(_low(left), _low(right))
    return as_order(disj(ult(_high(left), _high(right)), conj(eq(_high(left), _high(right)), below)))


def _is_low(found: WideQuotient, assumed: Literals) -> bool:
    """Whether the high halves are known to be 0."""
    return is_true(under(eq(bit_or(found.upper, _high(found.divisor)), const(0, _HALF)), assumed))


def _factors(left: BitVec) -> Iterator[BitVec]:
    """What may be h of x′ − h·y″."""
    for atom in linear_parts(left)[1]:
        yield atom
        if atom.op is Op.MUL:
            yield from cast(tuple[BitVec, ...], atom.args)


def _high(word: BitVec) -> BitVec:
    return extract(word, QWORD - 1, _HALF)


def _low(word: BitVec) -> BitVec:
    return truncate(word, _HALF)
