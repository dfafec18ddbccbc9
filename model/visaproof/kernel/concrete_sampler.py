"""Reads through the sampler, on numbers: of an image that is 0 everywhere."""

from visaproof.isa.errors import NotModelled
from visaproof.kernel.sampler import SamplerRead
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Surface


def read_zeros(read: SamplerRead, memory: Surface | None, state: ConcreteState) -> None:
    """Writes 0 for each enabled lane and channel, which is what texels of 0 and a border of 0 give in any filter.

    Raises NotModelled where the image is known to hold something else.
    """
    if memory is not None and any((memory.contents if isinstance(memory, Buffer) else memory.texels).values()):
        raise NotModelled(f"a read through the sampler of {read.surface}, which is not 0 everywhere")
    lanes = [lane for lane in range(read.execution.size) if state.channel_enabled(read.execution, lane)]
    grf, index = state.platform.grf_bytes, 0
    per_channel = -(-read.execution.size * read.width // grf)  # in whole GRFs
    for channel in "RGBA":
        if channel not in str(read.channels):
            continue
        for lane in lanes:
            state.write_bytes(read.dst, index * grf + lane * read.width, read.width, 0)
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
