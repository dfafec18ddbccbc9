"""Memory with what a launch put into it: buffers at 64-bit addresses, and shared local memory at tagged ones.

Accesses do what they do in any run; what is noted is whether they miss.
"""

from dataclasses import dataclass

from visaproof.isa.operands import SLM_TAG
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


@dataclass
class LocalBuffer(Buffer):
    """Shared local memory: an address that carries IGC's tag is that without it."""

    def _misses(self, address: int, width: int) -> bool:
        place = address - SLM_TAG if SLM_TAG <= address < 2 * SLM_TAG else address
        outside = place + width > self.size
        if outside and self.misses is not None:
            self.misses.append(Miss((address,), width))
        return outside
