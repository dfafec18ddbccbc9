"""The memory of a launch, as its caller gives it."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from visaproof.machine.arrays.arrays import Bytes
from visaproof.semantics.concrete.surface import Image


class Memories(Struct, frozen=True):
    """Byte arrays, changed in place by a run.

    Each is C-contiguous uint8: (bytes,) for memory that all threads share, (groups, bytes) for one piece per group,
    and for `%scratch` (threads, bytes), one piece per thread; a thread has no byte there but those of its piece.
    Arrays may share storage: a write through one is then seen through the other.
    """

    surfaces: Mapping[str, Bytes] = field(default_factory=dict[str, Bytes])
    """By key: `bti 0`, `bindless V0034.0`, `%slm`, …, see `SurfaceBindings`."""
    flat: Sequence[tuple[int, Bytes]] = ()
    """What lies in the space of 64-bit addresses: the address of its first byte, and the bytes.

    They do not overlap there.  An access that is not wholly in one of them reads 0, and drops what it writes, unless
    `only_flat` says that it is undefined.
    """
    images: Mapping[str, Sequence[Image]] = field(default_factory=dict[str, Sequence[Image]])
    """Typed surfaces by key: one for all threads, or one per group."""
    only_flat: bool = False
    """Whether there is no byte in the space of 64-bit addresses but those of `flat`: other accesses are undefined."""
    local_tag: int = 0
    """What addresses of shared local memory may carry: those from it on to twice it stand for those from 0 on."""
