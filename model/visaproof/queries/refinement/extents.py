"""How large images are at most.

Source: compute-runtime, `Device::initializeCaps`: 16,384 texels in x and y, 2,048 in z, 2,048 layers.
"""

from collections.abc import Iterator

from visaproof.queries.refinement.side import Side
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import BitVec, Bool, const, symbol, ule, value_of

MOST_TEXELS = 1 << 14
"""In x and in y."""
MOST_LAYERS = 1 << 11
"""And texels in z."""


def limits(*sides: Side) -> tuple[Bool, ...]:
    """That images of two or more dimensions are no larger; one dimension may be that of a buffer, which may be."""
    return tuple(dict.fromkeys(limit for side in sides for limit in _limits(side)))


def _limits(side: Side) -> Iterator[Bool]:
    planes = {one.surface for one in side.trace.performed if any(_has_rows(access.cell) for access in one.accesses)}
    for key, surface in side.trace.surfaces.items():
        if key in planes and isinstance(surface, SymbolicImage):
            for level, extents in enumerate(surface.levels):
                for name, extent in zip(("width", "height", "depth"), extents, strict=True):
                    most = MOST_LAYERS if name == "depth" else MOST_TEXELS
                    yield ule(symbol(f"{name}.{side.surface(key)}.{level}", extent.width), const(most, extent.width))


def _has_rows(cell: tuple[BitVec, ...]) -> bool:
    """Whether a place in an image names a row."""
    return len(cell) > 1 and value_of(cell[1]) != 0
