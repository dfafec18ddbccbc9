"""What the pages say of integer operations on one lane, in whole numbers of any size.

2_datatypes.md: "extra precision is provided within the hardware": a result is exact before it is cut or clamped.
"""

from collections.abc import Callable
from itertools import product

from msgspec import Struct

from benchmarks.alu_vectors.allowed import Allowed, any_bits, either, exactly
from benchmarks.alu_vectors.types import Type


class IntegerLane(Struct, frozen=True):
    """One lane of an instruction on integers."""

    destination: Type
    types: tuple[Type, ...]
    saturate: bool
    control: int = 0

    @property
    def shift_mask(self) -> int:
        """Page: the last 5 bits, or 6 "for Q/UQ type destinations"."""
        return 63 if self.destination.bits == 64 else 31


Function = Callable[[IntegerLane, tuple[int, ...]], int | None]
"""The exact result; None where the page states none."""


def modified(bits: int, kind: Type, modifier: str) -> set[int]:
    """The numbers that a source may stand for; several where no page says how wide a negation is."""
    number = kind.integer(bits)
    if modifier == "":
        return {number}
    if modifier == "~":
        return {~number} if kind.signed else {~number, ~number & kind.mask}
    if modifier in ("abs", "-abs") and not kind.signed:
        return {number} if modifier == "abs" else _negations(number, kind)
    if modifier == "-":
        return _negations(number, kind)
    sizes = {abs(number), -number} if number == kind.least else {abs(number)}
    return sizes if modifier == "abs" else {-size for size in sizes}


def _negations(number: int, kind: Type) -> set[int]:
    if kind.signed:
        return {-number, number} if number == kind.least else {-number}
    return {-number} | {-number % 2**width for width in (16, 32, 64) if width >= kind.bits} | {-number % 2**kind.bits}


def stored(number: int | None, lane: IntegerLane) -> Allowed:
    """Clamped to the destination's range, or its low bits."""
    if number is None:
        return any_bits(lane.destination.bits)
    if lane.saturate:
        number = max(lane.destination.least, min(lane.destination.most, number))
    return exactly(number & lane.destination.mask)


def result(opcode: str, lane: IntegerLane, sources: list[set[int]]) -> Allowed:
    """What the page allows, whichever numbers the sources stand for."""
    if opcode == "not":
        return exactly(*(~number & lane.destination.mask for number in _inverted(sources[0], lane)))
    function = FUNCTIONS[opcode]
    return either(stored(function(lane, numbers), lane) for numbers in product(*sources))


def _inverted(numbers: set[int], lane: IntegerLane) -> set[int]:
    """The numbers that `~` is applied to: no page says whether it comes before a source is widened."""
    kind = lane.types[0]
    return numbers if kind.signed else numbers | {number | -(1 << kind.bits) for number in numbers}


def _divide(_: IntegerLane, numbers: tuple[int, ...]) -> int | None:
    """Page: the quotient is positive where the signs agree; towards zero."""
    numerator, denominator = numbers
    if denominator == 0:
        return None
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def _remainder(_: IntegerLane, numbers: tuple[int, ...]) -> int | None:
    """Page: the remainder has the numerator's sign."""
    numerator, denominator = numbers
    if denominator == 0:
        return None
    rest = abs(numerator) % abs(denominator)
    return -rest if numerator < 0 else rest


def _shift_left(lane: IntegerLane, numbers: tuple[int, ...]) -> int | None:
    shifted = numbers[0] << (numbers[1] & lane.shift_mask)
    if lane.saturate and not -(2**32) <= shifted < 2**32:
        return None  # Page: "must be within 33 bits or the result is undefined"
    return shifted


def _logical_right(lane: IntegerLane, numbers: tuple[int, ...]) -> int | None:
    wide = numbers[0] % 2 ** max(lane.types[0].bits, 32)
    return wide >> (numbers[1] & lane.shift_mask)


