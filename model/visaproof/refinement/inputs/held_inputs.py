"""What the inputs of two kernels hold, in a file: enough to match them again where the difference is replayed."""

from collections.abc import Hashable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from visaproof.isa.surface_keys import OfArgument, StateAt, TableEntry, surface_key
from visaproof.launch.input_meaning import ArgumentValue, BufferOffset, LocalId, Piece, SlmAddress
from visaproof.launch.launch import BufferAddress, Surface
from visaproof.launch.matching import THREAD_STATE, Program, meant
from visaproof.program.kernel import Kernel

_OF_ARGUMENT = (ArgumentValue, BufferAddress, BufferOffset, SlmAddress, Surface)


class HeldInput(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Bytes of an input, and what the launch puts there: of two inputs with the same `holds` the bytes are the same."""

    variable: str
    start: int
    size: int
    holds: str
    first: int = 0
    """The first of these bytes, in what it holds."""
    argument: int | None = None
    handle: bool = False
    """Whether it stands for the surface of its argument."""


def held_inputs(program: Program) -> list[HeldInput]:
    """By meaning; without launch information a kernel's own `.input` lines say what is where in the payload."""
    return [
        _held(program, item.variable, piece)
        for item in program.kernel.inputs
        for piece in program.launch.pieces(item.variable)
    ]


def _held(program: Program, variable: str, piece: Piece) -> HeldInput:
    meaning, key = piece.meaning, meant(piece, 0, _number)
    if isinstance(meaning, LocalId):  # two bytes a lane
        return HeldInput(variable, piece.offset, piece.size, f"local_id {meaning.dimension}", 2 * meaning.first_lane)
    if not isinstance(meaning, _OF_ARGUMENT):
        holds = program.table(str(meaning)) if str(meaning) in program.own_tables else " ".join(map(str, key[:-1]))
        return HeldInput(variable, piece.offset, piece.size, holds, int(str(key[-1])))
    index, first = meaning.argument.index, int(str(key[-1]))
    handle = isinstance(meaning, Surface | BufferAddress) and not first
    return HeldInput(variable, piece.offset, piece.size, f"{key[0]} {index}", first, index, handle)


def _number(lane: int) -> Hashable:
    return lane


Key = tuple[str, int]
"""What a byte holds, and which of its bytes."""


class Thread(Struct, frozen=True):
    """A thread of one of the kernels, as a launch starts it."""

    kernel: Kernel
    held: Sequence[HeldInput]
    registers: Mapping[str, bytes | bytearray]
    """By root variable; 0 where nothing is said."""

    def inputs(self, of_the_thread: bool) -> Iterator[tuple[Key, str, int, int]]:
        """Each byte of the inputs: what it holds, its variable, its place there, and its value.

        Without what is only `of_the_thread`: local ids, and what the hardware hands to it.
        """
        pieces = [*self.held] or [
            HeldInput(one.variable, 0, one.size, "payload", one.offset) for one in self.kernel.inputs
        ]
        if of_the_thread:
            pieces += [HeldInput(name, 0, size, name) for name, size in self._hardware()]
        for one in pieces:
            for k in range(one.size) if of_the_thread or one.argument is not None else ():
                register = self.kernel.registers[one.variable]
                root, at = register.owner, register.first + one.start + k
                content = self.registers.get(root, b"")
                yield (one.holds, one.first + k), root, at, content[at] if at < len(content) else 0

    def _hardware(self) -> Iterator[tuple[str, int]]:
        for name in sorted(THREAD_STATE):
            if (register := self.kernel.registers.get(name)) is not None:
                yield name, register.size


def completed(threads: Sequence[Thread], of_the_thread: bool) -> list[dict[str, bytes]]:
    """The registers of each, with the inputs that it does not read but another one does."""
    known: dict[Key, int] = {}
    for one in threads:
        for key, _, _, value in one.inputs(of_the_thread):
            known[key] = known.get(key) or value
    found: list[dict[str, bytes]] = []
    for one in threads:
        registers = {name: bytearray(content) for name, content in one.registers.items()}
        for key, root, at, value in one.inputs(of_the_thread):
            if not value and known[key]:
                content = registers.setdefault(root, bytearray())
                content.extend(bytes(one.kernel.registers[root].size - len(content)))
                content[at] = known[key]
        found.append({name: bytes(content) for name, content in registers.items()})
    return found


def unlike_inputs(source: Thread, target: Thread, of_the_thread: bool) -> Iterator[str]:
    """Inputs that hold the same by what the launch says, and do not by what the registers hold."""
    held = {key: (root, at, value) for key, root, at, value in source.inputs(of_the_thread)}
    for key, root, at, value in target.inputs(of_the_thread):
        variable, place, other = held.get(key, (root, at, value))
        if other != value:
            what, byte = key
            yield (
                f"{root}.{at} of the target holds {value:#x}, and {variable}.{place} of the source {other:#x}: "
                f"both are byte {byte} of {what}"
            )


def unlike_surfaces(
    held: Sequence[HeldInput], binding_table: Mapping[str, int], surfaces: Mapping[str, str], name: str
) -> Iterator[str]:
    """Names of surfaces that stand for another one than the launch says."""
    handles = {StateAt(one.variable, one.start): one.argument for one in held if one.handle}
    for key, stands_for in surfaces.items():
        match named := surface_key(key):
            case TableEntry(index):
                argument = binding_table.get(str(index))
            case StateAt():
                argument = handles.get(named)
            case _:
                argument = handles.get(StateAt(key, 0))
        if argument is not None and stands_for != str(OfArgument(argument)):
            yield f"{key} of the {name} stands for {stands_for}, and by its launch for argument {argument}"
