"""Memory before two kernels, and after each of them."""

from collections.abc import Sequence

import msgspec

from visaproof.report.pictures.drawing import Drawing, fitting
from visaproof.report.records.refine import Dword
from visaproof.report.text.buffer_words import Buffer, value_text

WIDE, NARROW = 960, 400
SIDES = (("before", "d"), ("source", "s"), ("target", "t"))


def memory_picture(
    dwords: Sequence[Dword], buffer: Buffer, writers: tuple[str, str], name: str, width: int = WIDE
) -> Drawing:
    """A column for each dword; where there is little room, a row."""
    bad = [one for one in dwords if one.source != one.target]
    places = ", ".join(_place(one, buffer) for one in bad) or buffer.name
    title = f"{places} differs"
    about = f"{title}. " + " ".join(
        f"{_place(one, buffer)} was {one.before}; after the source it is {one.source}, after the target {one.target}."
        for one in bad
    )
    drawing = Drawing(width, title, about, name)
    (_wide if width == WIDE else _narrow)(drawing, dwords, buffer)
    y = drawing.height + 20
    for (side, kind), writer in zip(SIDES[1:], writers, strict=True):
        drawing.text(20, y, fitting(f"{side}: {writer}", width - 40), kind)
        y += 20
    return drawing


def _place(one: Dword, buffer: Buffer) -> str:
    return one.place or buffer.span(one.address, 4)


def _wide(drawing: Drawing, dwords: Sequence[Dword], buffer: Buffer) -> None:
    room = (drawing.width - 150) / max(len(dwords), 1)
    for number, one in enumerate(dwords):
        x, differs = 140 + room * number, one.source != one.target
        label = fitting(_place(one, buffer), room)
        drawing.text(x + room / 2 - 7, 22, label, "b" if differs else "d", "middle")
        for row, (side, _) in enumerate(SIDES):
            hit = differs and side != "before"
            drawing.box(x, 34 + 46 * row, room - 14, 38, "hit" if hit else "cell", 4)
            words = getattr(one, side)
            drawing.text(x + room / 2 - 7, 58 + 46 * row, words, "b" if hit else "", "middle")
    for row, (side, kind) in enumerate(SIDES):
        drawing.text(20, 58 + 46 * row, side, kind)


def _narrow(drawing: Drawing, dwords: Sequence[Dword], buffer: Buffer) -> None:
    for column, (side, kind) in enumerate(SIDES):
        drawing.text(128 + 90 * column + 42, 20, side, kind, "middle")
    for row, one in enumerate(dwords):
        y, differs = 30 + 42 * row, one.source != one.target
        drawing.text(8, y + 22, fitting(_place(one, buffer), 116), "b" if differs else "d")
        for column, (side, _) in enumerate(SIDES):
            hit = differs and side != "before"
            drawing.box(128 + 90 * column, y, 84, 34, "hit" if hit else "cell", 4)
            drawing.text(170 + 90 * column, y + 22, getattr(one, side), "b" if hit else "", "middle")


def in_type(dword: Dword, data_type: object) -> Dword:
    """The same as floats, where it holds them."""
    if data_type != "f":
        return dword
    words = {side: value_text(int(getattr(dword, side), 16), 4, data_type) for side, _ in SIDES}
    return msgspec.structs.replace(dword, **words)
