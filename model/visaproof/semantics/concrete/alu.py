"""Integer arithmetic, logic and comparison of one element, on Python's integers.

Every source is the integer that its own type makes of its bits, so nothing is lost before the result is cut to the
destination: pages ADD, MUL, MAD, … with conversion as in MOV.  Where the destination is wider than the sources, the
result is the one that the wider destination can hold.
"""

from collections.abc import Callable, Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.concrete.choices import ANY_BITS, Unstated


def to_integer(bits: int, data_type: DataType) -> int:
    """What `data_type` makes of its bits."""
    return bits - (1 << data_type.bits) if data_type.signed and bits >> (data_type.bits - 1) else bits


def modified(value: int, modifier: str, data_type: DataType) -> int:
    """A source after its modifier "", "-", "abs", "-abs" or "~"."""
    match modifier:
        case "-":
            return -value
        case "abs":
            return abs(value)
        case "-abs":
            return -abs(value)
        case "~":
            return to_integer(~value % (1 << data_type.bits), data_type)
        case _:
            return value


def saturated(value: int, data_type: DataType) -> int:
    """The nearest integer that the type can hold (`.sat`)."""
    top = 1 << (data_type.bits - data_type.signed)
    return max(-top if data_type.signed else 0, min(value, top - 1))


def saturated_result(opcode: str, value: int, data_type: DataType) -> int:
    """Raises Unstated.  Page SHL: with saturation "the shifted result must be within 33 bits or […] is undefined"."""
    if opcode == "shl" and not -(2**32) <= value < 2**32:
        raise Unstated("shl.sat beyond 33 bits", ANY_BITS)
    return saturated(value, data_type)


def shift_amount(value: int, result: DataType) -> int:
    """Pages SHL, SHR, ASR: "the last 5 (or 6 for Q/UQ type destinations) LSB bits of src1 are used"."""
    return value & (63 if result.size == 8 else 31)


Operation = Callable[[Sequence[int], Sequence[DataType], DataType], int]
"""From the sources, their types and the destination's type to an integer, not yet cut to the destination."""


def _unsigned(value: int, data_type: DataType) -> int:
    return value % (1 << data_type.bits)


def _rotate_left(values: Sequence[int], types: Sequence[DataType], _: DataType) -> int:
    """Page ROL: "RotateMask = sizeof(src0) * 8 - 1"."""
    width = types[0].bits
    value, by = values[0] % (1 << width), values[1] % width
    return value << by | value >> (width - by)


def _rotate_right(values: Sequence[int], types: Sequence[DataType], result: DataType) -> int:
    return _rotate_left((values[0], -values[1]), types, result)


def _first_bit_low(values: Sequence[int], types: Sequence[DataType], _: DataType) -> int:
    value = _unsigned(values[0], types[0])
    return (value & -value).bit_length() - 1 if value else 0xFFFF_FFFF  # Page FBL: all ones if there is none


def _first_bit_high(values: Sequence[int], types: Sequence[DataType], _: DataType) -> int:
    """Page FBH: leading zeros; of a negative number "the number of leading ones"; of 0 and -1 all ones."""
    value = ~values[0] if values[0] < 0 else values[0]
    return types[0].bits - value.bit_length() if value else 0xFFFF_FFFF


def _reversed(values: Sequence[int], types: Sequence[DataType], _: DataType) -> int:
    width = types[0].bits
    return int(f"{_unsigned(values[0], types[0]):0{width}b}"[::-1], 2)


def _field(width: int) -> int:
    """Pages BFE, BFI: ones in as many low bits as the last five bits of `width` say."""
    return (1 << width % 32) - 1


def _extracted(values: Sequence[int], types: Sequence[DataType], result: DataType) -> int:
    """Page BFE: "If <dst> is type D, the results are sign-extended, otherwise they are zero-extended"."""
    width = values[0] % 32
    field = values[2] >> values[1] % 32 & _field(width)
    return field - (1 << width) if result.signed and 2 * field >> width & 1 else field


def _inserted(values: Sequence[int], types: Sequence[DataType], _: DataType) -> int:
    offset = values[1] % 32
    mask = _field(values[0]) << offset
    return (values[2] << offset & mask | values[3] & ~mask) % 2**32


