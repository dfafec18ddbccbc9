"""How the work items of a launch become groups; those of a group become threads in `launch.ids.local_ids`."""

from collections.abc import Iterator

from msgspec import Struct

from visaproof.launch.ids.local_ids import Triple

MOST_ITEMS = 1 << 22
"""Work items of a launch; more take hours."""


class Shape(Struct, frozen=True):
    """The sizes of a launch, in work items; `offset` is that of the global ids.

    The last group of a dimension has what is left.
    """

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
        x, y, z = (-(-whole // part) for whole, part in zip(self.global_size, self.local_size, strict=True))
        return x, y, z

    @property
    def is_uniform(self) -> bool:
        """Whether all groups are of one size."""
        return not any(whole % part for whole, part in zip(self.global_size, self.local_size, strict=True))

    def size_of(self, group: Triple) -> Triple:
        """The local size of the group with these ids."""
        each = zip(self.global_size, self.local_size, group, strict=True)
        x, y, z = (min(part, whole - number * part) for whole, part, number in each)
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


def _product(triple: Triple) -> int:
    return triple[0] * triple[1] * triple[2]


class ThreadId(Struct, frozen=True):
    """One thread of a launch."""

    group: Triple
    number: int
    """In its group."""

    def __str__(self) -> str:
        return f"group {','.join(map(str, self.group))}, thread {self.number}"
