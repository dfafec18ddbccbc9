"""A statement as reports show it: the line of the program that it comes from, and the line of the dump."""

from collections.abc import Iterator
from pathlib import Path

from visaproof.isa.errors import Position
from visaproof.program.kernel import Kernel
from visaproof.program.source_places import SourcePlace, source_place
from visaproof.program.statements import Origin
from visaproof.report.text.excerpt import lines_of, printable

MOST_SOURCE = 1 << 22
"""Bytes of a source file that is looked into."""


def statement_lines(kernel: Kernel, instruction: Origin) -> Iterator[str]:
    """The line of source, where the dump says which it is, and that of the dump."""
    position = instruction.position
    number = line_number(kernel, position)
    place = source_place(kernel, position)
    if place is not None:
        name = f"{Path(place.file).name}:{place.line}"
        text = source_text(kernel, place)
        number = f"{number:>{len(name)}}"
        yield f"  {name:>5} | {text}" if text else f"  {name}"
    yield f"  {number:>5} | {instruction.text}"


def line_number(kernel: Kernel, position: Position) -> str:
    """The line, and its file where that is not the kernel's own, as of a function that it calls."""
    return str(position.line) if position.path == kernel.path else f"{Path(position.path).name}:{position.line}"


def source_text(kernel: Kernel, place: SourcePlace) -> str:
    """The line of source, without the blanks around it; empty where the file is not there.

    It is looked for where the compiler found it, and beside the dump.
    """
    for path in (Path(place.file), Path(kernel.path).parent / Path(place.file).name):
        lines = lines_of(path, MOST_SOURCE)
        if 1 <= place.line <= len(lines):
            return printable(lines[place.line - 1].strip())
    return ""


def counted_bytes(size: int) -> str:
    """A size for people: in decimal, in MiB or GiB where it is that round, of memory that has no end in hexadecimal."""
    if size >= 1 << 40:
        return f"{size:#x} bytes"
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
        if size and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} byte{'s' * (size != 1)}"
