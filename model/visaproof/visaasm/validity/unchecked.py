"""Reading a file as Intel's parser does: statements that the reader refuses are read without its checks of operands.

The reader refuses, for instance, `V.64` where V has 64 bytes (D6); Intel's tools accept it.  The line is read on its
own, and left blank for the rest of the file.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm import words
from visaproof.visaasm.fragment_records import FragmentError
from visaproof.visaasm.fragments import read_head, read_operand
from visaproof.visaasm.printing.spelling import STATEMENT
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.source import LogicalLine, logical_lines, split_lines
from visaproof.visaasm.syntax import Instruction, Kernel, Operand, Text
from visaproof.visaasm.validity.message import OPERANDS

MAX_REFUSED = 1000
"""Statements of one file that are read again; each one costs another reading of the file."""

_BLANK_SUFFIX = re.compile(r"\.[ \t]+(?=[0-9]+[ \t]*[.(])")
_INDIRECT = re.compile(
    r"(?:\((?:-|abs|-abs|~)\)\s*)?r\[.*\]\s*<\s*"
    r"(?:(?:0|1|2|4|8|16|32)\s*;\s*(?:0|1|2|4|8|16)\s*,|(?:0|1|2|4|8|16)\s*,)?\s*(?:0|1|2|4)\s*>\s*:\w+"
)
"""`r[A0(0),4]<1,0>:ud`: in Intel's grammar, not in ours; strides that are expressions are not read here."""


class Unchecked(Struct, frozen=True):
    """A file without the statements of the four pages that the reader refuses."""

    kernel: Kernel
    refused: tuple[LogicalLine, ...]


class UnreadableOperand(Exception):
    """An operand, by its name on the page, that has the right form and still cannot be read."""

    def __init__(self, name: str, message: str, position: Position) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.position = position


def read_unchecked(text: str, path: str, grf_bytes: int) -> Unchecked:
    """Raises ReadError for what is wrong beside the statements of the four pages."""
    refused: list[LogicalLine] = []
    written = text
    while True:
        try:
            kernel = read_kernel(text, path, grf_bytes=grf_bytes)
            return Unchecked(replace(kernel, source_lines=split_lines(written, path)), tuple(refused))
        except ReadError as error:
            line = _statement(text, path, error.position.line)
            if line is None or len(refused) == MAX_REFUSED:
                raise
            refused.append(line._replace(text=_BLANK_SUFFIX.sub(".", line.text)))
            text = _without(text, line.line)


def _statement(text: str, path: str, number: int) -> LogicalLine | None:
    """The statement of the four pages that stands alone in this line."""
    for line in logical_lines(split_lines(text, path), path):
        if line.line == number and not line.pieces and STATEMENT.match(line.text) and "{" not in line.text:
            return line
    return None


def _without(text: str, number: int) -> str:
    lines = text.split("\n")
    lines[number - 1] = ""
    return "\n".join(lines)


def read_statement(line: LogicalLine) -> Instruction:
    """The statement, whatever its operands name; its form is right.  Raises FragmentError, UnreadableOperand."""
    found = words.split(line.text)
    count = min(words.head_length(found), len(found))
    last = found[count - 1]
    head = read_head(line.text[: last.offset + len(last.text)])
    names = [name for name, _ in OPERANDS[head.opcode]]
    operands = tuple(
        _operand(word, name, line) for word, name in zip(words.operands(line.text, found[count:]), names, strict=True)
    )
    place = line.position(0)
    return Instruction(head.opcode, head.suffixes, head.predicate, head.execution, operands, place, line.text)


def _operand(word: words.Word, name: str, line: LogicalLine) -> Operand:
    position = line.position(word.offset)
    try:
        return read_operand(word.text, position)
    except FragmentError as error:
        if _INDIRECT.fullmatch(word.text):
            return Text(word.text, position)
        raise UnreadableOperand(name, error.message, line.position(word.offset + error.offset)) from None
