"""The lanes of a scatter that conflicts, as a table: what each writes, and what two of them share."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from itertools import groupby

from msgspec import Struct

from visaproof.analysis.conflicts.verdicts import Conflict, Finding
from visaproof.report.one_kernel.lane_rows import LaneRow, in_rows
from visaproof.semantics.concrete.surface import LaneWrite, TexelWrite, Write

MARK = "►"

MOST_ROWS = 8
"""Enabled lanes that are shown beside the two that collide."""


def lane_table(finding: Finding, conflict: Conflict, offset: int) -> Iterator[str]:
    """A row for each lane of the scatter, or for several alike; the two that collide are marked."""
    by_lane: dict[int, list[Write]] = {}
    for write in conflict.writes:
        by_lane.setdefault(write.lane or 0, []).append(write)
    cells = _texel_cells if finding.question.of_texels else _byte_cells
    yield f"  {'lane':>5}  {'enabled':7}  {cells([])}"
    lanes = sorted({lane.lane - offset for lane in finding.question.lanes} | by_lane.keys())
    ends = (conflict.first.lane, conflict.second.lane)
    shown, left_out = 0, 0
    for kind, group in groupby(lanes, key=lambda lane: _kind(by_lane.get(lane, []), lane in ends)):
        for row in _rows(kind, [(lane + offset, by_lane.get(lane, [])) for lane in group], cells):
            shown += kind is not _Kind.OFF
            if shown > MOST_ROWS and kind in (_Kind.ONE, _Kind.OTHER):
                left_out += row.lanes
                continue
            second = kind is _Kind.MET and row.text.split()[0] == str((conflict.second.lane or 0) + offset)
            note = f"  both: {_shared(conflict)}" if second else ""
            yield f"{MARK if kind is _Kind.MET else ' '} {row.text}{note}"
    if left_out:
        yield f"    {left_out} more enabled lanes"


class _Kind(Enum):
    OFF = auto()
    MET = auto()  # one of the two that collide
    ONE = auto()  # writes one piece of bytes
    OTHER = auto()


class _Shown(Struct, frozen=True):
    text: str
    lanes: int = 1


def _kind(writes: Sequence[Write], met: bool) -> _Kind:
    if not writes:
        return _Kind.OFF
    if met:
        return _Kind.MET
    return _Kind.ONE if len(writes) == 1 and isinstance(writes[0], LaneWrite) else _Kind.OTHER


def _rows(
    kind: _Kind, lanes: Sequence[tuple[int, Sequence[Write]]], cells: Callable[[Sequence[Write]], str]
) -> Iterator[_Shown]:
    """Neighbours that do not run in one row, and those whose bytes lie at even distances."""
    if kind is _Kind.OFF:
        first, last = lanes[0][0], lanes[-1][0]
        yield _Shown(f"{str(first) if first == last else f'{first}-{last}':>5}  no", len(lanes))
    elif kind is _Kind.ONE:
        places = [LaneRow(lane, one.address, one.width) for lane, (one,) in lanes if isinstance(one, LaneWrite)]
        for row in in_rows(places):
            yield _Shown(f"{row.name:>5}  {'yes':7}  {row.lanes[0].first:>#10x}  {row.span}", len(row.lanes))
    else:
        yield from (_Shown(f"{lane:>5}  {'yes':7}  {cells(writes)}") for lane, writes in lanes)


def _byte_cells(writes: Sequence[Write]) -> str:
    """The address that a lane writes first, and its bytes; of no writes, the titles."""
    spans = [write for write in writes if isinstance(write, LaneWrite)]
    if not spans:
        return f"{'address':>10}  bytes"
    listed = " ".join(f"{write.address:#x}..{write.address + write.width - 1:#x}" for write in spans)
    return f"{spans[0].address:>#10x}  {listed}"


def _texel_cells(writes: Sequence[Write]) -> str:
    """The coordinates of a lane's texel, and its channels; of no writes, the titles."""
    texels = [write for write in writes if isinstance(write, TexelWrite)]
    titles = ("u", "v", "r", "lod") if not texels else tuple(str(place) for place in texels[0].texel)
    channels = "".join("RGBA"[write.channel] for write in texels) or "channels"
    return f"{'  '.join(f'{title:>10}' for title in titles)}  {channels}"


def _shared(conflict: Conflict) -> str:
    """What both lanes write."""
    if isinstance(conflict.first, TexelWrite):
        return f"texel ({', '.join(map(str, conflict.first.texel))})"
    shared = {place for place in conflict.first.places if place in conflict.second.places and isinstance(place, int)}
    return f"{min(shared):#x}..{max(shared):#x}"
