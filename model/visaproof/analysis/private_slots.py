"""Private memory of the thread that runs: a slot of the private memory of all hardware threads, by the thread's number.

The launch hands over where the memory of all threads begins, and ze_info says how much a work item has.  The number is
`%hw_id`, or bits of `%sr0` and `%msg0`, by device and compiler; it is one symbol for them all.
"""

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from visaproof.decode.scratch import SCRATCH_POINTER, SCRATCH_UNIT
from visaproof.isa.platform import Platform, ThreadNumber
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import Launch
from visaproof.launch.premises import premise
from visaproof.program.kernel import Kernel
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, concat, extract, scale, symbol, zero_extend

HARDWARE_THREAD = "%hw_id"
STATE_REGISTERS = "%sr0", "%msg0"
"""In which IGC finds the number since DG2."""
DWORD = 32

ALL_SLOTS = 1 << 31
"""Bytes of all slots at most: kernels compute offsets in them with 32 bits and a sign."""

Place = tuple[str, int]


def thread_bits(slot_bytes: int) -> int:
    """Bits of the number of a thread, so that all slots have room."""
    return (ALL_SLOTS // slot_bytes).bit_length() - 1


def slot_of(launch: Launch, start: Start) -> int:
    """Bytes of private memory of a thread; 0 where it has none, or nothing is known of it."""
    known = launch.private_bytes if start.private_base is not None else 0
    return known if known and thread_bits(known) > 0 else 0


def slot_begin(slot_bytes: int, kernel: Kernel, platform: Platform) -> BitVec:
    """How far behind the beginning of all slots that of the thread begins, in 64 bits."""
    number = symbol(f"{HARDWARE_THREAD}.0", _bits(slot_bytes, (kernel,), platform))
    return scale(zero_extend(number, 64), slot_bytes)


def with_slots(start: Start, slot_bytes: int, kernel: Kernel, platform: Platform) -> Start:
    """The start of a thread whose number is small enough that all slots have room, with the premise for it."""
    bits = _bits(slot_bytes, (kernel,), platform)
    assumed = premise("private-slots", size=slot_bytes, bits=bits)
    return replace(_numbered(start, bits, platform), assumed=(*start.assumed, assumed))


def in_all_slots(
    starts: tuple[Start, Start], slot_bytes: int, kernels: tuple[Kernel, Kernel], platform: Platform
) -> tuple[Start, Start]:
    """The starts of two threads of one number, with room for all slots of so many bytes."""
    bits = _bits(slot_bytes, kernels, platform)
    assumed = premise("private-2gib", thread=HARDWARE_THREAD, bits=bits)
    one, other = (replace(_numbered(one, bits, platform), assumed=(*one.assumed, assumed)) for one in starts)
    return one, other


def with_scratch_at_zero(start: Start) -> Start:
    """The start of a thread whose private memory in `%scratch` begins at 0."""
    # The low bits of the dword say other things.
    low = zero_extend(symbol("{}.{}".format(*SCRATCH_POINTER), SCRATCH_UNIT.bit_length() - 1), DWORD)
    return replace(start, initial=_initial(start.initial, {SCRATCH_POINTER: low}))


def _bits(slot_bytes: int, kernels: tuple[Kernel, ...], platform: Platform) -> int:
    """Of the number: no more than the state registers have, where a kernel takes it from them."""
    number, room = platform.device.thread_number, thread_bits(slot_bytes)
    if number is None or not any(map(_reads_state, kernels)):
        return room
    return min(room, number.low_bits + number.high_bits)


def _reads_state(kernel: Kernel) -> bool:
    names = {name for name, one in kernel.registers.items() if one.owner in STATE_REGISTERS}
    return any(name in one.text for one in kernel.instructions() for name in names)


def _numbered(start: Start, bits: int, platform: Platform) -> Start:
    thread = symbol(f"{HARDWARE_THREAD}.0", bits)
    held = {(HARDWARE_THREAD, 0): zero_extend(thread, DWORD)}
    if (number := platform.device.thread_number) is not None:
        wide = zero_extend(thread, max(bits, number.low_bits + number.high_bits))
        held |= {(name, 0): word for name, word in zip(STATE_REGISTERS, _state_words(wide, number), strict=True)}
    return replace(start, initial=_initial(start.initial, held))


def _state_words(thread: BitVec, number: ThreadNumber) -> Iterator[BitVec]:
    """The first dwords of `%sr0` and `%msg0`: bits that are not of the number may be anything."""
    pieces: list[BitVec] = []
    taken = place = 0
    while taken < number.low_bits:
        skipped = place in number.skipped
        pieces.append(symbol(f"%sr0.0 bit {place}", 1) if skipped else extract(thread, taken, taken))
        taken, place = taken + (not skipped), place + 1
    yield concat(symbol("%sr0.0 rest", DWORD - place), *reversed(pieces))
    rest = symbol("%msg0.0 rest", DWORD - number.high_bits)
    high = number.low_bits + number.high_bits
    yield concat(rest, extract(thread, high - 1, number.low_bits)) if number.high_bits else rest


def _initial(before: Callable[[str, int], Byte], words: Mapping[Place, BitVec]) -> Callable[[str, int], Byte]:
    """The start, but for some dwords."""

    def initial(variable: str, byte: int) -> Byte:
        place = variable, byte // 4 * 4
        return (words[place], byte % 4) if place in words else before(variable, byte)

    return initial
