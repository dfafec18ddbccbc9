"""Surfaces with a size: reads outside give 0, writes outside vanish.  Pages: "Out-of-bound Access"."""

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct

from visaproof.isa.answers import Collision
from visaproof.isa.errors import WritesCollide
from visaproof.isa.operands import without_slm_tag
from visaproof.isa.surfaces import SurfaceKind

Texel = tuple[int, int, int, int]
"""(u, v, r, lod)"""

Place = int | tuple[int, ...]
"""A byte of a buffer by its address, or (u, v, r, lod, channel) of a typed surface."""

CHANNEL_BITS = 32
"""Of a texel with channels; 0 is R and 3 is A."""


class LaneWrite(Struct, frozen=True):
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


class TexelWrite(Struct, frozen=True):
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


class Miss(Struct, frozen=True):
    """An access that is not wholly inside its surface: what it reads is 0, what it writes is dropped."""

    cell: tuple[int, ...]
    """(byte address,) in a buffer, (u, v, r, lod) in a typed surface."""
    width: int
    """Bytes; 0 for a texel, whose width is that of the format."""


@dataclass
class Buffer:
    """`size` bytes; `contents` holds those that are not 0, little endian."""

    size: int
    contents: dict[int, int] = field(default_factory=dict[int, int])
    log: list[Write] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, every write that an instruction asks for is noted, inside or outside, before it happens."""
    misses: list[Miss] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, every access outside is noted."""
    changed: list[Write] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, what each lane of an atomic leaves is noted, inside or outside."""

    def read(self, address: int, width: int) -> int:
        """`width` bytes from a byte address; 0 where they are not wholly inside (D11, D19)."""
        if self._misses(address, width):
            return 0
        return sum(self.contents.get(address + k, 0) << 8 * k for k in range(width))

    def write(self, address: int, width: int, value: int, lane: int | None = None) -> None:
        """Writes `width` bytes from a byte address on; dropped where they are not wholly inside (D11)."""
        if self.log is not None:
            self.log.append(LaneWrite(lane, address, width, value))
        self._store(address, width, value)

    def _store(self, address: int, width: int, value: int) -> None:
        if self._misses(address, width):
            return
        for k in range(width):
            self.contents[address + k] = value >> 8 * k & 0xFF

    def _misses(self, address: int, width: int) -> bool:
        """Whether the bytes are not wholly inside."""
        outside = address + width > self.size
        if outside and self.misses is not None:
            self.misses.append(Miss((address,), width))
        return outside

    def scatter(self, writes: list[LaneWrite], collision: Collision = Collision.UNDEFINED) -> None:
        """Performs the writes of several lanes; what two lanes on one in-bounds byte mean is `collision` (D14)."""
        if self.log is not None:
            self.log.extend(writes)
        if collision in (Collision.LAST_WINS, Collision.ANY_WINS):  # of any winner, the first lane is an example
            first_wins = collision is Collision.ANY_WINS
            writes = sorted(writes, key=lambda write: -1 if write.lane is None else write.lane, reverse=first_wins)
        else:
            self._require_apart(writes, equal_allowed=collision is Collision.EQUAL_ALLOWED)
        for write in writes:
            self._store(write.address, write.width, write.value)

    def _require_apart(self, writes: list[LaneWrite], equal_allowed: bool) -> None:
        """Raises WritesCollide where two lanes write one in-bounds byte, or differ in it if equal ones may meet."""
        owner: dict[int, tuple[int | None, int]] = {}
        for write in writes:
            if write.address + write.width > self.size:
                continue
            for k in range(write.width):
                place, byte = write.address + k, write.value >> 8 * k & 0xFF
                lane, first = owner.setdefault(place, (write.lane, byte))
                if lane != write.lane and not (equal_allowed and first == byte):
                    raise WritesCollide(f"lanes {lane} and {write.lane} both write byte {place:#x}")

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        """An atomic read-modify-write: what was there, and what is there now; 0 and 0 outside."""
        if self._misses(address, width):
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


class WithoutTag(Buffer):
    """Shared local memory of whose addresses IGC's tag is no part."""

    def __init__(self, memory: Buffer) -> None:
        super().__init__(memory.size, memory.contents)
        self._memory = memory

    def read(self, address: int, width: int) -> int:
        return self._memory.read(without_slm_tag(address), width)

    def write(self, address: int, width: int, value: int, lane: int | None = None) -> None:
        self._memory.write(without_slm_tag(address), width, value, lane)

    def scatter(self, writes: list[LaneWrite], collision: Collision = Collision.UNDEFINED) -> None:
        plain = [LaneWrite(write.lane, without_slm_tag(write.address), write.width, write.value) for write in writes]
        self._memory.scatter(plain, collision)

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        return self._memory.modify(without_slm_tag(address), width, change)


SCRATCH_BYTES = 1 << 32


class Scratch(Buffer):
    """A thread's private memory: a byte for each of its 32-bit addresses, of which the first follows on the last."""

    def __init__(self) -> None:
        super().__init__(SCRATCH_BYTES)

    def read(self, address: int, width: int) -> int:
        return sum(self.contents.get((address + k) % SCRATCH_BYTES, 0) << 8 * k for k in range(width))

    def _store(self, address: int, width: int, value: int) -> None:
        for k in range(width):
            self.contents[(address + k) % SCRATCH_BYTES] = value >> 8 * k & 0xFF

    def _misses(self, address: int, width: int) -> bool:
        return False


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
    misses: list[Miss] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, every texel that was looked for outside is noted."""
    changed: list[Write] | None = field(default=None, compare=False, repr=False)
    """Where it is a list, what each lane of an atomic leaves is noted."""

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
        inside = lod < len(self.levels) and all(
            place < extent for place, extent in zip(coordinates, self.extents(lod), strict=True)
        )
        if not inside and self.misses is not None:
            self.misses.append(Miss(texel, 0))
        return inside

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
                raise WritesCollide(f"lanes {owner[write.texel]} and {write.lane} both write texel {write.texel}")
        for write in inside:
            self.set_channel(write.texel, write.channel, write.value)


Surface = Buffer | Image
