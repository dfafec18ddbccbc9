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
.input V1 offset=32 size=64
.input V2 offset=96 size=64
.input V3 offset=160 size=128
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
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 0
    assert ran.out == (
        f"{path}: kernel demo, 4 declarations, 3 instructions, 1 memory messages checked\n1 legal on DG2\n"
    )


def test_a_broken_rule_exits_1_with_its_place_line_and_page(visaproof, kernel):
    path = kernel("typed_atomic.inc (M1, 16) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 V1.0")
    ran = visaproof("check", path, "--platform", "tgllp")
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        f"{path}:11:5: Exec_size: TYPED_ATOMIC has 8 lanes [page.exec-size] (TYPED_ATOMIC.md, D41, D42)",
        "        typed_atomic.inc (M1, 16) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 V1.0",
        "        ^",
        (
            f"{path}:11:5: Exec_size: more lanes than the typed message has: one register comes back "
            "[hazard.typed-lanes] (D42)"
        ),
        "        typed_atomic.inc (M1, 16) T6 V1.0 %null.0 %null.0 %null.0 %null.0 %null.0 V1.0",
        "        ^",
        "1 NOT LEGAL with 1 hazard on TGLLP",
    ]


def test_a_rule_may_depend_on_the_platform(visaproof, kernel):
    path = kernel("qw_scatter.1 (M1, 8) T6 V1.0 V3.0")
    assert visaproof("check", path, "--platform", "DG2").code == 0
    ran = visaproof("check", path, "--platform", "TGLLP")
    assert ran.code == 1
    assert ": exists from XeHP_SDV on [page.platform] (D46)" in ran.out


def test_operand_types_are_the_pages_unless_any_is_asked_for(visaproof, kernel):
    path = kernel("scatter4_scaled.R (M1, 8) T6 0x0:ud V2.0 V1.0")
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 1
    assert f"{path}:11:41: Element_offset: must have type UD [page.type-ud] (SCATTER4_SCALED.md)" in ran.out
    assert visaproof("check", path, "--types", "any", "--platform", "DG2").code == 0


def test_a_hazard_does_not_make_a_file_illegal(visaproof, kernel):
    """It is legal by its page; what Intel's tools send for it is something else."""
    path = kernel("typed_atomic.fmax (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 V1.0 %null.0 V1.0")
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 0
    assert "Op: an integer operation is sent instead: and, or, xor, xchg, inc" in ran.out
    assert ran.out.endswith("1 legal with 1 hazard on DG2\n")
    (checked,) = json.loads(visaproof("check", path, "--format", "json", "--platform", "DG2").out)["files"]
    assert [(entry["id"], entry["operand"]) for entry in checked["hazards"]] == [("hazard.float-atomic", "Op")]


def test_the_pages_spelling_is_read_with_a_note_and_places_are_those_of_the_file(visaproof, kernel):
    path = kernel("TYPED_ATOMIC.IMAX (M1, 8) T6 V1.0 V0.0 V0.0 V0.0 V2.0 V0.0 V1.0")
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 1
    assert "  note: line 11: IMAX is the pages' spelling of maxsint\n" in ran.out
    assert ran.out.endswith(
        f"{path}:11:64: Dst: must have type D for imin and imax, else UD [page.type-atomic] (TYPED_ATOMIC.md, D29)\n"
        "        TYPED_ATOMIC.IMAX (M1, 8) T6 V1.0 V0.0 V0.0 V0.0 V2.0 V0.0 V1.0\n"
        "                                                                   ^\n"
        "  hint: only types of operands are not the pages': `--types any` takes any, as Intel's compiler does\n"
        "1 NOT LEGAL on DG2\n"
    )
    legal = kernel("QW_SCATTER.1 (8) T0 V1.0 V3.0")
    assert visaproof("check", legal, "--platform", "DG2").code == 0
    assert visaproof("check", legal, "--rules", "igc", "--platform", "DG2").code == 1
    (checked,) = json.loads(visaproof("check", legal, "--format", "json", "--platform", "DG2").out)["files"]
    assert checked["notes"][1] == {"line": 11, "column": 22, "written": "T0", "read_as": "%slm"}


