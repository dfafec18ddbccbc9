"""`visaproof check --rules igc`: what Intel's verifier accepts, and the hazards in it."""

import json
from pathlib import Path

import pytest

HEADER = """.version 4.1
.kernel "demo"
.decl V1 v_type=G type=ud num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
.function "main"
"""
ALIGNMENT = (
    "a variable of a GRF or more must be used from a GRF boundary on [igc.alignment] (docs/pages/validity.md §2.3)"
)
ATOMIC = "(M1, 8) T6 V1.0 %null.0 %null.0 %null.0 V1.0 %null.0 V1.0"


@pytest.fixture
def kernel(tmp_path: Path):
    def write(*lines: str) -> Path:
        path = tmp_path / "demo.visaasm"
        path.write_text(HEADER + "".join(f"    {line}\n" for line in lines) + "    ret (M1, 1)\n")
        return path

    return write


def test_what_the_verifier_accepts_exits_0(visaproof, kernel):
    path = kernel("scatter4_scaled.R (M1, 4) T6 0x0:ud V1.0 V1.64")
    assert visaproof("check", path, "--platform", "DG2").code == 1
    ran = visaproof("check", path, "--rules", "igc", "--platform", "DG2")
    assert ran.code == 0
    assert ran.out == (f"{path}: kernel demo, 1 messages of the four pages checked\n1 accepted on DG2\n")


def test_a_rejection_names_the_rule_its_source_and_the_operand(visaproof, kernel):
    path = kernel("scatter4_scaled.R (M1, 8) T6 0x0:ud V1.4 V1.128")
    ran = visaproof("check", path, "--rules", "igc", "--platform", "TGLLP")
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        f"{path}:6:41: Element_offset: {ALIGNMENT}",
        "        scatter4_scaled.R (M1, 8) T6 0x0:ud V1.4 V1.128",
        "                                            ^",
        "1 REJECTED on TGLLP",
    ]


def test_a_hazard_is_accepted_and_shown_with_its_evidence(visaproof, kernel):
    path = kernel(f"typed_atomic.fmax {ATOMIC}", "scatter4_scaled.R (M2, 8) T6 0x0:ud V1.0 V1.0")
    ran = visaproof("check", path, "--rules", "igc", "--platform", "DG2")
    assert ran.code == 0
    assert "[hazard.float-atomic] (D29)" in ran.out
    assert "Exec_size: there is no such mask for this size: the message is sent with M1 [hazard.mask]" in ran.out
    assert ran.out.endswith("1 accepted with 2 hazards on DG2\n")


def test_json_has_the_names_of_rules_and_operands(visaproof, kernel, tmp_path):
    path = kernel(f"typed_atomic.imax {ATOMIC}", f"typed_atomic.fmin {ATOMIC}")
    ran = visaproof("check", path, tmp_path / "none.visaasm", "--rules", "igc", "--format", "json", "--platform", "DG2")
    document = json.loads(ran.out)
    assert (ran.code, document["rules"], document["platform"]) == (2, "igc", "DG2")
    judged, unreadable = document["files"]
    assert (judged["checked"], judged["legal"]) == (2, False)
    assert [(entry["id"], entry["operand"], entry["line"]) for entry in judged["findings"]] == [("igc.suffix", "Op", 6)]
    assert [(entry["id"], entry["source"]) for entry in judged["hazards"]] == [("hazard.float-atomic", "D29")]
    assert unreadable["legal"] is None
