"""The lanes of a scatter that conflicts, as a table: what each writes, and what two of them share."""

from collections.abc import Iterator, Sequence

from visaproof.analysis.conflicts.kernel import Finding
from visaproof.analysis.conflicts.verdicts import Conflict
from visaproof.semantics.concrete.surface import LaneWrite, TexelWrite, Write

MARK = "►"

MOST_ROWS = 8
"""Enabled lanes that are shown beside the two that collide."""


def lane_table(finding: Finding, conflict: Conflict, offset: int) -> Iterator[str]:
    """A row for each lane of the scatter; the two that collide are marked."""
    by_lane: dict[int, list[Write]] = {}
    for write in conflict.writes:
        by_lane.setdefault(write.lane or 0, []).append(write)
    cells = _texel_cells if finding.question.of_texels else _byte_cells
    yield f"  {'lane':>5}  {'enabled':7}  {cells([])}"
    disabled: list[int] = []
    shown, left_out = 0, 0
    for lane in sorted({lane.lane - offset for lane in finding.question.lanes} | by_lane.keys()):
        writes = by_lane.get(lane)
        if not writes:
            disabled.append(lane + offset)
            continue
        collides = lane in (conflict.first.lane, conflict.second.lane)
        shown += 1
        if shown > MOST_ROWS and not collides:
            left_out += 1
            continue
        yield from _disabled_row(disabled)
        disabled = []
        note = f"  both: {_shared(conflict)}" if lane == conflict.second.lane else ""
        yield f"{MARK if collides else ' '} {lane + offset:>5}  {'yes':7}  {cells(writes)}{note}"
    yield from _disabled_row(disabled)
    if left_out:
        yield f"    {left_out} more enabled lanes"


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
    titles = ("u", "v", "r", "lod") if not texels else tuple(f"{place:#x}" for place in texels[0].texel)
    channels = "".join("RGBA"[write.channel] for write in texels) or "channels"
    return f"{'  '.join(f'{title:>10}' for title in titles)}  {channels}"


def _shared(conflict: Conflict) -> str:
    """What both lanes write."""
    if isinstance(conflict.first, TexelWrite):
        return f"texel ({', '.join(f'{place:#x}' for place in conflict.first.texel)})"
    shared = {place for place in conflict.first.places if place in conflict.second.places and isinstance(place, int)}
    return f"{min(shared):#x}..{max(shared):#x}"


def _disabled_row(lanes: list[int]) -> Iterator[str]:
    """Neighbouring lanes that do not run, in one row."""
    if lanes:
        yield f"  {str(lanes[0]) if len(lanes) == 1 else f'{lanes[0]}-{lanes[-1]}':>5}  no"
