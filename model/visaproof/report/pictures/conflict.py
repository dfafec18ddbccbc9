"""Two lanes that write the same bytes, or the same texel."""

from collections import Counter
from collections.abc import Sequence

from visaproof.report.one_kernel.collision import Collision, ends, place_of, shared
from visaproof.report.pictures.drawing import Drawing, fitting
from visaproof.report.pictures.lanes import Columns, Lanes, rows, strip
from visaproof.report.records.common import Write
from visaproof.report.text.buffer_words import Buffer, value_text

MOST_BYTES = 16
"""Cells of memory that are drawn."""
MOST_TEXELS = 7
WIDE, NARROW = 960, 400


def conflict_picture(
    found: Collision,
    lanes: Sequence[int],
    name: str,
    width: int = WIDE,
    data_type: object = None,
) -> Drawing:
    """Lanes on the left, memory on the right; where there is little room, below."""
    writes, pair, items, buffer, what = found.writes, found.lanes, found.items, found.buffer, found.what
    first, second = found.both
    drawing = Drawing(width, f"Lanes {pair[0]} and {pair[1]} write {what}", _about(writes, pair, lanes, what), name)
    shown = Lanes(lanes, {one.lane for one in writes}, pair)
    top = strip(drawing, shown, 6) if len(lanes) > 1 else 6
    right = 560 if width == WIDE else width - 8
    places = (30, 90, 230, 380) if width == WIDE else (20, 64, 150, 250)
    titles = ("LANE", "WORK ITEM" if items else "", "TEXEL" if _is_texel(first) else "BYTE OFFSET", "WRITES")
    words = {one.lane: _cells(one, items, data_type) for one in reversed(writes)}
    ends = dict(rows(drawing, shown, Columns(titles, places, words), top, right))
    bottom = ends.pop(-1)
    memory_x, memory_y = (690, top + 34) if width == WIDE else (16, bottom + 44)
    room = width - memory_x - 8
    drawn = _texels if _is_texel(first) else _bytes
    entry_x, entry_y = drawn(drawing, writes, (first, second), buffer, (memory_x, memory_y, room))
    for step, y in enumerate(ends.values()):
        if width == WIDE:
            drawing.arrow((right, y), (entry_x, entry_y + 12 * step - 6))
    if width != WIDE:
        drawing.text(memory_x, memory_y - 28, f"▼ lanes {pair[0]} and {pair[1]} both write", "b")
    return drawing


def _about(writes: Sequence[Write], pair: tuple[int, int], lanes: Sequence[int], what: str) -> str:
    on = {one.lane for one in writes}
    off = [lane for lane in lanes if lane not in on]
    said = f"Lane {pair[0]} and lane {pair[1]} both write {what}. {len(on)} of {len(lanes)} lanes are on"
    return f"{said}; {len(off)} are off." if off else f"{said}."


def _cells(write: Write, items: dict[int, int], data_type: object) -> tuple[str, ...]:
    item = items.get(write.lane)
    shown = "" if item is None else str(item)
    if _is_texel(write):
        return str(write.lane), shown, place_of(write), f"{write.value:#x}" if isinstance(write.value, int) else ""
    address = write.address if isinstance(write.address, int) else 0
    width = write.bytes if isinstance(write.bytes, int) else 0
    value = value_text(write.value, width, data_type) if isinstance(write.value, int) else ""
    return str(write.lane), shown, f"{address:#x}", value


def _bytes(
    drawing: Drawing, writes: Sequence[Write], both: tuple[Write, Write], buffer: Buffer, at: tuple[float, float, float]
) -> tuple[float, float]:
    """Each byte, and by how many lanes it is written; where arrows come in."""
    x, y, room = at
    start, end = shared(*both)
    first, last = min(ends(one)[0] for one in both), max(ends(one)[1] for one in both)
    first, last = (first, last) if last - first <= MOST_BYTES else (start, min(end, start + MOST_BYTES))
    counts = Counter(byte for one in writes for byte in range(max(first, ends(one)[0]), min(last, ends(one)[1])))
    width = min(44, room / (last - first))
    drawing.text(x, y - 8, fitting(buffer.said, room), "h")
    for number, byte in enumerate(range(first, last)):
        hit = start <= byte < end
        drawing.box(x + width * number, y, width, 44, "hit" if hit else "cell")
        count = f"{counts[byte]}×" if width > 20 else str(counts[byte])
        drawing.text(x + width * (number + 0.5), y + 27, count, "b" if hit else "d", "middle")
    drawing.text(x, y + 62, f"{first:#x}", "c d")
    drawing.text(x + width * (last - first), y + 62, f"{last - 1:#x}", "c d", "end")
    lanes = len({one.lane for one in writes if ends(one)[0] < end and start < ends(one)[1]})
    drawing.text(x, y + 88, fitting(f"{lanes} lanes write {buffer.span(start, end - start)}", room), "b")
    values = [one.value for one in both]
    if all(isinstance(one, int) for one in values):
        same = "the same value, yet undefined" if values[0] == values[1] else "which value stays is undefined"
        drawing.text(x, y + 108, fitting(same, room), "d")
    return x - 6, y + 22


def _texels(
    drawing: Drawing, writes: Sequence[Write], both: tuple[Write, Write], buffer: Buffer, at: tuple[float, float, float]
) -> tuple[float, float]:
    """The texels around, and how many lanes write each; where arrows come in."""
    x, y, room = at
    (u, v, *others), shown = _texel(both[0]), {(one.lane, _texel(one)) for one in writes}
    counts = Counter(texel for _, texel in shown)
    columns = _around(u, [texel[0] for texel in counts if texel[1:] == (v, *others)])
    lines = _around(v, [texel[1] for texel in counts if texel[2:] == tuple(others)])
    width = min(44, (room - 40) / len(columns))
    drawing.text(x, y - 8, fitting(buffer.said, room), "h")
    for row, line in enumerate(lines):
        drawing.text(x + 30, y + 22 + 34 * row, str(line), "c d", "end")
        for number, column in enumerate(columns):
            count, hit = counts[column, line, *others], (column, line) == (u, v)
            left, top = x + 36 + width * number, y + 4 + 34 * row
            drawing.box(left, top, width - 3, 30, "hit" if hit else "cell")
            if count:
                drawing.text(left + width / 2 - 1, top + 20, f"{count}×", "b" if hit else "d", "middle")
    bottom = y + 34 * len(lines)
    for number, column in enumerate(columns):
        drawing.text(x + 36 + width * (number + 0.5), bottom + 16, str(column), "c d", "middle")
    drawing.text(x, bottom + 40, fitting(f"{counts[u, v, *others]} lanes write texel {place_of(both[0])}", room), "b")
    drawing.text(x, bottom + 58, "u to the right, v down", "h")
    return x + 4, y + 20 + 34 * lines.index(v)


def _around(place: int, all_: Sequence[int]) -> list[int]:
    """Neighbours of a place, among those that are written."""
    near = [one for one in sorted({*all_, place}) if abs(one - place) <= MOST_TEXELS // 2]
    return list(range(near[0], near[-1] + 1))


def _is_texel(write: Write) -> bool:
    return not isinstance(write.address, int)


def _texel(write: Write) -> tuple[int, ...]:
    return write.texel if isinstance(write.texel, tuple) else ()
