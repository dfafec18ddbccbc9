"""`visaproof refine` on real dumps: rewrites, other devices, and what must be refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
MANIFEST = str(DATA / "manifest.json")
SIMD8 = "tgllp-O2-simd8"


def dump(kernel: str, variant: str = SIMD8) -> str:
    path = DATA / "visaasm" / kernel / f"{variant}.visaasm"
    assert path.is_file(), path
    return str(path)


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["refine", "--format", "json", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["exit_code"] == code
    return code, document["asked"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "target", "variant"),
    [
        ("copy16", "copy16_b", SIMD8),
        ("copy16", "copy16_b", "tgllp-O2-simd8-bindless"),
        ("gray_bytes", "gray_bytes_b", SIMD8),
        ("swap_pairs", "swap_pairs_b", SIMD8),
        ("transpose_naive", "transpose_naive_b", SIMD8),
    ],
)
def test_a_rewrite_refines_in_both_directions(
    source: str, target: str, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = dump(source, variant), dump(target, variant)
    code, both = asked(capsys, *files, "--launch", MANIFEST, "--bidirectional")
    assert code == 0
    assert [record["verdict"] for record in both] == ["refines", "refines"]
    assert not any("share no byte" in assumption for assumption in both[0]["assumptions"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "target"),
    [("transpose_naive", "transpose_naive_bad"), ("oob_offbyone", "oob_offbyone_fixed"), ("vadd", "copy16")],
)
def test_a_difference_is_shown_with_its_run(source: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, both = asked(capsys, dump(source), dump(target), "--launch", MANIFEST, "--bidirectional")
    assert code == 1
    for record in both:
        assert record["verdict"] == "does not refine"
        assert record["replayed"]
        example = record["example"]
        if "target_undefined" in example:  # as where lanes of the target collide
            assert example["target_undefined"]["line"]
            continue
        assert example["after_source"]["byte"] != example["after_target"]["byte"]
        assert example["after_source"]["line"] or example["after_target"]["line"]


def test_one_kernel_for_two_devices_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    files = dump("vadd"), dump("vadd", "dg2-O2-simd8")
    code, (record,) = asked(capsys, *files, "--launch", MANIFEST, "--assume", "none")
    assert code == 0
    assert record["platforms"] == ["TGLLP", "DG2"]


def test_surfaces_and_offsets_of_one_argument_are_one_memory(capsys: pytest.CaptureFixture[str]) -> None:
    files = dump("copy16"), dump("copy16", "tgllp-O2-simd8-bindless")
    code, (record,) = asked(capsys, *files, "--launch", MANIFEST)
    assert code == 0
    assert {surface["target"] for surface in record["surfaces"]} == {"bindless V0034.0", "bindless V0035.0"}


@pytest.mark.slow
def test_the_text_shows_the_matching_the_assumptions_and_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", dump("transpose_naive"), dump("transpose_naive_bad"), "--launch", MANIFEST, "-v"]) == 1
    output = capsys.readouterr().out
    assert "inputs are matched by what the launch puts there" in output
    assert "V0056 is V0035: argument 3 (h)" in output
    assert "assumed: local-ids:" in output
    assert "DOES NOT REFINE" in output
    assert "after the source: line" in output or "after the target: line" in output


def test_without_a_launch_inputs_are_matched_by_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    code, (record,) = asked(capsys, dump("copy16"), dump("copy16_b"), "--platform", "tgllp")
    assert code == 0
    assert record["matched_by"] == "payload byte"


def test_what_cannot_be_compared_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, (record,) = asked(capsys, dump("vadd"), dump("vc_scatter4", "tgllp-vc"), "--launch", MANIFEST)
    assert code == 4
    assert record["verdict"] == "not modelled"
    assert "SIMD widths" in record["reason"]


@pytest.mark.slow
def test_a_surface_and_an_address_are_one_buffer_under_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    """The address is computed in 64 bits, which the surface's offset has not: one direction needs more."""
    files = dump("copy16"), dump("copy16", "tgllp-O2-simd8-a64")
    code, both = asked(capsys, *files, "--launch", MANIFEST, "--bidirectional")
    assert code == 0
    there, back = ([text for text in record["conditions"] if "64 bits" in text] for record in both)
    assert there
    assert not back
    assert all("the source stays inside its buffers" in record["conditions"] for record in both)
    assert main(["refine", *files, "--launch", MANIFEST]) == 0
    assert "where\n    the source stays inside its buffers\n" in capsys.readouterr().out


