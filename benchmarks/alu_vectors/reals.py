"""Exact numbers with a sign of zero, infinities and NaN, and how they are rounded: IEEE 754, as the pages ask."""

from fractions import Fraction

from msgspec import Struct

from benchmarks.alu_vectors.types import FloatFormat


class Real(Struct, frozen=True):
    """`magnitude` None is an infinity; a NaN has no other field that counts."""

    negative: bool
    magnitude: Fraction | None
    nan: bool = False

    @property
    def infinite(self) -> bool:
        return self.magnitude is None and not self.nan

    @property
    def zero(self) -> bool:
        return self.magnitude == 0 and not self.nan

    @property
    def value(self) -> Fraction:
        """The number itself, which must be finite."""
        assert self.magnitude is not None
        return -self.magnitude if self.negative else self.magnitude

    def negated(self) -> "Real":
        return Real(not self.negative, self.magnitude, self.nan)

    def absolute(self) -> "Real":
        return Real(False, self.magnitude, self.nan)


NAN = Real(False, None, nan=True)
ONE = Real(False, Fraction(1))


def real(number: Fraction | int) -> Real:
    return Real(number < 0, abs(Fraction(number)))


def decode(bits: int, form: FloatFormat) -> Real:
    """The number that these bits stand for."""
    negative, magnitude = bool(bits & form.sign), bits & ~form.sign
    if magnitude > form.infinity:
        return NAN
    if magnitude == form.infinity:
        return Real(negative, None)
    exponent, mantissa = magnitude >> form.mantissa, magnitude & (form.smallest_normal - 1)
    if exponent:
        mantissa += form.smallest_normal
    scale = max(exponent, 1) - form.bias - form.mantissa
    return Real(negative, Fraction(mantissa) * Fraction(2) ** scale)


def rounded(number: Real, form: FloatFormat, rounding: str) -> int:
    """The bits of the nearest number in the direction `rounding` ("even", "up", "down", "zero").  Not of a NaN."""
    sign = form.sign if number.negative else 0
    if number.magnitude is None:
        return sign | form.infinity
    if number.magnitude == 0:
        return sign
    exponent = max(_exponent(number.magnitude), 1 - form.bias)
    steps = number.magnitude / Fraction(2) ** (exponent - form.mantissa)
    magnitude = ((exponent + form.bias - 1) << form.mantissa) + _whole(steps, number.negative, rounding)
    if magnitude >= form.infinity:
        outwards = rounding == "even" or rounding == ("down" if number.negative else "up")
        return sign | (form.infinity if outwards else form.infinity - 1)
    return sign | magnitude


def _exponent(magnitude: Fraction) -> int:
    """The largest e with 2^e ≤ magnitude."""
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess if Fraction(2) ** guess <= magnitude else guess - 1


def _whole(steps: Fraction, negative: bool, rounding: str) -> int:
    low = steps.numerator // steps.denominator
    rest = steps - low
    if rest == 0 or rounding == "zero":
        return low
    if rounding == "even":
        return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))
    return low + (rounding == ("down" if negative else "up"))


def product(one: Real, other: Real) -> Real:
    """Exactly."""
    negative = one.negative != other.negative
    if one.nan or other.nan or (one.infinite and other.zero) or (one.zero and other.infinite):
        return NAN
    if one.magnitude is None or other.magnitude is None:
        return Real(negative, None)
    return Real(negative, one.magnitude * other.magnitude)


def total(one: Real, other: Real, rounding: str) -> Real:
    """Exactly; the zero of opposite numbers is negative only where rounding is downwards."""
    if one.nan or other.nan or (one.infinite and other.infinite and one.negative != other.negative):
        return NAN
    if one.infinite or other.infinite:
        return one if one.infinite else other
    exact = one.value + other.value
    if exact == 0:
        same = one.negative == other.negative and one.zero and other.zero
        return Real(one.negative if same else rounding == "down", exact)
    return real(exact)


def floor_of(number: Real) -> Real:
    """The greatest integer that is not above; infinities, zeros and NaN stay."""
    if number.nan or number.magnitude is None or number.zero:
        return number
    whole = number.value.numerator // number.value.denominator
    return Real(number.negative, abs(Fraction(whole)))
