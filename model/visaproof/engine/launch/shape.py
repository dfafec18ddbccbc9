"""How the work items of a launch become groups, and those of a group threads.

Work items of a group are numbered with x fastest; thread k has the `simd` of them from k·simd on, one in each lane.
"""

from collections.abc import Iterator
from dataclasses import dataclass

Triple = tuple[int, int, int]

MOST_ITEMS = 1 << 22
"""Work items of a launch; more take hours."""
MOST_GROUP_ITEMS = 1024
"""Work items of a group; Intel's devices have at most 1,024."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a launch, in work items; `offset` is that of the global ids."""

    global_size: Triple
    local_size: Triple
    offset: Triple = (0, 0, 0)
    dimensions: int = 3

    @property
    def group_items(self) -> int:
        return _product(self.local_size)

    @property
    def items(self) -> int:
        return _product(self.global_size)

    @property
    def group_count(self) -> Triple:
        x, y, z = (whole // part for whole, part in zip(self.global_size, self.local_size, strict=True))
        return x, y, z

    @property
    def group_total(self) -> int:
        return _product(self.group_count)

    def group(self, number: int) -> Triple:
        """The group ids of a group, counted with x fastest."""
        count_x, count_y, _ = self.group_count
        return number % count_x, number // count_x % count_y, number // (count_x * count_y)

    def groups(self) -> Iterator[Triple]:
        return map(self.group, range(self.group_total))

    def threads(self, simd: int) -> int:
        """Threads of a group."""
        return -(-self.group_items // simd)

    def lanes(self, thread: int, simd: int) -> int:
        """The work items of a thread: all lanes but for the last thread of a group."""
        return min(simd, self.group_items - thread * simd)

    def local_id(self, thread: int, lane: int, simd: int) -> Triple:
        """The local id of a lane; (0, 0, 0) for a lane without work item."""
        item = thread * simd + lane
        if item >= self.group_items:
            return 0, 0, 0
        size_x, size_y, _ = self.local_size
        return item % size_x, item // size_x % size_y, item // (size_x * size_y)


def _product(triple: Triple) -> int:
    return triple[0] * triple[1] * triple[2]


@dataclass(frozen=True, slots=True)
class ThreadId:
    """One thread of a launch."""

    group: Triple
    number: int
    """In its group."""

    def __str__(self) -> str:
        return f"group {','.join(map(str, self.group))}, thread {self.number}"
