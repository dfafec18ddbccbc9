"""Where the launch puts what: the rule that ties `.input` offsets to ze_info.

    payload byte   0          R                 base
                   | r0 (R)   | local ids       | payload_arguments, at base + their ze_info offset
                              | x   | y   | z   |

R is the size of a register (32, or 64 from PVC on).  Local ids are 16-bit words; each dimension is padded to whole
registers, and has room for 16 lanes at least.  `base` is R plus the local ids.  Without local ids it is R, but 64
where the hardware wants one register of per-thread data anyway (up to TGLLP).  `packed_local_ids` (SIMD1 kernels)
are three words in one register.

Sources: `COpenCLKernel::AllocatePayload` of IGC and `populateKernelPerThreadPayloadArgument` of the compute runtime;
checked against every entry of the corpus in tests/launch/test_launch.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import ReadError
from visaproof.isa.implicit_arguments import IDS, IMPLICIT, IMPLICIT_ARGUMENTS, dimension_bytes
from visaproof.isa.platform import DEVICES, Platform
from visaproof.isa.registers import Input
from visaproof.launch.input_meaning import (
    DIMENSIONS,
    IMAGE_EXTENTS,
    LAUNCH_VALUES,
    PROPERTIES,
    Argument,
    ArgumentValue,
    BufferAddress,
    BufferOffset,
    ImageExtent,
    LocalId,
    Meaning,
    Piece,
    Property,
    Sampler,
    SlmAddress,
    Surface,
    TableSurface,
    Unknown,
)
from visaproof.launch.kernel_info import KernelInfo, PayloadArgument
from visaproof.program.kernel import Kernel

Pieces = Mapping[str, tuple[Piece, ...]]
"""What each input holds, by its variable."""

SIMD_SIZES = (1, 8, 16, 32)
"""Lanes of a thread; VectorCompiler kernels have 1."""


class Layout(Struct, frozen=True):
    """One way to lay out a payload."""

    register_bytes: int
    base: int
    inline_bytes: int = 0

    def position_of(self, offset: int) -> int:
        """The payload byte of ze_info's offset: what is not inline begins in the next register (IGC)."""
        if self.inline_bytes and offset >= self.inline_bytes:
            return self.base + _round_up(self.inline_bytes, self.register_bytes) + offset - self.inline_bytes
        return self.base + offset


class _Slot(Struct, frozen=True):
    """`size` bytes of the payload that hold one value."""

    start: int
    size: int
    meaning: Meaning

    @property
    def end(self) -> int:
        return self.start + self.size


def place(info: KernelInfo, kernel: Kernel, platform: Platform | None = None) -> Pieces:
    """What each input of `kernel` holds, under the layout of `info` that explains its inputs best.

    ze_info does not say how big a register is.  Without a platform both sizes are tried.  A layout fits if the
    values of the payload fill every `.input`, and each input and each value are nested or apart: no compiler cuts a
    value in two.  Among those that fit, the one that gives a meaning to most bytes of `.input`s is taken; two
    equally good ones that differ are an error.
    """
    stated, info = info.simd, replace(info, simd=width(info, kernel))
    candidates = list(_candidates(info, kernel, platform))
    if not candidates:
        raise ReadError(
            f"the inputs of kernel {kernel.name} do not match its payload arguments in {info.source}",
            info.position,
            _why_another(info, stated),
        )
    most = max(known for known, _ in candidates)
    best = [pieces for known, pieces in candidates if known == most]
    if any(pieces != best[0] for pieces in best):
        raise ReadError(
            f"the inputs of kernel {kernel.name} match its payload arguments in more than one way",
            info.position,
            "the size of a register is not known: name the platform, or give the zebin, which does",
        )
    return best[0]


def _why_another(info: KernelInfo, stated: int) -> str:
    if stated == info.simd:
        return "is this the launch information of another compilation or device?"
    text = (
        f"the kernel has {info.simd} lanes, and {stated} there: the compiler may have tried that width and given it up"
    )
    return f"{text}; ask about its dump with {stated} lanes"


def width(info: KernelInfo, kernel: Kernel) -> int:
    """Lanes of a thread of `kernel`: its own SimdSize where it has one.

    Seen in IGC 1.0.12504: forced to SIMD8, a kernel with a required sub-group size of 16 has SIMD8 code, and 16 in
    its ze_info.  Widths whose local ids take different room do not go unnoticed: no layout fits.
    """
    simd = kernel.work_items
    return simd if simd in SIMD_SIZES else info.simd


