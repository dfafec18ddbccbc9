"""Integer arithmetic on arrays.

The pages compute on integers without bounds.  Two ways keep that: where only the low bits of a result matter, words
that wrap have the same ones; where an order or a high bit matters, the sources are taken
to a type that holds each of them exactly (`exact_type`), which is Python's own integers where no machine word does.
"""

from collections.abc import Callable, Sequence

import numpy as np

from visaproof.isa.types import DataType
from visaproof.machine.arrays.arrays import Array
from visaproof.machine.arrays.batch import NotVectorised

U32, U64, I64 = np.dtype("<u4"), np.dtype("<u8"), np.dtype("<i8")
ANY_SIZE = np.dtype(object)


def value_range(data_type: DataType, modifier: str) -> tuple[int, int]:
    """The smallest and the largest integer that a source may be, after its modifier."""
    half, full = 1 << (data_type.bits - 1), (1 << data_type.bits) - 1
    low, high = (-half, half - 1) if data_type.signed else (0, full)
    match modifier:
        case "-":
            return -high, -low
        case "abs":
            return 0, max(-low, high)
        case "-abs":
            return -max(-low, high), 0
        case _:
            return low, high


def exact_type(ranges: Sequence[tuple[int, int]]) -> np.dtype:
    """A type that holds every integer of these ranges."""
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    if low >= -(2**63) and high < 2**63:
        return I64
    return U64 if low >= 0 and high < 2**64 else ANY_SIZE


def lifted(elements: Array, data_type: DataType, modifier: str, dtype: np.dtype) -> Array:
    """The integers that a type makes of its elements, after the modifier; in a word type, their low bits."""
    if modifier == "~":
        return np.invert(elements).astype(dtype)
    values = elements.astype(dtype)
    if modifier in ("abs", "-abs") and data_type.signed:
        values = np.where(elements < 0, np.negative(values), values)
    return np.negative(values) if modifier in ("-", "-abs") else values


Operation = Callable[[Sequence[Array], Sequence[DataType], DataType], Array]
"""From the sources, their types and the destination's type to integers whose low bits are the result's."""


def _shift(values: Sequence[Array], result: DataType) -> Array:
    """Pages SHL, SHR, ASR: "the last 5 (or 6 for Q/UQ type destinations) LSB bits of src1 are used"."""
    return values[1] & (63 if result.size == 8 else 31)


def _low(value: Array, bits: int) -> Array:
    return value if bits == 64 else value & np.uint64((1 << bits) - 1)


def _rotated(value: Array, by: Array, width: int) -> Array:
    value, by = _low(value, width), by & np.uint64(width - 1)
    back = (np.uint64(width) - by) & np.uint64(width - 1)
    return np.where(by == 0, value, value << by | value >> back)


def _bit_length(value: Array) -> Array:
    """Of unsigned qwords."""
    high, low = value >> np.uint64(32), value & np.uint64(0xFFFF_FFFF)
    exponents = np.frexp(np.where(high > 0, high, low).astype(np.float64))[1]
    return (exponents + np.where(high > 0, 32, 0)).astype(np.int64)


def _first_bit_low(values: Sequence[Array], types: Sequence[DataType], _: DataType) -> Array:
    value = _low(values[0], types[0].bits)
    return np.where(value == 0, 0xFFFF_FFFF, _bit_length(value & (~value + np.uint64(1))) - 1)


def _first_bit_high(values: Sequence[Array], types: Sequence[DataType], _: DataType) -> Array:
    """Page FBH: of a negative number, leading ones are counted."""
    bits = types[0].bits
    value = _low(values[0], bits)
    if types[0].signed:
        value = np.where(value >> np.uint64(bits - 1) != 0, _low(~value, bits), value)
    return np.where(value == 0, 0xFFFF_FFFF, bits - _bit_length(value))


def _leading_zeros(values: Sequence[Array], types: Sequence[DataType], _: DataType) -> Array:
    return types[0].bits - _bit_length(_low(values[0], types[0].bits))


def _count(values: Sequence[Array], types: Sequence[DataType], _: DataType) -> Array:
    return np.bitwise_count(_low(values[0], types[0].bits))


def _reversed(values: Sequence[Array], types: Sequence[DataType], _: DataType) -> Array:
    value, width = _low(values[0], types[0].bits), types[0].bits
    found = np.zeros_like(value)
    for k in range(width):
        found |= (value >> np.uint64(k) & np.uint64(1)) << np.uint64(width - 1 - k)
    return found


