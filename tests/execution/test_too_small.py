"""A surface of any size is refuted with a launch in which it is too small: the pasted command goes outside."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from visaproof.cli import main
from visaproof.execution import example_launch, too_small
from visaproof.execution.example_launch import Event, ExampleLaunch, find_launch
from visaproof.execution.payload import Program
from visaproof.execution.usual_launches import Stated
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.launch import read_launch
from visaproof.launch.overlap import ArgumentInfo
from visaproof.semantics.concrete.choices import Choices
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[1] / "data"
SIZES = ("--launch", str(DATA / "sizes" / "sizes.ze_info"))


def asked(capsys: pytest.CaptureFixture[str], kernel: str, *options: str) -> list[dict[str, Any]]:
    main(["bounds", str(DATA / "sizes" / f"{kernel}.visaasm"), *SIZES, "--format", "json", *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return [one for one in file["messages"] if one["bounds"]["verdict"] == "refuted"]


def outside_in(capsys: pytest.CaptureFixture[str], command: list[str]) -> list[dict[str, Any]]:
    main([*command[1:], "--format", "json"])
    return json.loads(capsys.readouterr().out)["outside"]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["guarded", "of_all_items", "neighbours", "of_groups", "one_before"])
def test_the_pasted_command_leaves_the_buffer(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    for message in asked(capsys, kernel):
        launch = message["launch"]
        assert launch["found"], message["instruction"]
        lines = {one["line"] for one in outside_in(capsys, launch["command"])}
        assert lines, message["instruction"]


@pytest.mark.slow
def test_shared_memory_of_an_argument_is_made_smaller(capsys: pytest.CaptureFixture[str]) -> None:
    of_local = [one for one in asked(capsys, "two_halves") if one["binding"] == "%slm"]
    assert of_local
    for message in of_local:
        assert message["launch"]["found"]
        outside = outside_in(capsys, message["launch"]["command"])
        assert {one["memory"] for one in outside} == {"shared local memory"}
        assert message["line"] in {one["line"] for one in outside}


@pytest.mark.slow
def test_what_is_stated_of_other_buffers_stays(capsys: pytest.CaptureFixture[str]) -> None:
    messages = asked(capsys, "neighbours", "--size", "out=16*n", "--where", "n >= 3")
    assert messages
    for message in messages:
        launch = message["launch"]
        assert launch["found"]
        count = int(launch["arguments"]["n"])
        assert count >= 3
        assert launch["buffers"]["out"] == f"zeros:{16 * count}"


@pytest.mark.slow
def test_a_launch_that_was_not_seen_to_go_outside_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run with large buffers says only what may be too small: the other run decides."""
    monkeypatch.setattr(example_launch, "run_launch", lambda *_, **__: example_launch.Ran())
    assert not any(message["launch"]["found"] for message in asked(capsys, "of_groups"))


