"""Memory as z3 arrays: what the public encoding is made of.  z3 is imported when this module is."""

from functools import reduce
from typing import Any

import z3  # pyright: ignore[reportMissingTypeStubs]

from visaproof.smt.z3_backend import Lowering

_z3: Any = z3

__all__ = ["Lowering", "choose", "fresh", "read_bytes", "read_cell", "write_bytes", "write_cell"]


def _slice(word: Any, low: int, width: int) -> Any:
    """`width` bits of a z3 bit-vector from bit `low` on."""
    return _z3.Extract(low + width - 1, low, word)


def fresh(prefix: str, width: int) -> Any:
    """A bit-vector constant that nothing else is called by."""
    return _z3.FreshConst(_z3.BitVecSort(width), prefix)


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """z3's If, for bit-vectors and arrays alike."""
    return _z3.If(condition, then, otherwise)


def read_bytes(memory: Any, address: Any, width: int) -> Any:
    """`width` bytes of an array of bytes, little endian."""
    parts = [_z3.Select(memory, address + k) for k in reversed(range(width))]
    return parts[0] if width == 1 else _z3.Concat(*parts)


def write_bytes(memory: Any, address: Any, value: Any, width: int) -> Any:
    """The array with `width` bytes of `value` written, little endian."""
    bytes_of = ((k, _slice(value, 8 * k, 8)) for k in range(width))
    return reduce(lambda array, part: _z3.Store(array, address + part[0], part[1]), bytes_of, memory)


def read_cell(memory: Any, cell: list[Any]) -> Any:
    """The texel of an array that is indexed by the coordinates side by side."""
    return _z3.Select(memory, _z3.Concat(*cell))


def write_cell(memory: Any, cell: list[Any], value: Any) -> Any:
    """The array with one texel written."""
    return _z3.Store(memory, _z3.Concat(*cell), value)
