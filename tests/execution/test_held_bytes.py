"""Launches whose buffers hold what the example of an analysis found there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.cli import main
from visaproof.execution.contents import held_text, read_held, zeros_but_for
from visaproof.report.one_kernel import launches

KERNEL = """.version 4.1
.kernel "k"
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl IN v_type=G type=uq num_elts=1 align=qword
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl B v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input IDX offset=32 size=32
.input OUT offset=128 size=8
.input IN offset=136 size=8
.kernel_attr SimdSize=8
.function "k"
k:
    shl (M1, 8) A(0,0)<1> IDX(0,0)<1;1,0> 0x2:uq
    add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> IN(0,0)<0;1,0>
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> OUT(0,0)<0;1,0>
    svm_gather.4.1 (M1, 8) B.0 D.0
    cmp.eq (M1, 8) P1 D(0,0)<1;1,0> 0x12345678:ud
    (P1) svm_scatter.4.1 (M1, 8) A.0 D.0
    ret (M1, 1)
"""
MEANINGS = ("OUT=buffer_address:arg0", "IN=buffer_address:arg1", "IDX=local_id_x")


@given(st.dictionaries(st.integers(0, 60), st.integers(1, 255)), st.integers(61, 80))
def test_bytes_are_read_as_they_are_written(held: dict[int, int], size: int) -> None:
    content = zeros_but_for(size, held)
    assert {offset: byte for offset, byte in enumerate(content) if byte} == held
    if held:
        assert read_held(held_text(held)) == held


def stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The launch in which the store is outside, which one value in `IN` alone comes to."""
    path = tmp_path / "k.visaasm"
    path.write_text(KERNEL)
    inputs = [word for one in MEANINGS for word in ("--input", one)]
    main(["bounds", str(path), *inputs, "--platform", "TGLLP", "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"][1]["launch"]


@pytest.mark.slow
def test_a_branch_on_data_is_come_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = stored(tmp_path, capsys)
    assert launch["found"]
    assert "78563412" in launch["buffers"]["arg1"]
    assert main(launch["command"][1:]) == 1
    assert "in no buffer" in capsys.readouterr().out


@pytest.mark.slow
def test_without_that_data_no_launch_comes_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launches, "_held", lambda *_: {})
    assert not stored(tmp_path, capsys)["found"]


REFUSED = ["zeros:4:4=ff", "zeros:4:0", "zeros:4:0=f", "zeros:4:-1=ff", "zeros:4:x=ff", "small:4:0=ff"]


@pytest.mark.parametrize("content", REFUSED)
def test_other_contents_are_refused(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.visaasm"
    path.write_text(KERNEL)
    inputs = [word for one in MEANINGS for word in ("--input", one)]
    buffers = ["--buffer", f"0={content}", "--buffer", "1=zeros:64"]
    assert main(["run", str(path), *inputs, *buffers, "--global-size", "8", "--platform", "TGLLP"]) == 2
    assert "--buffer" in capsys.readouterr().err
