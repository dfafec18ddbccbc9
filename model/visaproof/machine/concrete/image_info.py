"""`resinfo`, concretely: width, height and depth of a level of the image, and how many levels it has."""

from visaproof.decode.image_info import CHANNEL_BYTES, ImageInfo
from visaproof.isa.errors import NotModelled, Position
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image, Surface


def write_info(info: ImageInfo, image: Surface, position: Position, state: ConcreteState) -> None:
    """Writes a dword for each enabled lane and channel; what is left undefined becomes 0.

    Raises NotModelled for a level that the image does not have.
    """
    levels = len(image.levels) if isinstance(image, Image) else 0
    lanes = [lane for lane in range(info.execution.size) if state.channel_enabled(info.execution, lane)]
    size = len(state.registers[info.dst.variable]) - info.dst.offset
    for number, start in info.places(state.platform):
        for lane in lanes:
            level = state.read_bytes(info.level, CHANNEL_BYTES * lane, CHANNEL_BYTES)
            if not isinstance(image, Image) or level >= levels:
                raise NotModelled(f"level {level} of {info.surface}, which has {levels} levels", position)
            value = (*image.extents(level), levels)[number]
            state.write_bytes(info.dst, start + CHANNEL_BYTES * lane, CHANNEL_BYTES, value)
        behind = start + info.execution.size * CHANNEL_BYTES
        for byte in range(behind, min(behind + info.rest(state.platform), size)):
            state.write_bytes(info.dst, byte, 1, 0)
