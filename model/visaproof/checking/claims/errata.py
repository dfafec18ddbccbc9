"""The errata ledger: contradictions of the manual and hazards of Intel's tool, each with an example that runs again.

Format: counterexamples/README.md, "Errata".  What the page makes of an example is worked out by `execute` and by the
rules; so is what another source makes of it, where that is what the page makes of another instruction or state.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from visaproof.checking.counterexample import Outcome, SurfaceState, read_bytes
from visaproof.checking.runs import run
from visaproof.checking.states import surface_from
from visaproof.decode.message import decode
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.platform import Platform, platform_named
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.visaasm.syntax import GeneralVariable, Kernel, PredicateVariable
from visaproof.visaasm.validity import judged_by_igc, judged_by_pages
from visaproof.visaasm.validity.hazards import hazards_of

Kind = Literal["contradiction", "silence", "slip", "hazard"]
"""Two sources say different things; the page says nothing; a mistake of the text without effect; what Intel's verifier
accepts and its compiler then emits with another meaning."""


class Against(msgspec.Struct, forbid_unknown_fields=True):
    """What another source says."""

    source: str
    says: str


class Otherwise(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What the example would do by the other source; with `instruction` or `registers` it is worked out."""

    says: str
    instruction: str | None = None
    """An instruction that means by its page what the other source makes of the example."""
    registers: dict[str, list[int]] = {}
    """Contents in which the example means by its page what the other source makes of it."""
    rejected: bool = False
    undefined: bool = False
    changes: dict[str, str] | None = None
    """The places that change; null where the example has no outcome to compare."""
    emitted_alike: bool = False
    """Intel's tool emits the same code for `instruction` as for the example."""
    assembly: str = ""
    """A regular expression that is in what the tool emits for the example."""


class Example(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An instruction over the declarations of the ledger, in a state: what is not named is zero."""

    platform: str
    instruction: str
    exec_mask: str = "0x1"
    registers: dict[str, list[int]] = {}
    """By variable, dwords from its start on."""
    predicates: dict[str, str] = {}
    surfaces: dict[str, SurfaceState] = {}


class ByPage(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What the page, as visaproof reads it, makes of the example."""

    rules: list[str] = []
    """The rules that it breaks; then nothing runs."""
    refused: bool = False
    """The reader of visaproof refuses the statement."""
    undefined: bool = False
    changes: dict[str, str] = {}


class ByTool(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What Intel's parser and verifier make of it."""

    accepted: bool
    hazards: list[str] = []
    may_crash: bool = False
    """The tool need not come to a verdict."""


class Erratum(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of the ledger."""

    id: str
    kind: Kind
    title: str
    decisions: list[str]
    page_source: str
    page: str
    """What it says, in our words."""
    against: list[Against]
    example: Example
    by_page: ByPage
    by_tool: ByTool
    otherwise: Otherwise


class Ledger(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The file."""

    declarations: list[str]
    finding: list[Erratum]


def read_ledger(path: Path) -> Ledger:
    """Raises ReadError where it is none."""
    content = read_bytes(path)
    try:
        return msgspec.toml.decode(content, type=Ledger)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"not an errata ledger: {error}", Position(str(path), 1, 1)) from error


def program_of(instruction: str, declarations: list[str]) -> str:
    """A `.visaasm` file with this instruction."""
    head = ".version 4.1", '.kernel "k"', *declarations, '.function "k"', "_main:"
    return "\n".join((*head, f"    {instruction}", "    ret (M1, 1)"))


# ---------------------------------------------------------------- working it out


def differences(finding: Erratum, ledger: Ledger) -> Iterator[str]:
    """Where an entry says something else than what is worked out, in words."""
    page = by_page(finding.example, ledger)
    if page is not None and page != finding.by_page:
        yield f"{finding.id}: recorded by the page: {finding.by_page}; worked out: {page}"
    tool = by_tool(finding.example, ledger)
    if (tool.accepted, tool.hazards) != (finding.by_tool.accepted, finding.by_tool.hazards):
        yield f"{finding.id}: recorded by the tool: {finding.by_tool}; worked out: {tool}"
    other = finding.otherwise
    if (other.instruction or other.registers) and other.changes is not None:
        found = by_page(otherwise_of(finding), ledger)
        if found is None or (found.undefined, found.changes) != (other.undefined, other.changes):
            yield f"{finding.id}: recorded otherwise: {other}; worked out: {found}"


def otherwise_of(finding: Erratum) -> Example:
    """The example with the instruction or the registers of the other source."""
    other, example = finding.otherwise, finding.example
    return msgspec.structs.replace(
        example,
        instruction=other.instruction or example.instruction,
        registers=example.registers | other.registers,
    )


def by_page(example: Example, ledger: Ledger) -> ByPage | None:
    """None where the operation has no semantics here."""
    platform = platform_named(example.platform)
    try:
        judged = judged_by_pages(program_of(example.instruction, ledger.declarations), "errata", platform)
    except ReadError:
        return ByPage(refused=True)
    if judged.findings:
        return ByPage(rules=sorted({finding.id for finding in judged.findings}))
    statement = next(judged.kernel.instructions())
    try:
        instruction = decode(statement, judged.kernel, platform)
    except NotModelled:
        return None
    outcome: Outcome = run(instruction, _state(example, judged.kernel, platform), [int(example.exec_mask, 16)]).outcome
    return ByPage(undefined=outcome.undefined is not None, changes=outcome.changes)


def by_tool(example: Example, ledger: Ledger) -> ByTool:
    """By the rules of Intel's parser and verifier, and the table of hazards."""
    platform = platform_named(example.platform)
    text = program_of(example.instruction, ledger.declarations)
    judged = judged_by_igc(text, "errata", platform)
    if judged.findings:
        return ByTool(accepted=False)
    return ByTool(accepted=True, hazards=sorted({hazard.id for hazard in hazards_of(judged)}))


def _state(example: Example, kernel: Kernel, platform: Platform) -> ConcreteState:
    state = ConcreteState(platform)
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is None:
            dwords = example.registers.get(variable.name, [])
            content = b"".join(dword.to_bytes(4, "little") for dword in dwords)
            state.registers[variable.name] = bytearray(content.ljust(variable.size, b"\0"))
        elif isinstance(variable, PredicateVariable):
            bits = int(example.predicates.get(variable.name, "0"), 16)
            state.predicates[variable.name] = PredicateBits(variable.num_elts, bits)
    state.surfaces = {name: surface_from(surface) for name, surface in example.surfaces.items()}
    return state
