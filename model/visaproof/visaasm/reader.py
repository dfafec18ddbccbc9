"""Reading a `.visaasm` file into a `Kernel`.  Source: docs/pages/operands-and-files.md.

A statement is read in three steps: source.py finds it, words.py cuts it into words, and fragments.py reads the words;
declarations.py and instruction_reader.py check what the grammar cannot know.  This module leads from line to line.
"""

import re
from pathlib import Path

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.attributes import require_attribute
from visaproof.visaasm.declarations import Declarations
from visaproof.visaasm.device import said_in
from visaproof.visaasm.fragment_records import Directive, FragmentError
from visaproof.visaasm.fragments import NAME, read_declaration, read_directive, read_placement
from visaproof.visaasm.instruction_reader import LABEL, InstructionReader
from visaproof.visaasm.items import Brace, Declared, Item, Placed, ReadItem
from visaproof.visaasm.lines.repeated_names import Choices, choices_in
from visaproof.visaasm.lines.sizes import with_sizes
from visaproof.visaasm.naming import closest, shown
from visaproof.visaasm.source import BLANKS, LogicalLine, logical_lines, read_text, split_lines
from visaproof.visaasm.syntax import Instruction, Kernel, Label, Name, Statement
from visaproof.visaasm.words import STATEMENT_ENDS

DIRECTIVE = re.compile(r"\.[A-Za-z_][A-Za-z0-9_\-$@?]*")

SOURCE_PLACE = re.compile(r'FILE[ \t]+"|LOC[ \t]+[0-9]')
"""How the compiler prints `.file` and `.loc` among the instructions."""

DIRECTIVES = (
    ".version",
    ".kernel",
    ".global_function",
    ".function",
    ".funcdecl",
    ".file",
    ".loc",
    ".kernel_attr",
    ".decl",
    ".input",
)
MAX_SCOPES = 100
"""A name is looked up in each of them; the compiler opens none."""


def read_kernel(text: str, path: str, *, grf_bytes: int | None = None) -> Kernel:
    """The kernel that `text` describes; `path` is for messages.  Raises ReadError.

    `grf_bytes` is the value of `%sizeof(GRF)`, which only a platform gives; a text that uses it and does not name its
    own device cannot be read without.
    """
    kernel, _ = read_items(text, path, grf_bytes=grf_bytes)
    return kernel


def read_items(text: str, path: str, *, grf_bytes: int | None = None) -> tuple[Kernel, tuple[ReadItem, ...]]:
    """The kernel, and what stands in the text in its order.  Raises ReadError."""
    lines = split_lines(text.removeprefix("\ufeff"), path)
    said = said_in(lines, path)
    own = {platform.grf_bytes for one in said for platform in one.platforms}
    choices: Choices = choices_in(lines) if said else {}  # only a dump has lost its braces
    reader = _Reader(lines, path, own.pop() if grf_bytes is None and len(own) == 1 else grf_bytes, choices)
    for line in logical_lines(lines, path):
        reader.read(line)
    return reader.kernel(), tuple(reader.items)


ENDS = ("ret", "fret", "goto", "jmp")
"""What a kernel or function can end with."""


def read_kernel_file(path: Path, *, grf_bytes: int | None = None) -> Kernel:
    """The kernel in a file.  Raises ReadError, also for a file that cannot be opened, is not text, or was cut off."""
    kernel = read_kernel(read_text(path), str(path), grf_bytes=grf_bytes)
    check_end(kernel)
    return kernel


def check_end(kernel: Kernel) -> None:
    """Raises ReadError for a kernel that was cut off; IGC leaves labels behind its end that nothing names."""
    named = {one.name for each in kernel.instructions() for one in each.operands if isinstance(one, Name)}
    behind = (one for one in reversed(kernel.statements) if isinstance(one, Instruction) or one.name in named)
    last = next(behind, None)
    if not isinstance(last, Instruction) or last.opcode not in ENDS:
        end = Position(kernel.path, len(kernel.source_lines), 1)
        raise ReadError(
            "the file ends before the kernel does",
            end,
            f"it may have been cut off: a kernel ends with {' or '.join(ENDS)}",
        )


