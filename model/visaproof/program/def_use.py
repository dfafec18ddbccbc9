"""Which variables the statements of a program read and write, and which bytes of them."""

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from types import NoneType
from typing import Any, cast, get_args, get_type_hints

from msgspec import Struct

from visaproof.isa.identity import Same
from visaproof.isa.operands import RawOperand, ScalarUD
from visaproof.isa.surface_keys import StateAt, surface_key
from visaproof.program.effects import lanes_of
from visaproof.program.operands import AddressedElements, AddressedTarget, Elements, StorageAddress
from visaproof.program.program import Program
from visaproof.program.statements import (
    CombinePredicates,
    Compare,
    Compute,
    MovePredicate,
    Run,
    SetAddress,
    SetPredicate,
)

FLOWS = (Compute, Compare, MovePredicate, SetPredicate, CombinePredicates)
"""Statements whose sources matter where their results do."""

WRITTEN = ("dst", "target", "targets")
"""The fields of statements and messages that are written alone."""

_NO_OPERANDS = ("origin", "position", "operation", "surface", "relation")
_PARTS = ("message", "read", "info", "product")
"""Where statements keep the record of a message."""

Span = tuple[str, int, int]
"""A variable, and its bytes from one to before another."""

TO_THE_END = 1 << 30

KEPT = 16_384
"""Statements of which it is known what they read and write: each run of a program asks it of all of them."""


def uses(statement: Run) -> frozenset[str]:
    """The variables that a statement names to read them: of any kind, memory left out."""
    return _uses(Same(statement))


@lru_cache(KEPT)
def _uses(same: Same[Run]) -> frozenset[str]:
    return frozenset((*names(same.it, leave_out=WRITTEN), *_addresses_of_targets(same.it)))


def handles(statement: Run) -> frozenset[str]:
    """The variables with the handles by which its message finds its surface."""
    keys = (surface_key(getattr(getattr(statement, part, None), "surface", "")) for part in _PARTS)
    return frozenset(key.variable for key in keys if isinstance(key, StateAt))


def definitions(statement: Run) -> frozenset[str]:
    """The variables that a statement names to write them."""
    return _definitions(Same(statement))


@lru_cache(KEPT)
def _definitions(same: Same[Run]) -> frozenset[str]:
    statement = same.it
    inside = (getattr(statement, name, None) for name in _PARTS)
    parts = [getattr(one, name, None) for one in (statement, *inside) for name in WRITTEN]
    written = frozenset(name for part in parts for name in names(part))
    return written - frozenset(_addresses_of_targets(statement))


def addressed(program: Program) -> frozenset[str]:
    """The variables whose address is taken: what an operand that is addressed may read or write beside its names."""
    return frozenset(
        one.base.storage
        for one in program.run_statements()
        if isinstance(one, SetAddress) and isinstance(one.base, StorageAddress)
    )


def reads_addressed(statement: Run) -> bool:
    """Whether it reads a variable by an address."""
    return any(isinstance(one, AddressedElements) for one in _records(statement, WRITTEN))


def writes_addressed(statement: Run) -> bool:
    """Whether it writes a variable by an address."""
    return any(True for _ in _addresses_of_targets(statement))


def _addresses_of_targets(statement: Run) -> Iterator[str]:
    """The address variables by which it writes: it reads these."""
    for part in (getattr(statement, name, None) for name in WRITTEN):
        yield from (one.address for one in _records(part, ()) if isinstance(one, AddressedTarget))


def spans_read(statement: Run) -> Iterator[Span]:
    """The bytes that a statement may read; of what is no vector, all from the first byte on."""
    lanes = lanes_of(statement)
    for one in _records(statement, WRITTEN):
        match one:
            case Elements(storage=storage, start=start, region=region, type=of):
                size, width = 1 if lanes is None else lanes.size, max(1, region.width)
                rows, columns = -(-size // width), min(size, width)
                last = (rows - 1) * region.vertical + (columns - 1) * region.horizontal
                yield storage, start, start + (last + 1) * of.size
            case RawOperand(variable, offset) | ScalarUD(variable, offset):
                yield variable, offset, TO_THE_END
            case StorageAddress(storage=storage):
                yield storage, 0, TO_THE_END
            case _:
                pass
    yield from ((name, 0, TO_THE_END) for name in handles(statement))


def names(record: object, leave_out: tuple[str, ...] = ()) -> Iterator[str]:
    """Every text in a record: among them are the variables that it names, whatever their fields are called."""
    for one in _records(record, leave_out):
        if isinstance(one, str):
            yield one


def _records(record: object, leave_out: tuple[str, ...]) -> Iterator[object]:
    """The record, and all records and texts in it in order, but for fields with these names.  No recursion: of a kernel
    with many statements this is asked a million times.
    """
    stack = [record]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, tuple):
            stack += reversed(cast(tuple[object, ...], one))
        elif isinstance(one, Struct):
            yield one
            stack += [getattr(one, name) for name in _fields(type(one), leave_out)]


@lru_cache(maxsize=512)
def _fields(of: type[Struct], leave_out: tuple[str, ...]) -> tuple[str, ...]:
    """Those that may hold operands, the last one first."""
    hints = get_type_hints(of)
    left_out = (*leave_out, *_NO_OPERANDS)
    fields = (name for name in reversed(of.__struct_fields__) if name not in left_out)
    return tuple(name for name in fields if _may_hold_text(hints[name]))


def _may_hold_text(hint: Any) -> bool:
    """Whether what is of this type may be a text or hold one, however deep."""
    if parts := get_args(hint):
        return any(map(_may_hold_text, parts))
    if not isinstance(hint, type):
        return hint not in (None, Ellipsis)
    if issubclass(hint, Struct):
        return any(map(_may_hold_text, get_type_hints(hint).values()))
    return not issubclass(hint, int | float | Enum | NoneType)
