"""What puts the accesses of threads in an order: barriers and fences.

Pages: BARRIER.md, SBARRIER.md, NBARRIER.md, WAIT.md, FENCE.md, LSC_FENCE.md, CACHE_FLUSH.md.

A barrier waits for other threads, or tells them that this one has come.  A fence waits for nobody: what this thread has
accessed before it, in the memory that it names, others find done before what it accesses after it.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.smt import Bool
from visaproof.visaasm.syntax import Immediate, Instruction, Number, Operand


class Memory(Enum):
    """Memory that other threads reach."""

    SHARED = "shared local memory"
    GLOBAL = "buffers"
    TYPED = "images"


class Form(Enum):
    """Which instruction a fence is: those of two are no more or less than each other by any page."""

    LSC = "LSC_FENCE"
    LEGACY = "FENCE"
    SOFTWARE = "a fence for the compiler alone"
    SAMPLER = "CACHE_FLUSH"


class Barrier(Struct, frozen=True):
    """A step of a barrier: `barrier`, `sbarrier.signal`, `nbarrier.wait 3`."""

    text: str

    def __str__(self) -> str:
        return self.text


WHOLE, SIGNAL, WAIT = Barrier("barrier"), Barrier("sbarrier.signal"), Barrier("sbarrier.wait")
"""A barrier is a signal and the wait for those of all threads."""


class Fence(Struct, frozen=True):
    """A fence of some memory, which reaches threads that are so far away, and flushes caches."""

    text: str
    form: Form
    memories: frozenset[Memory]
    reach: str = ""
    flushes: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text

    def is_like(self, other: "Fence") -> bool:
        """Whether the pages say which of both is stronger."""
        return self.form is other.form

    def is_at_least(self, other: "Fence") -> bool:
        """Whether it orders all that the other one does, by what its page says."""
        if not self.is_like(other) or not self.memories >= other.memories:
            return False
        return _reaches(self.reach, other.reach) and _flushes(self.flushes, other.flushes)

    @property
    def discards(self) -> bool:
        """Whether it loses what was written: then it is no harmless one more."""
        return "discard" in self.flushes


Event = Barrier | Fence


class Moment(NamedTuple):
    """A moment of a run: how many messages and how many events came before it."""

    messages: int
    events: int


class Synchronised(Struct, frozen=True):
    """A barrier or a fence in a run: how many messages come before it, and when the thread gets to it."""

    before: int
    guard: Bool
    event: Event
    position: Position


_NEAR_TO_FAR = ("group", "local", "tile", "gpu", "gpus", "sysrel")
"""Page LSC_FENCE: the scopes of which each holds the one before; `sysacq` is about writes of others."""

_DOES = {"evict": frozenset(("evict", "clean", "invalidate"))}
"""Page LSC_FENCE: dirty lines are evicted and "All clean lines will be invalidated"."""


def _reaches(one: str, other: str) -> bool:
    if one in _NEAR_TO_FAR and other in _NEAR_TO_FAR:
        return _NEAR_TO_FAR.index(one) >= _NEAR_TO_FAR.index(other)
    return one == other


def _flushes(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether it flushes all that the other one does, and loses nothing that was written."""
    done = frozenset(each for flush in one for each in _DOES.get(flush, {flush}))
    return "discard" not in one ^ other and done >= other


_UNITS = {"ugm": Memory.GLOBAL, "ugml": Memory.GLOBAL, "slm": Memory.SHARED, "tgm": Memory.TYPED}
_ALL = frozenset(Memory)
_LEGACY = {"fence_local": frozenset((Memory.SHARED,)), "fence_global": frozenset((Memory.GLOBAL, Memory.TYPED))}

NAMED = "nbarrier"
_BARRIERS = ("barrier", "sbarrier", NAMED, "wait")
OPCODES = frozenset((*_BARRIERS, *_LEGACY, "lsc_fence", "fence_sw", "cache_flush"))
"""The statements that are events."""


def event_of(instruction: Instruction) -> Event:
    """The event that a statement with one of these opcodes is."""
    text = ".".join((instruction.opcode, *instruction.suffixes))
    match instruction.opcode, instruction.suffixes:
        case "lsc_fence", (unit, flush, reach):
            flushes = frozenset[str]() if flush == "none" else frozenset((flush,))
            return Fence(text, Form.LSC, frozenset((_UNITS[unit],)), reach, flushes)
        case ("fence_global" | "fence_local") as opcode, suffixes:
            return Fence(text, Form.LEGACY, _LEGACY[opcode], flushes=frozenset(_legacy_flushes(suffixes)))
        case "fence_sw", _:
            return Fence(text, Form.SOFTWARE, _ALL)
        case "cache_flush", _:
            return Fence(text, Form.SAMPLER, _ALL)
        case _:
            said = [_said(operand) for operand in instruction.operands]
            if text == f"{NAMED}.signal" and len(said) == 2:  # page NBARRIER: the baseline form
                said = [said[0], "0", said[1], said[1]]
            return Barrier(" ".join((text, *said)))


def _legacy_flushes(suffixes: Iterable[str]) -> Iterable[str]:
    """The letters and `L1`, which also stands behind the letters without a dot."""
    for suffix in suffixes:
        letters = suffix.removesuffix("L1")
        yield from letters
        if letters != suffix:
            yield "L1"


def _said(operand: Operand) -> str:
    """An operand of a barrier; one that is no constant is like no other."""
    match operand:
        case Number(value):
            return str(value)
        case Immediate(bits):
            return str(bits)
        case _:
            return f"({operand.position})"


def is_known(event: Event) -> bool:
    """Whether its text says which barrier it is: else two of the same text need not be one."""
    return "(" not in str(event)
