"""What `visaproof explain` prints: plain text, as wide as the terminal."""

from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import IO

from visaproof.isa.platform import Platform
from visaproof.report.kernels.check import FindingEntry
from visaproof.report.kernels.explain_records import CellEntry, CodeEntry, ExplainDocument, FieldEntry
from visaproof.report.text.excerpt import printable
from visaproof.report.text.tables import table

WIDEST_PIPE = 160
"""Columns where the output is no terminal."""
OWORD = 16
NARROWEST = 40


def width_of(stream: IO[str]) -> int:
    """Columns of the terminal that the stream is, or of a pipe."""
    return max(NARROWEST, get_terminal_size().columns) if stream.isatty() else WIDEST_PIPE


def explained(document: ExplainDocument, width: int) -> Iterator[str]:
    """The lines of the explanation."""
    parts = (_head, _verdict, _fields, _picture, _address, _readings, _examples)
    for number, part in enumerate(parts):
        lines = list(part(document, width))
        if number and lines:
            yield ""
        yield from (printable(line).rstrip() for line in lines)


def _head(document: ExplainDocument, width: int) -> Iterator[str]:
    grf = f"{document.platform}, registers of {document.grf_bytes} bytes"
    yield from wrap(f"{document.mnemonic.upper()} ({document.opcode:#04x}), page {document.page}, on {grf}", width)
    yield from _indented(document.syntax, width)
    if document.since != "BDW":
        missing = Platform[document.platform] < Platform[document.since]
        yield f"  from {document.since} on{f', not on {document.platform}' if missing else ''}"
    if document.out_of_bounds:
        yield from _indented(f"out of bounds: {document.out_of_bounds}", width)


def _indented(text: str, width: int) -> list[str]:
    return wrap(text, width, initial_indent="  ", subsequent_indent="    ")


def _verdict(document: ExplainDocument, width: int) -> Iterator[str]:
    if document.instruction is None or document.is_example:
        return
    yield document.instruction
    if document.assumed:
        names = ", ".join(line.split()[1] for line in document.assumed)
        yield from wrap(
            f"taken as declared, large enough and of the page's types: {names}", width, subsequent_indent="  "
        )
    for note in document.notes:
        yield f"note: {note.written} is the pages' spelling of {note.read_as}"
    yield "legal by its page" if document.legal else "NOT LEGAL by its page"
    yield from _findings(document.findings, width)
    if document.fields:
        accepted = not document.rejections and not document.notes
        spelling = ", for the spelling" if document.notes and not document.rejections else ""
        yield "accepted by Intel's verifier" if accepted else f"rejected by Intel's parser or verifier{spelling}"
        yield from _findings(document.rejections, width)
    if document.hazards:
        yield "hazards: emitted with another meaning than its page has"
        yield from _findings(document.hazards, width)


def _findings(findings: Sequence[FindingEntry], width: int) -> Iterator[str]:
    for each in findings:
        where = f"{each.operand}: " if each.operand else ""
        text = f"{where}{each.rule} [{each.id}] ({each.source})"
        yield from _indented(text, width)


# ---------------------------------------------------------------- fields


def _fields(document: ExplainDocument, width: int) -> Iterator[str]:
    if not document.fields:
        return
    if document.byte_code is not None:
        yield f"byte code: {document.opcode:02x} | " + " | ".join(each.bytes or "" for each in document.fields)
        rows = [(each.name, each.bytes or "", _value(each)) for each in document.fields]
        yield from table(("field", "bytes", "here"), rows, width, wrapped=True)
        return
    if not document.is_example:
        yield "no byte code: a field has no code for what stands here"
    rows = [row for each in document.fields for row in _legal(each)]
    yield from table(("field", "", "legal values"), rows, width, wrapped=True)


def _value(field: FieldEntry) -> str:
    if field.value is not None or not field.bits:
        return f"{field.value}: {field.meaning}" if field.value is not None else field.meaning
    parts: list[str] = []
    for bits in field.bits:
        unknown = f"{bits.value}, not on the page" if bits.codes else str(bits.value)
        meaning = next((code.meaning for code in bits.codes if code.value == bits.value), unknown)
        parts.append(f"{bits.meaning}: {meaning}")
    return "; ".join(parts)


def _legal(field: FieldEntry) -> Iterator[tuple[str, str, str]]:
    more = [
        *([f"type {' or '.join(field.types)}"] if field.types else []),
        *([f"null: {field.null}"] if field.null else []),
    ]
    source = f" ({field.source})" if field.source else ""
    yield field.name, field.width, "; ".join([field.meaning, *more]) + source
    for bits in field.bits:
        span = f"{bits.high}..{bits.low}" if bits.high != bits.low else str(bits.high)
        codes = ", ".join(map(_code, bits.codes))
        gate = f" (from {bits.since} on)" if bits.since != "BDW" else ""
        yield "", span, f"{bits.meaning}{gate}{': ' if codes else ''}{codes}"