IN_PLACE = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.input IDX offset=32 size=32
.input PTR offset=128 size=8
.kernel_attr SimdSize=8
.function "k"
k:
    shl (M1, 8) A(0,0)<1> IDX(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
    svm_gather.4.1 (M1, 8) A.0 D.0
    svm_scatter.4.1 (M1, 8) A.0 D.0
    ret (M1, 1)
"""


@pytest.mark.slow
def test_what_ends_the_run_before_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By address an access outside is undefined: the store behind a load of the same element never runs."""
    path = tmp_path / "k.visaasm"
    path.write_text(IN_PLACE)
    meanings = ("--input", "PTR=buffer_address:arg0", "--input", "IDX=local_id_x", "--platform", "TGLLP")
    main(["bounds", str(path), *meanings, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    load, store = file["messages"]
    assert load["launch"]["found"]
    assert store["launch"] == {"found": False, "reason": "where it is too small, line 14 ends the run before"}


FAR_APART = IN_PLACE.replace(
    "    svm_gather.4.1 (M1, 8) A.0 D.0\n    svm_scatter.4.1 (M1, 8) A.0 D.0\n",
    "    mov (M1, 8) D(0,0)<1> 0x0:ud\n"
    + "    svm_scatter.4.1 (M1, 8) A.0 D.0\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x18000:d\n" * 3,
)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("large", "shown"), [(too_small.LARGE, 3), (1 << 16, 2)])
def test_buffers_are_large_where_the_usual_ones_end_the_run(
    large: int, shown: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third store at 192 KiB is run only if the second one, at 96, is inside."""
    monkeypatch.setattr(too_small, "LARGE", large)
    path = tmp_path / "k.visaasm"
    path.write_text(FAR_APART)
    meanings = ("--input", "PTR=buffer_address:arg0", "--input", "IDX=local_id_x", "--platform", "TGLLP")
    main(["bounds", str(path), *meanings, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    found = [one["launch"] for one in file["messages"] if one["launch"]["found"]]
    assert len(found) == shown
    for launch in found:
        assert main(launch["command"][1:]) == 1
        assert "in no buffer" in capsys.readouterr().out


BY_INDEX = IN_PLACE.replace(
    "    svm_scatter.4.1 (M1, 8) A.0 D.0\n",
    "    shr (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x6:ud\n    shl (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x2:ud\n"
    "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n    svm_gather.4.1 (M1, 8) A.0 D.0\n",
)
"""Element i, and the one behind it by a 64th of what it holds."""


@pytest.mark.slow
def test_a_launch_is_looked_for_in_which_a_statement_reaches_furthest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few elements hold numbers from 64 on: in all other launches the first load reaches as far."""
    path = tmp_path / "k.visaasm"
    path.write_text(BY_INDEX)
    meanings = ("--input", "PTR=buffer_address:arg0", "--input", "IDX=local_id_x", "--platform", "TGLLP")
    command = ["bounds", str(path), *meanings, "--format", "json"]
    for net, found in (("_furthest", True), ("", False)):
        if not net:
            monkeypatch.setattr(too_small.TooSmall, "_furthest", lambda *_: None)
        main(command)
        (file,) = json.loads(capsys.readouterr().out)["files"]
        assert file["messages"][-1]["launch"]["found"] == found


@pytest.mark.slow
def test_what_a_launch_leaves_before_it_stops_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind what is not modelled nothing is run: what came before has happened."""

    def refuse(_: Choices, reason: NotModelled, *__: object, **___: object) -> int:
        raise reason

    monkeypatch.setattr(Choices, "pick", refuse)
    text = (DATA / "sizes" / "guarded.visaasm").read_text()
    text = text.replace(".decl V0034 ", ".decl VF v_type=G type=f num_elts=16 align=hword\n.decl V0034 ")
    inverse = "    mov (M1, 16) VF(0,0)<1> V0060(0,0)<1;1,0>\n    sqrt (M1, 16) VF(0,0)<1> VF(0,0)<1;1,0>\n"
    path = tmp_path / "guarded.visaasm"
    path.write_text(text.replace("    ret (M1, 1)", f"{inverse}    ret (M1, 1)"))
    main(["bounds", str(path), *SIZES, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    first = file["messages"][0]
    assert first["launch"]["found"]
    assert main(first["launch"]["command"][1:]) == 4
    assert f"        line {first['line']}: byte " in capsys.readouterr().out


def test_what_only_some_choices_show_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A launch whose result no page states has to show it whatever that is."""
    own, picked = example_launch.run_launch, (None, "a result")

    def run(*arguments: Any, choices: Choices, **named: Any) -> Any:
        choices.picked[picked] = None  # pyright: ignore[reportArgumentType]
        return own(*arguments, choices=choices, **named) if choices.policy == 0 else example_launch.Ran()

    monkeypatch.setattr(example_launch, "run_launch", run)
    assert not any(message["launch"]["found"] for message in asked(capsys, "of_groups"))


def test_large_buffers_are_run_once_for_all_messages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs: list[object] = []
    own = too_small.run_launch

    def counted(*arguments: Any, **named: Any) -> Any:
        runs.append(arguments)
        return own(*arguments, **named)

    monkeypatch.setattr(too_small, "run_launch", counted)
    messages = asked(capsys, "of_groups")
    assert len(messages) > 2
    assert len(runs) <= too_small.MOST_RECORDED


def test_images_are_as_large_as_the_launch_or_smaller() -> None:
    """A texel for each work item; one that is narrower is left by the last."""
    path = DATA / "visaasm" / "img_invert" / "tgllp-O2-simd8.visaasm"
    kernel = read_kernel(path.read_text(), str(path))
    known = read_launch(DATA / "manifest.json", kernel)
    infos = {index: ArgumentInfo("__global", "", "image2d_t") for index in (0, 1)}
    program = Program(kernel, replace(known, infos=infos), Platform.TGLLP)
    write = next(one for one in kernel.instructions() if one.opcode.startswith("scatter4_typed"))
    found = find_launch(program, write.position, Event.OUTSIDE, Stated())
    assert isinstance(found, ExampleLaunch)
    assert found.images
    width, height, _ = found.shape.global_size
    assert f"{width}x{height}:zeros" in found.images.values()
    assert any(text != f"{width}x{height}:zeros" for text in found.images.values())
    assert ("--sampler", "clamp-to-edge") in list(found.options())


GATHERED = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl OTHER v_type=G type=uq num_elts=1 align=qword
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.input IDX offset=32 size=32
.input PTR offset=128 size=8
.input OTHER offset=136 size=8
.kernel_attr SimdSize=8
.function "k"
k:
    shl (M1, 8) A(0,0)<1> IDX(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
    svm_gather.4.1 (M1, 8) A.0 D.0
    shl (M1, 8) A(0,0)<1> D(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> OTHER(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 8) A.0 D.0
    ret (M1, 1)
"""


@pytest.fixture
def gathered(tmp_path: Path) -> list[str]:
    """other[index[id]] = …"""
    path = tmp_path / "k.visaasm"
    path.write_text(GATHERED)
    meanings = ("PTR=buffer_address:arg0", "OTHER=buffer_address:arg1", "IDX=local_id_x")
    return [str(path), "--platform", "TGLLP", *(word for one in meanings for word in ("--input", one))]


def test_indices_from_a_buffer_are_small_numbers(gathered: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Zeros would reach the first element alone."""
    main(["bounds", *gathered, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    store = file["messages"][-1]["launch"]
    assert store["found"]
    assert store["buffers"]["arg0"].startswith("small:")
    assert main(store["command"][1:]) == 1
    assert "in no buffer" in capsys.readouterr().out


def test_lanes_meet_at_small_numbers(gathered: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["conflicts", *gathered, "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (scatter,) = file["scatters"]
    assert scatter["launch"]["found"]
    assert scatter["launch"]["buffers"]["arg0"].startswith("small:")
    assert main(scatter["launch"]["command"][1:]) == 1
    assert "both write byte" in capsys.readouterr().out
    main(["conflicts", *gathered])
    assert "depends on data: line 16 (svm_gather from memory)" in capsys.readouterr().out


@pytest.mark.slow
def test_what_few_arguments_come_to_is_shown_in_the_launch_of_the_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where n is 37 modulo 64: no launch that is tried of itself has that."""
    rare = DATA / "ends" / "rare.visaasm"

    def found() -> list[dict[str, Any]]:
        main(["bounds", str(rare), "--launch", str(DATA / "ends" / "ends.ze_info"), "--format", "json"])
        (file,) = json.loads(capsys.readouterr().out)["files"]
        return [one["launch"] for one in file["messages"]]

    for launch in found():
        assert int(launch["arguments"]["n"]) % 64 == 37
        assert outside_in(capsys, launch["command"])
    monkeypatch.setattr(too_small.TooSmall, "_like", lambda *_: ())
    assert not any(launch["found"] for launch in found())


@pytest.mark.slow
def test_the_search_ends_within_the_limit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A run without end stands for slow ones: answers that were there before it stay."""

    def endless(*_: object, **__: object) -> None:
        while True:
            pass

    monkeypatch.setattr(too_small, "run_launch", endless)
    messages = asked(capsys, "guarded", "--limit", "6")
    assert messages
    assert {message["launch"]["reason"] for message in messages} == {
        "none was found in 20% of the time that was left (--limit)"
    }
