"""A program that cannot be run symbolically, and itself: a run that is defined is enough."""

from pathlib import Path

import pytest

from visaproof.cli import main

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.input A offset=64 size=64
"""
STORE = "svm_scatter.4.1 (M1, 8) A.0 X.0\n"
END = "ret (M1, 1)\n//Platform: TGLLP\n"


def refine(folder: Path, source: str, target: str) -> int:
    for name, body in (("source", source), ("target", target)):
        (folder / f"{name}.visaasm").write_text(HEAD + body + END)
    return main(["refine", str(folder / "source.visaasm"), str(folder / "target.visaasm")])


APART = """mov (M1, 8) X(0,0)<1> 0x76543210:uv
shl (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x3:ud
mov (M1, 8) A(0,0)<1> X(0,0)<1;1,0>
"""


def test_a_run_on_zeros_that_is_defined_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a launch the addresses may be those of private memory: two programs are not compared."""
    assert refine(tmp_path, APART + STORE, APART + STORE) == 0
    assert "REFINES: the target does what the source does (the same program, of which a run" in capsys.readouterr().out
    assert refine(tmp_path, APART + STORE, APART + APART + STORE) == 4


def test_a_run_that_is_undefined_shows_nothing(tmp_path: Path) -> None:
    """Each lane stores two bytes behind an aligned address."""
    body = APART + "add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n" + STORE
    assert refine(tmp_path, body, body) == 4


def test_a_run_that_comes_to_what_is_not_modelled_shows_nothing(tmp_path: Path) -> None:
    body = APART + STORE + "avs (M1, 8) X.0\n"
    assert refine(tmp_path, body, body) == 4


INVERSE = """mov (M1, 8) F(0,0)<1> 0x40400000:f
inv (M1, 8) F(0,0)<1> F(0,0)<1;1,0>
"""
"""1 / 3: what is allowed of it are floats around 0x3eaaaaab."""


def test_a_run_is_defined_where_each_result_that_is_allowed_is(tmp_path: Path) -> None:
    names = ".decl F v_type=G type=f num_elts=8 align=GRF\n.decl W v_type=G type=ud num_elts=8 align=GRF alias=<F, 0>\n"
    stored = names + APART + INVERSE + "mov (M1, 8) X(0,0)<1> W(0,0)<1;1,0>\n" + STORE
    assert refine(tmp_path, stored, stored) == 0


def test_a_result_that_is_allowed_may_make_a_run_undefined(tmp_path: Path) -> None:
    """The nearest float gives an aligned address, and others do not."""
    names = ".decl F v_type=G type=f num_elts=8 align=GRF\n.decl W v_type=G type=ud num_elts=8 align=GRF alias=<F, 0>\n"
    second = "add (M1, 8) W(0,0)<1> W(0,0)<1;1,0> 0x1:ud\nand (M1, 8) W(0,0)<1> W(0,0)<1;1,0> 0x2:ud\n"
    body = names + APART + INVERSE + second + "add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> W(0,0)<1;1,0>\n"
    size = "svm_scatter.4.1 (M1, 8) A.0 X.0\n"
    assert refine(tmp_path, body + size, body + size) == 4