def _candidates(info: KernelInfo, kernel: Kernel, platform: Platform | None) -> Iterator[tuple[int, Pieces]]:
    """Every fitting layout as (how many bytes of explicit inputs it explains, what the inputs hold)."""
    explicit = {item.variable for item in kernel.inputs if not item.implicit}
    for layout in layouts(info, platform):
        slots = list(_slots(info, layout))
        if all(_explained(slots, item) for item in kernel.inputs):
            pieces = {item.variable: _pieces(slots, item, kernel, info) for item in kernel.inputs}
            known = (
                piece for variable in explicit for piece in pieces[variable] if not isinstance(piece.meaning, Unknown)
            )
            yield sum(piece.size for piece in known), pieces


def layouts(info: KernelInfo, platform: Platform | None) -> Iterator[Layout]:
    """The layouts that ze_info allows on `platform`, or on any."""
    per_thread = max((a.offset + a.size for a in info.per_thread), default=0)
    for register_bytes in (platform.grf_bytes,) if platform else (32, 64):
        if any(a.kind == "local_id" and _dimensions(info, a, register_bytes) is None for a in info.per_thread):
            continue
        full = register_bytes + _round_up(per_thread, register_bytes)
        bases = (full,) if per_thread else _bases_without_local_ids(register_bytes, platform)
        for base in bases:
            yield Layout(register_bytes, base, info.inline_bytes)


def _bases_without_local_ids(register_bytes: int, platform: Platform | None) -> Sequence[int]:
    """Those of the platform, or of any with such registers."""
    rows = DEVICES if platform is None else (platform.device,)
    seen = {row.base_without_local_ids for row in rows if row.grf_bytes == register_bytes}
    return sorted({register_bytes, 64} if None in seen else {base for base in seen if base is not None})


def _row_bytes(simd: int, register_bytes: int) -> int:
    """Bytes from one dimension of the local ids to the next."""
    return _round_up(2 * max(simd, 16), register_bytes)


def _dimensions(info: KernelInfo, local_ids: PayloadArgument, register_bytes: int) -> int | None:
    """How many dimensions of local ids are passed; None if the size does not suit this register size."""
    count, rest = divmod(local_ids.size, _row_bytes(info.simd, register_bytes))
    return count if 1 <= count <= len(DIMENSIONS) and not rest else None


def _slots(info: KernelInfo, layout: Layout) -> Iterator[_Slot]:
    for per_thread in info.per_thread:
        yield from _per_thread_slots(info, per_thread, layout.register_bytes)
    for argument in info.arguments:
        if argument.size:  # a stateful argument occupies nothing
            yield _Slot(layout.position_of(argument.offset), argument.size, _meaning(argument))