def test_an_error_in_the_pages_spelling_is_at_its_place_in_the_file(visaproof, kernel):
    path = kernel("SCATTER4_SCALED.R (M1, 8) T255 0x0:ud V1.0 V99.0")
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 2
    assert f"error: {path}:11:48: " in ran.err


def test_what_is_not_modelled_is_counted_and_is_no_error(visaproof, kernel):
    path = kernel(
        *["rt_write (M1, 8) T6 V1.0"] * 2,
        "typed_atomic.fmax (M1, 8) T6 V1.0 %null.0 %null.0 %null.0 V1.0 %null.0 V1.0",
        "dword_atomic.add.16 (M1, 8) T6 V1.0 V1.0 %null.0 %null.0",
    )
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 0
    assert "  not modelled: rt_write (2), " in ran.out
    assert "dword_atomic.add.16: only 32-bit atomics (1)" in ran.out


def test_a_message_of_the_pages_that_does_not_fit_names_the_operand(visaproof, kernel):
    path = kernel(
        "scatter4_scaled.R (M1, 8) V1.0 0x0:ud V1.0 V1.0",
        "qw_scatter.2 (M1, 8) T6 V1.0 V3.0",
        "oword_ld.R (1) T6 0x0:ud V1.0",
    )
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 1
    assert ":11:31: Surface: must be a surface, a scalar or raw, as the page says [page.operand-form] (page)" in ran.out
    assert ":12:5: Num_blocks: there is only one block [page.num-blocks] (QW_SCATTER.md, D22)" in ran.out
    assert ":13:5: takes no suffix but .mod [page.oword-suffix] (OWORD_LD.md, D17)" in ran.out


def test_a_message_beside_the_pages_is_held_against_its_own_rules(visaproof, kernel):
    path = kernel("gather4_scaled.R (M1, 4) T6 0x0:ud V2.0 V1.0")
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 1
    assert ":11:5: execution size 4 is not one of 8, 16 [page.operands] (GATHER4_SCALED.md)" in ran.out
    assert ":11:40: Element_offset: must have type UD, not D [page.type] (GATHER4_SCALED.md)" in ran.out
    assert "[page.type]" not in visaproof("check", path, "--types", "any", "--platform", "DG2").out


def test_where_only_types_are_not_the_pages_the_option_is_named(visaproof, kernel):
    wrong = "gather4_scaled.R (M1, 8) T6 0x0:ud V2.0 V1.0"
    ran = visaproof("check", kernel(wrong), "--platform", "DG2")
    assert ran.code == 1
    assert "hint: only types of operands are not the pages': `--types any`" in ran.out
    both = visaproof("check", kernel(wrong, "gather4_scaled.R (M1, 4) T6 0x0:ud V1.0 V1.0"), "--platform", "DG2")
    assert "[page.type]" in both.out
    assert "hint:" not in both.out


def test_a_message_beside_the_pages_that_does_not_fit_its_opcode_exits_2(visaproof, kernel):
    path = kernel("gather4_scaled.R (M1, 8) V1.0 0x0:ud V1.0 V1.0", "qw_scatter.1 (M1, 8) T6 V1.0 V3.0")
    ran = visaproof("check", path, "--platform", "DG2")
    assert ran.code == 2
    assert "this operand must be a surface" in ran.err
    assert "        gather4_scaled.R (M1, 8) V1.0 0x0:ud V1.0 V1.0\n" in ran.err
    assert "1 memory messages checked" in ran.out


