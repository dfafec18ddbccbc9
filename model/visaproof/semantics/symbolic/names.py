"""What a symbol stands for.  The name is the payload of its term: matched by its class, and printed by `str`.

A symbol of a kind that somebody looks for is built from a class of here and nowhere from text, so that there are not
two symbols of one text; a symbol that nobody looks for has a plain text.
"""

from typing import Literal

from msgspec import Struct

from visaproof.smt import BitVec, Bool, Term, bool_symbol, symbol

Axis = Literal["width", "height", "depth"]

AXES: tuple[Axis, Axis, Axis] = ("width", "height", "depth")

Level = tuple[BitVec, BitVec, BitVec]
"""The extents of a level."""

SIZE_BITS = 40
"""Bits of the size of a surface, in bytes."""

BASE_BITS = 64
"""Bits of the address at which a buffer begins."""


class LaneOn(Struct, frozen=True):
    """Whether a lane of the thread is in the execution mask."""

    lane: int

    def __str__(self) -> str:
        return f"em.{self.lane}"


class SurfaceSize(Struct, frozen=True):
    """The size of a surface in bytes."""

    surface: str

    def __str__(self) -> str:
        return f"size.{self.surface}"


class BufferOffset(Struct, frozen=True):
    """How far from the start of its surface a buffer begins, in units of so many bytes."""

    buffer: str
    unit: int

    def __str__(self) -> str:
        return f"offset.{self.buffer}"


class Extent(Struct, frozen=True):
    """How many texels a level of a typed surface has along an axis."""

    axis: Axis
    surface: str
    level: int

    def __str__(self) -> str:
        return f"{self.axis}.{self.surface}.{self.level}"


class BufferBase(Struct, frozen=True):
    """Where a buffer begins; in units of what its alignment is."""

    buffer: str

    def __str__(self) -> str:
        return f"base.{self.buffer}"


class MemoryBefore(Struct, frozen=True):
    """What a unit of a surface holds before both kernels start."""

    surface: str
    number: int

    def __str__(self) -> str:
        return f"memory.{self.surface}.{self.number}"


class NamedLoad(Struct, frozen=True):
    """What both kernels load, named to keep terms small."""

    number: int

    def __str__(self) -> str:
        return f"loaded.{self.number}"


class OpenResult(Struct, frozen=True):
    """The result of an operation that the model leaves open."""

    number: int

    def __str__(self) -> str:
        return f"result.{self.number}"


class Probe(Struct, frozen=True):
    """Any one place of a surface, at which two memories are compared."""

    surface: str

    def __str__(self) -> str:
        return f"probe.{self.surface}"


class FoundInMemory(Struct, frozen=True):
    """What an operation of a rewrite rule finds in memory."""

    what: str | int

    def __str__(self) -> str:
        return f"found.{self.what}"


OfMemory = MemoryBefore | NamedLoad | OpenResult | Probe | FoundInMemory
"""Names that a question gives: no launch chooses them."""


def lane_on(lane: int) -> Bool:
    return bool_symbol(LaneOn(lane))


def surface_size(surface: str) -> BitVec:
    return symbol(SurfaceSize(surface), SIZE_BITS)


def extents_of(surface: str, level: int, bits: tuple[int, int, int] = (32, 32, 32)) -> Level:
    """The width, the height and the depth of a level of a typed surface."""
    width, height, depth = (symbol(Extent(axis, surface, level), wide) for axis, wide in zip(AXES, bits, strict=True))
    return width, height, depth


def extents_like(extents: Level, surface: str, level: int) -> Level:
    """The extents of a level under the name of another surface, with as many bits."""
    width, height, depth = extents
    return extents_of(surface, level, (width.width, height.width, depth.width))


def buffer_base(buffer: str) -> BitVec:
    return symbol(BufferBase(buffer), BASE_BITS)


def is_lane(term: Term) -> bool:
    return isinstance(term.payload, LaneOn)


def is_base(term: Term) -> bool:
    return isinstance(term.payload, BufferBase)


def is_of_memory(term: Term) -> bool:
    """Whether the memory decides it, and no launch."""
    return isinstance(term.payload, OfMemory)


def is_extent(term: Term) -> bool:
    return isinstance(term.payload, Extent)


def is_size(term: Term) -> bool:
    """Whether this is the size of a surface, in bytes or in texels."""
    return isinstance(term.payload, SurfaceSize | Extent)
