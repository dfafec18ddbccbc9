"""`prove --emit smt2 DIR`: the questions, as z3 prints them, have the answers that the claims say."""

from pathlib import Path
from typing import Any

import z3 as _untyped

z3: Any = _untyped


def test_the_files_have_the_answers_of_the_claims(visaproof, proofs, tmp_path: Path) -> None:
    folder = tmp_path / "questions"
    ran = visaproof("prove", "--proofs", proofs("proved", "refuted", "cases"), "--emit", "smt2", folder)
    assert ran.code == 0
    paths = sorted(folder.glob("*.smt2"))
    assert sorted(ran.out.split()) == [str(path) for path in paths]
    assert [path.stem for path in paths] == [
        "prove_each-1", "prove_each-2", "prove_it", "refute_it_without_bounds",
    ]  # fmt: skip
    for path in paths:
        solver = z3.Solver()
        solver.from_file(str(path))
        expected = z3.unsat if path.stem.startswith("prove") else z3.sat
        assert solver.check() == expected, path
        assert f"expected {expected}\n" in path.read_text("utf-8")


def test_only_smt2_is_written(visaproof, proofs, tmp_path: Path) -> None:
    ran = visaproof("prove", "--proofs", proofs("proved"), "--emit", "dimacs", tmp_path)
    assert ran.code == 2
    assert "--emit smt2 DIR" in ran.err
