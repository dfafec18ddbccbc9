"""The public encoding: an instruction as a step between z3 bit-vector arrays, for tools with queries of their own.

The engine proves with the memory-free form of `queries`; that both say the same is tested and proved in
`tests/checking/test_encode.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.instructions import Instruction
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.platform import Platform
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.effects import undefined, updated
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.semantics.symbolic.state import (
    ADDRESS_BITS,
    SymbolicBuffer,
    SymbolicImage,
    SymbolicState,
    SymbolicSurface,
)
from visaproof.smt import BitVec, Bool, bit, conj, const, extract, ite, symbol
from visaproof.smt.z3_types import Z3Array, Z3BitVec, Z3Bool

CELL_BITS = ADDRESS_BITS
"""Of an address in a buffer."""
TEXEL_CELL_BITS = 128
"""Of the coordinates of a texel side by side."""


def _read_bytes(memory: Any, address: Any, width: int) -> Any:
    from visaproof.smt.z3_arrays import read_bytes

    return read_bytes(memory, address, width)


class BufferArray(Struct, frozen=True):
    """A buffer: `bytes` maps BitVec(40) addresses to BitVec(8), and `size` is a BitVec(40) number of bytes."""

    bytes: Z3Array
    size: Z3BitVec

    def byte(self, address: Z3BitVec) -> Z3BitVec:
        """The byte at an address of BitVec(40)."""
        return _read_bytes(self.bytes, address, 1)

    def dword(self, address: Z3BitVec) -> Z3BitVec:
        """The four bytes from an address on, little endian."""
        return _read_bytes(self.bytes, address, 4)


class ImageArray(Struct, frozen=True):
    """A typed surface: `texels` maps BitVec(128), u v r lod side by side, to BitVec(32), or BitVec(16) for `.16`."""

    texels: Z3Array
    levels: tuple[tuple[Z3BitVec, Z3BitVec, Z3BitVec], ...]
    """How many values U, V and R have at each LOD, BitVec(32) each; 1 where the surface has no such coordinate.

    What counts the layers of an array is the same at every level.
    """

    def texel(self, u: Z3BitVec, v: Z3BitVec, r: Z3BitVec, lod: Z3BitVec) -> Z3BitVec:
        """The texel at coordinates of BitVec(32); those that the surface does not have are 0."""
        from visaproof.smt.z3_arrays import read_cell

        return read_cell(self.texels, [u, v, r, lod])


class Arrays(Struct, frozen=True):
    """The state of one thread in z3: BitVec(32) execution mask; registers and predicates as wide as they are."""

    platform: Platform
    exec_mask: Z3BitVec
    registers: Mapping[str, Z3BitVec]
    """Variable by name; its byte 0 in the low bits."""
    surfaces: Mapping[str, BufferArray | ImageArray]
    predicates: Mapping[str, Z3BitVec] = field(default_factory=dict[str, Z3BitVec])

    @staticmethod
    def arbitrary(instruction: Instruction, platform: Platform = Platform.TGLLP) -> "Arrays":
        """A state of z3 constants in which the instruction may begin.  Raises NotModelled."""
        from visaproof.checking.steps.arbitrary import arbitrary

        return arbitrary(instruction, platform)

    def buffer(self, name: str) -> BufferArray:
        """The buffer of this name.  Raises KeyError, and TypeError for an image."""
        surface = self.surfaces[name]
        if not isinstance(surface, BufferArray):
            raise TypeError(f"{name} is an image")
        return surface

    def image(self, name: str) -> ImageArray:
        """The image of this name.  Raises KeyError, and TypeError for a buffer."""
        surface = self.surfaces[name]
        if not isinstance(surface, ImageArray):
            raise TypeError(f"{name} is a buffer")
        return surface

    def __repr__(self) -> str:
        return f"<Arrays of {self.platform.name}: {', '.join([*self.registers, *self.predicates, *self.surfaces])}>"


class Step(Struct, frozen=True):
    """What an instruction makes of a state, and whether the page leaves that undefined (then `after` means nothing)."""

    instruction: Instruction
    before: Arrays
    after: Arrays
    undefined: Z3Bool
    arbitrary: tuple[Z3BitVec, ...] = ()
    """Fresh constants that stand in `after` for register bytes that the page leaves undefined: any value is allowed."""

    def __repr__(self) -> str:
        return f"<Step: {self.instruction}>"


def encode(instruction: Instruction, before: Arrays) -> Step:
    """The state after the instruction.  Atomic lanes that collide act in ascending order, one of the page's orders.

    Raises ValueError where a surface has a size or texels of another width than the instruction needs.
    """
    from visaproof.smt.z3_arrays import Lowering

    lowering = Lowering()
    state = _symbolic(before, lowering)
    accesses, left_undefined = tuple(instruction.footprint(state)), undefined_bytes_of(instruction, state)
    memory = {name: _contents(surface) for name, surface in before.surfaces.items()}
    for index, access in enumerate(accesses):
        _require_texels(access, before.surfaces[access.surface])
        _perform(access, index, state, memory, lowering)
    arbitrary = tuple(_arbitrary_bytes(left_undefined, state, lowering))
    registers = {
        name: lowering.lower(state.registers.read(name, 0, size)) for name, size in state.registers.sizes.items()
    }
    surfaces = {name: _with_contents(surface, memory[name]) for name, surface in before.surfaces.items()}
    meaningless = undefined(accesses, instruction.spec.collision_undefined)
    after = replace(before, registers=registers, surfaces=surfaces)
    return Step(instruction, before, after, lowering.lower(meaningless), arbitrary)


def _require_texels(access: Access, surface: BufferArray | ImageArray) -> None:
    contents: Any = _contents(surface)
    if isinstance(surface, ImageArray) and contents.range().size() != 8 * access.width:
        raise ValueError(f"{access.surface} has texels of {contents.range().size()} bits, not of {8 * access.width}")


def _arbitrary_bytes(places: list[tuple[Bool, RegisterSlice]], state: SymbolicState, lowering: Any) -> Iterator[Any]:
    """Puts a constant of its own into each piece of a register that the page leaves undefined."""
    from visaproof.smt.z3_arrays import fresh

    for index, (guard, place) in enumerate(places):
        unknown, constant = symbol(f"undefined {index}", 8 * place.width), fresh("undefined", 8 * place.width)
        lowering.define(unknown, constant)
        state.registers.write(place.variable, place.start, unknown, guard)
        yield constant


def _symbolic(before: Arrays, lowering: Any) -> SymbolicState:
    """The symbolic state, each symbol standing for an expression of the caller."""

    def standing_for(name: str, expression: Any) -> BitVec:
        term = symbol(name, expression.size())
        lowering.define(term, expression)
        return term

    registers = {name: standing_for(f"register {name}", word) for name, word in before.registers.items()}

    def initial(variable: str, position: int) -> Byte:
        return registers[variable], position

    def bits(name: str, word: Any) -> Any:
        term = standing_for(name, word)
        return tuple(bit(term, lane) for lane in range(min(term.width, THREAD_LANES)))

    return SymbolicState(
        before.platform,
        bits("execution mask", before.exec_mask),
        RegisterFile({name: term.width // 8 for name, term in registers.items()}, initial),
        {name: bits(f"predicate {name}", word) for name, word in before.predicates.items()},
        {name: _surface(name, surface, standing_for) for name, surface in before.surfaces.items()},
    )


def _surface(name: str, surface: BufferArray | ImageArray, standing_for: Any) -> SymbolicSurface:
    if isinstance(surface, BufferArray):
        size = standing_for(f"size {name}", surface.size)
        if size.width != ADDRESS_BITS:
            raise ValueError(f"the size of {name} has {size.width} bits, not {ADDRESS_BITS}")
        return SymbolicBuffer(size)
    levels = (
        tuple(standing_for(f"extent {axis} {lod} {name}", extent) for axis, extent in enumerate(level))
        for lod, level in enumerate(surface.levels)
    )
    return SymbolicImage(tuple((width, height, depth) for width, height, depth in levels))


def _contents(surface: BufferArray | ImageArray) -> Any:
    return surface.bytes if isinstance(surface, BufferArray) else surface.texels


def _with_contents(surface: BufferArray | ImageArray, contents: Any) -> BufferArray | ImageArray:
    if isinstance(surface, BufferArray):
        return replace(surface, bytes=contents)
    return replace(surface, texels=contents)


def _perform(access: Access, index: int, state: SymbolicState, memory: dict[str, Any], lowering: Any) -> None:
    """One access: memory is the array so far, registers change in the symbolic state."""
    from visaproof.smt.z3_arrays import choose

    old = symbol(f"content {index}", 8 * access.width)
    if not isinstance(access, Store):
        lowering.define(old, _read(access, memory[access.surface], lowering))
    if not isinstance(access, Load):
        new = access.value if isinstance(access, Store) else updated(access, old)
        written = _write(access, memory[access.surface], lowering.lower(new), lowering)
        happens = lowering.lower(conj(access.guard, access.inside))
        memory[access.surface] = choose(happens, written, memory[access.surface])
    if isinstance(access, Store) or access.destination is None:
        return
    value = old
    if isinstance(access, Atomic) and access.returns_new:
        value = updated(access, old)
    brought = ite(access.inside, value, const(0, value.width))
    place = access.destination
    state.registers.write(place.variable, place.start, extract(brought, 8 * place.width - 1, 0), access.guard)


def _read(access: Access, contents: Any, lowering: Any) -> Any:
    from visaproof.smt.z3_arrays import read_bytes, read_cell

    cell = [lowering.lower(part) for part in access.cell]
    return read_bytes(contents, cell[0], access.width) if len(cell) == 1 else read_cell(contents, cell)


def _write(access: Access, contents: Any, value: Any, lowering: Any) -> Any:
    from visaproof.smt.z3_arrays import write_bytes, write_cell

    cell = [lowering.lower(part) for part in access.cell]
    if len(cell) == 1:
        return write_bytes(contents, cell[0], value, access.width)
    return write_cell(contents, cell, value)
