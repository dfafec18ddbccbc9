"""The pages' spelling of the four instructions, brought to the grammar's.  Source: spec/decisions.md D5, D50.

The pages write `TYPED_ATOMIC.IMAX (8) T5 V1.0 V0.0 …`; Intel's grammar has `typed_atomic.maxsint (8) %scratch V1.0
%null.0 …`.  Only statements of the four pages change, and only words that the grammar does not have.
"""

import re
from dataclasses import dataclass

from visaproof.isa.encoding import ATOMIC_CODES
from visaproof.kernel.bytecode_tables import FORMATS

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


@dataclass(frozen=True, slots=True)
class Note:
    """A word that was read in the pages' spelling; lines count from 1."""

    line: int
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


def _respelled(line: str, number: int, declared: frozenset[str], notes: list[Note]) -> str:
    head = STATEMENT.match(line)
    if head is None:
        return line

    def changed(written: str, read_as: str) -> str:
        if written != read_as:
            notes.append(Note(number, written, read_as))
        return read_as

    mnemonic = changed(head.group(2), head.group(2).lower())
    rest = line[head.end() :]
    if mnemonic == "typed_atomic" and (operation := _OPERATION.match(rest)):
        rest = "." + changed(operation.group(1), _operation(operation.group(1))) + rest[operation.end() :]

    def word(match: re.Match[str]) -> str:
        written = match.group()
        read_as = "%null.0" if written == "V0.0" else PAGE_SURFACES.get(written, written)
        return written if written.partition(".")[0] in declared else changed(written, read_as)

    return head.group(1) + mnemonic + _WORD.sub(word, rest)


def _operation(written: str) -> str:
    lower = written.lower()
    spelled = PAGE_OPERATIONS.get(lower, lower)
    return spelled if spelled in ATOMIC_CODES or spelled == "predec" else written
