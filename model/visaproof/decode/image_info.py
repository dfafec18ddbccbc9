"""`resinfo`: the extents of an image.  Source: docs/pages/current-compiler.md §8; no page describes it."""

from msgspec import Struct

from visaproof.decode.statement import Statement, execution_of
from visaproof.decode.surfaces import read_surface
from visaproof.isa.operands import Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.visaasm.syntax import Instruction, Kernel

CHANNELS = "RGBA"
"""Width, height, depth, and the number of levels."""
LEVELS = 3
"""The channel that is no extent."""
CHANNEL_BYTES = 4


class ImageInfo(Struct, frozen=True):
    """The statement: each lane asks about one level of the image."""

    execution: Execution
    channels: Channels
    surface: str
    level: RawOperand
    """A dword of each lane."""
    dst: RawOperand

    def places(self, platform: Platform) -> list[tuple[int, int]]:
        """Each channel, with the byte behind the destination at which its dwords begin: in a GRF of its own."""
        slot = max(self.execution.size * CHANNEL_BYTES, platform.grf_bytes)
        present = [number for number, name in enumerate(CHANNELS) if name in str(self.channels)]
        return [(number, slot * place) for place, number in enumerate(present)]

    def rest(self, platform: Platform) -> int:
        """Bytes behind the dwords of a channel, up to the next GRF, that are left undefined."""
        return max(0, platform.grf_bytes - self.execution.size * CHANNEL_BYTES)


def image_info(instruction: Instruction, kernel: Kernel, platform: Platform) -> ImageInfo:
    """The statement.  Raises ReadError for operands that do not fit."""
    statement = Statement(instruction, kernel, platform)
    surface, level, dst = instruction.operands
    return ImageInfo(
        execution_of(instruction),
        statement.channels(instruction.suffixes[0]),
        read_surface(statement, surface),
        statement.raw(level),
        statement.raw(dst),
    )
