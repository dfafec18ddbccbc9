"""From a vector to an instruction and the state in which it starts: one function for each page that vectors have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.instructions.family import DwordAtomic, Gather4Scaled, LscAtomic, OwordSt, QwGather, SvmAtomic
from visaproof.instructions.lsc_atomic import OPERATIONS as LSC_OPERATIONS
from visaproof.instructions.lsc_untyped import Addresses
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import surface_kind
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Surface, Texel

SURFACE = "T6"
DST = RawOperand("VD")
UNKNOWN_DWORD = 0xEEEE_EEEE
"""What a register holds where a vector says nothing."""


class Memory(msgspec.Struct):
    """Exactly `size` bytes, as hexadecimal digits."""

    size: int
    before: str
    after: str


class Check(msgspec.Struct):
    """What of the result may be compared."""

    mem: bool = False
    dst: bool = False
    dst_lanes: int = 0


class Parameters(msgspec.Struct):
    """The fields of the instruction; those of other pages are absent."""

    exec_size: int = 8
    bits: int = 32
    op: str = ""
    ch_mask: int = 0
    num_owords: int = 0
    num_blocks: int = 1
    dim: str = ""
    width: int = 1
    height: int = 1
    depth_or_layers: int = 1
    pitch: int | None = None


class Row(msgspec.Struct):
    """One vector: an instruction of a page, its operands, and memory and dst before and after."""

    id: str
    instr: str
    source: str
    params: Parameters
    surface: Memory
    operands: dict[str, int | list[int]]
    mask: int | str
    check: Check
    dst_before: list[int] = []
    dst_after: list[int] = []
    tags: list[str] = []

    @property
    def lanes(self) -> int:
        return 0 if isinstance(self.mask, str) else self.mask

    def numbers(self, name: str) -> list[int]:
        value = self.operands[name]
        return value if isinstance(value, list) else [value]

    def scalar(self, name: str) -> ImmediateUD:
        (value,) = self.numbers(name)
        return ImmediateUD(_checked(value, 32))


@dataclass(frozen=True, slots=True)
class Expected:
    """`width` bytes of dst from byte `start` on."""

    start: int
    width: int
    value: int


@dataclass(frozen=True, slots=True)
class Trial:
    """An instruction in a state, and what the vector says of memory and of dst afterwards."""

    instruction: Instruction
    before: ConcreteState
    memory: Surface | None
    dst: tuple[Expected, ...]


def trials(row: Row) -> list[Trial]:
    """The vector on each register size that matters to its page.

    Raises NotModelled for what visaproof has no semantics for, ValueError or KeyError for a row that makes no sense.
    """
    make = _TRIALS.get(row.instr)
    if make is None:
        raise NotModelled(f"vectors of {row.instr}")
    if not all(len(bytes.fromhex(side)) == row.surface.size for side in (row.surface.before, row.surface.after)):
        raise ValueError(f"the surface does not have {row.surface.size} bytes")
    return make(row)


def _checked(value: int, bits: int) -> int:
    if not 0 <= value < 2**bits:
        raise ValueError(f"{value} does not fit {bits} bits")
    return value


def _register(values: Sequence[int], width: int = 4) -> bytearray:
    return bytearray(b"".join(_checked(value, 8 * width).to_bytes(width, "little") for value in values))


def _state(row: Row, platform: Platform, registers: dict[str, bytearray]) -> ConcreteState:
    state = ConcreteState(platform, exec_mask=_checked(row.lanes, 32), registers=registers)
    state.surfaces[SURFACE] = _buffer(row.surface.size, row.surface.before)
    return state


def _buffer(size: int, content: str) -> Buffer:
    return Buffer(size, dict(enumerate(bytes.fromhex(content))))


def _memory(row: Row) -> Surface | None:
    return _buffer(row.surface.size, row.surface.after) if row.check.mem else None


def _per_lane(row: Row, width: int) -> tuple[Expected, ...]:
    """One element of dst for each lane that may be compared."""
    lanes = (lane for lane in range(row.params.exec_size) if row.check.dst_lanes >> lane & 1)
    return tuple(Expected(width * lane, width, row.dst_after[lane]) for lane in lanes)


# ---------------------------------------------------------------- scattered dwords and qwords


def _slots(row: Row, platform: Platform, values: Sequence[int]) -> bytearray:
    """Packed channels, each moved to a register of its own as the page has it."""
    size, channels = row.params.exec_size, row.params.ch_mask.bit_count()
    pitch = max(size, platform.grf_bytes // 4)
    padded = [UNKNOWN_DWORD] * (pitch * channels)
    for index, value in enumerate(values):
        padded[index // size * pitch + index % size] = value
    return _register(padded)


def _scatter4_scaled(row: Row) -> list[Trial]:
    channels, execution = Channels(_checked(row.params.ch_mask, 4)), Execution(row.params.exec_size)
    found: list[Trial] = []
    for platform in (Platform.TGLLP, Platform.PVC):
        operands = row.scalar("global_offset"), RawOperand("VO"), RawOperand("VS")
        registers = {"VO": _register(row.numbers("element_offset")), "VS": _slots(row, platform, row.numbers("src"))}
        before = _state(row, platform, registers)
        found.append(Trial(Scatter4Scaled(execution, channels, SURFACE, *operands), before, _memory(row), ()))
    return found


def _gather4_scaled(row: Row) -> list[Trial]:
    channels, size = Channels(_checked(row.params.ch_mask, 4)), row.params.exec_size
    execution = Execution(size)
    found: list[Trial] = []
    for platform in (Platform.TGLLP, Platform.PVC):
        pitch = max(size, platform.grf_bytes // 4)
        operands = row.scalar("global_offset"), RawOperand("VO"), DST
        registers = {"VO": _register(row.numbers("element_offset")), "VD": _slots(row, platform, row.dst_before)}
        expected = tuple(
            Expected(4 * (index // size * pitch + index % size), 4, value)
            for index, value in enumerate(row.dst_after)
            if row.check.dst_lanes >> index % size & 1
        )
        instruction = Gather4Scaled(execution, channels, SURFACE, *operands)
        found.append(Trial(instruction, _state(row, platform, registers), _memory(row), expected))
    return found


def _qw_scatter(row: Row) -> list[Trial]:
    if "straddle" in row.tags and row.source.startswith("lavapipe"):
        raise NotModelled("a straddling qword that is dropped as a whole (D25)")
    registers = {"VO": _register(row.numbers("offset")), "VQ": _register(row.numbers("src"), 8)}
    execution, blocks = Execution(row.params.exec_size), row.params.num_blocks
    instruction = QwScatter(execution, SURFACE, RawOperand("VO"), RawOperand("VQ"), num_blocks=blocks)
    return [Trial(instruction, _state(row, Platform.DG2, registers), _memory(row), ())]


def _qw_gather(row: Row) -> list[Trial]:
    if "straddle" in row.tags and row.source.startswith("lavapipe"):
        raise NotModelled("a straddling qword that reads as zero as a whole (D25)")
    registers = {"VO": _register(row.numbers("offset")), "VD": _register(row.dst_before, 8)}
    execution, blocks = Execution(row.params.exec_size), row.params.num_blocks
    instruction = QwGather(execution, SURFACE, RawOperand("VO"), DST, num_blocks=blocks)
    return [Trial(instruction, _state(row, Platform.DG2, registers), _memory(row), _per_lane(row, 8))]


# ---------------------------------------------------------------- blocks


def _oword_ld(row: Row) -> list[Trial]:
    instruction = OwordLd(row.params.num_owords, SURFACE, row.scalar("offset_owords"), DST)
    before = _state(row, Platform.DG2, {"VD": _register(row.dst_before)})
    values = row.dst_after if row.check.dst else []
    expected = tuple(Expected(4 * index, 4, value) for index, value in enumerate(values))
    return [Trial(instruction, before, _memory(row), expected)]


def _oword_st(row: Row) -> list[Trial]:
    instruction = OwordSt(row.params.num_owords, SURFACE, row.scalar("offset_owords"), RawOperand("VS"))
    before = _state(row, Platform.DG2, {"VS": _register(row.numbers("src"))})
    return [Trial(instruction, before, _memory(row), ())]


# ---------------------------------------------------------------- atomics on buffers


def _dword_atomic(row: Row) -> list[Trial]:
    op, bits = _operation(row, _named_operation), row.params.bits
    if bits != 32:
        raise NotModelled(f"dword atomics on {bits} bits")
    registers = _atomic_registers(row, 4)
    src0, src1 = _sources(row)
    instruction = DwordAtomic(Execution(row.params.exec_size), op, SURFACE, RawOperand("VO"), src0, src1, DST)
    return [Trial(instruction, _state(row, Platform.TGLLP, registers), _memory(row), _per_lane(row, 4))]


def _svm_atomic(row: Row) -> list[Trial]:
    """The surface is the start of the 64-bit address space."""
    if "oob" in row.tags:
        raise NotModelled("the end of memory at 64-bit addresses, of which SVM_ATOMIC does not speak (D12b)")
    op, width = _operation(row, _named_operation), row.params.bits // 8
    registers = _atomic_registers(row, width) | {"VO": _register(row.numbers("offset"), 8)}
    src0, src1 = _sources(row)
    execution = Execution(row.params.exec_size)
    instruction = SvmAtomic(execution, op, RawOperand("VO"), DST, src0, src1, SURFACE, 8 * width)
    before = _state(row, Platform.TGLLP, registers)
    before.surfaces[SURFACE] = replace(_buffer(row.surface.size, row.surface.before), size=1 << 64)
    return [Trial(instruction, before, _memory(row), _per_lane(row, width))]


def _lsc_atomic(row: Row) -> list[Trial]:
    """The sources stay in LSC's order: icas compares with its first."""
    op, width = _operation(row, LSC_OPERATIONS.get), row.params.bits // 8
    if width not in (4, 8):
        raise NotModelled(f"LSC atomics on {row.params.bits} bits")
    execution, addresses = Execution(row.params.exec_size), Addresses(RawOperand("VO"), 32)
    instruction = LscAtomic(execution, op, SURFACE, addresses, DST, *_sources(row), bits=8 * width)
    before = _state(row, Platform.DG2, _atomic_registers(row, width))
    return [Trial(instruction, before, _memory(row), _per_lane(row, width))]


