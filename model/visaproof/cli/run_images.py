"""The options of `visaproof run` that pass images."""

import random
import struct
from argparse import Namespace
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.errors import UsageError
from visaproof.cli.run_options import file_content, pair

if TYPE_CHECKING:
    from visaproof.engine.launch_arguments import Parameters
    from visaproof.engine.launch_images import ImageContent, ImageShape
    from visaproof.kernel.texels import Outside

IMAGE_FORMS = "for example 16x8:@FILE, 16x8:zeros, 16:random:1, 4x4x4:floats or 16x8:r32:zeros"
FORMATS = {"rgba32": 4, "r32": 1}
"""Channels of 32 bits of a texel."""


def images(arguments: Namespace, takes: "Parameters", buffers: Container[int]) -> "dict[int, ImageContent]":
    """The images by the index of their argument."""
    found: dict[int, ImageContent] = {}
    for option in arguments.image:
        index, text = pair("--image", option, takes)
        if index in found or index in buffers:
            raise UsageError(f"--image: {takes.shown(index)} is given twice")
        if index not in takes.buffers or index in takes.symbols:
            raise UsageError(f"--image {option}: {takes.shown(index)} is no image")
        found[index] = _image(option, text)
    return found


def sampler(arguments: Namespace) -> "Outside | None":
    from visaproof.kernel.texels import Outside

    return None if arguments.sampler is None else Outside(arguments.sampler)


def _image(option: str, text: str) -> "ImageContent":
    from visaproof.engine.launch_images import MOST_TEXELS, ImageContent, ImageShape

    extents, _, rest = text.partition(":")
    words = extents.split("x")
    if not rest or len(words) > 3 or not all(word.isascii() and word.isdecimal() and len(word) < 8 for word in words):
        raise UsageError(f"--image {option}: not EXTENTS:CONTENT", IMAGE_FORMS)
    layout, colon, behind = rest.partition(":")
    channels = FORMATS.get(layout) if colon else None
    shape = ImageShape(tuple(map(int, words)), channels or 4)
    if not 0 < shape.texels <= MOST_TEXELS:
        raise UsageError(f"--image {option}: {shape.texels:,} texels", f"1 to {MOST_TEXELS:,}")
    return ImageContent(shape, _content(option, behind if channels else rest, shape))


def _content(option: str, text: str, shape: "ImageShape") -> bytes:
    if text.startswith("@"):
        content = file_content(f"--image {option}", Path(text[1:]))
        if len(content) != shape.size:
            raise UsageError(f"--image {option}: {len(content):,} bytes", f"its texels have {shape.size:,}")
        return content
    kind, _, seed = text.partition(":")
    if not (seed or "0").isdecimal() or not seed.isascii() or len(seed) > 18:
        raise UsageError(f"--image {option}: no such content", IMAGE_FORMS)
    generator = random.Random(int(seed or "0"))
    match kind:
        case "zeros" if not seed:
            return bytes(shape.size)
        case "random":
            return generator.randbytes(shape.size)
        case "floats":
            count = shape.size // 4
            return struct.pack(f"<{count}f", *(generator.uniform(-1, 1) for _ in range(count)))
        case _:
            raise UsageError(f"--image {option}: no such content", IMAGE_FORMS)
