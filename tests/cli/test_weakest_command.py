"""`visaproof conflicts --assume weakest`: the first of none, ids and bounded under which a scatter is free."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"

BY_CONSTANTS = """.version 4.1
.kernel "k"
.decl VW v_type=G type=w num_elts=8 align=GRF
.decl VO v_type=G type=ud num_elts=8 align=GRF
.decl VS v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input VS offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1, 8) VW(0,0)<1> 0x76543210:v
    shl (M1, 8) VO(0,0)<1> VW(0,0)<1;1,0> 0x2:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0
    ret (M1, 1)
"""


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> tuple[int, dict[str, Any]]:
    path = DATA / "visaasm" / kernel / "tgllp-O2-simd8.visaasm"
    code = main(["conflicts", "--format", "json", str(path), "--launch", str(MANIFEST), *options])
    return code, json.loads(capsys.readouterr().out)["files"][0]


def test_offsets_that_are_constants_need_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lane i writes dword i."""
    path = tmp_path / "k.visaasm"
    path.write_text(BY_CONSTANTS)
    assert main(["conflicts", str(path), "--assume", "weakest", "--platform", "DG2"]) == 0
    assert "        assumed: none\n" in capsys.readouterr().out


def test_a_store_to_the_own_id_needs_consecutive_ids(capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, "vadd", "--assume", "weakest")
    assert code == 0
    assert [scatter["assume"] for scatter in file["scatters"]] == ["ids"]
    assert [scatter["weaker"] for scatter in file["scatters"]] == [{"none": "refuted"}]


def test_a_transposition_needs_a_height_that_does_not_wrap(capsys: pytest.CaptureFixture[str]) -> None:
    """dst[x * h + y]: with h = 0, or x * h * 4 beyond 2^32, two lanes meet; with h in 1..2^14 they do not."""
    code, file = asked(capsys, "transpose_naive", "--assume", "weakest")
    assert code == 0
    (scatter,) = file["scatters"]
    assert scatter["assume"] == "bounded"
    assert scatter["suffices"]
    assert scatter["weaker"] == {"none": "refuted", "ids": "refuted"}
    assert [sentence.split(":")[0] for sentence in file["assumptions"]] == ["ids", "bounded"]


def test_a_deliberate_conflict_is_free_under_no_set(capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, "conflict_div", "--assume", "weakest")
    assert code == 1
    (scatter,) = file["scatters"]
    assert scatter["verdict"] == "refuted"
    assert not scatter["suffices"]
    path = DATA / "visaasm" / "conflict_div" / "tgllp-O2-simd8.visaasm"
    assert main(["conflicts", str(path), "--launch", str(MANIFEST), "--assume", "weakest"]) == 1
    assert "none of none, ids, bounded suffices (none: conflict, replayed; " in capsys.readouterr().out


def test_each_set_gives_the_verdict_that_weakest_reports(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = [asked(capsys, "transpose_naive", "--assume", one)[1]["scatters"][0]["verdict"]
                for one in ("none", "ids", "bounded")]  # fmt: skip
    assert verdicts == ["refuted", "refuted", "proved"]


def test_a_counterexample_counts_bounded_inputs_from_one(capsys: pytest.CaptureFixture[str]) -> None:
    """An enqueued local size of 0 is none that a launch has: what is shown is what the run had."""
    path = DATA / "visaasm" / "oob_offbyone" / "tgllp-O2-simd8.visaasm"
    options = ("--launch", str(MANIFEST), "--assume", "bounded", "--size", "src=4*n", "--size", "dst=4*n")
    assert main(["bounds", str(path), *options]) == 1
    output = capsys.readouterr().out
    assert "launch: 2 work items in 2 groups with n = 1" in output
    assert "bounded: integer scalars passed by value" in output
