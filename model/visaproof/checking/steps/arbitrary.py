"""An arbitrary state for an instruction, as z3 constants that are called what the instruction calls them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from visaproof.checking.encode import CELL_BITS, TEXEL_CELL_BITS, Arrays, BufferArray, ImageArray
from visaproof.instructions import ALL, Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.errors import NotModelled
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.platform import Platform
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage, SymbolicState, SymbolicSurface
from visaproof.smt import Bool, bool_symbol, const, symbol
from visaproof.smt.z3_types import Z3BitVec

ROOM = 1 << 14
"""Bytes of a variable that an instruction may reach."""
IMAGE_AXES = ("width", "height", "depth")


@dataclass(slots=True)
class _Touched:
    """How far an instruction reaches into its registers."""

    ends: dict[str, int] = field(default_factory=dict[str, int])

    def byte(self, variable: str, position: int) -> Byte:
        """For a register file: a byte that is read."""
        self.ends[variable] = max(self.ends.get(variable, 0), position + 1)
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


def arbitrary(instruction: Instruction, platform: Platform) -> Arrays:
    """Constants for all that the instruction reads and writes; its registers end at the last byte that it touches.

    The execution mask is `exec_mask`, a register has its own name, as a predicate has; of a buffer T6 there are
    `T6 bytes` and `T6 size`, of an image `T6 texels`, `T6 width`, `T6 height` and `T6 depth`.  Raises NotModelled
    for an instruction that has no encoding in arrays.
    """
    if not isinstance(instruction, Scatter4Scaled | OwordLd | QwScatter | TypedAtomic):
        pages = ", ".join(page.spec.name for page in ALL)
        raise NotModelled(f"{instruction.spec.name} in arrays: {pages} have such an encoding")
    from visaproof.smt.z3_arrays import constant

    touched, predicates = _Touched(), _Predicates()
    name = instruction.surface
    surface: SymbolicSurface = SymbolicBuffer(symbol("size", CELL_BITS))
    if isinstance(instruction, TypedAtomic):
        surface = SymbolicImage(((const(1, 32), const(1, 32), const(1, 32)),))
    lanes = tuple(bool_symbol(f"exec_mask.{lane}") for lane in range(THREAD_LANES))
    state = SymbolicState(platform, lanes, RegisterFile(_Names(), touched.byte), predicates, {name: surface})
    for access in instruction.footprint(state):
        destination = None if isinstance(access, Store) else access.destination
        if destination is not None:
            touched.byte(destination.variable, destination.start + destination.width - 1)
    for _, place in undefined_bytes_of(instruction, state):
        touched.byte(place.variable, place.start + place.width - 1)
    return Arrays(
        platform,
        constant("exec_mask", THREAD_LANES),
        {variable: constant(variable, 8 * (end + -end % 4)) for variable, end in touched.ends.items()},
        {name: _surface(name, instruction)},
        _bits(predicates),
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
