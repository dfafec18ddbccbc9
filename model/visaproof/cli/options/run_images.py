"""The options of `visaproof run` that pass images."""

import random
import struct
from argparse import Namespace
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.errors import UsageError
from visaproof.cli.options.run_options import file_content, pair

if TYPE_CHECKING:
    from visaproof.decode.texels import Outside
    from visaproof.execution.arguments import Parameters
    from visaproof.execution.images import ImageContent, ImageShape

IMAGE_FORMS = "for example 16x8:@FILE, 16x8:rgba8:random:1, 16:r32:zeros or 4x4x4:floats; `run --help` has the formats"


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
    from visaproof.decode.texels import Outside

    return None if arguments.sampler is None else Outside(arguments.sampler)


def _image(option: str, text: str) -> "ImageContent":
    from visaproof.decode.texel_formats import FORMATS
    from visaproof.execution.images import MOST_TEXELS, ImageContent, ImageShape

    extents, _, rest = text.partition(":")
    words = extents.split("x")
    if not rest or len(words) > 3 or not all(word.isascii() and word.isdecimal() and len(word) < 8 for word in words):
        raise UsageError(f"--image {option}: not EXTENTS:CONTENT", IMAGE_FORMS)
    layout, colon, behind = rest.partition(":")
    known = FORMATS.get(layout) if colon else None
    shape = ImageShape(tuple(map(int, words)), *(known or FORMATS["rgba32"]))
    if not 0 < shape.texels <= MOST_TEXELS:
        raise UsageError(f"--image {option}: {shape.texels:,} texels", f"1 to {MOST_TEXELS:,}")
    return ImageContent(shape, _content(option, behind if known else rest, shape))


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
            return _without_nan(generator.randbytes(shape.size), shape)
        case "floats":
            numbers = [generator.uniform(-1, 1) for _ in range(shape.texels * shape.channels)]
            return _floats(option, numbers, shape)
        case _:
            raise UsageError(f"--image {option}: no such content", IMAGE_FORMS)


def _floats(option: str, numbers: list[float], shape: "ImageShape") -> bytes:
    """The numbers in channels of the image."""
    from visaproof.decode.texel_formats import ChannelKind

    match shape.format.kind:
        case ChannelKind.RAW:
            return struct.pack(f"<{len(numbers)}f", *numbers)
        case ChannelKind.FLOAT:
            return struct.pack(f"<{len(numbers)}e", *numbers)
        case _:
            raise UsageError(f"--image {option}: no floats are in its channels", "`random` or `zeros`")


def _without_nan(content: bytes, shape: "ImageShape") -> bytes:
    """16-bit floats below infinity: the top bit of each exponent is off."""
    from visaproof.decode.texel_formats import ChannelKind

    if shape.format.kind is not ChannelKind.FLOAT:
        return content
    return bytes(byte & 0xBF if place % 2 else byte for place, byte in enumerate(content))
