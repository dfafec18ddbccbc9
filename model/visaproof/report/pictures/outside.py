"""An access outside of its surface: the lanes, and where the buffer ends."""

from collections.abc import Sequence

from msgspec.structs import replace

from visaproof.report.pictures.drawing import Drawing, fitting
from visaproof.report.pictures.lanes import Columns, Lanes, rows, strip
from visaproof.report.records.bounds import Access
from visaproof.report.text.buffer_words import Buffer

WIDE, NARROW = 960, 400
HALF = 1 << 31


def outside_picture(
    accesses: Sequence[Access], buffer: Buffer, extent: str, effect: str, name: str, width: int = WIDE
) -> Drawing:
    """Lanes on the left, the buffer with its end on the right; where there is little room, below."""
    bad = [one for one in accesses if one.outside]
    first = bad[0]
    who = "the message" if first.lane is None else f"Lane {first.lane}"
    title = f"{who} accesses {_named(first, buffer)}, outside of {buffer.name}"
    about = f"{title}, which has {extent}. {len(bad)} of {len(accesses)} accesses are outside; {effect}."
    drawing = Drawing(width, title, about, name)
    lanes = sorted({one.lane for one in accesses if one.lane is not None})
    top = 6.0
    ends: list[float] = []
    bottom, right = top, 560 if width == WIDE else width - 8
    if lanes:
        shown = Lanes(lanes, lanes, {one.lane for one in bad[:2] if one.lane is not None})
        top = strip(drawing, Lanes(lanes, lanes, {one.lane for one in bad if one.lane is not None}), 6)
        words = {one.lane: (str(one.lane), _where(one), "outside" if one.outside else "inside")
                 for one in reversed(accesses) if one.lane is not None}  # fmt: skip
        places = (30, 110, 430) if width == WIDE else (20, 70, 310)
        found = dict(rows(drawing, shown, Columns(("LANE", "ACCESSES", ""), places, words), top, right))
        bottom = found.pop(-1)
        ends = list(found.values())
    beside = width == WIDE and bool(lanes)
    x, y = (640, top + 34) if beside else (16, bottom + 24)
    room = min(width - x - 8, 560)
    _buffer(drawing, first, buffer, extent, (x, y, room))
    drawing.text(x, y + 96, fitting(effect, room), "d")
    target = x + (room * 0.62 if not _before(first) else 0)
    for step, row in enumerate(ends if beside else ()):
        drawing.arrow((right, row), (target, y + 52 + 10 * step))
    return drawing


def _buffer(drawing: Drawing, access: Access, buffer: Buffer, extent: str, at: tuple[float, float, float]) -> None:
    """A bar: what the buffer has, and hatched what it has not, with the access."""
    x, y, room = at
    before = _before(access)
    inside_x, beyond_x = (x + room * 0.4, x) if before else (x, x + room * 0.6)
    drawing.text(x, y - 8, fitting(buffer.said, room), "h")
    drawing.box(inside_x, y, room * 0.6, 44, "cell")
    drawing.text(inside_x + room * 0.3, y + 27, fitting(extent, room * 0.58), "", "middle")
    drawing.beyond(beyond_x, y, room * 0.4, 44)
    drawing.box(beyond_x + room * 0.06, y + 36, room * 0.28, 20, "hit")
    drawing.text(beyond_x + room * 0.2, y + 51, "✕", "b", "middle")
    drawing.text(x, y + 74, fitting(f"{_named(access, buffer)}: outside", room), "b")


def _before(access: Access) -> bool:
    """Whether it comes before the buffer: an offset that is negative, or wraps so."""
    offset = access.offset if isinstance(access.offset, int) else access.cell[0]
    return offset < 0 or (len(access.cell) == 1 and HALF <= offset < 1 << 32)


def _named(access: Access, buffer: Buffer) -> str:
    """In the kernel's words, where it begins at 0 and counts in its width."""
    at = _where(access)
    if len(access.cell) > 1 or _before(access):
        return at
    first = access.offset if isinstance(access.offset, int) else access.cell[0]
    element = replace(buffer, element=access.bytes).span(first, access.bytes)
    return element if element.endswith("]") else at


def _where(access: Access) -> str:
    if len(access.cell) > 1:
        return f"texel ({', '.join(map(str, access.cell))})"
    first = access.offset if isinstance(access.offset, int) else access.cell[0]
    return f"bytes {first:#x}..{first + access.bytes - 1:#x}"
