"""`raw_sends` as the instruction that it stands for: a 2D block, or the signal of a named barrier.

Compilers of ESIMD kernels write these messages as a descriptor and a payload.  The descriptor is a constant; the
payload's dword with the shape, or with the threads of a barrier, is one that the statements before it wrote.  What is
not found so is not modelled.

Source: docs/pages/current-compiler.md §9.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.statement import label_places, root_byte
from visaproof.instructions.lsc.block2d import BlockShape, data_bytes
from visaproof.isa.errors import NotModelled
from visaproof.isa.identity import Same
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm.opcode_kinds import DESTINATIONS, is_scalar, label_of, turns_lanes_off
from visaproof.visaasm.predefined import NULL
from visaproof.visaasm.syntax import (
    AddressOf,
    GeneralVariable,
    Immediate,
    IndirectOperand,
    Instruction,
    Kernel,
    Label,
    LscData,
    LscPayload,
    Number,
    Operand,
    RawOperand,
    Region,
    VectorDestination,
    VectorSource,
)

OPCODE = "raw_sends"

GLOBAL, GATEWAY = "15", "3"
"""The units of a message, as the first suffix names them: global memory, and the gateway of barriers."""

LOAD_BLOCK, STORE_BLOCK = 3, 7
"""Operations of the descriptor for global memory."""

SIGNAL = 0x2000004
"""The descriptor of the signal of a barrier: one register of payload, nothing comes back."""

ELEMENT_BITS = {0: 8, 1: 16, 2: 32, 3: 64}
MOST_COPIES = 32
"""Of a payload, one of the other."""

MOST_STEPS = 1_000_000
"""From statement to statement, of all messages of a kernel."""

SHAPE_BYTE, BARRIER_BYTE = 28, 8
"""Where a payload has its shape, or the threads of its barrier."""

_OTHER_WAYS = ("call", "fcall", "ifcall", "fret", "switchjmp")
"""Opcodes after which a run goes on where no label here says."""


def resolved(instruction: Instruction, kernel: Kernel, platform: Platform) -> Instruction:
    """The instruction that a `raw_sends` stands for, at the same place; another instruction is itself.

    Raises NotModelled for another message, and for one whose payload is not known.
    """
    if instruction.opcode != OPCODE:
        return instruction
    found = _resolved_sends(Same(kernel), platform).get(instruction, NotModelled(OPCODE, instruction.position))
    if isinstance(found, NotModelled):
        raise found
    return found


@lru_cache(maxsize=16)
def _resolved_sends(same: Same[Kernel], platform: Platform) -> Mapping[Instruction, Instruction | NotModelled]:
    """Of all of a kernel at once: each is asked for several times."""
    kernel, payloads = same.it, _Payloads(same.it, platform)
    exist = platform >= Platform.PVC  # named barriers and 2D blocks; another gateway has other payloads
    found: dict[Instruction, Instruction | NotModelled] = {}
    for place, one in enumerate(kernel.statements):
        if isinstance(one, Instruction) and one.opcode == OPCODE:
            try:
                found[one] = _message(one, place, payloads) if exist else _not_modelled(one)
            except NotModelled as reason:
                found[one] = reason
    return found


def _message(one: Instruction, place: int, payloads: "_Payloads") -> Instruction:
    match one.suffixes, one.operands:
        case (unit, _, _, _), (Immediate(extended), Immediate(descriptor), RawOperand() as sent, source, target):
            if unit == GLOBAL and extended == 0 and descriptor >> 29 & 3 == 0:
                said = payloads.dword(place, sent, SHAPE_BYTE)
                return _block(one, descriptor, said, sent, source, target, payloads.grf_bytes)
            if unit == GATEWAY and descriptor == SIGNAL and one.predicate is None:
                return _signal(one, payloads.dword(place, sent, BARRIER_BYTE))
        case _:
            pass
    return _not_modelled(one)


def _not_modelled(one: Instruction) -> NoReturn:
    raise NotModelled(f"{one.opcode} of this message", one.position)


def _block(
    one: Instruction,
    descriptor: int,
    said: int,
    sent: RawOperand,
    source: Operand,
    target: Operand,
    grf_bytes: int,
) -> Instruction:
    shape = BlockShape(
        bits=ELEMENT_BITS.get(descriptor >> 9 & 7, 0),
        width=(said & 0xFF) + 1,
        height=(said >> 8 & 0xFF) + 1,
        blocks=(said >> 16 & 0xF) + 1,
        transposed=bool(descriptor >> 15 & 1),
        vnni=bool(descriptor >> 7 & 1),
    )
    place = LscPayload("flat", sent.variable, sent.offset, 0, 0, sent.position)
    operation, registers = descriptor & 0x3F, descriptor >> 20 & 0x1F
    loads = operation == LOAD_BLOCK
    data = target if loads else source
    if operation not in (LOAD_BLOCK, STORE_BLOCK) or shape.bits == 0 or not isinstance(data, RawOperand):
        raise NotModelled(f"{one.opcode} with the descriptor {descriptor:#x}", one.position)
    if loads and data.variable != NULL and registers * grf_bytes != data_bytes(shape, grf_bytes):
        raise NotModelled(f"{one.opcode} that returns {registers} registers of a block {shape}", one.position)
    block = LscData(data.variable, data.offset, str(shape), data.position)
    opcode = "lsc_load_block2d" if loads else "lsc_store_block2d"
    operands = (block, place) if loads else (place, block)
    return replace(one, opcode=opcode, suffixes=("ugm",), operands=operands, text=_text(one, opcode, operands))


def _text(one: Instruction, opcode: str, operands: Sequence[LscData | LscPayload]) -> str:
    """The statement as a dump would have it; what stands before the opcode stays."""
    head = one.text[: one.text.index(OPCODE)]
    assert one.execution is not None
    shown = (
        f"{_place(operand)}:{operand.shape}" if isinstance(operand, LscData) else f"flat[{_place(operand)} + (0,0)]"
        for operand in operands
    )
    return f"{head}{opcode}.ugm ({one.execution.mask.name}, {one.execution.size}) {' '.join(shown)}"


def _place(operand: LscData | LscPayload) -> str:
    return f"{operand.variable}.{operand.offset}" if operand.offset else operand.variable


def _signal(one: Instruction, said: int) -> Instruction:
    """Only the form whose payload a finalizer was seen to make: as many threads signal as wait."""
    number, role, signal, wait = said & 0xFF, said >> 8 & 0xFF, said >> 16 & 0xFF, said >> 24 & 0xFF
    if role or signal != wait:
        raise NotModelled(f"{one.opcode} of a barrier that signals {said:#x}", one.position)
    operands = (Number(number, one.position), Number(signal, one.position))
    text = f"nbarrier.signal {number} {signal}"
    return replace(one, opcode="nbarrier", suffixes=("signal",), operands=operands, execution=None, text=text)


class _Bytes(Struct, frozen=True):
    """Some bytes of the variable that owns the storage."""

    owner: str
    first: int
    count: int

    def meets(self, other: "_Bytes") -> bool:
        apart = self.first + self.count <= other.first or other.first + other.count <= self.first
        return self.owner == other.owner and not apart

    def moved(self, by: int) -> "_Bytes":
        return replace(self, first=self.first + by)


def _ways_to_labels(kernel: Kernel) -> Mapping[int, Sequence[int]]:
    """For each label, and what stands after a jump without a condition: the statements that may run just before it."""
    ways: dict[int, list[int]] = {}
    labels = label_places(kernel)
    for place, one in enumerate(kernel.statements):
        falls_through = (
            not isinstance(one, Instruction) or one.opcode not in ("jmp", "ret") or one.predicate is not None
        )
        if isinstance(one, Instruction) and one.opcode == "jmp":
            ways.setdefault(labels[label_of(one)], []).append(place)
        ways.setdefault(place + 1, []).extend([place] if falls_through else [])
    return ways


class _Payloads:
    """What is known of payloads where they are sent.

    On each way from the start of the kernel to the message, the last statement that writes one of the dword's bytes is
    a `mov` of the same constant to all of them, or a copy of such a dword.  Where lanes may be off, or what is
    called is somewhere else, only statements of the same block count, and only if they write the dword in lane 0, which
    is the lane that sends, or whatever lanes run.
    """

    def __init__(self, kernel: Kernel, platform: Platform) -> None:
        self._kernel = kernel
        self.grf_bytes = platform.grf_bytes
        self._ways_are_known = not any(
            one.opcode in _OTHER_WAYS or turns_lanes_off(one) for one in kernel.instructions()
        )
        self._ways_to = _ways_to_labels(kernel)
        self._found: dict[tuple[int, _Bytes], int | None] = {}
        self._copies = 0
        self._steps = MOST_STEPS
        self._pointed_at = [
            self._whole(operand.variable)
            for one in kernel.instructions()
            for operand in one.operands
            if isinstance(operand, AddressOf)
        ]

    def dword(self, place: int, sent: RawOperand, byte: int) -> int:
        """Raises NotModelled where it is no constant."""
        owner, first = root_byte(self._kernel, sent.variable, sent.offset)
        wanted = _Bytes(owner, first + byte, 4)
        found = self._before(place, wanted)
        if found is None:
            what = f"{OPCODE} whose payload is no known constant at byte {byte}"
            raise NotModelled(what, self._kernel.statements[place].position)
        return found

    def _before(self, place: int, wanted: _Bytes) -> int | None:
        """The constant in these bytes before a statement: of all ways there, the same one.

        Of bytes that are copied in a circle none is known, nor of those that are copied too often.
        """
        if (place, wanted) not in self._found:
            self._found[place, wanted] = None
            if self._copies == MOST_COPIES:
                return None
            self._copies += 1
            self._found[place, wanted] = self._on_all_ways(place, wanted)
            self._copies -= 1
        return self._found[place, wanted]

    def _on_all_ways(self, place: int, wanted: _Bytes) -> int | None:
        found: set[int | None] = set()
        seen: set[int] = set()
        waiting = [place]
        while waiting and None not in found:
            at = waiting.pop()
            self._steps -= 1
            if at == 0 or self._steps <= 0 or (self._is_label(at) and not self._ways_are_known):
                found.add(None)
            for earlier in self._ways_to.get(at, ()):
                if earlier in seen:
                    continue
                seen.add(earlier)
                one = self._kernel.statements[earlier]
                if isinstance(one, Instruction) and any(wanted.meets(written) for written in self._written(one)):
                    found.add(self._put(earlier, one, wanted))
                else:
                    waiting.append(earlier)
        return found.pop() if len(found) == 1 else None

    def _is_label(self, at: int) -> bool:
        return isinstance(self._kernel.statements[at], Label)

    def _put(self, at: int, one: Instruction, wanted: _Bytes) -> int | None:
        """What a `mov` puts into these bytes, if that is known."""
        if one.opcode != "mov" or one.suffixes or one.execution is None or one.predicate is not None:
            return None
        target, source = one.operands
        if not isinstance(target, VectorDestination):
            return None
        of, written = self._type(target), self._target(target, one.execution.size)
        lane, rest = divmod(wanted.first - written.first, of.size)
        if rest or of.size != wanted.count or not 0 <= lane < one.execution.size or (lane and target.horizontal != 1):
            return None
        if lane and not one.execution.mask.no_mask and not self._ways_are_known:
            return None
        if isinstance(source, Immediate):
            alike = source.type.size == of.size and source.type.floating == of.floating and not source.type.packed
            return source.bits if alike else None
        if not isinstance(source, VectorSource) or source.modifier or self._type(source) is not of:
            return None
        step = 0 if is_scalar(source) else of.size
        if step and source.region != Region(1, 1, 0):
            return None
        return self._before(at, _Bytes(*self._first(source), wanted.count).moved(lane * step))

    def _written(self, one: Instruction) -> Iterator[_Bytes]:
        """The bytes that a statement may write; of what is no vector, all of the variable."""
        written = one.operands[-1:] if one.opcode == OPCODE else one.operands
        for number, operand in enumerate(written):
            match operand:
                case VectorDestination() if one.opcode == "madw":  # its high halves lie in other registers
                    yield self._whole(operand.variable)
                case VectorDestination():
                    yield self._target(operand, one.execution.size if one.execution else 1)
                case IndirectOperand() if number < DESTINATIONS.get(one.opcode, 1):
                    yield from self._pointed_at
                case RawOperand() | LscData() if operand.variable != NULL:
                    yield self._whole(operand.variable)
                case _:
                    pass

    def _target(self, target: VectorDestination, lanes: int) -> _Bytes:
        return _Bytes(*self._first(target), ((lanes - 1) * target.horizontal + 1) * self._type(target).size)

    def _whole(self, name: str) -> _Bytes:
        return _Bytes(root_byte(self._kernel, name, 0)[0], 0, 1 << 30)

    def _first(self, operand: VectorDestination | VectorSource) -> tuple[str, int]:
        start = operand.row * self.grf_bytes + operand.column * self._type(operand).size
        return root_byte(self._kernel, operand.variable, start)

    def _type(self, operand: VectorDestination | VectorSource) -> DataType:
        declared = self._kernel.variables[operand.variable]
        assert isinstance(declared, GeneralVariable)
        return declared.type
