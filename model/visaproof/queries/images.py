"""Typed surfaces of any extents, and what they are where the extents have values."""

from collections.abc import Iterator, Mapping
from typing import cast

from visaproof.isa.surfaces import Axis, SurfaceKind
from visaproof.semantics.concrete.surface import Image
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage, SymbolicSurface
from visaproof.smt import BitVec, Term, const, evaluate, symbol


def arbitrary_image(kind: SurfaceKind, levels: int = 1) -> SymbolicImage:
    """A typed surface of any extents at each of its levels; one that is 0 wide has no texels, as if it were not there.

    What the kind does not have is 1.
    """

    def extent(axis: Axis, name: str) -> BitVec:
        return symbol(name, 32) if axis in kind.axes else const(1, 32)

    pixels = [
        (extent(Axis.X, f"width{suffix}"), extent(Axis.Y, f"height{suffix}"), extent(Axis.Z, f"depth{suffix}"))
        for suffix in ("", *(f".{level}" for level in range(1, levels)))
    ]
    return SymbolicImage(tuple(pixels), kind, extent(Axis.LAYER, "layers"))


def extents_of(surface: SymbolicSurface) -> Iterator[BitVec]:
    """Everything that says how far a surface goes."""
    if isinstance(surface, SymbolicBuffer):
        yield surface.size
    else:
        yield surface.layers
        for level in surface.levels:
            yield from level


def concrete_image(surface: SymbolicImage, values: Mapping[Term, int]) -> Image:
    """The surface that these values of the symbols stand for, without texels."""
    levels = (tuple(evaluate(extent, values) for extent in level) for level in surface.levels)
    return Image(
        tuple(cast(tuple[int, int, int], level) for level in levels),
        kind=surface.kind,
        layers=evaluate(surface.layers, values),
    )