def _dot_product(values: Sequence[int], types: Sequence[DataType], _: DataType) -> int:
    """Page DP4A: src0 and the products of the bytes of src1 and src2, each signed as its source is."""
    total = values[0]
    for start in range(0, 32, 8):
        left, right = (
            to_integer(value >> start & 0xFF, DataType.B if data_type.signed else DataType.UB)
            for value, data_type in zip(values[1:], types[1:], strict=True)
        )
        total += left * right
    return total


def absolute_differences(even: Sequence[int], odd: Sequence[int]) -> int:
    """Pages SAD2, SAD2ADD: of two lanes, |src0 - src1| each, and src2 of the first."""
    return abs(even[0] - even[1]) + abs(odd[0] - odd[1]) + sum(even[2:])


def odd_element() -> int:
    """Raises Unstated.  Pages SAD2, SAD2ADD: "dst[i+1] = undefined"."""
    raise Unstated("an odd element of sad2 or sad2add", ANY_BITS)


def quotient(opcode: str, left: int, right: int) -> int:
    """Pages DIV, MOD: the quotient is cut towards 0, and the remainder has the sign of `left`.

    Raises Unstated for a division by 0, of which they say nothing.
    """
    if right == 0:
        raise Unstated(f"{opcode} by 0, of which the page says nothing", ANY_BITS)
    whole = abs(left) // abs(right)
    whole = whole if (left < 0) == (right < 0) else -whole
    return whole if opcode == "div" else left - whole * right


OPERATIONS: dict[str, Operation] = {
    "mov": lambda v, t, d: v[0],
    "add": lambda v, t, d: v[0] + v[1],
    "add3": lambda v, t, d: v[0] + v[1] + v[2],
    "mul": lambda v, t, d: v[0] * v[1],
    "mad": lambda v, t, d: v[0] * v[1] + v[2],
    "mulh": lambda v, t, d: v[0] * v[1] >> 32,
    "avg": lambda v, t, d: (v[0] + v[1] + 1) >> 1,
    "min": lambda v, t, d: min(v[0], v[1]),
    "max": lambda v, t, d: max(v[0], v[1]),
    "and": lambda v, t, d: v[0] & v[1],
    "or": lambda v, t, d: v[0] | v[1],
    "xor": lambda v, t, d: v[0] ^ v[1],
    "not": lambda v, t, d: ~v[0],
    "shl": lambda v, t, d: v[0] << shift_amount(v[1], d),
    "shr": lambda v, t, d: _unsigned(v[0], t[0]) >> shift_amount(v[1], d),
    "asr": lambda v, t, d: v[0] >> shift_amount(v[1], d),
    "rol": _rotate_left,
    "ror": _rotate_right,
    "cbit": lambda v, t, d: _unsigned(v[0], t[0]).bit_count(),
    "fbl": _first_bit_low,
    "fbh": _first_bit_high,
    "lzd": lambda v, t, d: t[0].bits - _unsigned(v[0], t[0]).bit_length(),
    "bfrev": _reversed,
    "bfe": _extracted,
    "bfi": _inserted,
    "dp4a": _dot_product,
}
"""Opcodes with one destination that are functions of integers alone."""


def add_with_carry(left: int, right: int) -> tuple[int, int]:
    """Page ADDC: the sum of two UD modulo 2^32, and its carry."""
    left, right = left % 2**32, right % 2**32
    return (left + right) % 2**32, int(left + right >= 2**32)


def subtract_with_borrow(left: int, right: int) -> tuple[int, int]:
    """Page SUBB: the difference of two UD modulo 2^32, and 1 where it would be negative."""
    left, right = left % 2**32, right % 2**32
    return (left - right) % 2**32, int(left < right)


def multiply_add_wide(values: Sequence[int]) -> tuple[int, int]:
    """Page MADW: the low and the high dword of a·b + c."""
    result = (values[0] * values[1] + values[2]) % 2**64
    return result % 2**32, result >> 32


def boolean_function(table: int, values: Sequence[int], width: int) -> int:
    """Page BFN: bit k of the result is entry src0[k] + 2·src1[k] + 4·src2[k] of the table."""
    result = 0
    for k in range(width):
        entry = sum((value >> k & 1) << place for place, value in enumerate(values))
        result |= (table >> entry & 1) << k
    return result


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
}
"""The relations of CMP, on the integers that the types make of the bits."""
