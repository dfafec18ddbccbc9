"""A whole `.visaasm` file that can be edited and written again.

Every line is printed from what was read; a comment is kept as it is written.  What an edit does not touch comes back
as it was, whether this project knows a meaning for it or not.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from visaproof.visaasm.fragment_records import Directive
from visaproof.visaasm.items import Item, ReadItem
from visaproof.visaasm.printing.comments import Comment, comments
from visaproof.visaasm.printing.item_text import item_text
from visaproof.visaasm.reader import check_end, read_items
from visaproof.visaasm.syntax import Instruction

INDENTATION = " " * 4
AMONG_INSTRUCTIONS = ("source_file", "source_line")
"""Directives that the compiler prints as it prints instructions."""
COMMENT_COLUMN = 81
"""Where the compiler puts a comment behind an instruction, from 0."""


class Line(Struct, frozen=True):
    """An item and the comment behind it, or one of both, or an empty line."""

    item: Item | None = None
    comment: str = ""

    def __str__(self) -> str:
        if self.item is None:
            return self.comment
        text = item_text(self.item)
        if isinstance(self.item, Instruction) or (
            isinstance(self.item, Directive) and self.item.rule in AMONG_INSTRUCTIONS
        ):
            text = INDENTATION + text
        return f"{text:<{COMMENT_COLUMN - 1}} {self.comment}" if self.comment else text


class Document(Struct, frozen=True):
    """The lines of a file; its text is `str(document)`."""

    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def edited(self, edit: Callable[[Item], Item]) -> "Document":
        """The document with `edit(item)` in place of each item; comments and empty lines stay."""
        lines = (line if line.item is None else replace(line, item=edit(line.item)) for line in self.lines)
        return Document(tuple(lines))


def read_document(text: str, path: str, *, grf_bytes: int | None = None) -> Document:
    """The lines of a kernel's file.  Raises ReadError."""
    kernel, items = read_items(text, path, grf_bytes=grf_bytes)
    check_end(kernel)
    return Document(tuple(_lines(items, list(comments(text.removeprefix("\ufeff"))), len(kernel.source_lines))))


def _lines(items: tuple[ReadItem, ...], notes: list[Comment], count: int) -> Iterator[Line]:
    """The items and comments of each line; lines that a statement or a comment joins are taken together."""
    number, read, noted = 1, 0, 0
    while number <= count:
        found, beside, last = list[Item](), list[Comment](), number
        while True:
            if read < len(items) and items[read].first_line <= last:
                found.append(items[read].item)
                last, read = max(last, items[read].last_line), read + 1
            elif noted < len(notes) and notes[noted].first_line <= last:
                beside.append(notes[noted])
                last, noted = max(last, notes[noted].last_line), noted + 1
            else:
                break
        if found or beside or number < count:
            yield from _joined(found, beside)
        number = last + 1


def _joined(items: list[Item], notes: list[Comment]) -> Iterator[Line]:
    """One line for each item; the last comment stands behind the last of them, others above."""
    for note in notes[:-1]:
        yield Line(None, note.text)
    for item in items[:-1]:
        yield Line(item)
    yield Line(items[-1] if items else None, notes[-1].text if notes else "")
