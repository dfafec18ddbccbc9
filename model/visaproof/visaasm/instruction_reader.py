"""Reading an instruction: its head, its operands, and what they name.

Source: docs/pages/operands-and-files.md §6, §8.
"""

import re
from collections.abc import Collection

from visaproof.isa.errors import ReadError
from visaproof.visaasm import words
from visaproof.visaasm.declarations import Declarations
from visaproof.visaasm.fragment_records import FragmentError, Head, UnknownForm
from visaproof.visaasm.fragments import read_head, read_operand
from visaproof.visaasm.naming import closest, shown
from visaproof.visaasm.operand_checks import (
    check_operand,
    check_predicate,
    check_predicates,
    renamed,
    resolve_base,
    resolve_name,
)
from visaproof.visaasm.source import LogicalLine
from visaproof.visaasm.statement_shape import require_count, require_no_predicate, require_shape
from visaproof.visaasm.syntax import Instruction, Name, Operand, Text

LABEL = re.compile(r"([A-Za-z_$@?][A-Za-z0-9_\-$@?]*)[ \t]*:")

UNMODELLED = re.compile(r"\(.*,.*\)", re.ASCII)
"""Operand forms of Intel's grammar that no class of syntax.py has: block sizes, jump tables, motion estimation."""
LONGEST_TEXT = 200

JUMPS = frozenset(["jmp", "goto", "call", "fccall"])
"""Their operand is a label."""
LINKED = frozenset(["fcall", "faddr"])
"""Their first operand is a name that the linker knows."""
WORDS_OF_THEIR_OWN = frozenset(["avs"])
"""Instructions with words among their operands that name no variable."""


class InstructionReader:
    """Reads the instructions of one kernel; `declarations` grows meanwhile."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._jumps: list[Name] = []
        self._checked: set[str] = set()
        """Operands that are known to be sound, as long as names keep their meaning."""

    def names_changed(self) -> None:
        self._checked.clear()

    def read(self, text: str, start: int, line: LogicalLine) -> Instruction:
        """The instruction `text[start:]`.  Raises ReadError, or FragmentError with an offset into `text`."""
        found = words.split(text, start)
        count = min(words.head_length(found), len(found))
        last = found[count - 1]
        try:
            head = read_head(text[start : last.offset + len(last.text)])
        except FragmentError as error:
            raise error.moved(start) from None
        if head.predicate is not None:
            position = line.position(start + head.predicate_offset)
            check_predicate(head.predicate, self._declarations, position)
            require_no_predicate(head.opcode, position)
        operands = [
            self._operand(word, head, index, line) for index, word in enumerate(words.operands(text, found[count:]))
        ]
        require_count(head.opcode, operands, line.position(start))
        check_predicates(head.opcode, operands, self._declarations)
        require_shape(head.opcode, head.suffixes, operands, line.position(start))
        return Instruction(
            head.opcode,
            head.suffixes,
            head.predicate,
            head.execution,
            tuple(operands),
            line.position(start),
            line.text[start : len(text)],
        )

    def _operand(self, word: words.Word, head: Head, index: int, line: LogicalLine) -> Operand:
        text = word.text
        position = line.position(word.offset)
        if head.opcode in JUMPS and LABEL.fullmatch(text + ":"):  # it may have more characters than a name
            operand: Operand = Name(text, position)
        else:
            try:
                operand = read_operand(text, position)
            except FragmentError as error:
                if isinstance(error, UnknownForm) and len(text) <= LONGEST_TEXT and UNMODELLED.fullmatch(text):
                    return Text(text, position)
                raise error.moved(word.offset) from None
        if isinstance(operand, Name):
            return self._name(operand, head, index)
        if head.opcode in JUMPS:
            raise ReadError(f"{shown(text)} is no label", position, f"{head.opcode} takes the name of a label")
        if text not in self._checked:
            check_operand(operand, self._declarations)
            self._checked.add(text)
        operand = resolve_base(operand, self._declarations)
        return renamed(operand, self._declarations) if self._declarations.has_renamed else operand

    def _name(self, name: Name, head: Head, index: int) -> Operand:
        if head.opcode in JUMPS:
            self._jumps.append(name)
            return name
        if head.opcode in WORDS_OF_THEIR_OWN or (head.opcode in LINKED and index == 0):
            return name
        operand = resolve_name(name, self._declarations)
        return renamed(operand, self._declarations) if self._declarations.has_renamed else operand

    def check_jumps(self, labels: Collection[str]) -> None:
        """Every jump has its label.  Raises ReadError."""
        for jump in self._jumps:
            if jump.name not in labels:
                raise ReadError(f"there is no label {shown(jump.name)}", jump.position, closest(jump.name, labels))
