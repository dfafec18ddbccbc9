"""The kinds of typed surfaces, and what U, V and R name in each.  Page: TYPED_ATOMIC.md, table in Notes."""

from enum import Enum


class Axis(Enum):
    """What one coordinate of a texel names."""

    X = "X pixel address"
    Y = "Y pixel address"
    Z = "Z pixel address"
    LAYER = "Array index"


class SurfaceKind(Enum):
    """A type of surface; its value says what U, V and R name, as far as they are not N/A.

    Pixel addresses have extents of their own at each level; the layers of an array are the same at every level.
    """

    LINE = (Axis.X,)
    LINE_ARRAY = (Axis.X, Axis.LAYER)
    PLANE = (Axis.X, Axis.Y)
    PLANE_ARRAY = (Axis.X, Axis.Y, Axis.LAYER)
    VOLUME = (Axis.X, Axis.Y, Axis.Z)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.value

    @property
    def spelling(self) -> str:
        """The page's name of the type."""
        return _SPELLINGS[self]


_SPELLINGS = {
    SurfaceKind.LINE: "1D",
    SurfaceKind.LINE_ARRAY: "1D_array",
    SurfaceKind.PLANE: "2D",
    SurfaceKind.PLANE_ARRAY: "2D_array",
    SurfaceKind.VOLUME: "3D",
}


def surface_kind(spelling: str) -> SurfaceKind:
    """The kind that the page calls so.  Raises KeyError for any other word."""
    return {kind.spelling: kind for kind in SurfaceKind}[spelling]
