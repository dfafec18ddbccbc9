"""What lanes of one statement and threads of one group do to one place: there an order that is left open may show."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from enum import Enum
from types import MappingProxyType

from msgspec import Struct, field

from visaproof.decode.texels import RawImage
from visaproof.instructions import TypedAtomic
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.identity import Same
from visaproof.program.statements import MemoryMessage, Run, Synchronise
from visaproof.queries.kernels.atomic_order import lanes_commute
from visaproof.semantics.concrete.surface import Buffer, Image, Texel

_Memory = Same[dict[int, int]] | Same[dict[Texel, int]]


class Touch(Enum):
    """How a byte is accessed."""

    READ = "reads"
    WRITE = "writes"
    ATOMIC = "modifies"


class Watch(Struct):
    """The accesses of a run: of one statement its atomics, of several threads all since the last barrier."""

    several: bool = False
    """Whether there are several threads."""
    forbidden: bool = False
    """Whether it is undefined that two of them race: then the run ends there."""
    names: dict[_Memory, str] = field(default_factory=dict[_Memory, str])
    """Of each memory, by what holds its contents."""
    thread: int = 0
    """The one that runs."""
    raced: bool = False
    met: bool = False
    """Whether atomics met, of lanes in one statement or of two threads, so that their order may show."""
    shared: Buffer | None = None
    """Shared local memory."""
    local: tuple[int, Mapping[int, int]] = (0, MappingProxyType({}))
    """How often threads synchronised, and what shared local memory held at the last time, or before."""
    bytes: dict[tuple[Same[Buffer], int], tuple[int, int]] = field(
        default_factory=dict[tuple[Same[Buffer], int], tuple[int, int]]
    )
    """What atomics of the statement have changed, by surface and address: address and width of the cell."""
    on_one_cell: bool = False
    """Whether lanes of the statement met on one cell."""
    texels: list[tuple[Same[Image], Texel]] = field(default_factory=list[tuple[Same[Image], Texel]])
    """Those that the statement has reached."""
    _seen: dict[Hashable, dict[int, set[Touch]]] = field(default_factory=dict[Hashable, dict[int, set[Touch]]])

    def named(self, surface: Buffer | Image, name: str) -> None:
        """Takes in the name of a surface."""
        self.names[Same(surface.contents) if isinstance(surface, Buffer) else Same(surface.texels)] = name

    def starts(self, shared: object) -> None:
        """Takes in what shared local memory holds before the run, if there is any."""
        if isinstance(shared, Buffer):
            self.shared, self.local = shared, (0, dict(shared.contents))

    def changes(self, surface: Same[Buffer], address: int, width: int) -> None:
        """Takes in a lane of an atomic."""
        cells = {self.bytes.get((surface, address + k)) for k in range(width)} - {None}
        self.on_one_cell |= bool(cells)
        self.met |= not cells <= {(address, width)}
        self.bytes |= {(surface, address + k): (address, width) for k in range(width)}

    def ended(self, statement: Run) -> None:
        """Takes in that a statement has run; other threads may read after one that synchronises what was stored."""
        message = statement.message if isinstance(statement, MemoryMessage) else None
        self.end_statement(isinstance(message, TypedAtomic), lambda: message is not None and not lanes_commute(message))
        atomic = isinstance(statement, MemoryMessage) and statement.is_atomic
        if self.shared is not None and (atomic or isinstance(statement, Synchronise)):
            self.local = self.local[0] + 1, dict(self.shared.contents)

    def end_statement(self, is_typed_atomic: bool, order_shows: Callable[[], bool]) -> None:
        """Whether the order shows of lanes on one cell is asked where lanes met on one."""
        met = self.on_one_cell or (is_typed_atomic and len(set(self.texels)) < len(self.texels))
        self.met |= met and order_shows()
        self.on_one_cell = False
        self.texels.clear()
        self.bytes.clear()

    def barrier(self) -> None:
        """What is behind it is in order with what was before it."""
        self._seen.clear()

    def touches(self, memory: _Memory, place: int | tuple[int, ...], touch: Touch) -> None:
        """The running thread accesses a byte, or a channel of a texel.  Raises UndefinedBehavior at a race."""
        seen = self._seen.setdefault((memory, place), {})
        for other, kinds in seen.items():
            if other != self.thread:
                self._meets(memory, place, touch, other, kinds)
        seen.setdefault(self.thread, set()).add(touch)

    def _meets(
        self, memory: _Memory, place: int | tuple[int, ...], touch: Touch, other: int, kinds: set[Touch]
    ) -> None:
        self.met |= touch is Touch.ATOMIC and Touch.ATOMIC in kinds
        theirs = kinds - {Touch.READ}
        if (touch is Touch.READ and not theirs) or (touch is Touch.ATOMIC and kinds == {Touch.ATOMIC}):
            return
        self.raced = True
        if self.forbidden:
            at = f"byte {place:#x}" if isinstance(place, int) else f"texel {place}"
            done = next(iter(theirs or kinds)).value
            where = self.names.get(memory, "memory")
            raise UndefinedBehavior(
                f"thread {self.thread} {touch.value} {at} of {where}, and thread {other} {done} it: a race"
            )


# ---------------------------------------------------------------- memory that is watched

FLAT_SIZE = 1 << 64
"""The 64-bit address space."""


class ViewContents(dict[int, int]):
    """The bytes of memory that is shared, from a place on."""

    def __init__(self, whole: dict[int, int], base: int) -> None:
        super().__init__()
        self.whole, self.base = whole, base

    def holder(self, address: int) -> tuple[Same[dict[int, int]], int]:
        """What holds this byte, and its place there."""
        return Same(self.whole), (self.base + address) % FLAT_SIZE

    def get(self, key: int, default: int = 0) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.whole.get((self.base + key) % FLAT_SIZE, default)

    def __setitem__(self, key: int, value: int) -> None:
        self.whole[(self.base + key) % FLAT_SIZE] = value


class FlatContents(dict[int, int]):
    """Flat memory in which buffers lie apart; it notes the first address that is in none of them."""

    def __init__(self, windows: list[tuple[int, int, dict[int, int]]]) -> None:
        super().__init__()
        self.windows = windows
        """Where each begins, its size, and its bytes."""
        self.left: int | None = None

    def holds(self, address: int) -> bool:
        """Whether an address is in a buffer."""
        return any(base <= address < base + size for base, size, _ in self.windows)

    def holder(self, address: int) -> tuple[Same[dict[int, int]], int]:
        """What holds this byte, and its place there."""
        contents, offset = self._at(address)
        return contents.holder(offset) if isinstance(contents, ViewContents) else (Same(contents), offset)

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
        if self.left is None:
            self.left = address
        return {}, 0


@dataclass
class WatchedBuffer(Buffer):
    """A buffer that tells its watch what atomics change, and which thread accesses what."""

    watch: Watch = attribute(default_factory=Watch, compare=False, repr=False)
    _atomic: bool = attribute(default=False, compare=False, repr=False)

    def read(self, address: int, width: int) -> int:
        """`width` bytes from a byte address."""
        if self.watch.several:
            self._note(address, width, Touch.READ)
        return super().read(address, width)

    def _store(self, address: int, width: int, value: int) -> None:
        if self.watch.several:
            self._note(address, width, Touch.WRITE)
        super()._store(address, width, value)

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        """An atomic read-modify-write."""
        self.watch.changes(Same(self), address, width)
        self._atomic = True
        try:
            return super().modify(address, width, change)
        finally:
            self._atomic = False

    def _note(self, address: int, width: int, touch: Touch) -> None:
        if address + width > self.size:
            return
        for place in range(address, address + width):
            memory, at = Same(self.contents), place
            if isinstance(self.contents, FlatContents | ViewContents):
                memory, at = self.contents.holder(place)
            self.watch.touches(memory, at, Touch.ATOMIC if self._atomic else touch)


@dataclass
class WatchedImage(RawImage):
    """A typed surface that tells its watch which texels messages reach."""

    watch: Watch = attribute(default_factory=Watch, compare=False, repr=False)

    def contains(self, texel: Texel) -> bool:
        """Whether every coordinate lies below its extent at that level."""
        inside = super().contains(texel)
        if inside:
            self.watch.texels.append((Same(self), texel))
        return inside

    def channel(self, texel: Texel, channel: int) -> int:
        """A channel of a texel that exists."""
        if self.watch.several:
            self.watch.touches(Same(self.texels), (*texel, channel), Touch.READ)
        return super().channel(texel, channel)

    def set_channel(self, texel: Texel, channel: int, value: int) -> None:
        """Writes a channel of a texel that exists."""
        if self.watch.several:
            self.watch.touches(Same(self.texels), (*texel, channel), Touch.WRITE)
        super().set_channel(texel, channel, value)
