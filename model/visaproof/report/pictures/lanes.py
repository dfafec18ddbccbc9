"""The lanes of a message as a strip, and as rows: those that matter, and the others folded."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from visaproof.report.pictures.drawing import Drawing, fitting, runs

IN_A_ROW = 16
"""Lanes of the strip, where there is little room."""
MOST_OTHERS = 2
"""Rows of lanes that are only on."""
ROW, GAP = 34, 8


class Lanes(Struct, frozen=True):
    """Which lanes there are, which are on, and which two (or more) the finding is about."""

    every: Sequence[int]
    on: Collection[int]
    hit: Collection[int]

    @property
    def others(self) -> list[int]:
        """On, and not at fault."""
        return [lane for lane in self.every if lane in self.on and lane not in self.hit]

    @property
    def off(self) -> list[int]:
        return [lane for lane in self.every if lane not in self.on]


class Columns(Struct, frozen=True):
    """Titles, where each begins in pixels, and the words of each lane."""

    titles: Sequence[str]
    places: Sequence[float]
    words: Mapping[int, Sequence[str]]


def strip(drawing: Drawing, lanes: Lanes, y: float) -> float:
    """A cell for each lane; where it ends."""
    drawing.text(8, y + 12, "LANES · ✕ at fault · numbered: on · – off", "h")
    y += 20
    width = (drawing.width - 16) / (min(len(lanes.every), IN_A_ROW if drawing.width < 600 else 32))
    width = min(width, 44)
    per_row = max(1, int((drawing.width - 16) / width))
    places = {
        lane: (9 + width * (number % per_row), y + 26.0 * (number // per_row))
        for number, lane in enumerate(lanes.every)
    }
    drawing.cells([places[lane] for lane in lanes.off], width - 2, 22, "off", "–")
    for lane, (x, top) in places.items():
        if lane in lanes.on:
            hit = lane in lanes.hit
            drawing.box(x, top, width - 2, 22, "hit" if hit else "on")
            mark = "✕" if hit and width <= 26 else f"✕{lane}" if hit else str(lane)
            drawing.text(x + width / 2 - 1, top + 15, mark, "c b" if hit else "c", "middle")
    return y + 26 * (-(-len(lanes.every) // per_row)) + 6


def rows(drawing: Drawing, lanes: Lanes, columns: Columns, y: float, right: float) -> Iterator[tuple[int, float]]:
    """The rows; the lanes at fault with the middle of their rows, and last -1 with where all ends."""
    for title, x in zip(columns.titles, columns.places, strict=True):
        drawing.text(x, y + 12, title, "h")
    y += 20
    for lane in [*sorted(lanes.hit), *lanes.others[:MOST_OTHERS]]:
        hit = lane in lanes.hit
        drawing.box(8, y, right - 8, ROW, "on", 5)
        words = columns.words.get(lane, ())
        ends = [*columns.places[1:], right]
        for number, (word, x, end) in enumerate(zip(words, columns.places, ends, strict=False)):
            drawing.text(x, y + 22, fitting(word, end - x), "b" if hit and not number else "")
        if hit:
            yield lane, y + ROW / 2
        y += ROW + GAP
    folded = lanes.others[MOST_OTHERS:]
    for several, what in ((folded, "on as well"), (lanes.off, "off")):
        if several:
            drawing.box(8, y, right - 8, 26, "off" if what == "off" else "on", 5)
            plural = "lanes are" if len(several) > 1 else "lane is"
            words = fitting(f"{runs(several)}: {len(several)} {plural} {what}", right - 40)
            drawing.text(columns.places[0], y + 17, words, "d")
            y += 26 + GAP
    yield -1, y
