"""The rows of the ALU pages as a table for readers, with what outside sources hold each opcode: docs/opcodes.md."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence

from visaproof.isa.opcodes import ROWS, Form, Lanes, Mix, Modifiers, Predicates, Regions, Row, Saturation, Types
from visaproof.isa.platform import Platform
from visaproof.isa.readings import READINGS
from visaproof.visaasm.naming import listed

PAGE_ONLY = "page only"

HEAD = """# ALU, predicate and conversion opcodes

One row an opcode, as `model/visaproof/isa/opcodes.py` states its page (`documentation/visa/instructions` of
intel/intel-graphics-compiler). What lies outside a row is not modelled, by name. *Held by* says what outside this
project agrees: PoCL (OpenCL code of the opcode through Intel's compiler and `run`), the native instruction that the
finalizer emits, or the page only.

Made by `make pages`.

| opcode | page | types: destinations ← sources | modifiers | `.sat` | beside that | held by |
| --- | --- | --- | --- | --- | --- | --- |
"""
READINGS_HEAD = """
## Readings

What the pages leave open, or what Intel's compilers emit beside them.

| reading | question | answer |
| --- | --- | --- |
"""
OF_RUNS = (
    "half-denormals", "mixed-floats", "rounded-zero", "lrp-rounding", "plane-rounding", "approximations",
    "setp-lanes",
    "setp-mask", "predicate-not", "mov-of-predicate", "movs-mask", "movs-lanes",
)  # fmt: skip
"""Readings that no form names."""

_MIXES = {Mix.EACH: "", Mix.ALIKE: ", all alike", Mix.WIDE: ", the first two of one size"}
_MODIFIERS = {Modifiers.NONE: "–", Modifiers.ARITHMETIC: "`-` `abs`", Modifiers.LOGIC: "`~`"}
_SATURATION = {Saturation.NO: "–", Saturation.YES: "yes", Saturation.FLOATS: "floats"}
_PREDICATES = {
    Predicates.NONE: "",
    Predicates.ALL: "all operands may be predicates",
    Predicates.RESULT: "the destination may be a predicate",
}


def document(evidence: Mapping[str, Sequence[str]]) -> str:
    """The whole page; `evidence` has the outside sources by opcode."""
    rows = "".join(f"{' '.join(_cells(opcode, row, evidence))}\n" for opcode, row in sorted(ROWS.items()))
    named = dict.fromkeys(form.reading for row in ROWS.values() for form in row.forms if form.reading)
    readings = "".join(
        f"| {name} | {READINGS[name].question} | {READINGS[name].chosen} |\n" for name in (*named, *OF_RUNS)
    )
    return HEAD + rows + READINGS_HEAD + readings


def evidence_in(text: str) -> dict[str, list[str]]:
    """The outside sources of each opcode.  Raises ValueError for an opcode without a row."""
    found: dict[str, list[str]] = tomllib.loads(text)
    unknown = sorted(found.keys() - ROWS.keys())
    if unknown:
        raise ValueError(f"no opcode has a row for {listed(unknown)}")
    return found


def _cells(opcode: str, row: Row, evidence: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"| `{opcode}` | {row.page} |"
    yield f"{'<br>'.join(map(_form, row.forms))} |"
    yield f"{_MODIFIERS[row.modifiers]} | {_SATURATION[row.saturation]} |"
    yield f"{'; '.join(_remarks(row))} |"
    yield f"{', '.join(evidence.get(opcode, ())) or PAGE_ONLY} |"


def _form(form: Form) -> str:
    types = f"{_operands(form.results)} ← {_operands(form.sources)}{_MIXES[form.mix]}"
    since = f" (from {form.since.name} on)" if form.since > Platform.BDW else ""
    return types + since + (f" (reading {form.reading})" if form.reading else "")


def _operands(operands: tuple[Types, ...]) -> str:
    """Each operand's types; operands with the same ones as their number."""
    if len(operands) > 1 and len(set(operands)) == 1:
        return f"{len(operands)} × {_types(operands[0])}"
    return ", ".join(map(_types, operands))


def _types(types: Types) -> str:
    return "/".join(one.name for one in types) if types else "none"


def _remarks(row: Row) -> Iterator[str]:
    if row.not_modelled:
        yield f"**not modelled**: {row.not_modelled}"
    if len(row.sizes) < 6:
        yield f"{listed(map(str, row.sizes))} lane{'s' * (row.sizes != (1,))}"
    if row.regions is not Regions.HONOURED:
        yield f"elements: {row.regions.value}"
    if row.lanes is not Lanes.ENABLED:
        yield f"writes {row.lanes.value}"
    if _PREDICATES[row.predicates]:
        yield _PREDICATES[row.predicates]
    if not row.predicated:
        yield "no predicate before it"
    if not row.indirect:
        yield "no indirect operands"
    if not row.immediate:
        yield "no immediates"
