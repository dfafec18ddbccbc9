"""The errata ledger as a page: `python -m visaproof.report.claims.errata counterexamples/errata.toml`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from visaproof.checking.claims.errata import Erratum, Example, Ledger, read_ledger
from visaproof.checking.counterexample import SurfaceState

INTRODUCTION = """# Errata

What the vISA manual, other sources and Intel's own tool say differently, each with an example that runs again:

    visaproof replay counterexamples/errata.toml

Made from `errata.toml` (`make errata`); the format is in `README.md`.  What stands under *by the page* is worked out on
`execute` and the rule table; what Intel's verifier accepts is checked against GenX_IR where it is installed.  Sources
of the manual are files of `documentation/visa/instructions` unless a path says otherwise.  D1, D2, … are the decisions
of visaproof, `docs/decisions.md`.

- **contradiction**: two sources say different things
- **silence**: the page does not say, and other sources do
- **slip**: a mistake of the text without effect
- **hazard**: Intel's verifier accepts it, and what is emitted means something else than the page
"""


def page_of(ledger: Ledger) -> str:
    """The Markdown text."""
    lines = [INTRODUCTION, "| entry | kind | what |", "|---|---|---|"]
    lines += [f"| [{each.id}](#{each.id}) | {each.kind} | {each.title} |" for each in ledger.finding]
    lines += ["", "Declarations of the examples; what is not named in a state is zero:", ""]
    lines += [f"    {line}" for line in ledger.declarations]
    for finding in ledger.finding:
        lines += ["", f"## {finding.id}", "", *_entry(finding)]
    return "\n".join(lines) + "\n"


def _entry(finding: Erratum) -> Iterator[str]:
    yield f"{finding.title}. *{finding.kind.capitalize()}; {', '.join(finding.decisions)}.*"
    yield ""
    yield f"- {finding.page_source}: {finding.page}"
    for each in finding.against:
        yield f"- {each.source}: {each.says}"
    yield ""
    yield f"On {finding.example.platform}, {_state(finding.example)}:"
    yield ""
    yield f"    {finding.example.instruction}"
    yield ""
    yield f"- by the page: {_by_page(finding)}"
    yield f"- Intel's verifier: {_by_tool(finding)}"
    yield f"- otherwise: {_otherwise(finding)}"


def _state(example: Example) -> str:
    parts = [f"execution mask {example.exec_mask}"]
    for name, dwords in example.registers.items():
        named = [f"{name}.{4 * index} = {dword:#x}" for index, dword in enumerate(dwords) if dword]
        parts += named or [f"{name} = 0"]
    parts += [f"{name} = {bits}" for name, bits in example.predicates.items()]
    parts += [f"{name} {_surface(surface)}" for name, surface in example.surfaces.items()]
    return ", ".join(parts)


def _surface(surface: SurfaceState) -> str:
    if surface.levels is not None:
        size = " and ".join(f"{u} × {v} × {r} texels" for u, v, r in surface.levels)
    else:
        size = f"{surface.size} bytes"
    contents = ", ".join(f"[{place}] = {value}" for place, value in surface.contents.items())
    return f"of {size}{f' with {contents}' if contents else ''}"


def _changes(changes: dict[str, str]) -> str:
    return ", ".join(f"{place} = {value}" for place, value in changes.items()) or "nothing changes"


def _by_page(finding: Erratum) -> str:
    page = finding.by_page
    if page.rules:
        return f"not legal ({', '.join(page.rules)})"
    if page.refused:
        return "not an operand of this instruction"
    return "undefined" if page.undefined else _changes(page.changes)


def _by_tool(finding: Erratum) -> str:
    tool = finding.by_tool
    verdict = "accepts it" if tool.accepted else "rejects it"
    hazards = f" ({', '.join(tool.hazards)})" if tool.hazards else ""
    return f"{verdict}{hazards}{'; the tool may crash' if tool.may_crash else ''}"


def _otherwise(finding: Erratum) -> str:
    other = finding.otherwise
    parts = [other.says]
    if other.undefined:
        parts.append("Undefined.")
    elif other.changes is not None:
        parts.append(f"Then {_changes(other.changes)}.")
    if other.instruction is not None:
        alike = "; the tool emits the same code for both" if other.emitted_alike else ""
        parts.append(f"As the page has it for `{other.instruction}`{alike}.")
    if other.assembly:
        parts.append(f"What the tool emits has `{other.assembly}`.")
    return " ".join(parts)


def main() -> int:
    """Prints the page of the ledger that is named."""
    sys.stdout.write(page_of(read_ledger(Path(sys.argv[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