def _named_operation(name: str) -> AtomicOp | None:
    return AtomicOp.__members__.get(name.upper())


def _operation(row: Row, named: Callable[[str], AtomicOp | None]) -> AtomicOp:
    op = named(row.params.op)
    if op is None:
        raise NotModelled(f"{row.instr} {row.params.op}")
    return op


def _atomic_registers(row: Row, width: int) -> dict[str, bytearray]:
    registers = {name: _register(row.numbers(name), width) for name in ("src0", "src1") if name in row.operands}
    dst = row.dst_before or [UNKNOWN_DWORD] * row.params.exec_size
    return registers | {"VO": _register(row.numbers("offset")), "VD": _register(dst, width)}


def _sources(row: Row) -> tuple[RawOperand, RawOperand]:
    src0, src1 = (RawOperand(name) if name in row.operands else NULL for name in ("src0", "src1"))
    return src0, src1


# ---------------------------------------------------------------- typed surfaces


_TYPED_OPERANDS = ("u", "v", "r", "lod", "src0", "src1")


def _typed_atomic(row: Row) -> list[Trial]:
    """1D: u; 1D_array: u and the layer in v; 2D: u, v; 2D_array: u, v and the layer in r; 3D: u, v, r."""
    params = row.params
    op = _named_operation(params.op)
    if op is None or params.bits != 32 or params.pitch not in (None, 4 * params.width):
        raise NotModelled(f"typed {params.op} on {params.bits} bits")
    image = _image(params)
    extents = image.extents(0)
    if min(extents) < 1 or 4 * extents[0] * extents[1] * extents[2] != row.surface.size:
        raise ValueError(f"a surface of {row.surface.size} bytes does not have {extents} texels")
    registers = {name: _register(row.numbers(name)) for name in _TYPED_OPERANDS if name in row.operands}
    registers["VD"] = _register(row.dst_before)
    u, v, r, lod, src0, src1 = (RawOperand(name) if name in row.operands else NULL for name in _TYPED_OPERANDS)
    instruction = TypedAtomic(Execution(params.exec_size), op, SURFACE, u, v, r, lod, src0, src1, DST)
    instruction.validate_on(image.kind)
    before = _state(row, Platform.TGLLP, registers)
    before.surfaces[SURFACE] = replace(image, texels=_texels(extents, row.surface.before))
    memory = replace(image, texels=_texels(extents, row.surface.after)) if row.check.mem else None
    return [Trial(instruction, before, memory, _per_lane(row, 4))]


def _image(params: Parameters) -> Image:
    pixels = params.width, params.height, params.depth_or_layers
    return Image((pixels,), kind=surface_kind(params.dim), layers=params.depth_or_layers)


def _texels(extents: tuple[int, int, int], content: str) -> dict[Texel, int]:
    """Texels of a dword each, in the order of u, then v, then r."""
    width, height, depth = extents
    places: list[Texel] = [(u, v, r, 0) for r in range(depth) for v in range(height) for u in range(width)]
    data = bytes.fromhex(content)
    return {place: int.from_bytes(data[4 * k : 4 * k + 4], "little") for k, place in enumerate(places)}


_TRIALS: dict[str, Callable[[Row], list[Trial]]] = {
    "SCATTER4_SCALED": _scatter4_scaled,
    "GATHER4_SCALED": _gather4_scaled,
    "QW_SCATTER": _qw_scatter,
    "QW_GATHER": _qw_gather,
    "OWORD_LD": _oword_ld,
    "OWORD_ST": _oword_st,
    "DWORD_ATOMIC": _dword_atomic,
    "SVM_ATOMIC": _svm_atomic,
    "LSC_ATOMIC": _lsc_atomic,
    "TYPED_ATOMIC": _typed_atomic,
}
