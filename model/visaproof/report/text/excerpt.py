"""A line of a file with a caret under one of its columns."""

from pathlib import Path

from visaproof.isa.errors import Position

WIDTH = 120
"""Characters that are shown of a longer line."""


def excerpt(lines: tuple[str, ...], position: Position) -> list[str]:
    """The line of a position and a caret, indented; nothing where there is no such line."""
    if not 1 <= position.line <= len(lines) or not lines[position.line - 1].strip():
        return []
    line = printable(lines[position.line - 1].rstrip())
    column = min(max(position.column, 1), len(line) + 1)
    start = max(0, column - WIDTH * 3 // 4) if len(line) > WIDTH else 0
    return [f"    {line[start : start + WIDTH]}", f"    {' ' * (column - 1 - start)}^"]


def printable(text: str) -> str:
    """Text from a file with a blank for what is no character: it must not steer the terminal."""
    return "".join(char if char.isprintable() else " " for char in text)


def lines_of(path: Path, most_bytes: int) -> tuple[str, ...]:
    """The lines of a text file; none of one that is missing, too large or no text."""
    try:
        if not path.is_file() or path.stat().st_size > most_bytes:
            return ()
        return tuple(path.read_bytes().decode().split("\n"))
    except (OSError, ValueError):
        return ()
