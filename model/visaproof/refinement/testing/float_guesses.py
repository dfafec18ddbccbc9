"""Numbers for guessed runs that tell floats apart: sums that round, cancel or absorb, and zeros of both signs."""

from random import Random
from struct import pack
from zlib import crc32

from msgspec import Struct

from visaproof.smt import Term

NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.1, 1 / 3, 1.5, 1025.0, -1025.0, 2.0**-12, 1e4, -1e4, 0.999)
"""In every format."""

WIDE = (2.0**24, -(2.0**24), 16777215.0, 1e30, 2.0**-30)
"""Beyond hf, and where f ends to hold integers."""

PATTERNS = {
    2: tuple(pack("<e", number) for number in NUMBERS),
    4: tuple(pack("<f", number) for number in NUMBERS + WIDE),
    8: tuple(pack("<d", number) for number in NUMBERS + WIDE),
}
"""The bytes of each, by their count."""

CELL_BYTES = 24
"""Of the place of a texel."""


class FloatWords(Struct, frozen=True):
    """Floats of one size, at seeded random."""

    size: int
    """Bytes of a number."""
    density: float
    """Of floats among the inputs."""
    seed: int

    @staticmethod
    def drawn(random: Random) -> "FloatWords":
        return FloatWords(random.choice((4, 4, 4, 4, 2, 8)), random.choice((0.5, 0.95, 0.95)), random.getrandbits(32))

    def content(self, surface: str, address: int, width: int) -> int:
        """What memory holds: numbers side by side."""
        first, last = address // self.size, (address + width - 1) // self.size
        start = self.seed + crc32(surface.encode())
        numbers = b"".join(self._number(start + place) for place in range(first, last + 1))
        skipped = address - first * self.size
        return int.from_bytes(numbers[skipped : skipped + width], "little")

    def word(self, symbol: Term, random: Random) -> int:
        """For an input: a float, or a small integer."""
        if random.random() >= self.density:
            return random.getrandbits(3)
        variable, _, place = str(symbol.payload).rpartition(".")
        return self.content(variable, int(place) if place.isdecimal() else 0, max(1, symbol.width // 8))

    def _number(self, place: int) -> bytes:
        pool = PATTERNS[self.size]
        return pool[crc32(place.to_bytes(8 if place < 1 << 64 else CELL_BYTES, "little")) % len(pool)]
