"""The parts of a statement: a decoder takes each one that it uses, and what it leaves is refused.

So a suffix, an operand or a field of an operand that no decoder knows can never be dropped in silence.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.identity import Same
from visaproof.visaasm.syntax import Instruction, LscBase, LscPlace, Operand

Key = tuple[Same[Any], str]
"""The record that a part stands in, by its identity, and the name of its field; of a suffix, its number."""

_PLACES = frozenset(("position", "text"))
"""Fields that say where something is written, and not what."""

_HEAD = ("opcode", "operands", *_PLACES)
"""The fields of an instruction that `decode` itself uses."""


class Part(Struct, frozen=True):
    """One part of a statement, named for the reader."""

    key: Key
    what: str
    position: Position
    is_operand: bool


def parts_of(instruction: Instruction) -> Iterator[Part]:
    """Everything that a statement says, but for its opcode."""
    place = instruction.position
    for number, suffix in enumerate(instruction.suffixes):
        yield Part((Same(instruction), f"suffix {number}"), f".{suffix}", place, False)
    for name in instruction.__struct_fields__:
        if name not in (*_HEAD, "suffixes") and getattr(instruction, name) is not None:
            yield Part((Same(instruction), name), name, place, False)
    for operand in instruction.operands:
        yield from _parts_of_operand(operand)


def _parts_of_operand(operand: Operand) -> Iterator[Part]:
    """The fields of an operand; one that holds its default says nothing."""
    defaults = dict(zip(reversed(operand.__struct_fields__), reversed(operand.__struct_defaults__), strict=False))
    for name in operand.__struct_fields__:
        value: object = getattr(operand, name)
        if name in _PLACES or value is None or (name in defaults and value == defaults[name]):
            continue
        yield Part((Same(operand), name), f"{name} {_shown(value)}", operand.position, True)
        for part in (value, *(operand.parts if isinstance(operand, LscPlace) and name == "parts" else ())):
            if isinstance(part, LscBase):
                yield from _parts_of_operand(part)


def _shown(value: object) -> str:
    return str(value) if isinstance(value, int | str) else type(value).__name__


class Taken(Struct):
    """The parts that a decoder has used."""

    keys: set[Key] = field(default_factory=set[Key])

    def take(self, record: Instruction | Operand, *names: str) -> None:
        """Takes note that the decoder uses these fields of a record."""
        self.keys.update((Same(record), name) for name in names)

    def suffix(self, instruction: Instruction, number: int) -> None:
        self.take(instruction, f"suffix {number}")

    def require_all(self, instruction: Instruction) -> None:
        """Raises ReadError for a part of the head that was left over, NotModelled for one of an operand."""
        for part in parts_of(instruction):
            if part.key in self.keys:
                continue
            if part.is_operand:
                raise NotModelled(f"{part.what} in an operand of {instruction.opcode}", part.position)
            raise ReadError(f"{instruction.opcode} takes no {part.what}", part.position)
