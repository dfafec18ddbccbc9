"""Components of vectors by value have names: in relations that are stated, and in those that are found."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main
from visaproof.launch.overlap import ArgumentInfo
from visaproof.launch.relations.vector_names import component

DATA = Path(__file__).parents[2] / "data" / "components"


@pytest.mark.parametrize(
    ("type_name", "count"), [("uint2", 2), ("int3", 3), ("char16", 16), ("uint", 0), ("dims_t", 0), ("pair2", 0)]
)
def test_vectors_of_numbers_have_components(type_name: str, count: int) -> None:
    assert ArgumentInfo(type_name=type_name).components == count


@pytest.mark.parametrize(
    ("letters", "count", "place"),
    [("x", 2, 0), ("y", 2, 1), ("z", 2, None), ("w", 4, 3), ("x", 8, None), ("s0", 2, 0), ("s2", 2, None),
     ("sf", 16, 15), ("sF", 16, 15), ("width", 4, None), ("", 4, None), ("s10", 16, None)],
)  # fmt: skip
def test_components_are_named_as_opencl_names_them(letters: str, count: int, place: int | None) -> None:
    assert component(letters, count) == place


def asked(capsys: pytest.CaptureFixture[str], command: str, kernel: str, *options: str) -> dict[str, Any]:
    """The first message of the kernel."""
    launch = ("--launch", str(DATA / "components.ze_info"), "--format", "json", "--cache-mode", "off")
    main([command, str(DATA / f"{kernel}.visaasm"), *launch, *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages" if command == "bounds" else "scatters"][0]


BELOW = "--where", "dims.x <= 4", "--where", "dims.s1 <= 8"


@pytest.mark.slow
@pytest.mark.parametrize(("size", "verdict"), [(128, "proved"), (127, "refuted")])
def test_each_component_is_bounded_by_itself(size: int, verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "bounds", "pitched", *BELOW, "--size", f"out={size}")
    assert found["bounds"]["verdict"] == verdict


def test_a_component_that_a_vector_lacks_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    kernel, launch = (str(DATA / one) for one in ("pitched.visaasm", "components.ze_info"))
    for name in ("dims.z", "dims.width"):
        assert main(["bounds", kernel, "--launch", launch, "--where", f"{name} <= 4"]) == 2
        assert "dims.x, dims.y" in capsys.readouterr().err


@pytest.mark.slow
def test_the_size_of_a_buffer_names_components(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "bounds", "pitched")
    assert found["inside_if"]["bytes"] == "4*dims.x*dims.y"
    stated = ["--size", "out=4*dims.x*dims.y"]
    assert asked(capsys, "bounds", "pitched", *stated)["bounds"]["verdict"] == "proved"
    less = ["--size", "out=4*dims.x*dims.y - 1"]
    assert asked(capsys, "bounds", "pitched", *less)["bounds"]["verdict"] == "refuted"


@pytest.mark.slow
def test_the_missing_relation_names_a_component(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows are apart that are not too long; the other component has no part in it."""
    found = asked(capsys, "conflicts", "pitched")
    assert found["verdict"] == "refuted"
    relations = found["free_if"]["relations"]
    assert relations == ["dims.x < 1048576"]  # the guard keeps columns inside of a row
    stated = [word for one in relations for word in ("--where", one)]
    assert asked(capsys, "conflicts", "pitched", *stated)["verdict"] == "proved"
    of_the_other = [one.replace("dims.x", "dims.y") for one in stated]
    assert asked(capsys, "conflicts", "pitched", *of_the_other)["verdict"] == "refuted"


@pytest.mark.slow
def test_steps_that_differ_show_a_buffer_that_is_too_small(capsys: pytest.CaptureFixture[str]) -> None:
    """Where x and y have one step, two work items write one element, which ends the run before it leaves the buffer."""
    launch = asked(capsys, "bounds", "stepped")["launch"]
    assert launch["found"]
    main([*launch["command"][1:], "--format", "json"])
    assert json.loads(capsys.readouterr().out)["outside"]