def _per_thread_slots(info: KernelInfo, per_thread: PayloadArgument, register_bytes: int) -> Iterator[_Slot]:
    start = register_bytes + per_thread.offset
    match per_thread.kind:
        case "local_id":
            row = _row_bytes(info.simd, register_bytes)
            for dimension in range(_dimensions(info, per_thread, register_bytes) or 0):
                yield _Slot(start + dimension * row, 2 * info.simd, LocalId(dimension))
        case "packed_local_ids":
            for dimension in range(min(len(DIMENSIONS), per_thread.size // 2)):
                yield _Slot(start + 2 * dimension, 2, LocalId(dimension))
        case kind:
            yield _Slot(start, per_thread.size, Unknown(kind, modelled=False))


def _meaning(argument: PayloadArgument) -> Meaning:
    match argument:
        case PayloadArgument(kind="arg_byvalue", argument=Argument() as passed):
            return ArgumentValue(passed, argument.source_offset)
        case PayloadArgument(kind="arg_bypointer", argument=Argument() as passed):
            return _pointer(passed, argument)
        case PayloadArgument(kind="buffer_address", argument=Argument() as passed):
            return BufferAddress(passed)
        case PayloadArgument(kind="buffer_offset", argument=Argument() as passed):
            return BufferOffset(passed)
        case PayloadArgument(kind=kind, argument=Argument() as passed) if kind in IMAGE_EXTENTS:
            return ImageExtent(passed, IMAGE_EXTENTS.index(kind))
        case PayloadArgument(kind=kind, argument=Argument() as passed) if kind in PROPERTIES:
            return Property(passed, kind)
        case PayloadArgument(kind="inline_sampler"):
            return Sampler(None, argument.sampler)
        case PayloadArgument(kind="const_base" | "global_base" as kind, address_mode="bindless"):
            return TableSurface(LAUNCH_VALUES[kind])
        case PayloadArgument(kind=kind, address_mode="" | "stateless") if kind in LAUNCH_VALUES:
            return LAUNCH_VALUES[kind]
        case _:
            what = " ".join(word for word in (argument.kind, argument.address_mode) if word)
            return Unknown(what + (f" of {argument.argument}" if argument.argument else ""), modelled=False)


def _pointer(passed: Argument, argument: PayloadArgument) -> Meaning:
    match argument.address_mode:
        case _ if argument.address_space == "sampler":
            return Sampler(passed)
        case "stateless":
            return BufferAddress(passed)
        case "stateful" | "bindless":
            return Surface(passed)
        case "slm":
            return SlmAddress(passed)
        case mode:
            return Unknown(f"pointer of {passed}, addressed {mode!r}", modelled=False)


def _explained(slots: list[_Slot], item: Input) -> bool:
    """Whether `item` cuts no slot in two and is full; whole registers need only begin with a value.

    Implicit inputs need none: ze_info does not list those that the runtime leaves alone.
    """
    if not all(_fits(slot, item) for slot in slots):
        return False
    end = item.offset + item.size
    begins = any(slot.start <= item.offset < slot.end for slot in slots)
    filled = sum(max(0, min(slot.end, end) - max(slot.start, item.offset)) for slot in slots)
    padded = item.size % 32 == 0
    return bool(item.implicit) or (begins and (padded or filled >= item.size))


def _fits(slot: _Slot, item: Input) -> bool:
    """Whether slot and input are apart or nested; an input that splits local ids takes 16 lanes at a time."""
    end = item.offset + item.size
    if end <= slot.start or slot.end <= item.offset:
        return True
    if item.offset <= slot.start and slot.end <= end:
        return True
    if isinstance(slot.meaning, LocalId) and ((item.offset - slot.start) % 32 or item.size % 32):
        return False
    return slot.start <= item.offset and end <= slot.end


def _implicit_pieces(item: Input, simd: int) -> Iterator[Piece]:
    """What an input holds that stands for implicit arguments, or for the thread's own row of local ids."""
    if item.variable == IDS:
        row = dimension_bytes(simd)
        yield from (Piece(row * dimension, 2 * simd, LocalId(dimension)) for dimension in range(len(DIMENSIONS)))
    else:
        held = next(one.holds for one in IMPLICIT_ARGUMENTS if one.variable == item.variable)
        yield Piece(0, item.size, LAUNCH_VALUES[held])


def _pieces(slots: list[_Slot], item: Input, kernel: Kernel, info: KernelInfo) -> tuple[Piece, ...]:
    """What `item` holds, in the order of its bytes."""
    end = item.offset + item.size
    if item.implicit == IMPLICIT:
        return tuple(_implicit_pieces(item, info.simd))
    met = sorted((s for s in slots if s.start < end and item.offset < s.end), key=lambda slot: slot.start)
    for lower, upper in pairwise(met):
        if upper.start < lower.end:
            raise ReadError(f"{lower.meaning} and {upper.meaning} share payload byte {upper.start}", info.position)
    if not met:
        what = f"implicit {item.implicit}, " if item.implicit else ""
        return (Piece(0, item.size, Unknown(f"{what}not in the launch information")),)
    state = kernel.states.get(item.variable)
    is_surface = state is not None and state.is_surface
    return tuple(_piece(slot, item, is_surface) for slot in met)


def _piece(slot: _Slot, item: Input, is_surface: bool) -> Piece:
    """The bytes that `slot` and `item` share.

    The VectorCompiler declares a surface input for each buffer, in the place of its pointer: the variable is meant to
    name that buffer's surface.  Its code does not read it, but writes the binding table index into T8.
    """
    begin = max(slot.start, item.offset)
    size = min(slot.end, item.offset + item.size) - begin
    skipped = begin - slot.start
    match slot.meaning:
        case LocalId(dimension, lane):
            return Piece(begin - item.offset, size, LocalId(dimension, lane + skipped // 2))
        case ArgumentValue(argument, offset):
            return Piece(begin - item.offset, size, ArgumentValue(argument, offset + skipped))
        case BufferAddress(argument) if is_surface:
            return Piece(begin - item.offset, size, Surface(argument))
        case meaning:
            return Piece(begin - item.offset, size, meaning, skipped)


def _round_up(size: int, unit: int) -> int:
    return (size + unit - 1) // unit * unit
