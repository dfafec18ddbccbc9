"""Which work item a lane runs: how the work items of a group become threads, lanes and local ids.

Items are numbered; lane l of thread t runs item simd · t + l, and lanes past the size of the group are off.  Who makes
the ids decides how a number becomes (x, y, z):

    the driver     the demanded order, else x fastest, then y, then z
    its tiles      OpenCL kernels with images and no buffers: 4 × 4 at 16 lanes, 2 × 4 at 8, 4 × 8 at 32
    the hardware   XeHP and later: the first order that fits, so that y may be fastest

Source: compute-runtime 26.31.39395.13, `isRuntimeLocalIdsGenerationRequired` in command_encoder_xehp_and_later.inl,
`generateLocalIDs` in local_id_gen*, `usingImagesOnly` in opencl/source/kernel/kernel.cpp.
"""

from collections.abc import Iterable
from enum import Enum
from math import prod

from msgspec import Struct

from visaproof.isa.platform import Platform
from visaproof.launch.input_meaning import DIMENSIONS

Triple = tuple[int, int, int]
Order = tuple[int, int, int]
"""Dimensions, the fastest first."""

XYZ: Order = (0, 1, 2)
ORDERS: tuple[Order, ...] = (XYZ, (0, 2, 1), (1, 0, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0))
"""Those of the hardware, in the order in which the driver tries them."""

NO_ORDER = (0, 0, 0)
"""What ze_info has where no order is demanded."""

MOST_GROUP_ITEMS = 1024
"""Work items of a group: no device of Intel's has more, and the hardware makes ids of no more."""

TILE_SIDE = 4
"""Rows of a tile, and its columns but at 8 lanes; what the size in y is a multiple of."""


class Host(Enum):
    """The API that launches: only the OpenCL driver lays out tiles."""

    OPENCL = "opencl"
    LEVEL_ZERO = "level-zero"


class LaidOut(Struct, frozen=True):
    """What decides about the local ids of a kernel, beside the size of its groups."""

    platform: Platform
    simd: int
    """Lanes of a thread; 1 for a kernel of the VectorCompiler."""
    ids: int
    """In how many dimensions the payload of a thread has local ids."""
    tiles: bool = False
    """Whether the host is OpenCL's, and the kernel takes images and no buffers."""
    demanded: Order | None = None
    """`intel_reqd_workgroup_walk_order` of the source."""

    def threads(self, size: Triple) -> int:
        """Threads of a group."""
        return -(-prod(size) // self.simd)

    def lanes(self, size: Triple, thread: int) -> int:
        """How many lanes of a thread are on, from the first one on."""
        return max(0, min(self.simd, prod(size) - thread * self.simd))

    def layout(self, size: Triple) -> tuple[tuple[Triple | None, ...], ...]:
        """The local ids of each lane of each thread; None where it is off."""
        items = iter(self.items(size))
        return tuple(tuple(next(items, None) for _ in range(self.simd)) for _ in range(self.threads(size)))

    def items(self, size: Triple) -> Iterable[Triple]:
        """The local ids of the items of a group, by their number."""
        if self.in_tiles(size):
            return [_in_tile(number, size, self.simd) for number in range(prod(size))]
        order = self.order(size)
        return [_in_order(number, size, order) for number in range(prod(size))]

    def in_tiles(self, size: Triple) -> bool:
        """Whether the driver lays out a tile for each thread."""
        if not self.tiles or self.simd == 1 or self.hardware_order(size) or (self.demanded or XYZ)[:2] != XYZ[:2]:
            return False
        return not size[0] % tile_columns(self.simd) and not size[1] % TILE_SIDE and size[2] == 1

    def described(self, size: Triple) -> str:
        """In a word: the order, or tiles."""
        return "tiles" if self.in_tiles(size) else "-".join(DIMENSIONS[dimension] for dimension in self.order(size))

    def order(self, size: Triple) -> Order:
        """The order in which the items are numbered, where they are in no tiles."""
        return self.hardware_order(size) or self.demanded or XYZ

    def hardware_order(self, size: Triple) -> Order | None:
        """The order in which the hardware makes the ids; None where the driver makes them."""
        unread = any(size[dimension] > 1 for dimension in range(self.ids, len(size)))
        if not self.by_hardware or unread or prod(size) > MOST_GROUP_ITEMS:
            return None
        orders = ORDERS if self.demanded is None else (self.demanded,)
        return next((order for order in orders if self._fits(order, size)), None)

    @property
    def by_hardware(self) -> bool:
        """Whether the device has hardware for it."""
        return self.platform >= Platform.XeHP_SDV and self.simd > 1

    def _fits(self, order: Order, size: Triple) -> bool:
        """Whether all of its dimensions with ids but the last have sizes that are powers of two."""
        *faster, _ = [dimension for dimension in order if dimension < max(1, self.ids)]
        return all(is_power_of_two(size[dimension]) for dimension in faster)


def tile_columns(simd: int) -> int:
    """What the size in x is a multiple of, for tiles."""
    return 2 if simd == 8 else TILE_SIDE


def is_power_of_two(size: int) -> bool:
    return size & (size - 1) == 0


def _in_order(number: int, size: Triple, order: Order) -> Triple:
    ids = [0, 0, 0]
    for dimension in order:
        number, ids[dimension] = divmod(number, size[dimension])
    return ids[0], ids[1], ids[2]


def _in_tile(number: int, size: Triple, simd: int) -> Triple:
    """Bands of rows; in a band blocks of columns from left to right; in a block row after row."""
    width, columns = size[0], tile_columns(simd)
    rows = simd // columns
    band, inside = divmod(number, width * rows)
    rows = min(rows, size[1] - band * rows)  # the last band of 4 × 8 may have 4
    block, place = divmod(inside, columns * rows)
    row, column = divmod(place, columns)
    return block * columns + column, band * (simd // columns) + row, 0
