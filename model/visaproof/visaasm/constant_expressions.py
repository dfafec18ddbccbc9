"""Constant expressions and immediates: numbers of at most 64 bits.  Source: docs/pages/operands-and-files.md §1, §6."""

import math
import struct
from collections.abc import Callable

from visaproof.isa.types import DataType

LITERAL_DIGITS = 40
"""No 64-bit number needs more, leading zeros included; Python refuses to read 4,300."""

SIGN = {DataType.F: 1 << 31, DataType.DF: 1 << 63}


class UnreadableNumber(Exception):
    """The text describes no number of 64 bits."""


def in_range(value: int) -> int:
    if -(2**63) <= value < 2**64:
        return value
    raise UnreadableNumber("this number needs more than 64 bits")


def literal(text: str) -> int:
    """`12` or `0x0C`; a leading 0 does not mean octal."""
    if len(text) > LITERAL_DIGITS:
        raise UnreadableNumber("this number needs more than 64 bits")
    return in_range(int(text, 16) if text[:2] in ("0x", "0X") else int(text))


def divide(dividend: int, divisor: int) -> int:
    """C's division: towards zero."""
    if divisor == 0:
        raise UnreadableNumber("division by zero")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def remainder(dividend: int, divisor: int) -> int:
    """C's remainder: with the sign of the dividend."""
    return dividend - divisor * divide(dividend, divisor)


def _distance(bits: int) -> int:
    if 0 <= bits < 64:
        return bits
    raise UnreadableNumber(f"a shift by {bits} bits")


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "bit_and": lambda left, right: left & right,
    "bit_xor": lambda left, right: left ^ right,
    "bit_or": lambda left, right: left | right,
    "equal": lambda left, right: int(left == right),
    "unequal": lambda left, right: int(left != right),
    "less": lambda left, right: int(left < right),
    "greater": lambda left, right: int(left > right),
    "at_most": lambda left, right: int(left <= right),
    "at_least": lambda left, right: int(left >= right),
    "shift_left": lambda left, right: left << _distance(right),
    "shift_right": lambda left, right: left >> _distance(right),
    "shift_right_logical": lambda left, right: (left & (2**64 - 1)) >> _distance(right),
    "add": lambda left, right: left + right,
    "subtract": lambda left, right: left - right,
    "multiply": lambda left, right: left * right,
    "divide": divide,
    "remainder": remainder,
}
"""The binary operators by the name that grammar.lark gives them."""


def integer_bits(value: int, data_type: DataType) -> int:
    """The bits of `value:type`: for a floating type the number *is* the pattern, and `-` flips the sign bit."""
    if data_type in SIGN and value < 0:
        return (-value & _mask(data_type)) ^ SIGN[data_type]
    if data_type.floating and not data_type.packed and not 0 <= value <= _mask(data_type):
        raise UnreadableNumber(f"{value:#x} is no bit pattern of {data_type.bits} bits")
    return value & _mask(data_type)


def float_bits(text: str, data_type: DataType) -> int:
    """The IEEE pattern of a decimal fraction; too large a number is infinity."""
    value = float(text)
    match data_type:
        case DataType.F:
            return _pattern("<f", value)
        case DataType.DF:
            return _pattern("<d", value)
        case _:
            raise UnreadableNumber(f"a decimal fraction cannot have type {data_type.spelling}")


def _pattern(layout: str, value: float) -> int:
    try:
        packed = struct.pack(layout, value)
    except OverflowError:
        packed = struct.pack(layout, math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")


def _mask(data_type: DataType) -> int:
    return (1 << data_type.bits) - 1
