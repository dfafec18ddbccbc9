"""Memory with the buffers that a launch put into it.

Accesses do what they do in any run; what is noted is whether they miss.
"""

from dataclasses import dataclass

from visaproof.semantics.concrete.surface import Buffer, Miss


@dataclass
class BufferSpace(Buffer):
    """All 2^64 bytes; an access that is not wholly inside one buffer is noted, and happens all the same (D12b)."""

    windows: tuple[range, ...] = ()
    """The addresses of each buffer."""

    def _misses(self, address: int, width: int) -> bool:
        end = address + width
        if self.misses is not None and not any(one.start <= address and end <= one.stop for one in self.windows):
            self.misses.append(Miss((address,), width))
        return end > self.size
