"""Surfaces with a size: reads outside give 0, writes outside vanish.  Pages: "Out-of-bound Access"."""

from collections.abc import Callable
from dataclasses import dataclass, field

from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.surfaces import SurfaceKind

Texel = tuple[int, int, int, int]
"""(u, v, r, lod)"""

Place = int | tuple[int, ...]
"""A byte of a buffer by its address, or (u, v, r, lod, channel) of a typed surface."""

CHANNEL_BITS = 32
"""Of a texel with channels; 0 is R and 3 is A."""


@dataclass(frozen=True, slots=True)
class LaneWrite:
    """One lane's write of the low `width` bytes of `value`; all of them or none."""

    lane: int | None
    """None where one writer stands for all lanes."""
    address: int
    width: int
    value: int

    @property
    def places(self) -> tuple[Place, ...]:
        """What is written."""
        return tuple(range(self.address, self.address + self.width))


@dataclass(frozen=True, slots=True)
class TexelWrite:
    """One lane's write of a channel of a texel."""

    lane: int
    texel: Texel
    channel: int
    value: int

    @property
    def places(self) -> tuple[Place, ...]:
        """What is written."""
        return ((*self.texel, self.channel),)


Write = LaneWrite | TexelWrite


@dataclass
class Buffer:
    """`size` bytes; `contents` holds those that are not 0, little endian."""

    size: int
    contents: dict[int, int] = field(default_factory=dict[int, int])
    log: list[Write] | None = field(default=None, compare=False, repr=False)
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
    """A typed surface: texels by coordinate, and how far its coordinates go at each level of detail."""

    levels: tuple[tuple[int, int, int], ...]
    """Width, height and depth in pixels at each LOD; an axis that the kind does not have is not looked at."""
    texels: dict[Texel, int] = field(default_factory=dict[Texel, int])
    """Channel c in bits 32c+31 … 32c; those of an atomic have one channel."""
    kind: SurfaceKind = SurfaceKind.VOLUME
    layers: int = 1
    """The size of an array: one for all levels."""
    log: list[Write] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, every write of a scatter is noted, inside or outside, before it happens."""

    def extents(self, lod: int) -> tuple[int, int, int]:
        """How many values U, V and R have at a level: one where the page says N/A."""
        width, height, depth = self.levels[lod]
        match self.kind:
            case SurfaceKind.LINE:
                return width, 1, 1
            case SurfaceKind.LINE_ARRAY:
                return width, self.layers, 1
            case SurfaceKind.PLANE:
                return width, height, 1
            case SurfaceKind.PLANE_ARRAY:
                return width, height, self.layers
            case SurfaceKind.VOLUME:
                return width, height, depth

    def contains(self, texel: Texel) -> bool:
        """Whether every coordinate lies below its extent at that level (D31, D32)."""
        *coordinates, lod = texel
        if lod >= len(self.levels):
            return False
        return all(place < extent for place, extent in zip(coordinates, self.extents(lod), strict=True))

    def channel(self, texel: Texel, channel: int) -> int:
        """A channel of a texel that exists."""
        return self.texels.get(texel, 0) >> CHANNEL_BITS * channel & 0xFFFF_FFFF

    def set_channel(self, texel: Texel, channel: int, value: int) -> None:
        """Writes a channel of a texel that exists; the others stay."""
        first = CHANNEL_BITS * channel
        others = self.texels.get(texel, 0) & ~(0xFFFF_FFFF << first)
        self.texels[texel] = others | value << first

    def scatter(self, writes: list[TexelWrite]) -> None:
        """Performs the writes of several lanes; two lanes on one texel that exists are undefined (D14)."""
        if self.log is not None:
            self.log.extend(writes)
        inside = [write for write in writes if self.contains(write.texel)]
        owner: dict[Texel, int] = {}
        for write in inside:
            if owner.setdefault(write.texel, write.lane) != write.lane:
                raise UndefinedBehavior(f"lanes {owner[write.texel]} and {write.lane} both write texel {write.texel}")
        for write in inside:
            self.set_channel(write.texel, write.channel, write.value)


Surface = Buffer | Image
