"""A piece of the arena as the buffer that `execute` of an instruction knows."""

from collections.abc import Callable

from msgspec.structs import replace

from visaproof.isa.answers import Collision
from visaproof.isa.errors import UndefinedBehavior
from visaproof.machine.arrays.arena import Arena
from visaproof.semantics.concrete.surface import Buffer, LaneWrite


class ArenaBuffer(Buffer):
    """The surface of this key as the threads of one group see it, or as its owner; it holds no bytes of its own."""

    def __init__(
        self, arena: Arena, key: str, owner: int, thread: int, reaches: Callable[[int], None] | None = None
    ) -> None:
        """As `thread` sees it; `reaches` is told of each access that is inside."""
        super().__init__(arena.size(key))
        self._reaches = reaches
        self._arena = arena
        self._key = key
        self._owner = owner
        self._thread = thread

    def read(self, address: int, width: int) -> int:
        place = self._place(address, width)
        return 0 if place is None else int.from_bytes(self._arena.bytes[place : place + width].tobytes(), "little")

    def _store(self, address: int, width: int, value: int) -> None:
        place = self._place(address, width)
        if place is not None:
            low = value % (1 << 8 * width)
            self._arena.bytes[place : place + width] = list(low.to_bytes(width, "little"))

    def _misses(self, address: int, width: int) -> bool:
        return self._place(address, width) is None

    def _place(self, address: int, width: int) -> int | None:
        """Where in the arena the bytes are; None where they are outside, if that is defined."""
        place = self._arena.place(self._key, address, width, self._owner)
        if place is None and self._arena.is_whole(self._key):
            raise UndefinedBehavior(f"bytes {address:#x}..{address + width - 1:#x} are in no buffer")
        if place is None:
            self._arena.miss(self._key, self._arena.plain_address(self._key, address), self._thread)
        if place is not None and self._reaches is not None:
            self._reaches(place)
        return place

    def scatter(self, writes: list[LaneWrite], collision: Collision = Collision.UNDEFINED) -> None:
        plain = [replace(write, address=self._arena.plain_address(self._key, write.address)) for write in writes]
        super().scatter(plain, collision)
