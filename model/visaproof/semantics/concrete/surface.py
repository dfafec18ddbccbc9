"""Surfaces with a size: reads outside give 0, writes outside vanish.  Pages: "Out-of-bound Access"."""

from collections.abc import Callable
from dataclasses import dataclass, field

from visaproof.isa.errors import UndefinedBehavior

Texel = tuple[int, int, int, int]
"""(u, v, r, lod)"""


@dataclass(frozen=True, slots=True)
class LaneWrite:
    """One lane's write of the low `width` bytes of `value`; all of them or none."""

    lane: int | None
    """None where one writer stands for all lanes."""
    address: int
    width: int
    value: int


@dataclass
class Buffer:
    """`size` bytes; `contents` holds those that are not 0, little endian."""

    size: int
    contents: dict[int, int] = field(default_factory=dict[int, int])
    log: list[LaneWrite] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, every write that an instruction asks for is noted, inside or outside, before it happens."""

    def read(self, address: int, width: int) -> int:
        """`width` bytes from a byte address; 0 where they are not wholly inside (D11, D19)."""
        if address + width > self.size:
            return 0
        return sum(self.contents.get(address + k, 0) << 8 * k for k in range(width))

    def write(self, address: int, width: int, value: int, lane: int | None = None) -> None:
        """Writes `width` bytes from a byte address on; dropped where they are not wholly inside (D11)."""
        if self.log is not None:
            self.log.append(LaneWrite(lane, address, width, value))
        self._store(address, width, value)

    def _store(self, address: int, width: int, value: int) -> None:
        if address + width > self.size:
            return
        for k in range(width):
            self.contents[address + k] = value >> 8 * k & 0xFF

    def scatter(self, writes: list[LaneWrite]) -> None:
        """Performs the writes of several lanes; two lanes on one in-bounds byte are undefined (D14)."""
        if self.log is not None:
            self.log.extend(writes)
        owner: dict[int, int | None] = {}
        for write in writes:
            if write.address + write.width > self.size:
                continue
            for byte in range(write.address, write.address + write.width):
                if owner.setdefault(byte, write.lane) != write.lane:
                    raise UndefinedBehavior(f"lanes {owner[byte]} and {write.lane} both write byte {byte:#x}")
        for write in writes:
            self._store(write.address, write.width, write.value)

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        """An atomic read-modify-write: what was there, and what is there now; 0 and 0 outside."""
        if address + width > self.size:
            return 0, 0
        old = self.read(address, width)
        new = change(old) % (1 << 8 * width)
        self._store(address, width, new)
        return old, new

    def read_dword(self, address: int) -> int:
        """The dword at a byte address; 0 where it is not wholly inside (D11, D19)."""
        return self.read(address, 4)

    def write_dword(self, address: int, value: int) -> None:
        """Writes the dword at a byte address; dropped where it is not wholly inside (D11)."""
        self.write(address, 4, value)

    def scatter_dwords(self, writes: list[tuple[int, int, int]]) -> None:
        """Writes (lane, address, value) triples; two lanes on one in-bounds byte are undefined (D14)."""
        self.scatter([LaneWrite(lane, address, 4, value) for lane, address, value in writes])


@dataclass
class Image:
    """Texels of 32 bits; `levels` gives (width, height, depth) for each LOD."""

    levels: tuple[tuple[int, int, int], ...]
    texels: dict[Texel, int] = field(default_factory=dict[Texel, int])

    def contains(self, texel: Texel) -> bool:
        """Whether every coordinate lies below its extent at that level (D31, D32)."""
        u, v, r, lod = texel
        if lod >= len(self.levels):
            return False
        width, height, depth = self.levels[lod]
        return u < width and v < height and r < depth


Surface = Buffer | Image
