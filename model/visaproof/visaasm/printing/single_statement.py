"""A statement without a kernel: what it names is taken as declared, and large enough."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.encoding import predicate_field
from visaproof.isa.errors import Position, ReadError
from visaproof.isa.operands import NULL
from visaproof.isa.platform import Platform
from visaproof.visaasm import predefined, syntax, words
from visaproof.visaasm.bytecode.messages import FIRST_GENERAL, Indices
from visaproof.visaasm.bytecode.tables import EncodedInstruction, GeneralField, IndirectField, RawField
from visaproof.visaasm.fragment_records import FragmentError, Head
from visaproof.visaasm.fragments import read_head
from visaproof.visaasm.printing.printer import print_encoded
from visaproof.visaasm.printing.spelling import Note, as_written, in_grammar_spelling
from visaproof.visaasm.reader import read_kernel

ROOM = 1 << 14
"""Bytes behind the place that a statement names: no message reaches further."""

MNEMONIC = re.compile(r"\s*(?:\([^()]*\)\s*)?([A-Za-z_]\w*)")
_NAME = r"[A-Za-z_]\w*"
_SURFACE = re.compile(_NAME)
_ADDRESS = re.compile(rf"(?:\([^()]*\)\s*)?r\s*\[\s*({_NAME})")
_INSIDE = re.compile(
    rf"(?:\b(?:bss|bti|ss|surf|(?P<flat>flat))\((?P<base>{_NAME})\b[^\[\]]*)?[^\[\]]*\[(?P<names>[^\[\]]*)\]"
)
"""The surface of an address, and what stands between its brackets: several names in those of 2D blocks and quads."""
_INNER = re.compile(rf"(?<![\w%$.])({_NAME})(?:\.(\d+))?")
_GENERAL = re.compile(
    rf"(?:\([^()]*\)\s*)?({_NAME})\s*(?:\.\s*(?P<offset>\d+)(?!\d*[.(])|\(\s*(?P<row>\d+)\s*,\s*(?P<column>\d+)\s*\)|:)"
    rf"|[^\[\]]*\[[^\[\]]*?({_NAME})(?:\.(?P<behind>\d+))?[^\[\]]*\]:a\d+"
)


class Alone(Struct, frozen=True):
    """A statement in a kernel that was made for it."""

    instruction: syntax.Instruction
    kernel: syntax.Kernel
    notes: tuple[Note, ...]
    """Words in the pages' spelling."""
    assumed: tuple[str, ...]
    """The declarations that were made for it."""

    def place(self, position: Position) -> Position:
        """The place in the statement as it was written of a place in its kernel."""
        return as_written(replace(position, line=1), self.notes)


def mnemonic_of(text: str) -> str:
    """The word that names the instruction, "" where there is none."""
    found = MNEMONIC.match(text)
    return found.group(1) if found else ""


def declared_in(kernel: syntax.Kernel) -> tuple[str, ...]:
    """The lines of a kernel that declare what its statements name."""
    lines = (line.strip() for line in kernel.source_lines)
    return tuple(line for line in lines if line.startswith((".decl", ".kernel_attr")))


def read_alone(text: str, path: str, platform: Platform, declared: Sequence[str] | None = None) -> Alone:
    """The one statement that `text` is, in the pages' spelling or the grammar's.

    What it names is `declared`, or else taken as declared.  Raises ReadError, whose position is in `text`; `path` is
    for messages.
    """
    if "\n" in text:
        raise ReadError("more than one line", Position(path, 1, text.index("\n") + 1), "one instruction at a time")
    spelled, notes = in_grammar_spelling(text)
    try:
        assumed = tuple(dict.fromkeys(_declarations(spelled))) if declared is None else ()
        above = (".version 4.1", '.kernel "alone"', *(declared or assumed), '.function "alone"')
        kernel = read_kernel("\n".join((*above, spelled, "ret (M1, 1)")), path, grf_bytes=platform.grf_bytes)
    except FragmentError as error:
        where = as_written(Position(path, 1, error.offset + 1), notes)
        raise ReadError(error.message, where, error.hint) from None
    except ReadError as error:
        raise ReadError(error.message, as_written(replace(error.position, line=1), notes), error.hint) from None
    line = len(above) + 1
    found = [each for each in kernel.instructions() if each.position.line == line]
    if len(found) != 1:
        raise ReadError(f"{len(found)} instructions", Position(path, 1, 1), "one instruction at a time")
    return Alone(found[0], kernel, notes, assumed)