@pytest.mark.slow
def test_a_pointer_is_shown_as_the_runs_get_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a solver said of it: the file that replays has the same addresses."""
    files = dump("swap_pairs", "tgllp-O2-simd8-a64"), dump("copy16", "tgllp-O2-simd8-a64")
    code, (record,) = asked(capsys, *files, "--launch", MANIFEST, "--save", str(tmp_path))
    assert code == 1
    (file,) = tmp_path.glob("*.json")
    registers = json.loads(file.read_text())["source"]["registers"]
    for variable, argument in (("V0034", "0 (src)"), ("V0035", "1 (dst)")):
        shown = int(record["example"]["inputs"][f"{variable}.0 (address of argument {argument})"], 16)
        assert shown == int.from_bytes(bytes.fromhex(registers[variable]), "little") > 0


def test_a_file_that_is_not_there_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", dump("vadd"), "no-such-file.visaasm", "--platform", "TGLLP"]) == 2
    assert "no-such-file" in capsys.readouterr().err


LOOP = """.version 4.1
.kernel "k"
.decl N v_type=G type=d num_elts=8 align=GRF
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input N offset=32 size=32
.input AT offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
mov (M1, 8) X(0,0)<1> 0x0:d
again:
BODY
cmp.eq (M1, 8) P1 N(0,0)<1;1,0> 0x63:d
(P1) goto (M1, 8) done
add (M1, 8) N(0,0)<1> N(0,0)<1;1,0> -1:d
cmp.gt (M1, 8) P1 N(0,0)<1;1,0> 0x0:d
(P1) goto (M1, 8) again
scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0
done:
ret (M1, 1)
"""


@pytest.mark.slow
def test_a_loop_of_unknown_length_is_bounded_unless_a_run_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bounded is no success: exit code 3, with the loop named; `--unroll` is the number of iterations."""
    one, same, other = (tmp_path / f"{name}.visaasm" for name in ("one", "same", "other"))
    add = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x4:d"
    half = add.replace("0x4:d", "0x2:d")
    one.write_text(LOOP.replace("BODY", add))
    stored = "scatter4_scaled"
    doubled = f"add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> X(0,0)<1;1,0>\n{stored}"
    same.write_text(LOOP.replace("BODY", half).replace(stored, doubled))
    other.write_text(LOOP.replace("BODY", add.replace("0x4:d", "0x5:d")))
    code, [record] = asked(capsys, str(one), str(same), "--platform", "dg2", "--unroll", "2")
    assert (code, record["verdict"]) == (3, "bounded")
    line = one.read_text().split("\n").index("(P1) goto (M1, 8) again") + 1
    assert f"{one}:{line}:1" in record["loops"]
    code, [record] = asked(capsys, str(one), str(other), "--platform", "dg2")
    assert (code, record["verdict"]) == (1, "does not refine")
    assert main(["refine", str(one), str(same), "--platform", "dg2"]) == 3
    assert "BOUNDED: no difference in runs of no more iterations" in capsys.readouterr().out
    assert main(["refine", str(one), str(one), "--platform", "dg2"]) == 0
    assert "the same program" in capsys.readouterr().out


@pytest.mark.slow
def test_floats_are_functions_unless_ieee_is_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """x · 2 is x + x: unknown with a hint, then proved under an assumption that is printed."""
    body = """.version 4.1
.kernel "NAME"
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl R v_type=G type=f num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input F offset=32 size=32
.kernel_attr SimdSize=8
.function "NAME"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    shl (M1_NM, 8) B(0,0)<1> 0x76543210:uv 0x2:ud
    OPERATION
    scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 R.0
    ret (M1, 1)
"""
    files = {
        "src": "mul (M1, 8) R(0,0)<1> F(0,0)<1;1,0> 0x40000000:f",
        "tgt": "add (M1, 8) R(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>",
    }
    paths: list[str] = []
    for name, operation in files.items():
        path = tmp_path / f"{name}.visaasm"
        path.write_text(body.replace("NAME", name).replace("OPERATION", operation))
        paths.append(str(path))
    code, (unknown,) = asked(capsys, *paths, "--platform", "DG2")
    assert code == 3
    assert "--float ieee" in unknown["reason"]
    code, (proved,) = asked(capsys, *paths, "--platform", "DG2", "--float", "ieee")
    assert code == 0
    assert any("IEEE 754" in one for one in proved["assumptions"])


def test_stats_show_the_strategy_that_decided(capsys: pytest.CaptureFixture[str]) -> None:
    files = dump("copy16"), dump("copy16", "dg2-O2-simd8")
    assert main(["refine", *files, "--launch", str(MANIFEST), "--stats"]) == 0
    deciding, last = capsys.readouterr().out.rstrip().splitlines()[-2:]
    assert re.fullmatch(r"  in one memory: normal form +[0-9.]+ +refines", deciding)
    assert last.startswith("  whether the source is ever defined")
    code, [record] = asked(capsys, *files, "--launch", str(MANIFEST), "--stats")
    assert (code, [stage["found"] for stage in record["stages"]]) == (0, ["", "refines", ""])