def test_an_unreadable_file_shows_the_line_and_the_others_are_checked(visaproof, kernel, tmp_path):
    good = kernel()
    bad = tmp_path / "bad.visaasm"
    bad.write_text('.version 4.1\n.kernel "k"\n\tmov (M1, 8) V9(0,0)<1> 1:d\n')
    ran = visaproof("check", bad, good, tmp_path / "none.visaasm", "--platform", "DG2")
    assert ran.code == 2
    assert f"error: {bad}:3:" in ran.err
    assert "     mov (M1, 8) V9(0,0)<1> 1:d\n" in ran.err
    assert "none.visaasm:1:1: the file cannot be opened: No such file or directory" in ran.err
    assert "1 legal, 2 unreadable on DG2" in ran.out


def test_json_follows_the_schema(visaproof, kernel, tmp_path):
    bad = tmp_path / "bad.visaasm"
    bad.write_text("")
    path = kernel("scatter4_scaled.R (M1, 8) T6 0x0:ud V2.0 V1.0", "rt_write (M1, 8) T6 V1.0")
    ran = visaproof("check", path, bad, "--format", "json", "--platform", "PVC")
    document = json.loads(ran.out)
    assert list(document) == [
        "visaproof", "schema", "command", "exit_code", "complete", "not_done", "platform", "files", "rules", "findings",
    ]  # fmt: skip
    assert (document["command"], document["exit_code"], document["platform"]) == ("check", 2, "PVC")
    checked, unreadable = document["files"]
    assert checked == {
        "file": str(path), "platform": "PVC", "kernel": "demo",
        "declarations": 4, "instructions": 3, "checked": 1, "legal": False,
        "findings": [
            {
                "line": 11, "column": 41, "rule": "must have type UD", "source": "SCATTER4_SCALED.md",
                "id": "page.type-ud", "operand": "Element_offset",
            }
        ],
        "not_modelled": {"rt_write": 1}, "errors": [], "hazards": [], "notes": [],
        "undefined": [], "undefined_not_asked": None, "unreachable": [], "assumptions": [], "premises": [],
    }  # fmt: skip
    assert unreadable["kernel"] is None
    assert len(unreadable["errors"]) == 1


def test_an_unknown_platform_exits_2(visaproof):
    ran = visaproof("check", "x", "--platform", "Larrabee")
    assert ran.code == 2
    assert "no platform 'Larrabee': one of BDW, CHV, SKL" in ran.err


@pytest.mark.slow
def test_what_the_compiler_emits_can_be_checked(visaproof):
    """Only operand types, and the sizes of typed messages on PVC, are not the pages'."""
    files = sorted(DATA.rglob("*.visaasm"))
    assert len(files) > 50
    ran = visaproof("check", "--types", "any", *files, "--format", "json", "--platform", "DG2")
    found = [entry for file in json.loads(ran.out)["files"] for entry in (*file["findings"], *file["hazards"])]
    assert {entry["id"] for entry in found} == {"page.exec-size", "page.operands", "hazard.typed-lanes"}
    rules = {entry["rule"] for entry in found if entry["id"] == "page.operands"}
    assert rules == {"16 lanes of a typed message exist from PVC on"}
    assert {entry["rule"] for entry in found if entry["id"] == "page.exec-size"} == {"TYPED_ATOMIC has 8 lanes"}
    assert ran.err == ""


def test_functions_are_followed_where_they_are_beside_the_kernel(visaproof, tmp_path: Path):
    """Without its file a call is not modelled."""
    folder = DATA.parent / "launches" / "visaasm" / "scan_slm"
    ran = visaproof("check", folder / "tgllp-O0-simd8.visaasm", "--platform", "TGLLP")
    assert ran.code in (1, 3)
    assert "tgllp-O0-simd8.f0.visaasm:118 | svm_block_st" in ran.out
    assert "not modelled" not in ran.out
    alone = tmp_path / "alone.visaasm"
    alone.write_text((folder / "tgllp-O0-simd8.visaasm").read_text())
    assert "not modelled: fcall (2)" in visaproof("check", alone, "--platform", "TGLLP").out
