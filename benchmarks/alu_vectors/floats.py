"""What the pages say of floating-point operations on one lane: exact numbers, rounded once at the end."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product as combinations

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.alu_vectors.allowed import Allowed, any_nan, either, exactly
from benchmarks.alu_vectors.modes import Mode, inputs, output, saturated, tiny
from benchmarks.alu_vectors.reals import ONE, Real, decode, floor_of, product, real, rounded, total
from benchmarks.alu_vectors.types import FloatFormat, Type


class FloatLane(Struct, frozen=True):
    """One lane of an instruction on floats."""

    destination: FloatFormat
    types: tuple[FloatFormat, ...]
    saturate: bool
    mode: Mode

    @property
    def execution(self) -> FloatFormat:
        """The widest format of the sources."""
        return max(self.types, key=lambda form: form.bits)


Function = Callable[[FloatLane, tuple[Real, ...]], Iterator[Real]]
"""The exact results that the page allows."""


def modified(bits: int, form: FloatFormat, modifier: str) -> int:
    if "abs" in modifier:
        bits &= ~form.sign
    return bits ^ form.sign if modifier.startswith("-") else bits


def result(opcode: str, lane: FloatLane, sources: list[int]) -> Allowed:
    """What the page allows; `sources` are bits after their modifiers."""
    seen = [_seen(opcode, bits, form, lane) for bits, form in zip(sources, lane.types, strict=True)]
    exact = {number for values in combinations(*seen) for number in FUNCTIONS[opcode](lane, values)}
    modes = [Mode(lane.mode.control & ~0x30 | k << 4) for k in range(4)] if opcode == "frc" else [lane.mode]
    lanes = [replace(lane, mode=mode) for mode in modes]
    written = either(each for number in exact for one in lanes for each in _written(number, one))
    return saturated(written, lane.destination) if lane.saturate else written


def _seen(opcode: str, bits: int, form: FloatFormat, lane: FloatLane) -> set[Real]:
    """The numbers that a source may be; no page says whether rounding to an integer is a mathematical operation."""
    unflushed = {decode(bits, form)} if opcode == "frc" or opcode.startswith("rnd") else set[Real]()
    return inputs(bits, form, lane.mode) | unflushed


def _written(number: Real, lane: FloatLane) -> Iterator[Allowed]:
    """Rounded to the destination at once, or first to the format of the execution, of which no page speaks."""
    yield output(number, lane.destination, lane.mode)
    if lane.execution.bits > lane.destination.bits:
        for bits in output(number, lane.execution, lane.mode).bits:
            yield output(decode(bits, lane.execution), lane.destination, lane.mode)


def _add(lane: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    yield total(values[0], values[1], lane.mode.rounding)


def _multiply(_: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    yield product(values[0], values[1])


def _multiply_add(lane: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    """Fused.  Page: where the product alone is out of range, "either the correct result, or else +inf"."""
    exact = product(values[0], values[1])
    yield total(exact, values[2], lane.mode.rounding)
    if exact.magnitude and rounded(exact.absolute(), lane.execution, "even") == lane.execution.infinity:
        yield Real(False, None)
        yield Real(exact.negative, None)


def _fraction(lane: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    """The difference; which number it becomes where the type does not have it, no page says: `result` takes each."""
    yield total(values[0], floor_of(values[0]).negated(), lane.mode.rounding)


def _whole(number: Real, up: bool) -> Iterator[Real]:
    """The floor, or the number above; where a negative number becomes 0, no page says which zero."""
    low = floor_of(number)
    if not up or low == number:
        yield low
        return
    above = real(low.value + 1)
    yield above
    if above.zero:
        yield Real(number.negative, above.magnitude)


def _round_even(_: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    (number,) = values
    if number.nan or number.infinite:
        yield number
        return
    low = floor_of(number).value
    rest = number.value - low
    yield from _whole(number, rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def _round_to_zero(_: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    number = values[0]
    yield from _whole(number, not number.nan and number.negative and not number.infinite)


def _round_up(_: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    yield from _whole(values[0], not values[0].nan and not values[0].infinite)


def _interpolate(lane: FloatLane, values: tuple[Real, ...]) -> Iterator[Real]:
    """src1·src0 + src2·(1 − src0).  No page says where it is rounded: at each step, fused, or once."""
    weight, one, other = values
    rounding = lane.mode.rounding

    def step(number: Real) -> Real:
        return number if number.nan else decode(rounded(number, lane.execution, rounding), lane.execution)

    rest = total(ONE, weight.negated(), rounding)
    left, right, stepped = product(one, weight), product(other, rest), product(other, step(rest))
    yield total(left, right, rounding)
    yield total(step(left), step(stepped), rounding)
    yield total(left, step(stepped), rounding)
    yield total(step(left), stepped, rounding)


FUNCTIONS: dict[str, Function] = {
    "add": _add,
    "mul": _multiply,
    "mad": _multiply_add,
    "frc": _fraction,
    "rndd": lambda _, values: _whole(values[0], up=False),
    "rndu": _round_up,
    "rnde": _round_even,
    "rndz": _round_to_zero,
    "lrp": _interpolate,
}


def smaller_or_larger(opcode: str, lane: FloatLane, sources: list[int]) -> Allowed:
    """MIN and MAX.  Page: the number wins over a NaN, and of two NaNs source 1 is returned."""
    forms = lane.types
    nans = [form.is_nan(bits) for bits, form in zip(sources, forms, strict=True)]
    if all(nans):
        written = any_nan(lane.destination)
    elif any(nans):
        written = copied(sources[nans.index(False)], forms[nans.index(False)], lane)
    else:
        written = either(_extremes(opcode, lane, sources))
    return saturated(written, lane.destination) if lane.saturate else written


def _extremes(opcode: str, lane: FloatLane, sources: list[int]) -> Iterator[Allowed]:
    """A denormal may be compared as zero where it is flushed; of two equals either is returned."""
    first, second = (inputs(bits, form, lane.mode) | {decode(bits, form)}
                     for bits, form in zip(sources, lane.types, strict=True))  # fmt: skip
    for one, other in combinations(first, second):
        below, above = less(one, other), less(other, one)
        if above if opcode == "min" else below:
            yield copied(sources[1], lane.types[1], lane)
        elif below if opcode == "min" else above:
            yield copied(sources[0], lane.types[0], lane)
        else:
            yield either(copied(bits, form, lane) for bits, form in zip(sources, lane.types, strict=True))


def less(one: Real, other: Real) -> bool:
    """Neither is a NaN."""
    if one.infinite or other.infinite:
        return one != other and ((one.infinite and one.negative) or (other.infinite and not other.negative))
    return one.value < other.value


def copied(bits: int, form: FloatFormat, lane: FloatLane) -> Allowed:
    """A float that is only moved, possibly to another format; no page says whether this flushes a denormal."""
    if form.is_nan(bits):
        return any_nan(lane.destination)
    numbers = {decode(bits, form)} | inputs(bits, form, lane.mode)
    written: set[int] = set()
    for number in numbers:
        exact = rounded(number, lane.destination, lane.mode.rounding)
        flushes = tiny(number, lane.destination) and "flush" in lane.mode.denormals(lane.destination)
        written |= {exact, exact & lane.destination.sign} if flushes else {exact}
    return exactly(*written)


def compared(relation: str, sources: list[int], types: tuple[Type, ...], mode: Mode) -> set[bool]:
    """Page: a NaN is unequal to all, and in no other relation; zeros are equal whatever their sign."""
    seen: list[set[Real]] = []
    for bits, kind in zip(sources, types, strict=True):
        assert kind.format is not None
        seen.append(inputs(bits, kind.format, mode) | {decode(bits, kind.format)})
    return {_relates(relation, one, other) for one, other in combinations(*seen)}


def _relates(relation: str, one: Real, other: Real) -> bool:
    if one.nan or other.nan:
        return relation == "ne"
    below, above = less(one, other), less(other, one)
    return {"eq": not below and not above, "ne": below or above, "lt": below,
            "gt": above, "le": not above, "ge": not below}[relation]  # fmt: skip
