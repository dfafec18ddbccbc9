"""Images of a launch: from bytes to texels, and back when the launch has ended.

byte  ((r · height + v) · width + u) · bytes of a texel      channels R, G, B, A; R, G; or R alone
"""

from collections.abc import Iterator

from msgspec import Struct

from visaproof.decode.texel_formats import RAW32, ChannelFormat
from visaproof.decode.texels import Outside, TexelImage
from visaproof.execution.memory import Allocation
from visaproof.isa.surfaces import SurfaceKind
from visaproof.semantics.concrete.surface import CHANNEL_BITS, Texel

MOST_TEXELS = 1 << 20
"""Of one image."""
KINDS = (SurfaceKind.LINE, SurfaceKind.PLANE, SurfaceKind.VOLUME)


class ImageShape(Struct, frozen=True):
    """One, two or three extents, and four, two or one channels of one format."""

    extents: tuple[int, ...]
    channels: int = 4
    format: ChannelFormat = RAW32

    @property
    def texels(self) -> int:
        width, height, depth = self.whole
        return width * height * depth

    @property
    def texel_bytes(self) -> int:
        return self.format.bits // 8 * self.channels

    @property
    def size(self) -> int:
        """Bytes."""
        return self.texels * self.texel_bytes

    @property
    def whole(self) -> tuple[int, int, int]:
        """Width, height and depth; 1 where there is none."""
        width, height, depth = (*self.extents, 1, 1)[:3]
        return width, height, depth

    def image(self, content: bytes | bytearray, sampler: Outside | None) -> TexelImage:
        """The image with these bytes.  Raises NotModelled for NaN in 16 bits."""
        step, known = self.texel_bytes, dict[bytes, int]()
        texels: dict[Texel, int] = {}
        for k, texel in enumerate(self._places()):
            stored = bytes(content[step * k : step * (k + 1)])
            if stored not in known:
                known[stored] = self._read(stored)
            texels[texel] = known[stored]
        kind = KINDS[len(self.extents) - 1]
        return TexelImage((self.whole,), texels, kind, channels=self.channels, format=self.format, sampler=sampler)

    def _read(self, stored: bytes) -> int:
        """A texel as messages see it."""
        size = self.format.bits // 8
        parts = [int.from_bytes(stored[size * k : size * (k + 1)], "little") for k in range(self.channels)]
        return sum(self.format.decode(part) << CHANNEL_BITS * k for k, part in enumerate(parts))

    def _stored(self, texel: int) -> bytes:
        """A texel as memory holds it."""
        words = [texel >> CHANNEL_BITS * k & 0xFFFF_FFFF for k in range(self.channels)]
        return b"".join(self.format.encode(word).to_bytes(self.format.bits // 8, "little") for word in words)

    def store(self, image: TexelImage, memory: Allocation) -> None:
        """Puts the texels into the bytes of the argument."""
        known: dict[int, bytes] = {texel: self._stored(texel) for texel in set(image.texels.values())}
        memory.data[:] = b"".join(known[image.texels[texel]] for texel in self._places())

    def _places(self) -> Iterator[Texel]:
        width, height, depth = self.whole
        return ((u, v, r, 0) for r in range(depth) for v in range(height) for u in range(width))


class ImageContent(Struct, frozen=True):
    """An image that is passed as an argument."""

    shape: ImageShape
    content: bytes