def _declarations(text: str) -> Iterator[str]:
    """A declaration for each name among the predicate and the operands.  Raises FragmentError."""
    found = words.split(text)
    if not found:
        return
    count = min(words.head_length(found), len(found))
    last = found[count - 1]
    head = read_head(text[: last.offset + len(last.text)])
    if head.predicate is not None:
        execution = head.execution
        bits = execution.mask.lane_offset + execution.size if execution else 32
        yield f".decl {head.predicate.variable} v_type=P num_elts={bits}"
    sizes: dict[str, int] = {}
    for word in words.operands(text, found[count:]):
        if _SURFACE.fullmatch(word.text) and not head.opcode.startswith("lsc_"):
            if word.text not in predefined.PREDEFINED:
                yield f".decl {word.text} v_type=T num_elts=1"
        elif address := _ADDRESS.match(word.text):
            yield f".decl {address.group(1)} v_type=A num_elts=16"
        else:
            _note_general(word.text, head, sizes)
    for name, size in sizes.items():
        if name not in predefined.PREDEFINED and name != NULL:
            data_type, width = ("uq", 8) if size < 0 else ("ud", 4)
            yield f".decl {name} v_type=G type={data_type} num_elts={abs(size) // width} align=GRF"


def _note_general(text: str, head: Head, sizes: dict[str, int]) -> None:
    """Adds the bytes of the general variables that an operand names; below 0 where their elements have 64 bits."""
    if _SURFACE.fullmatch(text):
        sizes.setdefault(text, ROOM)
    elif inside := _INSIDE.match(text):
        base, parts = inside["base"], _INNER.findall(inside["names"])
        for name, start in (*([(base, "")] if base else []), *parts):
            sizes[name] = max(abs(sizes.get(name, 0)), min(int(start or 0), 1 << 17) + ROOM)
        matrix = "block2d" in head.opcode and len(parts) > 1
        if matrix or (inside["flat"] and "slm" not in head.suffixes):  # an address of 64 bits
            sizes[base or parts[0][0]] *= -1
    elif general := _GENERAL.match(text):
        name = general.group(1) or general.group(5)
        reach = int(general["offset"] or general["behind"] or 0) + 64 * int(general["row"] or 0)
        sizes[name] = max(sizes.get(name, 0), min(reach, 1 << 17) + ROOM)
        if general["row"] is not None and head.opcode.startswith("svm"):
            sizes[name] = -sizes[name]  # a scalar address has 64 bits


def text_of(instruction: EncodedInstruction, platform: Platform) -> str:
    """The text of byte code whose kernel is not there: V32, T6, P1, A0 are named by their indices."""
    general = {index: name for index, (name, _, _) in enumerate(predefined.GENERAL)}
    addresses: dict[int, str] = {}
    for value in instruction.fields:
        match value:
            case RawField(index) | GeneralField(index) if index >= FIRST_GENERAL:
                general[index] = f"V{index}"
            case IndirectField(index):
                addresses[index] = f"A{index}"
            case _:
                pass
    surfaces: dict[int, str] = dict(enumerate(predefined.SURFACES))
    surface = instruction.number("Surface")
    surfaces.setdefault(surface, f"T{surface}")
    predicates: dict[int, str] = {}
    if instruction.mnemonic != "oword_ld":
        predicate = predicate_field(instruction.number("Pred")).variable
        predicates[predicate] = f"P{predicate}"
    return print_encoded(instruction, Indices(general, surfaces, predicates, addresses, {}, platform.grf_bytes))
