"""Reads through the sampler, concretely: of an image that is 0 everywhere, or of texels that are known."""

import struct
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from visaproof.decode.sampler import LOAD, WITH_LEVEL, SamplerRead
from visaproof.decode.texels import RawImage, TexelImage, sampled
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import NULL
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Surface

_FORMATS = {
    DataType.HF: "<e",
    DataType.F: "<f",
    DataType.W: "<h",
    DataType.UW: "<H",
    DataType.D: "<i",
    DataType.UD: "<I",
}


def read_zeros(read: SamplerRead, opcode: str, memory: Surface | None, state: ConcreteState) -> None:
    """Writes 0 for each enabled lane and channel, which is what texels of 0 and a border of 0 give in any filter.

    An image that notes who reads it gets to know the texels that are named as such.  Raises NotModelled where the image
    is known to hold something else.
    """
    _note(read, opcode, memory, state)
    if memory is not None and any((memory.contents if isinstance(memory, Buffer) else memory.texels).values()):
        raise NotModelled(f"a read through the sampler of {read.surface}, which is not 0 everywhere")
    _write(read, state, _enabled(read, state), lambda lane, channel: 0)


def read_raw(read: SamplerRead, opcode: str, memory: Surface | None, sampler: int | None, state: ConcreteState) -> None:
    """Reads texels of 32-bit channels as they were before anything was stored, in an image that is not 0 everywhere.

    Raises NotModelled where that is not known.
    """
    if not isinstance(memory, RawImage) or not any(memory.before.values()):
        read_zeros(read, opcode, memory, state)
        return
    _note(read, opcode, memory, state)
    if memory.texels != memory.before:  # the sampler may have kept what was there
        raise NotModelled(f"a read through the sampler of {read.surface} behind a store to it")
    missing = [(NULL, DataType.UD)] * (len(memory.kind.axes) + (opcode == WITH_LEVEL) - len(read.coordinates))
    whole = replace(read, coordinates=(*read.coordinates, *missing)) if read.coordinates else read
    outside = None if sampler is None else memory.samplers.get(sampler)
    read_texels(whole, opcode, TexelImage(memory.levels, memory.texels, memory.kind, sampler=outside), state)


def _note(read: SamplerRead, opcode: str, memory: Surface | None, state: ConcreteState) -> None:
    """Tells an image which of its texels are named."""
    if opcode == LOAD and isinstance(memory, Image) and read.texel_offset == 0:
        for lane in _enabled(read, state):
            _reach(memory, _coordinates(read, state, lane))


def _reach(image: Image, coordinates: Sequence[int | float]) -> None:
    """Reads the texel that integers name, if there is one."""
    u, v, r = (*(place if isinstance(place, int) else -1 for place in coordinates), 0, 0, 0)[:3]
    if min(u, v, r) >= 0 and image.contains((u, v, r, 0)):
        for channel in range(4):
            image.channel((u, v, r, 0), channel)


def read_texels(read: SamplerRead, opcode: str, image: TexelImage, state: ConcreteState) -> None:
    """Writes the texel that each enabled lane names, dwords as they are.  Raises NotModelled for any other read."""
    if not read.of_texels:
        raise NotModelled(f"{opcode} of this form in a launch")
    lanes = _enabled(read, state)
    texels = {lane: sampled(image, opcode, _coordinates(read, state, lane)) for lane in lanes}
    _write(read, state, lanes, lambda lane, channel: texels[lane][channel])


def _coordinates(read: SamplerRead, state: ConcreteState, lane: int) -> list[int | float]:
    """A lane's coordinates as numbers of their types."""
    found: list[int | float] = []
    for operand, data_type in read.coordinates:
        if operand == NULL:  # what is not given is 0
            found.append(0)
            continue
        content = state.read_bytes(operand, data_type.size * lane, data_type.size).to_bytes(data_type.size, "little")
        (value,) = struct.unpack(_FORMATS[data_type], content)
        found.append(value)
    return found


def _enabled(read: SamplerRead, state: ConcreteState) -> list[int]:
    return [lane for lane in range(read.execution.size) if state.channel_enabled(read.execution, lane)]


def _write(read: SamplerRead, state: ConcreteState, lanes: list[int], value: Callable[[int, int], int]) -> None:
    """Writes the data of each enabled lane and channel."""
    grf, index = state.platform.grf_bytes, 0
    per_channel = -(-read.execution.size * read.width // grf)  # in whole GRFs
    for number, channel in enumerate("RGBA"):
        if channel not in str(read.channels):
            continue
        for lane in lanes:
            state.write_bytes(read.dst, index * grf + lane * read.width, read.width, value(lane, number))
        _clear(read, state, index * grf + read.execution.size * read.width, (index + per_channel) * grf)
        index += per_channel
    if read.null_mask:  # Page: "the bit for all pixels set to 1 except […] a null page"
        state.write_bytes(read.dst, index * grf, 4, (1 << read.execution.size) - 1)
        _clear(read, state, index * grf + 4, (index + 1) * grf)


def _clear(read: SamplerRead, state: ConcreteState, start: int, end: int) -> None:
    """Page: "the remaining portions of the register have undefined values"; 0 is one of them."""
    size = len(state.registers[read.dst.variable]) - read.dst.offset
    for byte in range(start, min(end, size)):
        state.write_bytes(read.dst, byte, 1, 0)
