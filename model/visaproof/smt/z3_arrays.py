"""Memory as z3 arrays: what the public encoding is made of.  z3 is imported when this module is."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, cast

import z3  # pyright: ignore[reportMissingTypeStubs]

from visaproof.smt.z3_backend import Lowering as Lowering

_z3: Any = z3


def slice_of(word: Any, low: int, width: int) -> Any:
    """`width` bits of a z3 bit-vector from bit `low` on."""
    return _z3.Extract(low + width - 1, low, word)


def fresh(prefix: str, width: int) -> Any:
    """A bit-vector constant that nothing else is called by."""
    return _z3.FreshConst(_z3.BitVecSort(width), prefix)


def negated(condition: Any) -> Any:
    return _z3.Not(condition)


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """z3's If, for bit-vectors and arrays alike."""
    return _z3.If(condition, then, otherwise)


def read_bytes(memory: Any, address: Any, width: int) -> Any:
    """`width` bytes of an array of bytes, little endian."""
    parts = [_z3.Select(memory, address + k) for k in reversed(range(width))]
    return parts[0] if width == 1 else _z3.Concat(*parts)


def write_bytes(memory: Any, address: Any, value: Any, width: int) -> Any:
    """The array with `width` bytes of `value` written, little endian."""
    bytes_of = ((k, slice_of(value, 8 * k, 8)) for k in range(width))
    return reduce(lambda array, part: _z3.Store(array, address + part[0], part[1]), bytes_of, memory)


def read_cell(memory: Any, cell: list[Any]) -> Any:
    """The texel of an array that is indexed by the coordinates side by side."""
    return _z3.Select(memory, _z3.Concat(*cell))


def write_cell(memory: Any, cell: list[Any], value: Any) -> Any:
    """The array with one texel written."""
    return _z3.Store(memory, _z3.Concat(*cell), value)


def holds(claim: Any, numbers: Sequence[tuple[Any, Any]]) -> bool | None:
    """Whether the claim holds for these numbers, by z3; None where that hangs on something else."""
    found = _z3.simplify(_z3.substitute(claim, *numbers))
    return True if _z3.is_true(found) else False if _z3.is_false(found) else None


def number_of(word: Any, numbers: Sequence[tuple[Any, Any]]) -> int | None:
    """The value of a bit-vector for these numbers, by z3; None where that hangs on something else."""
    found = _z3.simplify(_z3.substitute(word, *numbers))
    return cast(int, found.as_long()) if _z3.is_bv_value(found) else None


def cell_of(array: Any, cell: int) -> Any:
    """The content of an array at a number."""
    return _z3.Select(array, _z3.BitVecVal(cell, array.domain().size()))


def constant(name: str, width: int) -> Any:
    return _z3.BitVec(name, width)


def array(name: str, cell_bits: int, content_bits: int) -> Any:
    """A constant array."""
    return _z3.Array(name, _z3.BitVecSort(cell_bits), _z3.BitVecSort(content_bits))


def is_truth(thing: object) -> bool:
    """Whether it is a z3 expression for a truth value."""
    return bool(_z3.is_expr(thing) and _z3.is_bool(thing))
