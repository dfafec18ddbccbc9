"""Columns of plain text in a given width."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

GAP = 2
LEAST = 20
"""Characters of a column that is wrapped."""


def table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    fixed: int = 1,
    wrapped: bool = False,
) -> Iterator[str]:
    """The lines of a table, indented.

    What is wider than `width` is wrapped in its last column (`wrapped`; where too little is left for that, each row
    becomes a paragraph), or split into tables that repeat the first `fixed` columns.
    """
    columns = [[title, *(row[index] for row in rows)] for index, title in enumerate(titles)]
    sizes = [max(map(len, column)) for column in columns]
    if wrapped:
        yield from _wrapped(columns, sizes, width)
        return
    for number, group in enumerate(_groups(sizes, fixed, width)):
        if number:
            yield ""
        for index in range(len(rows) + 1):
            yield "  " + (" " * GAP).join(f"{columns[column][index]:<{sizes[column]}}" for column in group)


def _groups(sizes: Sequence[int], fixed: int, width: int) -> Iterator[list[int]]:
    """Columns that fit beside each other: the fixed ones, and at least one more."""
    repeated = list(range(fixed))
    group, used = list(repeated), sum(sizes[:fixed]) + GAP * fixed
    for column in range(fixed, len(sizes)):
        taken = used + sum(sizes[each] + GAP for each in group[fixed:])
        if len(group) > fixed and taken + sizes[column] + GAP > width:
            yield group
            group = list(repeated)
        group.append(column)
    yield group


def _wrapped(columns: Sequence[Sequence[str]], sizes: Sequence[int], width: int) -> Iterator[str]:
    before = sum(sizes[:-1]) + GAP * (len(sizes) - 1) + GAP
    if before + LEAST > width:
        yield from _stacked(columns, width)
        return
    for index in range(len(columns[0])):
        head = "  " + "".join(
            f"{column[index]:<{size + GAP}}" for column, size in zip(columns[:-1], sizes, strict=False)
        )
        lines = wrap(columns[-1][index], max(LEAST, width - before)) or [""]
        yield head + lines[0]
        yield from (" " * before + line for line in lines[1:])


def _stacked(columns: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The first cell of each row, and below it the others by their titles."""
    titles = [column[0] for column in columns]
    for first, *rest in list(zip(*columns, strict=True))[1:]:
        yield f"  {first}"
        said = "; ".join(f"{title}: {cell}" for title, cell in zip(titles[1:], rest, strict=True) if cell)
        yield from wrap(said, max(LEAST, width), initial_indent=" " * 6, subsequent_indent=" " * 6)
