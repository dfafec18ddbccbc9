"""A kernel as SYCL makes it of a range and a functor: all commands (tests/data/functors)."""

import json
from pathlib import Path

import numpy as np
import pytest

from visaproof.cli import main
from visaproof.smt import BitVec

FOLDER = Path(__file__).parents[1] / "data" / "functors"
KERNEL, LAUNCH = str(FOLDER / "fill.visaasm"), ("--launch", str(FOLDER / "fill.ze_info"))


def test_no_work_items_collide_in_a_range() -> None:
    assert main(["conflicts", KERNEL, *LAUNCH, "--quiet"]) == 0


@pytest.mark.slow
def test_a_counter_that_is_moved_in_halves_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, each iteration may write anywhere."""

    def in_split_words(word: BitVec) -> BitVec:
        return word

    monkeypatch.setattr("visaproof.machine.symbolic.loops.iteration.recombined", in_split_words)
    assert main(["conflicts", KERNEL, *LAUNCH, "--quiet", "--limit", "3"]) != 0


@pytest.mark.slow
def test_the_buffer_of_a_functor_needs_what_the_range_says(capsys: pytest.CaptureFixture[str]) -> None:
    main(["bounds", KERNEL, *LAUNCH, "--format", "json", "--limit", "120"])
    (message,) = json.loads(capsys.readouterr().out)["files"][0]["messages"]
    assert (message["surface"], message["inside_if"]["bytes"]) == ("functor_0", "8*range")


def test_a_run_takes_the_members_of_a_functor(tmp_path: Path) -> None:
    code = main([
        "run", KERNEL, *LAUNCH, "--global-size", "64", "--local-size", "32",
        "--arg", "range=100", "--arg", "functor_8=7",
        "--buffer", "functor_0=zeros:1000", "--out", f"functor_0=@{tmp_path / 'out'}",
    ])  # fmt: skip
    assert code == 0
    assert np.frombuffer((tmp_path / "out").read_bytes(), np.uint64).tolist() == [7] * 100 + [0] * 25


def test_it_refines_itself() -> None:
    assert main(["refine", KERNEL, KERNEL, *LAUNCH]) == 0
