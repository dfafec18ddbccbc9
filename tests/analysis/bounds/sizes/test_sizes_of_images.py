"""How large an image has to be: relations to its extents are named, proved once stated, refuted with a texel less."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from visaproof.analysis.bounds.sizes.by_ends import STAGE, weakest
from visaproof.analysis.conflicts.any_lane import is_in_group
from visaproof.cli import main
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.launch import read_launch
from visaproof.launch.relations.expression_reader import parse_relation
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.smt import evaluate
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[3] / "data" / "extents"
NEEDED = {
    "filled": ["out.width >= global_size_x", "out.height >= global_size_y"],
    "guarded": ["out.width >= w", "out.height >= h"],
    "shifted": ["out.width >= dx + global_size_x", "dx >= 0", "out.height >= 4"],
    "layered": ["out.width >= global_size_x", "out.height >= global_size_y", "out.layers >= global_size_z"],
}  # fmt: skip
"""By kernel."""
LESS = {
    "filled": "out.height + 1 >= global_size_y",
    "guarded": "out.width + 1 >= w",
    "shifted": "out.height >= 3",
    "layered": "out.layers + 1 >= global_size_z",
}

SOME_SLOW = [pytest.param(one, marks=[pytest.mark.slow] * (one in ("layered", "guarded"))) for one in NEEDED]


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *relations: str) -> list[dict[str, Any]]:
    stated = [word for one in relations for word in ("--where", one)]
    launch = ("--launch", str(DATA / "extents.ze_info"), "--format", "json")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch, *stated])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return file["messages"]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", NEEDED)
def test_what_is_missing_is_named(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    for message in asked(capsys, kernel):
        named = message["inside_if"]
        assert (named["bytes"], named["where"]) == (None, NEEDED[kernel])
        assert named["by"] == STAGE or kernel == "guarded"  # whose sizes may be below 0: a solver says it with less


@pytest.mark.slow
def test_it_is_named_of_a_kernel_that_cannot_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DATA / "filled.visaasm").read_text()
    one = "    mov (M1, 8) V0054(0,0)<1> 0x3f800000:f"
    assert one in text
    kernel = tmp_path / "filled.visaasm"
    power = "pow (M1, 8) HALF(0,0)<1> HALF(0,0)<1;1,0> 0x4000:hf"
    text = text.replace(one, f"{one}\n    mov (M1, 8) HALF(0,0)<1> 0x3c00:hf\n    {power}")
    kernel.write_text(text.replace(".decl V0054", ".decl HALF v_type=G type=hf num_elts=8\n.decl V0054", 1))
    main(["bounds", str(kernel), "--launch", str(DATA / "extents.ze_info"), "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    for message in file["messages"]:
        assert message["bounds"]["verdict"] == "unknown"
        assert message["inside_if"]["where"] == NEEDED["filled"]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", SOME_SLOW)
def test_once_stated_it_is_proved(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert {one["bounds"]["verdict"] for one in asked(capsys, kernel, *NEEDED[kernel])} == {"proved"}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SOME_SLOW)
def test_one_texel_less_is_refuted(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    extent = LESS[kernel].split()[0]
    others = [one for one in NEEDED[kernel] if not one.startswith(extent)]
    found = asked(capsys, kernel, *others, LESS[kernel])
    assert "refuted" in {one["bounds"]["verdict"] for one in found}
    shown = [one["launch"] for one in found if one["launch"] and one["launch"]["found"]]
    assert all(" ".join(one["command"]).count("--image") == 1 for one in shown)


@pytest.mark.slow
def test_nothing_is_named_where_a_coordinate_is_subtracted(capsys: pytest.CaptureFixture[str]) -> None:
    """2·w − 1 − x is below 0 where x is large: no extent is enough."""
    writes = [one for one in asked(capsys, "swapped") if one["bounds"]["verdict"] == "refuted"]
    assert any(one["inside_if"] is None for one in writes)


@pytest.mark.parametrize("relation", ["out.depth >= 1", "nobody.width >= 1", "w.width >= 1", "out.width"])
def test_names_of_no_extent_are_errors(relation: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--launch", str(DATA / "extents.ze_info"), "--where", relation]
    assert main(["bounds", str(DATA / "guarded.visaasm"), *options]) == 2
    assert "hint: " in capsys.readouterr().err


@pytest.mark.slow
def test_ids_in_tiles_are_below_the_local_size() -> None:
    """Counted over all tiles of small groups; and what is shown of a lane holds there."""
    kernel = read_kernel((DATA / "filled.visaasm").read_text(), "filled.visaasm")
    start = start_of(kernel, read_launch(DATA / "extents.ze_info", kernel), Assume.LAUNCH)
    launched = start.group.launched
    assert launched is not None
    assert launched.tiled is not None
    lanes = len(launched_lanes(kernel))
    assert all(is_in_group(launched, lane, dimension) for lane, dimension in product(range(lanes), range(2)))
    tiles = [values for values in launched.usual if evaluate(launched.tiled, values)]
    assert tiles
    for values, lane, dimension in product(tiles, range(lanes), range(2)):
        if evaluate(launched.on[lane], values):
            assert evaluate(launched.ids[lane][dimension], values) < evaluate(launched.sizes[dimension], values)


@pytest.mark.parametrize(
    ("relations", "left"),
    [
        (["out.width >= dx + global_size_x", "out.width >= global_size_x"], 2),  # dx may be negative
        (["out.width >= dx + global_size_x", "dx >= 0", "out.width >= global_size_x"], 2),
        (["out.height >= 4", "out.height >= 3", "dx >= 0"], 2),
        (["out.width >= global_size_x", "out.width >= global_size_x"], 1),
        (["out.width >= global_size_x", "out.height >= global_size_y"], 2),
    ],
)
def test_what_follows_from_another_relation_is_not_named(relations: list[str], left: int) -> None:
    kernel = read_kernel((DATA / "shifted.visaasm").read_text(), "shifted.visaasm")
    launch = read_launch(DATA / "extents.ze_info", kernel)
    names = LaunchNames(kernel, launch, start_of(kernel, launch, Assume.LAUNCH))
    read = [parse_relation(one, "--where") for one in relations]
    assert len(weakest([one for one in read if isinstance(one, Relation)], names)) == left
