"""Images of a launch: from bytes to texels, and back when the launch has ended.

byte  ((r · height + v) · width + u) · 4 · channels      channels R, G, B, A of 32 bits, or R alone
"""

from collections.abc import Iterator
from dataclasses import dataclass

from visaproof.engine.launch_memory import Allocation
from visaproof.isa.surfaces import SurfaceKind
from visaproof.kernel.texels import Outside, TexelImage
from visaproof.semantics.concrete.surface import Texel

MOST_TEXELS = 1 << 20
"""Of one image."""
KINDS = (SurfaceKind.LINE, SurfaceKind.PLANE, SurfaceKind.VOLUME)


@dataclass(frozen=True, slots=True)
class ImageShape:
    """One, two or three extents, and channels of 32 bits: four, or one."""

    extents: tuple[int, ...]
    channels: int = 4

    @property
    def texels(self) -> int:
        width, height, depth = self._whole
        return width * height * depth

    @property
    def texel_bytes(self) -> int:
        return 4 * self.channels

    @property
    def size(self) -> int:
        """Bytes."""
        return self.texels * self.texel_bytes

    @property
    def _whole(self) -> tuple[int, int, int]:
        width, height, depth = (*self.extents, 1, 1)[:3]
        return width, height, depth

    def image(self, content: bytes | bytearray, sampler: Outside | None) -> TexelImage:
        """The image with these bytes."""
        step = self.texel_bytes
        texels = {
            texel: int.from_bytes(content[step * k : step * (k + 1)], "little")
            for k, texel in enumerate(self._places())
        }
        kind = KINDS[len(self.extents) - 1]
        return TexelImage((self._whole,), texels, kind, channels=self.channels, sampler=sampler)

    def store(self, image: TexelImage, memory: Allocation) -> None:
        """Puts the texels into the bytes of the argument."""
        step = self.texel_bytes
        memory.data[:] = b"".join(image.texels[texel].to_bytes(step, "little") for texel in self._places())

    def _places(self) -> Iterator[Texel]:
        width, height, depth = self._whole
        return ((u, v, r, 0) for r in range(depth) for v in range(height) for u in range(width))


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image that is passed as an argument."""

    shape: ImageShape
    content: bytes