class _Reader:
    """What has been read of one file so far."""

    def __init__(self, lines: tuple[str, ...], path: str, grf_bytes: int | None, choices: Choices) -> None:
        self.items: list[ReadItem] = []
        self._lines = lines
        self._path = path
        self._grf_bytes = grf_bytes
        self._version: tuple[int, int] | None = None
        self._name: str | None = None
        self._is_function = False
        self._declarations = Declarations(lines, choices)
        self._scopes: list[Position] = []
        self._attributes: dict[str, str | int | None] = {}
        self._statements: list[Statement] = []
        self._labels: dict[str, Position] = {}
        self._functions: set[str] = set()
        self._instructions = InstructionReader(self._declarations)

    def _add(self, item: Item, line: LogicalLine) -> None:
        self.items.append(ReadItem(item, line.line, line.pieces[-1][1] if line.pieces else line.line))

    # ------------------------------------------------------------ statements

    def read(self, line: LogicalLine) -> None:
        try:
            self._read_scoped(line)
        except FragmentError as error:
            hint = error.hint
            if (error.offset >= len(line.text) or hint == STATEMENT_ENDS) and self._is_last(line):
                hint = "the file ends in the middle of a statement"
            raise ReadError(error.message, line.position(error.offset), hint) from None

    def _is_last(self, line: LogicalLine) -> bool:
        return not any(rest.strip() for rest in self._lines[line.position(len(line.text)).line :])

    def _read_scoped(self, line: LogicalLine) -> None:
        """`{` and `}` stand alone, or around a statement."""
        text, start = line.text, 0
        if "{" not in text and "}" not in text:
            self._read_statement(line, 0, len(text))
            return
        while text.startswith("{", start):
            self._in_kernel(line.position(start))
            if len(self._scopes) == MAX_SCOPES:
                raise ReadError("the scopes are nested too deeply", line.position(start), f"at most {MAX_SCOPES}")
            self._scopes.append(line.position(start))
            self._add(Brace.OPEN, line)
            self._declarations.open_scope()
            self._instructions.names_changed()
            start = _skip_blanks(text, start + 1)
        end, closing = len(text), text.count("}", start) - text.count("{", start)
        while closing > 0 and text[start:end].endswith("}"):
            closing -= 1
            end = start + len(text[start : end - 1].rstrip(BLANKS))
        if start < end:
            self._read_statement(line, start, end)
        for offset in range(end, len(text)):
            if text[offset] == "}":
                self._close_scope(line.position(offset))
                self._add(Brace.CLOSE, line)

    def _close_scope(self, position: Position) -> None:
        if not self._scopes:
            raise ReadError("this '}' closes nothing", position)
        self._scopes.pop()
        self._declarations.close_scope()
        self._instructions.names_changed()

    def _read_statement(self, line: LogicalLine, start: int, end: int) -> None:
        text = line.text if end == len(line.text) else line.text[:end]
        if "%sizeof" in text:
            text = with_sizes(text, line, self._declarations, self._grf_bytes)
        if text.startswith(".", start):
            self._read_directive(text, start, line)
            return
        self._in_kernel(line.position(start))
        if SOURCE_PLACE.match(text, start):
            self._add(self._directive(text, start, line), line)
        elif (label := LABEL.match(text, start)) is not None:
            self._read_label(label, text, line)
        else:
            if self._declarations.choose(line.line):
                self._instructions.names_changed()
            self._statements.append(self._instructions.read(text, start, line))
            self._add(self._statements[-1], line)

    def _in_kernel(self, position: Position) -> None:
        """Nothing but the version may stand before `.kernel`."""
        if self._version is None:
            raise ReadError("the version line must come first", position, "start the file with .version 4.1")
        if self._name is None:
            raise ReadError("a statement before the kernel's name", position, 'write .kernel "name" above it')

    def _read_label(self, label: re.Match[str], text: str, line: LogicalLine) -> None:
        name, position = label.group(1), line.position(label.start())
        if label.end() < len(text):
            offset = _skip_blanks(text, label.end())
            hint = "an instruction stands on a line of its own"
            raise ReadError("a label is followed by something", line.position(offset), hint)
        if name in self._labels:
            hint = f"first in line {self._labels[name].line}"
            raise ReadError(f"the label {name} stands twice", position, hint)
        self._labels[name] = position
        self._statements.append(Label(name, position))
        self._add(self._statements[-1], line)

    # ------------------------------------------------------------ directives

    def _read_directive(self, text: str, start: int, line: LogicalLine) -> None:
        keyword = DIRECTIVE.match(text, start)
        word = keyword.group() if keyword else "."
        implicit = word.removeprefix(".implicit_") if word.startswith(".implicit_") else None
        if self._version is None and word != ".version":
            self._in_kernel(line.position(start))
        if word in (".decl", ".input") or implicit is not None:
            self._read_named(text, start + len(word), implicit, word == ".decl", line)
        elif word in DIRECTIVES:
            self._add(self._directive(text, start, line), line)
        else:
            hint = closest(word, DIRECTIVES)
            raise ReadError(f"unknown directive {shown(word)}", line.position(start), hint)

    def _directive(self, text: str, start: int, line: LogicalLine) -> Directive:
        try:
            directive = read_directive(text[start:])
            self._apply(directive, line.position(start))
        except FragmentError as error:
            raise error.moved(start) from None
        return directive

    def _read_named(self, text: str, start: int, implicit: str | None, is_declaration: bool, line: LogicalLine) -> None:
        """`.decl NAME …` and `.input NAME …`."""
        self._in_kernel(line.position(0))
        start = _skip_blanks(text, start)
        name = NAME.match(text, start)
        if name is None:
            raise FragmentError("a name is missing", start)
        rest = _skip_blanks(text, name.end())
        position = line.position(start)
        try:
            if is_declaration:
                body = read_declaration(text[rest:])
            else:
                placed = read_placement(text[rest:])
                self._declarations.add_input(name.group(), placed, implicit, position)
                self._add(Placed(name.group(), implicit, placed), line)
                return
        except FragmentError as error:
            raise error.moved(rest) from None
        if name.group().startswith("%"):
            raise ReadError("a declared name cannot start with %", position)
        if self._scopes:
            self._instructions.names_changed()
        self._declarations.declare(name.group(), body, position, lambda offset: line.position(rest + offset))
        self._add(Declared(name.group(), body), line)

    def _apply(self, directive: Directive, position: Position) -> None:
        values = directive.values
        match directive.rule, values:
            case "version", (int(major), int(minor)):
                if self._version is not None:
                    raise ReadError("a second version line", position)
                self._version = (major, minor)
            case (("kernel" | "global_function"), (str(name),)):
                if self._name is not None:
                    hint = f"{self._name} is the first; put each kernel into a file of its own"
                    raise ReadError(f"a second kernel, {name}, in one file", position, hint)
                self._name, self._is_function = name, directive.rule == "global_function"
            case "attribute", (str(name), value):
                self._in_kernel(position)
                require_attribute(name, value, position)
                self._attributes[name] = value
            case "function", (str(name),):
                self._in_kernel(position)
                self._functions.add(name)
            case _:
                self._in_kernel(position)

    # ------------------------------------------------------------ the end

    def kernel(self) -> Kernel:
        """The kernel, once the whole file is read.  Raises ReadError for what is missing."""
        end = Position(self._path, len(self._lines), 1)
        if self._scopes:
            raise ReadError("this '{' is not closed", self._scopes[-1])
        if self._version is None:
            raise ReadError("there is no statement", end, "the first one is .version 4.1")
        if self._name is None:
            raise ReadError("there is no kernel", end, 'name it with .kernel "name" or .global_function "name"')
        self._instructions.check_jumps(self._labels.keys() | self._functions)
        self._declarations.check_inputs()
        return Kernel(
            self._path,
            self._version,
            self._name,
            self._is_function,
            self._declarations.variables,
            tuple(self._declarations.inputs),
            self._attributes,
            tuple(self._statements),
            self._lines,
        )


def _skip_blanks(text: str, start: int) -> int:
    while start < len(text) and text[start] in BLANKS:
        start += 1
    return start
