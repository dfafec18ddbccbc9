"""`visaproof check`: kernels against the pages."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data" / "visaasm"

HEADER = """.version 4.1
.kernel "demo"
.decl V1 v_type=G type=ud num_elts=16 align=GRF
.decl V2 v_type=G type=d num_elts=16 align=GRF
.decl V3 v_type=G type=uq num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.function "main"
"""


@pytest.fixture
def kernel(tmp_path: Path):
    def write(*lines: str) -> Path:
        path = tmp_path / "demo.visaasm"
        path.write_text(HEADER + "".join(f"    {line}\n" for line in lines) + "    ret (M1, 1)\n")
        return path

    return write


def test_a_legal_kernel_exits_0_with_its_counts(visaproof, kernel):
    path = kernel("scatter4_scaled.R (M1, 8) T6 0x0:ud V1.0 V1.0", "mov (M1, 8) V1(0,0)<1> V2(0,0)<1;1,0>")
    ran = visaproof("check", path)
    assert ran.code == 0
    assert ran.out == (
        f"{path}: kernel demo, 4 declarations, 3 instructions, 1 memory messages checked\n"
        "1 legal on DG2 (nothing names another: --platform)\n"
    )


def test_a_broken_rule_exits_1_with_its_place_line_and_page(visaproof, kernel):
    path = kernel("typed_atomic.inc (M1, 16) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 V1.0")
    ran = visaproof("check", path, "--platform", "tgllp")
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        f"{path}:8:5: execution size 16 is not one of 8 (TYPED_ATOMIC.md)",
        "        typed_atomic.inc (M1, 16) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 V1.0",
        "        ^",
        "1 NOT LEGAL on TGLLP",
    ]


def test_a_rule_may_depend_on_the_platform(visaproof, kernel):
    path = kernel("qw_scatter.1 (M1, 8) T6 V1.0 V3.0")
    assert visaproof("check", path).code == 0
    ran = visaproof("check", path, "--platform", "TGLLP")
    assert ran.code == 1
    assert "QW_SCATTER exists from XeHP_SDV on, not on TGLLP (D46)" in ran.out


def test_operand_types_are_the_pages_unless_any_is_asked_for(visaproof, kernel):
    path = kernel("scatter4_scaled.R (M1, 8) T6 0x0:ud V2.0 V1.0")
    ran = visaproof("check", path)
    assert ran.code == 1
    assert "Element_offset must have type UD, not D (SCATTER4_SCALED.md)" in ran.out
    assert visaproof("check", path, "--types", "any").code == 0


def test_what_is_not_modelled_is_counted_and_is_no_error(visaproof, kernel):
    path = kernel(
        *["scatter4_typed.R (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 V1.0"] * 2, "qw_scatter.2 (M1, 8) T6 V1.0 V3.0"
    )
    ran = visaproof("check", path)
    assert ran.code == 0
    assert "  not modelled: scatter4_typed (2), qw_scatter.2: the page has only one block (1)\n" in ran.out


def test_an_instruction_that_does_not_fit_its_opcode_exits_2(visaproof, kernel):
    path = kernel("scatter4_scaled.R (M1, 8) V1.0 0x0:ud V1.0 V1.0", "qw_scatter.1 (M1, 8) T6 V1.0 V3.0")
    ran = visaproof("check", path)
    assert ran.code == 2
    assert "this operand must be a surface" in ran.err
    assert "        scatter4_scaled.R (M1, 8) V1.0 0x0:ud V1.0 V1.0\n" in ran.err
    assert "1 memory messages checked" in ran.out


def test_an_unreadable_file_shows_the_line_and_the_others_are_checked(visaproof, kernel, tmp_path):
    good = kernel()
    bad = tmp_path / "bad.visaasm"
    bad.write_text('.version 4.1\n.kernel "k"\n\tmov (M1, 8) V9(0,0)<1> 1:d\n')
    ran = visaproof("check", bad, good, tmp_path / "none.visaasm")
    assert ran.code == 2
    assert f"error: {bad}:3:" in ran.err
    assert "     mov (M1, 8) V9(0,0)<1> 1:d\n" in ran.err
    assert "none.visaasm:1:1: the file cannot be opened: No such file or directory" in ran.err
    assert "1 legal, 2 unreadable on DG2" in ran.out


def test_json_follows_the_schema(visaproof, kernel, tmp_path):
    bad = tmp_path / "bad.visaasm"
    bad.write_text("")
    path = kernel(
        "scatter4_scaled.R (M1, 8) T6 0x0:ud V2.0 V1.0", "scatter4_typed.R (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 V1.0"
    )
    ran = visaproof("check", path, bad, "--format", "json", "--platform", "PVC")
    document = json.loads(ran.out)
    assert list(document) == ["visaproof", "schema", "command", "exit_code", "platform", "files"]
    assert (document["command"], document["exit_code"], document["platform"]) == ("check", 2, "PVC")
    checked, unreadable = document["files"]
    assert checked == {
        "file": str(path), "kernel": "demo", "declarations": 4, "instructions": 3, "checked": 1, "legal": False,
        "findings": [
            {
                "line": 8, "column": 5, "rule": "Element_offset must have type UD, not D",
                "source": "SCATTER4_SCALED.md",
            }
        ],
        "not_modelled": {"scatter4_typed": 1}, "errors": [],
    }  # fmt: skip
    assert unreadable["kernel"] is None
    assert len(unreadable["errors"]) == 1


def test_an_unknown_platform_exits_2(visaproof):
    ran = visaproof("check", "x", "--platform", "Larrabee")
    assert ran.code == 2
    assert "no platform 'Larrabee': one of BDW, CHV, SKL" in ran.err


def test_what_the_compiler_emits_can_be_checked(visaproof):
    """Only operand types, and the size of a TYPED_ATOMIC on PVC, are not the pages'."""
    files = sorted(DATA.rglob("*.visaasm"))
    assert len(files) > 50
    ran = visaproof("check", "--types", "any", *files)
    rules = {line.split(": ", 1)[1] for line in ran.out.splitlines() if ".visaasm:" in line and ": kernel " not in line}
    assert rules <= {"execution size 16 is not one of 8 (TYPED_ATOMIC.md)"}
    assert ran.err == ""
