"""Long lines of a terminal, wrapped between words: a terminal would break words, and lose the indentation."""

import re
import shutil
from textwrap import TextWrapper
from typing import IO

NARROWEST = 40
"""A terminal that says it has fewer columns is not believed."""
_COLOUR = re.compile(r"(\s*)(\x1b\[[\d;]*m)([^\x1b]*)(\x1b\[0m)(.*)", re.DOTALL)
_AS_IT_IS = re.compile(r"\s*(?:visaproof |[|^►│┃+])|.*\S {3,}\S|.*\x1b")
"""Commands that one copies, rows of a table, and what a library has coloured and made to fit."""
_OF_A_KERNEL = re.compile(r"\s*(?:[^\s|]+:)?\d+ *\| *")
"""Where a line of a kernel or of its source begins: behind its number."""
_OF_A_LIST = re.compile(r" *(?:\* )?[\w.-]+ {3,}(?!.*\S {3,}\S)")
"""A name, and what it stands for."""


def wrapped(line: str, width: int) -> str:
    """The line in pieces of at most `width` characters, where there is a blank to break at; no final newline."""
    found = _COLOUR.fullmatch(line)
    plain = f"{found[1]}{found[3]}{found[5]}" if found else line
    beside = _OF_A_KERNEL.match(plain) or _OF_A_LIST.match(plain)
    if len(plain) <= width or (_AS_IT_IS.match(plain) and not beside):
        return line
    own = plain[: len(plain) - len(plain.lstrip())] if beside is None else " " * (len(beside[0]) - 2)
    indent = own + "  " if len(own) + 2 <= width // 2 else "  "
    pieces = TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, replace_whitespace=False,
        expand_tabs=False,
    ).wrap(plain)  # fmt: skip
    if found and pieces[0].startswith(found[1] + found[3]):
        pieces[0] = found[1] + found[2] + found[3] + found[4] + pieces[0][len(found[1] + found[3]) :]
    return "\n".join(pieces)


_COLUMNS = re.compile(r"( *\S.*? {3,})(\S.*)")
"""An example of a help text, and what it shows."""
LEAST_BESIDE = 24
"""Columns that such a description needs beside its example."""


def wrapped_help(text: str, width: int) -> str:
    """A help text as wide as the terminal: lines at its edge flow into each other, an empty line ends a paragraph.

    Lines that begin with a blank stand for themselves: examples, and rows of tables.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        if line[:1].strip() and lines and lines[-1][:1].strip():
            lines[-1] += " " + line
        else:
            lines.append(line)
    return "\n".join(_help_line(line, width) for line in lines)


def _help_line(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    found = _COLUMNS.fullmatch(line)
    own = line[: len(line) - len(line.lstrip())]
    indent = own + "  " * bool(own)
    comment = "# " * bool(found and found[2].startswith("# "))
    if found and width - len(found[1]) >= LEAST_BESIDE:
        indent = " " * len(found[1]) + comment
    elif found and comment:
        return f"{found[1].rstrip()}\n{_help_line(own + found[2], width)}"
    elif line.startswith(f"{own}# "):
        indent = f"{own}# "
    wrapper = TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, replace_whitespace=False,
        drop_whitespace=True,
    )  # fmt: skip
    return "\n".join(wrapper.wrap(line))


def wrapped_to_terminal(text: str) -> str:
    """Lines as wide as the terminal."""
    width = max(NARROWEST, shutil.get_terminal_size().columns)
    return "\n".join(wrapped(line, width) for line in text.split("\n"))


class Wrapped:
    """A stream of text whose whole lines are wrapped as they are written; all else is the stream's."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._waiting = ""

    def write(self, text: str) -> int:
        """Writes the lines that end here; the rest waits for its end, or for a flush."""
        *lines, self._waiting = (self._waiting + text).split("\n")
        for line in lines:
            self._stream.write(wrapped_to_terminal(line) + "\n")
        return len(text)

    def flush(self) -> None:
        """Writes what waits as it is."""
        waiting, self._waiting = self._waiting, ""
        self._stream.write(waiting)
        self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
