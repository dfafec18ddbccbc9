"""What a run finds in registers and predicate bits that a variable does not have, where that is not the end of it."""

from collections.abc import Mapping

from msgspec import Struct, field


class Found(Struct, frozen=True):
    """Nondeterministic values in one run; what is written there is lost."""

    registers: Mapping[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """By variable and byte."""
    predicates: Mapping[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """By predicate and lane."""
    other: int = 0
    """Every dword of which nothing is said; its lowest bit is every such bit."""
    strict: frozenset[str] = frozenset()
    """The variables beyond which there is nothing: to use that is undefined behaviour."""

    def read(self, variable: str, held: bytes | bytearray, start: int, width: int) -> int:
        """Bytes of a variable from `start` on, some of which it does not have."""
        found = (
            held[byte] if 0 <= byte < len(held) else self.registers.get((variable, byte), self._elsewhere(byte))
            for byte in range(start, start + width)
        )
        return int.from_bytes(bytes(found), "little")

    def _elsewhere(self, byte: int) -> int:
        return self.other >> 8 * (byte % 4) & 0xFF

    def bit(self, variable: str, lane: int) -> bool:
        """A bit that the predicate does not have."""
        return bool(self.predicates.get((variable, lane), self.other) & 1)


def write_held(held: bytearray, start: int, content: bytes) -> None:
    """Writes what a variable has of these bytes."""
    for byte, value in enumerate(content, start):
        if 0 <= byte < len(held):
            held[byte] = value