WRAPPING: dict[str, Operation] = {
    "mov": lambda v, t, d: v[0],
    "add": lambda v, t, d: v[0] + v[1],
    "add3": lambda v, t, d: v[0] + v[1] + v[2],
    "mul": lambda v, t, d: v[0] * v[1],
    "mad": lambda v, t, d: v[0] * v[1] + v[2],
    "and": lambda v, t, d: v[0] & v[1],
    "or": lambda v, t, d: v[0] | v[1],
    "xor": lambda v, t, d: v[0] ^ v[1],
    "not": lambda v, t, d: ~v[0],
    "shl": lambda v, t, d: v[0] << _shift(v, d),
}
"""Opcodes of whose sources only as many low bits matter as the destination has."""

ON_QWORDS: dict[str, Operation] = {
    "shr": lambda v, t, d: _low(v[0], t[0].bits) >> _shift(v, d),
    "rol": lambda v, t, d: _rotated(v[0], v[1], t[0].bits),
    "ror": lambda v, t, d: _rotated(v[0], ~v[1] + np.uint64(1), t[0].bits),
    "cbit": _count,
    "fbl": _first_bit_low,
    "fbh": _first_bit_high,
    "lzd": _leading_zeros,
    "bfrev": _reversed,
}
"""Opcodes that look at no bit of a source behind its 64th."""

EXACT: dict[str, Operation] = {
    "min": lambda v, t, d: np.minimum(v[0], v[1]),
    "max": lambda v, t, d: np.maximum(v[0], v[1]),
    "asr": lambda v, t, d: v[0] >> (v[1] & (63 if d.size == 8 else 31)).astype(v[0].dtype),
}
"""Opcodes that need each source as it is, and give one of them or less."""

DOUBLED: dict[str, Operation] = {
    "avg": lambda v, t, d: (v[0] + v[1] + 1) >> 1,
    "mulh": lambda v, t, d: v[0] * v[1] >> 32,
}
"""Opcodes with an exact result in a qword, as long as no source is one."""

SATURATING = frozenset(("mov", "add", "add3", "avg", "min", "max", "and", "or", "xor", "not"))
"""Opcodes whose result on sources of at most a dword is exact in a qword."""


def in_words(values: Array) -> Array:
    """Machine words with the low bits of integers of any size."""
    return (values & (2**64 - 1)).astype(U64) if values.dtype == ANY_SIZE else values


COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
"""The relations of CMP."""


def operation_of(opcode: str, types: Sequence[DataType], result: DataType, saturate: bool) -> Operation:
    """The operation of an opcode.  Raises NotVectorised where it has none."""
    narrow = all(each.size <= 4 for each in types)
    if opcode in DOUBLED and not narrow:
        raise NotVectorised(f"{opcode} on qwords")
    if saturate and not (opcode in SATURATING and narrow):
        raise NotVectorised(f"{opcode}.sat")
    found = WRAPPING.get(opcode) or ON_QWORDS.get(opcode) or EXACT.get(opcode) or DOUBLED.get(opcode)
    if found is None:
        raise NotVectorised(f"opcode {opcode}")
    return found


def working_type(opcode: str, ranges: Sequence[tuple[int, int]], result: DataType, saturate: bool) -> np.dtype:
    """What the sources are lifted to for `operation_of`."""
    if opcode == "mulh":
        low = min(left * right for left in ranges[0] for right in ranges[1])
        high = max(left * right for left in ranges[0] for right in ranges[1])
        return exact_type([*ranges, (low, high)])
    if saturate or opcode in DOUBLED:
        return I64
    if opcode in EXACT:
        return exact_type(ranges)
    return U64 if opcode in ON_QWORDS or result.size == 8 else U32


def boolean_function(table: int, values: Sequence[Array], width: int) -> Array:
    """Page BFN, on qwords: bit k of the result is entry src0[k] + 2·src1[k] + 4·src2[k] of the table."""
    found = np.zeros(np.broadcast_shapes(*(value.shape for value in values)), np.uint64)
    for entry in range(8):
        if table >> entry & 1:
            term = np.full_like(found, 2**64 - 1)
            for place, value in enumerate(values):
                term &= value if entry >> place & 1 else ~value
            found |= term
    return _low(found, width)


def saturated(values: Array, data_type: DataType) -> Array:
    """The nearest integers that the type can hold (`.sat`); of exact integers."""
    top = 1 << (data_type.bits - data_type.signed)
    low = -top if data_type.signed else 0
    if values.dtype == I64:
        low, top = max(low, -(2**63)), min(top, 2**63)
    return np.clip(values, low, top - 1)