def _rotated(left: bool) -> Function:
    def rotate(lane: IntegerLane, numbers: tuple[int, ...]) -> int:
        width = lane.types[0].bits
        bits, count = numbers[0] % 2**width, numbers[1] % width
        count = count if left else -count % width
        return bits << count | bits >> (width - count)

    return rotate


def _extract(lane: IntegerLane, numbers: tuple[int, ...]) -> int:
    width, offset = numbers[0] & 0x1F, numbers[1] & 0x1F
    field = (numbers[2] >> offset) & ((1 << width) - 1)
    negative = lane.destination.signed and width > 0 and field >> (width - 1)
    return field - (1 << width) if negative else field  # Page: "If <dst> is type D, the results are sign-extended"


def _insert(_: IntegerLane, numbers: tuple[int, ...]) -> int:
    width, offset = numbers[0] & 0x1F, numbers[1] & 0x1F
    mask = ((1 << width) - 1) << offset
    return (numbers[2] << offset) & mask | numbers[3] & ~mask


def _truth_table(lane: IntegerLane, numbers: tuple[int, ...]) -> int:
    value = 0
    for index in range(lane.destination.bits):
        row = sum((number >> index & 1) << k for k, number in enumerate(numbers))
        value |= (lane.control >> row & 1) << index
    return value


def _first_high(_: IntegerLane, numbers: tuple[int, ...]) -> int:
    """Leading zeros, of a negative number leading ones; all ones where every bit is alike."""
    (number,) = numbers
    if number in (0, -1):
        return 2**32 - 1
    return 32 - (number if number >= 0 else ~number).bit_length()


def _first_low(_: IntegerLane, numbers: tuple[int, ...]) -> int:
    return 2**32 - 1 if numbers[0] == 0 else (numbers[0] & -numbers[0]).bit_length() - 1


def _dot_product(lane: IntegerLane, numbers: tuple[int, ...]) -> int:
    def quarter(which: int, k: int) -> int:
        byte = numbers[which] >> (8 * k) & 0xFF
        return byte - 256 if lane.types[which].signed and byte >= 128 else byte

    return numbers[0] + sum(quarter(1, k) * quarter(2, k) for k in range(4))


FUNCTIONS: dict[str, Function] = {
    "add": lambda _, n: n[0] + n[1],
    "add3": lambda _, n: n[0] + n[1] + n[2],
    "avg": lambda _, n: (n[0] + n[1] + 1) >> 1,
    "mul": lambda _, n: n[0] * n[1],
    "mulh": lambda _, n: (n[0] * n[1]) >> 32,
    "mad": lambda _, n: n[0] * n[1] + n[2],
    "madw": lambda _, n: n[0] * n[1] + n[2],
    "madw.high": lambda _, n: (n[0] * n[1] + n[2]) >> 32,
    "div": _divide,
    "mod": _remainder,
    "and": lambda _, n: n[0] & n[1],
    "or": lambda _, n: n[0] | n[1],
    "xor": lambda _, n: n[0] ^ n[1],
    "shl": _shift_left,
    "shr": _logical_right,
    "asr": lambda lane, n: n[0] >> (n[1] & lane.shift_mask),
    "rol": _rotated(left=True),
    "ror": _rotated(left=False),
    "bfe": _extract,
    "bfi": _insert,
    "bfn": _truth_table,
    "bfrev": lambda _, n: int(f"{n[0]:032b}"[::-1], 2),
    "cbit": lambda _, n: n[0].bit_count(),
    "fbh": _first_high,
    "fbl": _first_low,
    "lzd": lambda _, n: 32 - n[0].bit_length(),
    "dp4a": _dot_product,
    "min": lambda _, n: min(n),
    "max": lambda _, n: max(n),
    "addc": lambda _, n: n[0] + n[1],
    "addc.carry": lambda _, n: (n[0] + n[1]) >> 32,
    "subb": lambda _, n: n[0] - n[1],
    "subb.borrow": lambda _, n: int(n[0] < n[1]),
    "mov": lambda _, n: n[0],
}
