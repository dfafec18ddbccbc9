"""A piece of the arena as the buffer that `execute` of an instruction knows."""

from visaproof.semantics.concrete.surface import Buffer
from visaproof.vectorised.arena import Arena


class ArenaBuffer(Buffer):
    """The surface of this key as the threads of one group see it; it holds no bytes of its own."""

    def __init__(self, arena: Arena, key: str, group: int) -> None:
        super().__init__(arena.size(key))
        self._arena = arena
        self._key = key
        self._group = group

    def read(self, address: int, width: int) -> int:
        place = self._arena.place(self._key, address, width, self._group)
        return 0 if place is None else int.from_bytes(self._arena.bytes[place : place + width].tobytes(), "little")

    def _store(self, address: int, width: int, value: int) -> None:
        place = self._arena.place(self._key, address, width, self._group)
        if place is not None:
            low = value % (1 << 8 * width)
            self._arena.bytes[place : place + width] = list(low.to_bytes(width, "little"))

    def _misses(self, address: int, width: int) -> bool:
        return self._arena.place(self._key, address, width, self._group) is None
