"""docs/opcodes.md: the table of the ALU pages is that of the rows."""

from pathlib import Path

import pytest

from visaproof.isa.opcodes import ROWS
from visaproof.isa.readings import READINGS
from visaproof.report.claims.opcodes import OF_RUNS, PAGE_ONLY, document, evidence_in

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "tests" / "data" / "opcode_evidence.toml"


def test_the_table_of_opcodes_is_current() -> None:
    made = document(evidence_in(EVIDENCE.read_text()))
    kept = (ROOT / "docs" / "opcodes.md").read_text()
    assert kept == made, "run make pages"


def test_the_table_has_each_opcode_with_its_evidence() -> None:
    made = document({"fbh": ["PoCL", "native"]}).splitlines()
    for opcode, row in ROWS.items():
        (line,) = (one for one in made if one.startswith(f"| `{opcode}` |"))
        assert f"| {row.page} |" in line
        assert line.endswith("| PoCL, native |" if opcode == "fbh" else f"| {PAGE_ONLY} |")
        assert line.count("|") == 8


def test_evidence_of_an_unknown_opcode_is_refused() -> None:
    with pytest.raises(ValueError, match="pln"):
        evidence_in('pln = ["PoCL"]')


def test_readings_of_runs_are_named() -> None:
    assert set(OF_RUNS) <= READINGS.keys()
