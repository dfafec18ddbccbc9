"""How many bytes of shared local memory a group has, by the kernel itself or by its launch information.

The driver rounds up what a kernel asks for: to a power of two, or on later devices to less.  Source: compute-runtime,
`alignedSlmSize` and `computeSlmValues`.
"""

from msgspec import Struct

from visaproof.launch.launch import Launch, SlmAddress
from visaproof.program.kernel import Kernel

UNIT = 1 << 10
"""Bytes: the driver gives whole KiB."""

LARGEST_LOCAL = 1 << 17
"""Bytes: no device has more for a group."""


class LocalMemory(Struct, frozen=True):
    """What is known of the size of a group's shared local memory, in bytes."""

    least: int = 0
    most: int = LARGEST_LOCAL
    said: bool = False
    """Whether the kernel or its launch information says it."""

    def within(self, size: int) -> int:
        """The size that is nearest."""
        return min(max(size, self.least), self.most)

    def __str__(self) -> str:
        return f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"


ANY_LOCAL_MEMORY = LocalMemory()
"""Where nothing says how much there is."""


def local_memory(kernel: Kernel, launch: Launch) -> LocalMemory:
    """The sizes that a group of this kernel may find."""
    if kernel.local_bytes is not None:
        return _rounded(kernel.local_bytes)
    known = _rounded(launch.slm_bytes)
    if passes_local_memory(kernel, launch):
        return LocalMemory(known.least, said=True)
    return known if launch.slm_bytes else ANY_LOCAL_MEMORY


def passes_local_memory(kernel: Kernel, launch: Launch) -> bool:
    """Whether the caller gives the kernel more of it."""
    return any(
        isinstance(piece.meaning, SlmAddress) for item in kernel.inputs for piece in launch.pieces(item.variable)
    )


def scratch_bytes(kernel: Kernel, launch: Launch) -> int:
    """How many bytes of `%scratch` a thread has for its private variables: as the kernel says, else its launch."""
    return launch.scratch_bytes if kernel.scratch_bytes is None else kernel.scratch_bytes


def _rounded(size: int) -> LocalMemory:
    """From the next whole KiB on to the next power of two."""
    least = min(-(-size // UNIT) * UNIT, LARGEST_LOCAL)
    return LocalMemory(least, min(1 << (least - 1).bit_length(), LARGEST_LOCAL) if least else 0, said=True)
