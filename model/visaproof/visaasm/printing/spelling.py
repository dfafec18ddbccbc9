"""The pages' spelling of the four instructions, brought to the grammar's.  Source: docs/decisions.md D5, D50.

The pages write `TYPED_ATOMIC.IMAX (8) T5 V1.0 V0.0 …`; Intel's grammar has `typed_atomic.maxsint (8) %scratch V1.0
%null.0 …`.  Only statements of the four pages change, and only words that the grammar does not have.
"""

import re
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.encoding import ATOMIC_CODES
from visaproof.isa.errors import Position
from visaproof.visaasm.bytecode.tables import FORMATS

PAGE_OPERATIONS = {"imin": "minsint", "imax": "maxsint"}
"""predec has no spelling in the grammar (D28): it stays as it is."""

PAGE_SURFACES = {
    "T0": "%slm",
    "T3": "TSS",
    "T4": "%bss",
    "T5": "%scratch",
    "T252": "%bss",
    "T255": "%scratch",
}
"""The pages' names of predefined surfaces; a declared surface of that name comes first (D5)."""

STATEMENT = re.compile(rf"([ \t]*(?:\([^()]*\)[ \t]*)?)({'|'.join(FORMATS)})(?![A-Za-z0-9_])", re.IGNORECASE)
_OPERATION = re.compile(r"\.([A-Za-z]+)")
_WORD = re.compile(r"(?<![\w%.])(T\d+)(?![\w(.])|(?<![\w%.])V0\.0(?![\w])")
_DECLARED = re.compile(r"^[ \t]*\.decl[ \t]+(\w+)", re.MULTILINE)


class Note(Struct, frozen=True):
    """A word that was read in the pages' spelling; lines and columns count from 1."""

    line: int
    column: int
    written: str
    read_as: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.written} is the pages' spelling of {self.read_as}"


def in_grammar_spelling(text: str) -> tuple[str, tuple[Note, ...]]:
    """A file's text with its lines in place, and a note for each word that changed."""
    declared = frozenset(_DECLARED.findall(text))
    notes: list[Note] = []
    lines = [_respelled(line, number, declared, notes) for number, line in enumerate(text.split("\n"), 1)]
    return "\n".join(lines), tuple(notes)


def as_written(position: Position, notes: Iterable[Note]) -> Position:
    """The place in the text as it was written of a place in the text that `in_grammar_spelling` gave."""
    column = position.column
    for note in notes:
        if note.line == position.line and note.column < column:
            column = max(note.column, column - len(note.read_as) + len(note.written))
    return replace(position, column=column)


def _respelled(line: str, number: int, declared: frozenset[str], notes: list[Note]) -> str:
    head = STATEMENT.match(line)
    if head is None:
        return line

    def changed(start: int, written: str, read_as: str) -> str:
        if written != read_as:
            notes.append(Note(number, start + 1, written, read_as))
        return read_as

    mnemonic = changed(head.start(2), head.group(2), head.group(2).lower())
    operation, suffix, end = _OPERATION.match(line, head.end()), "", head.end()
    if mnemonic == "typed_atomic" and operation is not None:
        written, end = operation.group(1), operation.end()
        suffix = "." + changed(operation.start(1), written, _operation(written))

    def word(match: re.Match[str]) -> str:
        written = match.group()
        read_as = "%null.0" if written == "V0.0" else PAGE_SURFACES.get(written, written)
        if written.partition(".")[0] in declared:
            return written
        return changed(end + match.start(), written, read_as)

    return head.group(1) + mnemonic + suffix + _WORD.sub(word, line[end:])


def _operation(written: str) -> str:
    lower = written.lower()
    spelled = PAGE_OPERATIONS.get(lower, lower)
    return spelled if spelled in ATOMIC_CODES or spelled == "predec" else written
