"""Images whose texels are known: which messages reach them, and what the sampler reads of them.

Texels have one, two or four channels, which `texel_formats` brings to 32 bits.  Pages: GATHER4_TYPED.md,
SCATTER4_TYPED.md, TYPED_ATOMIC.md; of the sampler only the nearest texel, at coordinates that count texels.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from visaproof.decode.sampler import LOAD, WITH_LEVEL
from visaproof.decode.texel_formats import RAW32, ChannelFormat
from visaproof.instructions.family import Gather4Typed, LscLoadTyped, LscStoreTyped, Scatter4Typed
from visaproof.instructions.typed_atomic import TypedAtomic
from visaproof.instructions.typed_texels import CHANNELS
from visaproof.isa.errors import NotModelled, Position
from visaproof.semantics.concrete.surface import Image, Surface

TYPED = (Gather4Typed, Scatter4Typed, TypedAtomic, LscLoadTyped, LscStoreTyped)
"""Messages that name texels; all others name bytes."""


class Outside(Enum):
    """What a sampler reads at a coordinate outside of its image."""

    EDGE = "clamp-to-edge"
    BORDER = "clamp"
    UNKNOWN = "none"


@dataclass
class TexelImage(Image):
    """An image of a launch."""

    channels: int = CHANNELS
    format: ChannelFormat = RAW32
    """Of each channel; `texels` has what is read of it."""
    sampler: Outside | None = None
    """How samplers read it; None where this is not known."""

    def channel(self, texel: tuple[int, int, int, int], channel: int) -> int:
        self._require_channel(channel)
        return super().channel(texel, channel)

    def set_channel(self, texel: tuple[int, int, int, int], channel: int, value: int) -> None:
        self._require_channel(channel)
        super().set_channel(texel, channel, self.format.decode(self.format.encode(value)))

    def _require_channel(self, channel: int) -> None:
        if channel >= self.channels:
            raise NotModelled(f"channel {'RGBA'[channel]} of an image whose texels have only {'RGBA'[: self.channels]}")


@dataclass
class RawImage(Image):
    """An image whose texels have four channels of 32 bits, and what they held before a kernel ran."""

    before: dict[tuple[int, int, int, int], int] = field(
        default_factory=dict[tuple[int, int, int, int], int], compare=False, repr=False
    )
    samplers: Mapping[int, Outside] = field(default_factory=dict[int, Outside], compare=False, repr=False)
    """How the samplers of these numbers read it; of others this is not known."""


class WrongSurface(TypeError):
    """A message for texels reaches bytes, or one for bytes reaches texels."""

    def __init__(self, position: Position, surface: str, wants_image: bool) -> None:
        super().__init__(f"{position}: {surface} is {'no image' if wants_image else 'an image'}")
        self.position = position
        self.surface = surface
        self.wants_image = wants_image


def require_reached(message: object, memory: Surface, surface: str, position: Position) -> None:
    """Raises WrongSurface, and NotModelled for what the texels of an image do not allow."""
    wants_image = isinstance(message, TYPED)
    if wants_image != isinstance(memory, Image):
        raise WrongSurface(position, surface, wants_image)
    if not isinstance(message, TypedAtomic) or not isinstance(memory, TexelImage):
        return
    if memory.channels != 1 or message.texel_bits != 32 or memory.format != RAW32:
        raise NotModelled("an atomic on a part of a texel", position)


def texel_image(memory: Surface, surface: str, position: Position) -> TexelImage:
    """The image that a read through the sampler reaches.  Raises WrongSurface."""
    if isinstance(memory, TexelImage):
        return memory
    raise WrongSurface(position, surface, wants_image=True)


def sampled(image: TexelImage, opcode: str, coordinates: Sequence[int | float]) -> tuple[int, ...]:
    """The channels that a read through the sampler brings.  Raises NotModelled where this is not known."""
    axes = len(image.kind.axes)
    if opcode == WITH_LEVEL:
        level, *coordinates = coordinates or (0,)
        if level != 0:
            raise NotModelled(f"{opcode} at level {level}")
    if not coordinates or any(coordinates[axes:]):
        raise NotModelled(f"{opcode} with {len(coordinates)} coordinates in an image of {axes} dimensions")
    coordinates = [*coordinates, *[0] * (axes - len(coordinates))]  # Intel's compiler leaves out zeros at the end
    if image.channels < CHANNELS:
        raise NotModelled(f"{opcode} of an image whose texels have only {'RGBA'[: image.channels]}")
    if opcode != LOAD and image.sampler is None:
        raise NotModelled(f"{opcode}: how its sampler reads is not in the kernel; `--sampler` says it")
    outside = Outside.UNKNOWN if opcode == LOAD else image.sampler
    places = [
        _nearest(opcode, coordinate, extent, outside)
        for coordinate, extent in zip(coordinates, image.extents(0), strict=False)
    ]
    if None in places:
        return (0,) * CHANNELS
    u, v, r = (*(place or 0 for place in places), 0, 0)[:3]
    return tuple(image.channel((u, v, r, 0), channel) for channel in range(CHANNELS))


def _nearest(opcode: str, coordinate: float, extent: int, outside: Outside | None) -> int | None:
    """The texel along one axis; None for the border."""
    if not math.isfinite(coordinate):
        raise NotModelled(f"{opcode} at a coordinate that is no number")
    place = math.floor(coordinate)
    if 0 <= place < extent:
        return place
    match outside:
        case Outside.EDGE:
            return min(max(place, 0), extent - 1)
        case Outside.BORDER:
            return None
        case _:
            raise NotModelled(f"{opcode} outside of the image: {place} is not one of 0..{extent - 1}")
