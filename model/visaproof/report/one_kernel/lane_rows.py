"""Rows of a table of lanes, in which neighbours with accesses at even distances are one row."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

LEAST = 3
"""Fewer lanes are shown one by one."""


class LaneRow(Struct, frozen=True):
    """A lane with one access, of which `mark` says what the row says of it."""

    lane: int
    first: int
    width: int
    mark: str = ""


class Rows(Struct, frozen=True):
    """Lanes next to each other, whose accesses are `stride` bytes apart."""

    lanes: tuple[LaneRow, ...]

    @property
    def stride(self) -> int:
        return self.lanes[1].first - self.lanes[0].first if len(self.lanes) > 1 else 0

    @property
    def name(self) -> str:
        """`3`, or `3-7`."""
        first, last = self.lanes[0].lane, self.lanes[-1].lane
        return str(first) if first == last else f"{first}-{last}"

    @property
    def span(self) -> str:
        """From the first byte to the last one, and how the accesses lie in between."""
        one, last = self.lanes[0], self.lanes[-1]
        low, high = min(one.first, last.first), max(one.first, last.first) + one.width - 1
        text = f"{low:#x}..{high:#x}"
        if len(self.lanes) == 1 or self.stride == 0:
            return text + ("" if len(self.lanes) == 1 else " each")
        each = f"{one.width} byte{'s' * (one.width > 1)} each"
        return f"{text}, {each}" + ("" if abs(self.stride) == one.width else f", {self.stride} apart")


def in_rows(lanes: Sequence[LaneRow]) -> Iterator[Rows]:
    """The lanes in their order, as few rows as that gives."""
    run: list[LaneRow] = []
    for lane in lanes:
        if run and not _follows(run, lane):
            yield from _of(run)
            run = []
        run.append(lane)
    yield from _of(run)


def _follows(run: Sequence[LaneRow], lane: LaneRow) -> bool:
    last = run[-1]
    if lane.lane != last.lane + 1 or (lane.width, lane.mark) != (last.width, last.mark):
        return False
    return len(run) == 1 or lane.first - last.first == last.first - run[-2].first


def _of(run: Sequence[LaneRow]) -> Iterator[Rows]:
    if len(run) >= LEAST:
        yield Rows(tuple(run))
    else:
        yield from (Rows((one,)) for one in run)
