"""The other threads of the group of a launch: lanes of one scatter collide in one, and those of its twin in another.

    tile[y · 33 + x]      rows of 47 work items: lanes 0 to 15, and those from 16 on, collide in threads of their own

A compiler splits a scatter of 32 lanes in two, so that the launch that shows a conflict of one shows one of the other.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.launch.ids.group_shape import GroupShape, rows_of
from visaproof.launch.ids.local_ids import Triple
from visaproof.launch.ids.open_ids import values_of_thread
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.smt.evaluate import evaluate_all


class Threads(Struct):
    """Those of the groups of one kernel, by the local size."""

    asked: Asked
    shape: GroupShape
    _of_size: dict[Triple, tuple[Values, ...]] = field(default_factory=dict[Triple, tuple[Values, ...]])

    def of_groups(self, shown: Iterable[Values]) -> Iterator[Values]:
        """The values with what says that it is another thread, for each thread of their groups."""
        for values in shown:
            yield from self._of_group(values)

    def _of_group(self, values: Values) -> Iterator[Values]:
        launched = self.asked.start.group.launched
        if launched is None or not launched.usual:
            return
        for size in self._sizes(evaluate_all(launched.sizes, values)):
            if size not in self._of_size:
                self._of_size[size] = tuple(self._threads(size))
            for thread in self._of_size[size]:
                yield {**values, **thread}

    def _sizes(self, size: Sequence[int]) -> Iterator[Triple]:
        """This one, and as many rows of it as a group may have."""
        (x, y, z), shape = size, self.shape
        if not 0 < x * y * z <= shape.most:
            return
        yield x, y, z
        if shape.size is None and shape.open[1:]:
            last = max(shape.open)
            most = shape.most // (x * y * z // size[last])
            yield x, most if last == 1 else y, most if last == 2 else z

    def _threads(self, size: Triple) -> Iterator[Values]:
        launched, lanes, shape = self.asked.start.group.launched, launched_lanes(self.asked.kernel), self.shape
        found = list[Values]()
        for way in shape.ways():
            for thread in range(len(rows_of(way, size))):
                values = values_of_thread(shape, shape.open, way, size, thread)
                if launched is not None and values not in found:
                    found.append(values)
                    yield launched.with_lanes(values, lanes)
