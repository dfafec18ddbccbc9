"""Buffers as they lie in the 64-bit address space of a run."""

FLAT_SIZE = 1 << 64
"""The 64-bit address space."""


class FlatContents(dict[int, int]):
    """Flat memory in which buffers lie apart; it notes whether an address is in none of them."""

    def __init__(self, windows: list[tuple[int, int, dict[int, int]]]) -> None:
        super().__init__()
        self.windows = windows
        """Where each begins, its size, and its bytes."""
        self.left = False

    def get(self, key: int, default: int = 0) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        contents, offset = self._at(key)
        return contents.get(offset, default)

    def __setitem__(self, key: int, value: int) -> None:
        contents, offset = self._at(key)
        contents[offset] = value

    def _at(self, address: int) -> tuple[dict[int, int], int]:
        for base, size, contents in self.windows:
            if base <= address < base + size:
                return contents, address - base
        self.left = True
        return {}, 0