def _code(code: CodeEntry) -> str:
    """With blanks at which no line breaks; they are printed as others are."""
    since = f" from {code.since} on" if code.since != "BDW" else ""
    only = f" with {code.only}" if code.only else ""
    return f"{code.value} = {code.meaning}{since}{only}".replace(" ", "\u00a0")


# ---------------------------------------------------------------- the picture


def _picture(document: ExplainDocument, width: int) -> Iterator[str]:
    if not document.lanes:
        return
    if document.is_example:
        yield f"example: {document.instruction}"
    first = document.lanes[0].cells[0]
    if first.effect == "atomic":
        yield from _atomic(document, width)
    elif document.lanes[0].lane is None:
        yield "every lane alike, whatever the execution mask:"
        rows = [("", _arrow(cell)) for lane in document.lanes for cell in _owords(lane.cells)]
        yield from table(("", "register and byte address"), rows, width)
    else:
        does = "writes" if first.effect == "store" else "reads"
        place = "texel (u, v, r, lod, channel)" if len(first.place) > 1 else "byte address"
        yield from wrap(f"what an enabled lane {does}, register and {place}:", width)
        titles = ["lane", "enabled where", *(cell.channel for cell in document.lanes[0].cells)]
        rows = [(str(lane.lane), _guard(lane.listens_to), *map(_arrow, lane.cells)) for lane in document.lanes]
        yield from table(titles, rows, width, fixed=2)
    for line in _legend(document):
        yield from _indented(line, width)


def _atomic(document: ExplainDocument, width: int) -> Iterator[str]:
    effect = f"new = {document.new_value}, returns {document.returns}"
    yield from wrap(f"each enabled lane, one after the other in some order: {effect}", width)
    sources = max(len(lane.cells[0].sources) for lane in document.lanes)
    place = "texel (u, v, r, lod)" if len(document.lanes[0].cells[0].place) == 4 else "byte address"
    titles = ["lane", "enabled where", place, *(f"src{k}" for k in range(sources)), "returned to"]
    rows = [
        (str(lane.lane), _guard(lane.listens_to), _place(cell), *cell.sources, cell.register or "nowhere")
        for lane in document.lanes
        for cell in lane.cells
    ]
    yield from table(titles, rows, width, fixed=2)


def _guard(text: str) -> str:
    return {"true": "always"}.get(text, text)


def _place(cell: CellEntry) -> str:
    return f"{cell.surface}[{', '.join(cell.place)}]"


def _arrow(cell: CellEntry) -> str:
    if cell.effect == "store":
        return f"{cell.register} → {_place(cell)}"
    return f"{_place(cell)} → {cell.register}"


def _owords(cells: Sequence[CellEntry]) -> Iterator[CellEntry]:
    """The first element of each oword."""
    yield from (cell for index, cell in enumerate(cells) if index * cell.width % OWORD == 0)


def _legend(document: ExplainDocument) -> Iterator[str]:
    for each in document.names:
        yield f"{each.names}: the dword{'s' * (',' in each.registers)} {each.registers}"
    if any(each.names == "PITCH" for each in document.names):
        yield "of elements with X or Y below 0 or beyond WIDTH or HEIGHT a load brings 0, and a store does nothing"
    guards = " ".join(lane.listens_to for lane in document.lanes)
    if "EM[" in guards:
        yield "EM: the execution mask of the thread"
    if any("(" in place for lane in document.lanes for cell in lane.cells for place in cell.place):
        yield "(…): this sum wraps before the rest is added"
    if document.lanes[0].lane is None:
        yield "each row is 16 bytes: the places of the first"


def _address(document: ExplainDocument, width: int) -> Iterator[str]:
    found = document.address
    if found is None:
        return
    if found.unknown is not None:
        yield from wrap(f"where its address comes from is not followed: {found.unknown}", width)
        return
    yield "where its address comes from:" if found.statements else "its address comes from no other statement:"
    longest = max((len(str(one.line)) for one in found.statements), default=0)
    for one in found.statements:
        yield f"  {one.line:>{longest}} | {one.text}"
    for one in found.begins:
        yield from _indented(f"{one.variable}: {', '.join(one.holds) or 'no launch file says what it holds'}", width)


# ---------------------------------------------------------------- the rest


def _readings(document: ExplainDocument, width: int) -> Iterator[str]:
    if not document.lanes:
        return
    if document.readings:
        yield "what the page leaves open, and visaproof reads:"
    for each in document.readings:
        text = f"{each.decision}: {each.question} {each.chosen}"
        yield from _indented(text, width)


def _examples(document: ExplainDocument, width: int) -> Iterator[str]:
    if document.examples and (document.is_example or document.instruction is None):
        yield "examples (each can be explained):"
        yield from (f"  visaproof explain '{example}'" for example in document.examples)
