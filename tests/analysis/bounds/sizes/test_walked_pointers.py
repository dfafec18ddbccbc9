"""A 64-bit address to which each iteration adds: it stays in its buffer, unless what is added may be a pointer."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.machine.symbolic import walk
from visaproof.smt import symbols_of
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[3] / "data" / "counters"
LAUNCH = ("--launch", str(DATA / "walked_pvc.ze_info"))
ADDED = "V0058(0,0)<0;1,0> 0x4:q"
OTHER = "V0058(0,0)<0;1,0> V0059(0,0)<0;1,0>"
"""The address of the other buffer."""


def with_step(folder: Path, step: str) -> str:
    """The kernel with another step from one element to the next."""
    text = (DATA / "walked_pvc.visaasm").read_text()
    assert ADDED in text
    path = folder / "walked.visaasm"
    path.write_text(text.replace(ADDED, step))
    return str(path)


def sizes(capsys: pytest.CaptureFixture[str], path: str) -> dict[str, str | None]:
    """What is named of each surface."""
    main(["bounds", path, *LAUNCH, "--format", "json", "--cache-mode", "off"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    messages: list[dict[str, Any]] = file["messages"]
    return {one["surface"]: one["inside_if"] and one["inside_if"]["bytes"] for one in messages}


@pytest.mark.parametrize(("step", "size"), [(ADDED, "4*arg2"), (ADDED.replace("4:q", "c:q"), "12*arg2")])
def test_what_a_pointer_walks_over_has_a_size(
    step: str, size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = sizes(capsys, with_step(tmp_path, step))
    assert named == {"argument 1": size, "argument 0": "4*global_size_x"}


@pytest.mark.parametrize("less", [0, 4])
def test_a_launch_stays_inside_of_that_size_and_of_no_smaller_one(
    less: int, capsys: pytest.CaptureFixture[str]
) -> None:
    buffers = ("--buffer", "arg0=zeros:128", "--buffer", f"arg1=zeros:{4 * 9 - less}", "--arg", "arg2=9")
    items = ("--global-size", "32", "--local-size", "32", "--engine", "scalar")
    main(["run", str(DATA / "walked_pvc.visaasm"), *LAUNCH, *buffers, *items])
    assert ("nothing behind it was run" in capsys.readouterr().out) == bool(less)


def pointers_of_later_rounds(path: str) -> set[str]:
    """Of what is loaded in an iteration that stands for later ones."""
    kernel = read_kernel_file(Path(path))
    launch = read_launch(DATA / "walked_pvc.ze_info", kernel)
    ran = ask_bounds(kernel, Platform.PVC, launch, Assume.LAUNCH, StatedLaunch(()), 10_000).asked.trace
    (load,) = (one for one in ran.performed if one.any_round)
    names = {str(one.payload) for one in symbols_of(*(access.cell[0] for access in load.accesses))}
    return names & {"V0034.0", "V0035.0"}


def test_what_may_be_another_pointer_is_in_no_buffer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that net it would be said to lie behind one of them."""
    kernel = with_step(tmp_path, OTHER)
    assert "argument 1" not in sizes(capsys, kernel)
    assert not pointers_of_later_rounds(kernel)
    monkeypatch.setattr(walk, "shifts", lambda held, *_: {variable for variable, _, _ in held})
    assert pointers_of_later_rounds(kernel)


def test_later_rounds_keep_the_pointer_to_which_they_add() -> None:
    assert pointers_of_later_rounds(str(DATA / "walked_pvc.visaasm")) == {"V0035.0"}
