"""The errata ledger against Intel's tool: its verdict, and what it emits."""

import re
from pathlib import Path

import pytest

from tests.genx.tool import REASON, TOOL, Run, run_tool
from visaproof.checking.claims.errata import Erratum, program_of, read_ledger
from visaproof.isa.platform import SUPPORTED, platform_named

pytestmark = pytest.mark.skipif(TOOL is None, reason=REASON)

LEDGER = read_ledger(Path(__file__).parents[2] / "counterexamples" / "errata.toml")


def run_of(instruction: str, finding: Erratum, directory: Path) -> Run:
    text = program_of(instruction, LEDGER.declarations)
    return run_tool(text, platform_named(finding.example.platform), directory)


def code_of(assembly: str) -> list[str]:
    """The instructions, without comments and directives."""
    lines = (line.split("//")[0].strip() for line in assembly.splitlines())
    return [line for line in lines if line and not line.startswith(".")]


@pytest.mark.parametrize("finding", LEDGER.finding, ids=lambda each: each.id)
def test_the_tool_says_and_emits_what_the_entry_says(finding: Erratum, tmp_path: Path) -> None:
    if finding.by_tool.may_crash:
        pytest.skip("the tool need not come to a verdict")
    if platform_named(finding.example.platform) not in SUPPORTED:
        pytest.skip(f"the tool has no {finding.example.platform}")
    ran = run_of(finding.example.instruction, finding, tmp_path / "example")
    assert not ran.crashed
    assert ran.accepted == finding.by_tool.accepted, ran.message
    other = finding.otherwise
    assert re.search(other.assembly, ran.assembly)
    if other.emitted_alike:
        assert other.instruction is not None
        alike = run_of(other.instruction, finding, tmp_path / "alike")
        assert code_of(ran.assembly)
        assert code_of(ran.assembly) == code_of(alike.assembly)


def test_the_comparison_of_code_can_fail(tmp_path: Path) -> None:
    (finding,) = [each for each in LEDGER.finding if each.id == "masks-that-become-m1"]
    one, other = (
        run_of(f"scatter4_scaled.{channels} (M1, 8) T6 0x0:ud O.0 S.0", finding, tmp_path / channels)
        for channels in ("R", "G")
    )
    assert code_of(one.assembly) != code_of(other.assembly)
