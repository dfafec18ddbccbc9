"""What is known of the groups of a launch before it is known: dimensions, sizes, and who may lay out the local ids."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from msgspec import Struct

from visaproof.isa.identity import Same
from visaproof.isa.implicit_arguments import IDS
from visaproof.isa.platform import THREAD_NUMBER_BYTE, THREAD_NUMBER_SINCE, Platform
from visaproof.launch.ids.laid_out import local_id_count, takes_only_images
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS, XYZ, Host, LaidOut, Triple
from visaproof.launch.input_meaning import LaunchValue, LocalId
from visaproof.launch.launch import Launch
from visaproof.program.def_use import spans_read
from visaproof.program.kernel import Kernel
from visaproof.program.lower import Runnable, lowered

LOCAL_SIZES = (LaunchValue.LOCAL_SIZE, LaunchValue.ENQUEUED_LOCAL_SIZE)
"""Of the group itself, and of all but the last."""
Row = tuple[Triple | None, ...]
LARGEST_SIZE = (1 << 16) - 1
"""Local ids and sizes are words.  Source: corpus README, payload_base."""

_NAME = re.compile(r"[A-Za-z_%$][\w%$.]*")


class GroupShape(Struct, frozen=True):
    """A kernel's groups, as far as its launch information says it."""

    kernel: Kernel
    launch: Launch
    simd: int
    """Lanes of a thread; 1 for the VectorCompiler, 0 where it is not known."""
    lifted: frozenset[str] = frozenset()
    """The premises of a launch that are not assumed."""

    @property
    def size(self) -> Triple | None:
        """The local size of every group; None where it is open, or that of the last group is."""
        return None if "whole-groups" in self.lifted and not self.whole else self.launch.group_size

    @property
    def whole(self) -> bool:
        """Whether no group is smaller than the enqueued local size, because the program refuses it."""
        return bool(self.launch.uniform)

    @property
    def most(self) -> int:
        """What the local size is at most, in each dimension."""
        return LARGEST_SIZE if "local-size" in self.lifted else MOST_GROUP_ITEMS

    @property
    def id_bits(self) -> int:
        """Of the greatest local id."""
        return (self.most - 1).bit_length()

    @property
    def counted(self) -> bool:
        """Whether lanes count through the work items of a group; else those that are on may run any."""
        return ("local-ids" if self.read else "first-lanes") not in self.lifted

    @property
    def open(self) -> tuple[int, ...]:
        """The dimensions that may have a local size above 1; none where it is open, and no local id is read."""
        read, stated = self.read, self.launch.group_size
        if stated is not None:
            return tuple(d for d in range(3) if stated[d] > 1) or (0,)
        return (0, 1, 2) if read and "unread-dimensions" in self.lifted else read

    def most_in(self, dimension: int) -> int:
        """What the local size is at most in a dimension."""
        return self.most if self.launch.group_size is None else self.launch.group_size[dimension]

    @property
    def read(self) -> tuple[int, ...]:
        """The dimensions of which the kernel reads the local ids; the number of its thread alone is one of x."""
        return tuple(sorted(set(self._read()))) or ((0,) if self.numbered else ())

    @property
    def numbered(self) -> bool:
        """Whether the kernel gets to know the number of its thread in the group from r0."""
        platform = self.launch.platform
        return platform is not None and platform >= THREAD_NUMBER_SINCE and _reads_number(Same(self.kernel), platform)

    def _read(self) -> Iterator[int]:
        owners = _owners_of(Same(self.kernel))
        for item in self.kernel.inputs:
            for piece in self.launch.pieces(item.variable) if item.variable in owners or item.variable == IDS else ():
                if isinstance(piece.meaning, LocalId):
                    yield piece.meaning.dimension

    def ways(self) -> tuple[LaidOut, ...]:
        """Who may lay out the ids: each device, host and demanded order that is possible."""
        platform = self.launch.platform
        platforms = (platform,) if platform is not None else (Platform.TGLLP, Platform.DG2)
        hosts = (self.launch.host,) if self.launch.host is not None else tuple(Host)
        only_images = takes_only_images(self.kernel, self.launch)
        tiles = dict.fromkeys(host is Host.OPENCL and only_images for host in hosts)
        if only_images and self.launch.only_images is None:
            tiles |= {False: None}
        orders = (self.launch.walk_order,) if self.order_known else (None, XYZ)
        ids = local_id_count(self.kernel, self.launch)
        return tuple(
            LaidOut(one, self.simd, ids, tiled, order) for one in platforms for tiled in tiles for order in orders
        )

    @property
    def order_known(self) -> bool:
        return self.launch.order_known or self.launch.walk_order is not None

    def places(self, meanings: tuple[LaunchValue, ...], dimension: int) -> Iterator[tuple[str, int]]:
        """Where the payload has a size (or offset) of this dimension."""
        for item in self.kernel.inputs:
            for piece in self.launch.pieces(item.variable):
                inside = 4 * dimension - piece.first_byte
                if piece.meaning in meanings and piece.offset % 4 == 0 and 0 <= inside <= piece.size - 4:
                    yield item.variable, piece.offset + inside

    def local_ids(self) -> Iterator[tuple[tuple[str, int], int, int]]:
        """Where the payload has a local id, its dimension and its lane."""
        for item in self.kernel.inputs:
            for piece in self.launch.pieces(item.variable):
                if isinstance(meaning := piece.meaning, LocalId):
                    for k in range(piece.size // 2):
                        if meaning.first_lane + k < max(1, self.simd):
                            place = item.variable, piece.offset + 2 * k
                            yield place, meaning.dimension, meaning.first_lane + k


@lru_cache(maxsize=4)
def _owners_of(same: Same[Kernel]) -> frozenset[str]:
    """The registers that words of a kernel's statements name, or have an alias of: asked for every scatter."""
    registers = same.it.registers
    words = {word for one in same.it.instructions() for word in _NAME.findall(one.text)}
    return frozenset(registers[word].owner for word in words if word in registers)


@lru_cache(maxsize=4)
def _reads_number(same: Same[Kernel], platform: Platform) -> bool:
    """Whether a statement reads r0 from the number of the thread on."""
    statements = lowered(cast(Runnable, same.it), platform).run_statements()
    spans = (span for one in statements for span in spans_read(one))
    return any(name == "%r0" and first == THREAD_NUMBER_BYTE for name, first, _ in spans)


@lru_cache(maxsize=256)
def rows_of(way: LaidOut, size: Triple) -> tuple[Row, ...]:
    """The local ids of each lane of each thread."""
    return way.layout(size)
