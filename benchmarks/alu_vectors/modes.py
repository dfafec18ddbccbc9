"""What the control register says of rounding and denormals, and the saturation of results.  Page: 2_datatypes.md.

The pages name the modes; the bits are those of the register in Intel's programmer's reference manuals:
5..4 rounding (to nearest even, up, down, to zero), 6 keeps denormals of DF, 7 of F.  Those of HF: the page flushes
them "on input and output of any floating-point mathematical operation", whatever the register says.
"""

from msgspec import Struct

from benchmarks.alu_vectors.allowed import Allowed, any_nan, either, exactly
from benchmarks.alu_vectors.reals import NAN, Real, decode, rounded
from benchmarks.alu_vectors.types import DOUBLE, HALF, SINGLE, FloatFormat

ROUNDINGS = ("even", "up", "down", "zero")


class Mode(Struct, frozen=True):
    """The floating-point mode that one value of the control register sets."""

    control: int

    @property
    def rounding(self) -> str:
        return ROUNDINGS[self.control >> 4 & 3]

    def denormals(self, form: FloatFormat) -> frozenset[str]:
        """What a mathematical operation does to them: "keep", "flush", or either where no page says."""
        if form == HALF:
            return frozenset({"flush"})
        if form in (SINGLE, DOUBLE):
            kept = self.control >> (7 if form == SINGLE else 6) & 1
            return frozenset({"keep" if kept else "flush"})
        return frozenset({"keep", "flush"})


def inputs(bits: int, form: FloatFormat, mode: Mode) -> set[Real]:
    """The numbers that a mathematical operation may see."""
    if not form.is_denormal(bits):
        return {decode(bits, form)}
    zero = decode(bits & form.sign, form)
    return {decode(bits, form) if each == "keep" else zero for each in mode.denormals(form)}


def output(number: Real, form: FloatFormat, mode: Mode) -> Allowed:
    """The bits that a mathematical operation may write for an exact result."""
    if number.nan:
        return any_nan(form)
    bits = rounded(number, form, mode.rounding)
    if not form.is_denormal(bits) and not tiny(number, form):
        return exactly(bits)
    choices = {bits if each == "keep" else bits & form.sign for each in mode.denormals(form)}
    # No page says whether a result that rounds up to the smallest normal is a denormal.
    return exactly(*choices) if form.is_denormal(bits) else exactly(*choices, bits)


def tiny(number: Real, form: FloatFormat) -> bool:
    """Whether a number lies between 0 and the smallest normal."""
    smallest = decode(form.smallest_normal, form).magnitude
    assert smallest is not None
    return number.magnitude is not None and 0 < number.magnitude < smallest


def saturated(result: Allowed, form: FloatFormat) -> Allowed:
    """Clamped to [0, 1]; a NaN becomes 0.  Which zero -0 becomes is not said."""
    choices = [exactly(*_clamped(bits, form)) for bits in result.bits]
    return either([*choices, exactly(0)] if result.nan_of is not None else choices)


def _clamped(bits: int, form: FloatFormat) -> tuple[int, ...]:
    number = decode(bits, form)
    assert number != NAN
    if bits == form.sign:
        return 0, bits
    if number.negative:
        return (0,)
    return (min(bits, form.one),)
