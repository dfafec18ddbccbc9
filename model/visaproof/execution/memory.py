"""The memory of a launch: buffers with 64-bit addresses, which surfaces and pointers reach alike.

    address  base            base + size
             | buffer bytes  |            no byte between two buffers
    surface  0               size

A surface is a window of the same bytes, so that what one kind of message writes the other one reads.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec import Struct

from visaproof.isa.errors import InNoBuffer, NotModelled, UndefinedBehavior
from visaproof.semantics.concrete.surface import Buffer

FLAT_SIZE = 1 << 64
PRIVATE_ROOM = 1 << 26
"""Bytes of private memory that a launch may use."""


class Allocation(Struct, eq=False):
    """Bytes that lie together; `room` is how many there may be where it grows with its use."""

    name: str
    base: int
    data: bytearray | memoryview
    room: int = 0
    uninitialised: bool = False
    """Whether nobody knows what it holds before it is written; it is 0 here."""
    modelled: bool = True
    """Whether it can be accessed; what the runtime keeps in memory of its own is not modelled."""
    part_of: "Allocation | None" = None
    """The allocation to the end of which its bytes belong, if they are those of another one."""

    @property
    def size(self) -> int:
        return max(len(self.data), self.room)

    def holds(self, offset: int, width: int) -> bool:
        """Whether these bytes are inside; where it grows, they are then there."""
        end = offset + width
        if isinstance(self.data, bytearray) and len(self.data) < end <= self.room and self.modelled:
            self.data.extend(bytes(end - len(self.data)))
        return end <= (len(self.data) if self.modelled else self.room)


class Watch(Protocol):
    """Is told of every access, before it happens."""

    def reads(self, memory: Allocation, offset: int, width: int) -> None: ...
    def writes(self, memory: Allocation, offset: int, width: int, value: int, atomic: bool) -> None: ...
    def outside(self, memory: Allocation, address: int) -> None: ...


class AddressSpace:
    """All allocations of a launch, by address."""

    def __init__(self, allocations: Iterable[Allocation]) -> None:
        self.allocations = sorted(allocations, key=lambda each: each.base)
        self._bases = [each.base for each in self.allocations]

    def find(self, address: int, width: int) -> tuple[Allocation, int]:
        """The allocation with these bytes, and where in it they are.  Raises UndefinedBehavior where there is none."""
        place = bisect_right(self._bases, address) - 1
        if place >= 0:
            found = self.allocations[place]
            if found.holds(address - found.base, width):
                if not found.modelled:
                    raise NotModelled(f"what {found.name} holds")
                return found, address - found.base
        raise InNoBuffer(address, width, self._near(address))

    def _near(self, address: int) -> str:
        place = bisect_right(self._bases, address) - 1
        if place < 0:
            return ""
        below = self.allocations[place]
        return f": {address - below.base:#x} behind the start of {below.name}, which has {below.size:#x} bytes"


class Window(Buffer):
    """A surface whose bytes are those of an allocation."""

    def __init__(self, memory: Allocation, watch: Watch | None = None) -> None:
        super().__init__(memory.size)
        self.memory = memory
        self.watch = watch

    def read(self, address: int, width: int) -> int:
        found = self._place(address, width)
        if found is None:
            return 0
        memory, offset = found
        if self.watch is not None:
            self.watch.reads(memory, offset, width)
        return int.from_bytes(memory.data[offset : offset + width], "little")

    def _store(self, address: int, width: int, value: int) -> None:
        self._put(address, width, value, atomic=False)

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        found = self._place(address, width)
        if found is None:
            return 0, 0
        memory, offset = found
        old = int.from_bytes(memory.data[offset : offset + width], "little")
        new = change(old) % (1 << 8 * width)
        self._put(address, width, new, atomic=True)
        return old, new

    def _put(self, address: int, width: int, value: int, atomic: bool) -> None:
        found = self._place(address, width)
        if found is None:
            return
        memory, offset = found
        if self.watch is not None:
            self.watch.writes(memory, offset, width, value, atomic)
        memory.data[offset : offset + width] = (value % (1 << 8 * width)).to_bytes(width, "little")

    def _place(self, address: int, width: int) -> tuple[Allocation, int] | None:
        """Where the bytes are; None where the access is outside, which reads 0 and writes nothing (D11)."""
        if not self._misses(address, width):
            whole = self.memory.part_of
            return (self.memory, address) if whole is None else (whole, self.memory.base - whole.base + address)
        if self.watch is not None:
            self.watch.outside(self.memory, address)
        return None


class ScratchWindow(Window):
    """Private memory of a thread: it has no bytes but these."""

    def _place(self, address: int, width: int) -> tuple[Allocation, int]:
        if self.memory.holds(address, width):
            return self.memory, address
        place = f"bytes {address:#x}..{address + width - 1:#x}"
        raise UndefinedBehavior(f"{place} are not in {self.memory.name}, which has {self.memory.size:#x} bytes")


class FlatWindow(Window):
    """All allocations by their 64-bit addresses; no byte is between them."""

    def __init__(self, space: AddressSpace, watch: Watch | None = None) -> None:
        super().__init__(Allocation("the 64-bit address space", 0, bytearray(), FLAT_SIZE), watch)
        self.space = space

    def _place(self, address: int, width: int) -> tuple[Allocation, int] | None:
        return self.space.find(address, width)
