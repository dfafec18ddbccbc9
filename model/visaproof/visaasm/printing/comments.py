"""The comments of a text, which the reader leaves out.  Source: docs/pages/operands-and-files.md §1."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NOTABLE = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"|//[^\n]*|/\*.*?\*/|\n', re.DOTALL)


class Comment(NamedTuple):
    """A comment with its marks, and the lines where it starts and ends, from 1."""

    text: str
    first_line: int
    last_line: int


def comments(text: str) -> Iterator[Comment]:
    """The comments of a text that was read, in order."""
    line = 1
    for match in _NOTABLE.finditer(text):
        found = match.group()
        first, line = line, line + found.count("\n")
        if found[0] == "/":
            yield Comment(found.rstrip(), first, line)
