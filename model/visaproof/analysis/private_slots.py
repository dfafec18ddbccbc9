"""Private memory of the thread that runs: a slot of the private memory of all hardware threads, by `%hw_id`.

The launch hands over where the memory of all threads begins, and ze_info says how much a work item has.
"""

from collections.abc import Callable
from dataclasses import replace

from visaproof.decode.scratch import SCRATCH_POINTER, SCRATCH_UNIT
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import Launch
from visaproof.launch.premises import Premise, premise
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, scale, symbol, zero_extend

HARDWARE_THREAD = "%hw_id"

ALL_SLOTS = 1 << 31
"""Bytes of all slots at most: kernels compute offsets in them with 32 bits and a sign."""


def thread_bits(slot_bytes: int) -> int:
    """Bits of the number of a thread, so that all slots have room."""
    return (ALL_SLOTS // slot_bytes).bit_length() - 1


def slot_of(launch: Launch, start: Start) -> int:
    """Bytes of private memory of a thread; 0 where it has none, or nothing is known of it."""
    known = launch.private_bytes if start.private_base is not None else 0
    return known if known and thread_bits(known) > 0 else 0


def slot_begin(slot_bytes: int) -> BitVec:
    """How far behind the beginning of all slots that of the thread begins, in 64 bits."""
    return scale(zero_extend(_thread(slot_bytes), 64), slot_bytes)


def with_slots(start: Start, slot_bytes: int) -> Start:
    """The start of a thread whose number is small enough that all slots have room, with the premise for it."""
    return _numbered(start, slot_bytes, premise("private-slots", size=slot_bytes, bits=thread_bits(slot_bytes)))


def in_all_slots(start: Start, slot_bytes: int) -> Start:
    """The start of a thread for which all slots of so many bytes have room, wherever its own begins."""
    numbers = premise("private-2gib", thread=HARDWARE_THREAD, bits=thread_bits(slot_bytes))
    return _numbered(start, slot_bytes, numbers)


def with_scratch_at_zero(start: Start) -> Start:
    """The start of a thread whose private memory in `%scratch` begins at 0."""
    variable, first = SCRATCH_POINTER
    # The low bits of the dword say other things.
    low = zero_extend(symbol(f"{variable}.{first}", SCRATCH_UNIT.bit_length() - 1), 32)
    return replace(start, initial=_initial(start.initial, (variable, first), low))


def _numbered(start: Start, slot_bytes: int, numbers: Premise) -> Start:
    number = zero_extend(_thread(slot_bytes), 32)
    held = _initial(start.initial, (HARDWARE_THREAD, 0), number)
    return replace(start, initial=held, assumed=(*start.assumed, numbers))


def _initial(before: Callable[[str, int], Byte], place: tuple[str, int], word: BitVec) -> Callable[[str, int], Byte]:
    """The start, but for a dword."""

    def initial(variable: str, byte: int) -> Byte:
        inside = variable == place[0] and place[1] <= byte < place[1] + 4
        return (word, byte - place[1]) if inside else before(variable, byte)

    return initial


def _thread(slot_bytes: int) -> BitVec:
    return symbol(f"{HARDWARE_THREAD}.0", thread_bits(slot_bytes))
