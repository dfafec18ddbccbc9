"""From a vector of an atomic to an instruction and the state in which it starts: one function for each page."""

from collections.abc import Callable
from dataclasses import replace

from visaproof.instructions import TypedAtomic
from visaproof.instructions.family import DwordAtomic, LscAtomic, SvmAtomic
from visaproof.instructions.lsc.atomic import OPERATIONS as LSC_OPERATIONS
from visaproof.instructions.lsc.untyped import Addresses
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import surface_kind
from visaproof.semantics.concrete.surface import Image, Texel
from visaproof.vectors.rows import (
    DST,
    SURFACE,
    UNKNOWN_DWORD,
    Parameters,
    Row,
    Trial,
    buffer_of,
    memory_of,
    per_lane,
    register,
    state_of,
)

# ---------------------------------------------------------------- atomics on buffers


def dword_atomic(row: Row) -> list[Trial]:
    """Dwords at byte offsets in a surface."""
    op, bits = _operation(row, _named_operation), row.params.bits
    if bits != 32:
        raise NotModelled(f"dword atomics on {bits} bits")
    registers = _atomic_registers(row, 4)
    src0, src1 = _sources(row)
    instruction = DwordAtomic(Execution(row.params.exec_size), op, SURFACE, RawOperand("VO"), src0, src1, DST)
    return [Trial(instruction, state_of(row, Platform.TGLLP, registers), memory_of(row), per_lane(row, 4))]


def svm_atomic(row: Row) -> list[Trial]:
    """The surface is the start of the 64-bit address space."""
    if "oob" in row.tags:
        raise NotModelled("the end of memory at 64-bit addresses, of which SVM_ATOMIC does not speak (D12b)")
    op, width = _operation(row, _named_operation), row.params.bits // 8
    registers = _atomic_registers(row, width) | {"VO": register(row.numbers("offset"), 8)}
    src0, src1 = _sources(row)
    execution = Execution(row.params.exec_size)
    instruction = SvmAtomic(execution, op, RawOperand("VO"), DST, src0, src1, SURFACE, 8 * width)
    before = state_of(row, Platform.TGLLP, registers)
    before.surfaces[SURFACE] = replace(buffer_of(row.surface.size, row.surface.before), size=1 << 64)
    return [Trial(instruction, before, memory_of(row), per_lane(row, width))]


def lsc_atomic(row: Row) -> list[Trial]:
    """The sources stay in LSC's order: icas compares with its first."""
    op, width = _operation(row, LSC_OPERATIONS.get), row.params.bits // 8
    if width not in (4, 8):
        raise NotModelled(f"LSC atomics on {row.params.bits} bits")
    execution, addresses = Execution(row.params.exec_size), Addresses(RawOperand("VO"), 32)
    instruction = LscAtomic(execution, op, SURFACE, addresses, DST, *_sources(row), bits=8 * width)
    before = state_of(row, Platform.DG2, _atomic_registers(row, width))
    return [Trial(instruction, before, memory_of(row), per_lane(row, width))]


def _named_operation(name: str) -> AtomicOp | None:
    return AtomicOp.__members__.get(name.upper())


def _operation(row: Row, named: Callable[[str], AtomicOp | None]) -> AtomicOp:
    op = named(row.params.op)
    if op is None:
        raise NotModelled(f"{row.instr} {row.params.op}")
    return op


def _atomic_registers(row: Row, width: int) -> dict[str, bytearray]:
    registers = {name: register(row.numbers(name), width) for name in ("src0", "src1") if name in row.operands}
    dst = row.dst_before or [UNKNOWN_DWORD] * row.params.exec_size
    return registers | {"VO": register(row.numbers("offset")), "VD": register(dst, width)}


def _sources(row: Row) -> tuple[RawOperand, RawOperand]:
    src0, src1 = (RawOperand(name) if name in row.operands else NULL for name in ("src0", "src1"))
    return src0, src1


# ---------------------------------------------------------------- typed surfaces


_TYPED_OPERANDS = ("u", "v", "r", "lod", "src0", "src1")


def typed_atomic(row: Row) -> list[Trial]:
    """1D: u; 1D_array: u and the layer in v; 2D: u, v; 2D_array: u, v and the layer in r; 3D: u, v, r."""
    params = row.params
    op = _named_operation(params.op)
    if op is None or params.bits != 32 or params.pitch not in (None, 4 * params.width):
        raise NotModelled(f"typed {params.op} on {params.bits} bits")
    image = _image(params)
    extents = image.extents(0)
    if min(extents) < 1 or 4 * extents[0] * extents[1] * extents[2] != row.surface.size:
        raise ValueError(f"a surface of {row.surface.size} bytes does not have {extents} texels")
    registers = {name: register(row.numbers(name)) for name in _TYPED_OPERANDS if name in row.operands}
    registers["VD"] = register(row.dst_before)
    u, v, r, lod, src0, src1 = (RawOperand(name) if name in row.operands else NULL for name in _TYPED_OPERANDS)
    instruction = TypedAtomic(Execution(params.exec_size), op, SURFACE, u, v, r, lod, src0, src1, DST)
    instruction.validate_on(image.kind)
    before = state_of(row, Platform.TGLLP, registers)
    before.surfaces[SURFACE] = replace(image, texels=_texels(extents, row.surface.before))
    memory = replace(image, texels=_texels(extents, row.surface.after)) if row.check.mem else None
    return [Trial(instruction, before, memory, per_lane(row, 4))]


def _image(params: Parameters) -> Image:
    pixels = params.width, params.height, params.depth_or_layers
    return Image((pixels,), kind=surface_kind(params.dim), layers=params.depth_or_layers)


def _texels(extents: tuple[int, int, int], content: str) -> dict[Texel, int]:
    """Texels of a dword each, in the order of u, then v, then r."""
    width, height, depth = extents
    places: list[Texel] = [(u, v, r, 0) for r in range(depth) for v in range(height) for u in range(width)]
    data = bytes.fromhex(content)
    return {place: int.from_bytes(data[4 * k : 4 * k + 4], "little") for k, place in enumerate(places)}
