"""Quotients of dwords by way of `inv`, as Intel's compiler makes them for DG2 and later: recognised and proved.

The sequence, of floats but for the quotients, what is rounded off and the last lines.  All but what is exact is rounded
towards zero.

    fx = float(x)    fy = float(y)    xl = float(x − ud(fx))    yl = float(y − ud(fy))
    i = inv(fy)      c = i − 3·2^-23·i
    h = ud(fx·c)     f = float(h)
    l = ud(c·((fx − fy·f) + (xl − yl·f)))
    q = h + l        r = x − q·y        quotient = q + (r ≥ y)        remainder = r − (r ≥ y ? y : 0)

Claim: q is ⌊x/y⌋ or ⌊x/y⌋ − 1, for y ≠ 0.  With u = 2^-23:

1. Conversions of x and y to floats cut off less than a part u, and x − fx and y − fy are below 2^8, so exact as floats.
   Where y − fy is not 0, y ≥ 2^24, so f < 2^8.
2. i is within 2.5 ulps of 1/fy (reading "approximations").  Let fy = m·2^k with 1 ≤ m < 2.  For m > 1 an ulp of 1/fy is
   m·u/2 of it, so i ≤ (1/fy)(1 + 1.25·m·u), and y < fy·(1 + u/m): together with the factor, c·y is below
   (1 + 1.25·m·u)(1 − 3u)(1 + u/m), which is convex in m, and below 1 at 1 and at 2.  For m = 1 the nearest floats
   above 1/fy are u and 2u of it away, and (1 + 2u)(1 − 3u)(1 + u) < 1.  So c < 1/y; and c > (1/y)(1 − 6.6u).
3. h ≤ fx·c < x/y, so R = x − h·y ≥ 0 (0 where x is 0); and h > (x/y)(1 − 8.6u) − 1, so R < y + 8.6u·x < y + 2^13.
4. xl − yl·f is below 2^17, and exact.  fx − fy·f, rounded once, is exact up to 2^24, and so is the sum before it is
   rounded.  Beyond, it is positive, and loses less than a part u.  So what is multiplied by c is from
   R − 2u·(R + 2^17) to R, and not negative.  It is R less a part u where R + 2^17 is below 2^24.
5. So ud(c·…) ≤ R/y, and it is above (R/y)(1 − 8.7u) − 1 − 3u.  R/y < 1 + 2^13, and above 2^24 it is below 1.01:
   the losses are below 1.  So l is ⌊R/y⌋ or ⌊R/y⌋ − 1, and ⌊x/y⌋ is h + ⌊R/y⌋.

Devices with doubles, as PVC, have another sequence, which needs no correction:

    i = inv(float(y))    e = 1 + 2^-38 − double(y)·double(i)    q = double(x)·double(i)    quotient = ud(q + q·e)

Claim: it is ⌊x/y⌋, for y ≠ 0.  i = (1/y)(1 + d) with |d| < 3.6u, as float(y) is within a part u however it is rounded.
So q + q·e is (x/y)(1 + d)(1 + 2^-38 − d) = (x/y)(1 − d² + 2^-38·(1 + d)), but for parts of 2^-52 that q and the sum
lose, and one of 2^-73 in e.  As d² < 13·2^-46, it is (x/y)(1 + r) with 0 < r < 2^-37.  That is at least x/y, and more
by less than 2^-5/y, where x/y is at least 1/y below the next integer.

`tests/machine/symbolic/test_integer_division.py` compares both with exact arithmetic, at the ends of what is allowed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from visaproof.isa.float_modes import Rounding
from visaproof.isa.types import DataType
from visaproof.machine.symbolic.divisions.float_definitions import FloatDefinitions, is_plain
from visaproof.machine.symbolic.divisions.wide_division import QWORD, WideDivisions, WideQuotient
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.semantics.symbolic.cases import by_cases, given, under
from visaproof.semantics.symbolic.elements import Source
from visaproof.semantics.symbolic.literals import Literals
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit,
    const,
    disj,
    eq,
    ite,
    ite_bool,
    mul,
    neg,
    sub,
    udiv,
    ule,
    ult,
    value_of,
)

FACTOR = 0xB4C0_0000
"""−3·2^-23."""

ABOVE_ONE = 0x3FF0_0000_0000_4000
"""1 + 2^-38."""

_WIDTH = 32


class Quotient(NamedTuple):
    """What the sequence divides, and the first part of a quotient in two parts."""

    dividend: BitVec
    divisor: BitVec
    first: BitVec | None = None


class IntegerDivisions:
    """Finds the second part of a quotient among the float operations of a run."""

    def __init__(self, defined: Callable[[BitVec], Uninterpreted | None], initial: Callable[[str, int], Byte]) -> None:
        """`defined` gives the operation of which a symbol is the result, `initial` the registers at the start."""
        self._floats, self._doubles = (
            FloatDefinitions(defined, initial, data_type, Rounding.ZERO) for data_type in (DataType.F, DataType.DF)
        )
        self._wide = WideDivisions(FloatDefinitions(defined, initial, DataType.DF, Rounding.NEAREST_EVEN))
        self._too_small: dict[Bool, Bool] = {}
        """Comparisons of what is left with the divisor, and whether the quotient is one too small, or is not."""

    def ended_by(
        self, function: tuple[str, ...], operands: Sequence[Source], result: DataType
    ) -> Quotient | WideQuotient | None:
        """What is divided, if the result of this operation is the second part of the quotient."""
        if function != ("mov",) or operands[0].modifier:
            return None
        match operands[0].type, result:
            case DataType.DF, DataType.UQ:
                return self._wide.ended_by(operands[0].bits)
            case DataType.DF, DataType.UD:
                return self._of_doubles(operands[0].bits)
            case DataType.F, DataType.UD:
                return self._of_floats(operands[0].bits)
            case _:
                return None

    def second_part(self, found: Quotient | WideQuotient, unknown: BitVec, assumed: Literals) -> BitVec:
        """l where this holds, given a word of which nothing is known but what it depends on.

        l = ⌊x/y⌋ − h − (t ? 1 : 0), where t is unknown; for y = 0 it is anything, and r = x ≥ y holds.  Elsewhere
        r = x mod y + (t ? y : 0) does not wrap, as r ≤ x, and r ≥ y is t, as x mod y < y.
        A quotient of one part is right.
        """
        if isinstance(found, WideQuotient):
            last, told = self._wide.last_part(found, unknown, assumed)
            self._too_small |= told
            return last
        nothing, by_nothing = const(0, _WIDTH), under(eq(found.divisor, const(0, _WIDTH)), assumed)
        open_value = ite(by_nothing, unknown, nothing)
        if found.first is None:
            return add(udiv(found.dividend, found.divisor), open_value)
        too_small = disj(by_nothing, bit(unknown, 0))
        quotient = sub(udiv(found.dividend, found.divisor), ite(too_small, const(1, _WIDTH), nothing))
        left = sub(found.dividend, mul(quotient, found.divisor))
        self._too_small[ult(left, found.divisor)] = neg(too_small)
        self._too_small[ule(found.divisor, left)] = too_small
        return add(sub(quotient, found.first), open_value)

    def word(self, value: BitVec, assumed: Literals) -> BitVec:
        """A result of integers, in another way where it is known to be one of a division."""
        return self._wide.word(value, assumed) if value.width == QWORD else value

    def told(self, holds: Bool, assumed: Literals) -> Bool:
        """A condition, or whether a quotient is too small where it tells that."""
        if not self._too_small:
            return holds
        known = self._told(holds, assumed)
        return holds if known is None else known

    def compared(self, sources: Sequence[Source], compare: Callable[..., Bool], assumed: Literals) -> Bool:
        """A comparison of integers, where it tells whether a quotient is too small, maybe in some case alone."""
        holds = compare(*sources)
        if not self._too_small:
            return holds
        if (told := self._told(holds, assumed)) is not None:
            return told
        some = list[bool]()

        def of_case(case: Sequence[Source]) -> Bool:
            told = self._told(own := compare(*case), assumed)
            some.append(told is not None)
            return own if told is None else told

        by_case = by_cases(given(sources, assumed), of_case, ite_bool)
        return by_case if any(some) else holds

    def _told(self, holds: Bool, assumed: Literals) -> Bool | None:
        known = self._too_small.get(holds)
        return self._too_small.get(under(holds, assumed)) if known is None else known

    def _of_floats(self, converted: BitVec) -> Quotient | None:
        """Of c·((fx − fy·f) + (xl − yl·f))."""
        for inverse, left in self._floats.operands(converted, "mul"):
            divisor = self._inverted(inverse)
            for high, low in self._floats.operands(left, "add") if divisor is not None else ():
                if divisor is not None and (found := self._of_rest(high, low, inverse, divisor)) is not None:
                    return found
        return None

    def _of_doubles(self, converted: BitVec) -> Quotient | None:
        """Of q + q·e."""
        for first, error, addend in self._doubles.products(converted):
            for dividend, inverse in self._doubles.operands(first, "mul") if first is addend else ():
                for factor, again, above in self._doubles.products(error):
                    if again is not inverse or value_of(above) != ABOVE_ONE:
                        continue
                    x, y = (
                        self._doubles.moved(one, DataType.UD, DataType.DF)
                        for one in (dividend, self._doubles.negative(factor))
                    )
                    if x is not None and y is not None and self._is_inverse(inverse, y):
                        return Quotient(x, y)
        return None

    def _is_inverse(self, inverse: BitVec, divisor: BitVec) -> bool:
        """Whether it is double(inv(float(divisor)))."""
        found = self._doubles.moved(inverse, DataType.F, DataType.DF)
        number = None if found is None else self._doubles.unary(found, "inv", DataType.F, DataType.F)
        return number is not None and self._doubles.moved(number, DataType.UD, DataType.F) is divisor

    def _inverted(self, inverse: BitVec) -> BitVec | None:
        """fy of c."""
        mad = self._floats.rounded(inverse, "mad")
        if mad is None:
            return None
        one, other, addend = (source.bits for source in mad)
        if {value_of(one), value_of(other)} != {None, FACTOR} or addend not in (one, other):
            return None
        return self._floats.unary(addend, "inv", DataType.F, DataType.F)

    def _of_rest(self, high: BitVec, low: BitVec, inverse: BitVec, divisor: BitVec) -> Quotient | None:
        """Of the halves of what is left by the first part, if they are."""
        for factor, dividend in self._multiplied(high, divisor):
            x, y, first = (
                self._integer(dividend),
                self._integer(divisor),
                self._floats.moved(factor, DataType.UD, DataType.F),
            )
            if x is None or y is None or first is None or not self._is_first(first, dividend, inverse):
                continue
            for rest_of_divisor, rest in self._lower(low, factor):
                if self._is_rest(rest_of_divisor, y, divisor) and self._is_rest(rest, x, dividend):
                    return Quotient(x, y, first)
        return None

    def _is_first(self, first: BitVec, dividend: BitVec, inverse: BitVec) -> bool:
        """Whether it is ud(fx·c)."""
        product = self._floats.moved(first, DataType.F, DataType.UD)
        return product is not None and (dividend, inverse) in self._floats.operands(product, "mul")

    def _multiplied(self, term: BitVec, divisor: BitVec) -> Iterator[tuple[BitVec, BitVec]]:
        """f and fx of fx − fy·f."""
        for one, other, addend in self._floats.products(term):
            if one is self._floats.negative(divisor):
                yield other, addend

    def _lower(self, term: BitVec, factor: BitVec) -> Iterator[tuple[BitVec, BitVec]]:
        """yl and xl of xl − yl·f."""
        for one, other, addend in self._floats.products(term):
            if other is factor:
                yield self._floats.negative(one), addend

    def _is_rest(self, rest: BitVec, whole: BitVec, cut: BitVec) -> bool:
        """Whether it is float(whole − ud(cut)): 0 of a constant, which is exact."""
        if value_of(cut) is not None:
            return value_of(rest) == 0
        found = self._floats.moved(rest, DataType.UD, DataType.F)
        return found is not None and self._floats.moved(sub(whole, found), DataType.F, DataType.UD) is cut

    def _integer(self, converted: BitVec) -> BitVec | None:
        """The dword that was rounded to a float towards zero; of a constant the integer that it is."""
        if value_of(converted) is not None:
            return self._floats.moved(converted, DataType.UD, DataType.F)
        found = self._floats.rounded(converted, "mov")
        return found[0].bits if found is not None and is_plain(found[0], DataType.UD) else None
