"""How large images are.

Sources: compute-runtime, `Device::initializeCaps`: 16,384 texels in x and y, 2,048 in z, 2,048 layers; OpenCL 3.0,
clCreateImage: no extent of an image is 0.
"""

from collections.abc import Callable, Iterator

from visaproof.launch.premises import premise
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.names import AXES, Extent
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import BitVec, Bool, const, symbol, ule, value_of

MOST_TEXELS = 1 << 14
"""In x and in y."""
MOST_LAYERS = 1 << 11
"""And texels in z."""
EXTENTS = premise("image-extents", texels=f"{MOST_TEXELS:,}", layers=f"{MOST_LAYERS:,}")


def limits(trace: Trace, name: Callable[[str], str] = str) -> tuple[Bool, ...]:
    """That images of two or more dimensions are neither empty nor larger; one dimension may be that of a buffer.

    `name` is that of a surface in the symbols of its extents, by the kernel's own name of it.
    """
    return tuple(_limits(trace, name))


def _limits(trace: Trace, name: Callable[[str], str]) -> Iterator[Bool]:
    planes = {one.surface for one in trace.performed if any(_has_rows(access.cell) for access in one.accesses)}
    for key, surface in trace.surfaces.items():
        if key in planes and isinstance(surface, SymbolicImage):
            for level, extents in enumerate(surface.levels):
                for axis, extent in zip(AXES, extents, strict=True):
                    own = symbol(Extent(axis, name(key), level), extent.width)
                    most = MOST_LAYERS if axis == "depth" else MOST_TEXELS
                    yield ule(const(1, extent.width), own)
                    yield ule(own, const(most, extent.width))


def _has_rows(cell: tuple[BitVec, ...]) -> bool:
    """Whether a place in an image names a row."""
    return len(cell) > 1 and value_of(cell[1]) != 0
