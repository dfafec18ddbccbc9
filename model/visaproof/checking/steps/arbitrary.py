"""An arbitrary state for an instruction, as z3 constants that are called what the instruction calls them."""

from collections.abc import Mapping

from msgspec import Struct, field

from visaproof.checking.encode import CELL_BITS, TEXEL_CELL_BITS, Arrays, BufferArray, ImageArray
from visaproof.instructions import ALL, Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.errors import NotModelled
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.platform import Platform
from visaproof.semantics.symbolic.accesses import RegisterSlice, Store
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage, SymbolicState, SymbolicSurface
from visaproof.smt import Bool, bool_symbol, const, symbol
from visaproof.smt.z3_types import Z3BitVec

ROOM = 1 << 14
"""Bytes of a variable that an instruction may reach."""
IMAGE_AXES = ("width", "height", "depth")


class Reach(Struct):
    """What an instruction reads and writes."""

    surface: str
    registers: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """The bytes of each variable."""
    predicates: dict[str, tuple[Bool, ...]] = field(default_factory=dict[str, tuple[Bool, ...]])

    def end_of(self, variable: str) -> int:
        """The bytes that the variable needs, in whole dwords."""
        end = max(self.registers[variable]) + 1
        return end + -end % 4

    def touches(self, place: RegisterSlice) -> None:
        """Notes bytes that are written."""
        self.registers.setdefault(place.variable, set()).update(range(place.start, place.start + place.width))

    def byte(self, variable: str, position: int) -> Byte:
        """For a register file: a byte that is read."""
        self.registers.setdefault(variable, set()).add(position)
        return symbol(f"{variable}.{position // 4}", 32), position % 4


class _Names(dict[str, int]):
    """Every variable has room: which there are is what is asked."""

    def __missing__(self, _: str) -> int:
        return ROOM


class _Predicates(dict[str, tuple[Bool, ...]]):
    """Every predicate variable has 32 bits."""

    def __missing__(self, name: str) -> tuple[Bool, ...]:
        self[name] = tuple(bool_symbol(f"{name}.{lane}") for lane in range(THREAD_LANES))
        return self[name]


def reach_of(instruction: Instruction, platform: Platform) -> Reach:
    """What an instruction of the four pages touches.  Raises NotModelled for others."""
    if not isinstance(instruction, Scatter4Scaled | OwordLd | QwScatter | TypedAtomic):
        pages = ", ".join(page.spec.name for page in ALL)
        raise NotModelled(f"{instruction.spec.name} in arrays: {pages} have such an encoding")
    predicates = _Predicates()
    found = Reach(instruction.surface, predicates=predicates)
    surface: SymbolicSurface = SymbolicBuffer(symbol("size", CELL_BITS))
    if isinstance(instruction, TypedAtomic):
        surface = SymbolicImage(((const(1, 32), const(1, 32), const(1, 32)),))
    lanes = tuple(bool_symbol(f"exec_mask.{lane}") for lane in range(THREAD_LANES))
    registers = RegisterFile(_Names(), found.byte)
    state = SymbolicState(platform, lanes, registers, predicates, {instruction.surface: surface})
    for access in instruction.footprint(state):
        destination = None if isinstance(access, Store) else access.destination
        if destination is not None:
            found.touches(destination)
    for _, place in undefined_bytes_of(instruction, state):
        found.touches(place)
    return found


def arbitrary(instruction: Instruction, platform: Platform) -> Arrays:
    """Constants for all that the instruction reads and writes; its registers end at the last byte that it touches.

    The execution mask is `exec_mask`, a register has its own name, as a predicate has; of a buffer T6 there are
    `T6 bytes` and `T6 size`, of an image `T6 texels`, `T6 width`, `T6 height` and `T6 depth`.  Raises NotModelled
    for an instruction that has no encoding in arrays.
    """
    from visaproof.smt.z3_arrays import constant

    reach = reach_of(instruction, platform)
    return Arrays(
        platform,
        constant("exec_mask", THREAD_LANES),
        {name: constant(name, 8 * reach.end_of(name)) for name in reach.registers},
        {reach.surface: _surface(reach.surface, instruction)},
        _bits(reach.predicates),
    )


def _surface(name: str, instruction: Instruction) -> BufferArray | ImageArray:
    from visaproof.smt.z3_arrays import array, constant

    if isinstance(instruction, TypedAtomic):
        width, height, depth = (constant(f"{name} {axis}", 32) for axis in IMAGE_AXES)
        texels = array(f"{name} texels", TEXEL_CELL_BITS, instruction.texel_bits)
        return ImageArray(texels, ((width, height, depth),))
    return BufferArray(array(f"{name} bytes", CELL_BITS, 8), constant(f"{name} size", CELL_BITS))


def _bits(predicates: Mapping[str, tuple[Bool, ...]]) -> dict[str, Z3BitVec]:
    from visaproof.smt.z3_arrays import constant

    return {name: constant(name, len(bits)) for name, bits in predicates.items()}
