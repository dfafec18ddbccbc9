"""A counterexample is shown as a launch: a pasted command runs it and shows the same."""

import json
import re
import shlex
from pathlib import Path
from typing import NoReturn

import pytest

from visaproof.cli import main
from visaproof.execution import differing_launch, example_launch
from visaproof.execution.arguments import prepare
from visaproof.execution.payload import Program

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"


def dump(name: str, variant: str = "tgllp-O2-simd8") -> tuple[str, ...]:
    return str(DATA / "visaasm" / name / f"{variant}.visaasm"), "--launch", str(MANIFEST)


def command_in(output: str) -> list[str]:
    line = next(line for line in output.splitlines() if line.strip().startswith("visaproof run "))
    return shlex.split(line)[1:]


def test_the_pasted_command_shows_the_collision(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conflicts", *dump("lane_conflict")]) == 1
    command = command_in(capsys.readouterr().out)
    assert main(command) == 1
    assert "both write byte" in capsys.readouterr().out


@pytest.mark.slow
def test_the_pasted_command_shows_the_access_outside(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", *dump("oob_offbyone"), "--size", "src=4*n", "--size", "dst=4*n"]) == 1
    command = command_in(capsys.readouterr().out)
    assert main([*command, "--races", "note", "--format", "json"]) == 0
    outside = json.loads(capsys.readouterr().out)["outside"]
    assert [(one["bytes"], one["address"]) for one in outside] == [(4, 4), (4, 4)]


def test_the_launch_is_among_the_fields_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["conflicts", *dump("lane_conflict"), "--format", "json"])
    (scatter,) = json.loads(capsys.readouterr().out)["files"][0]["scatters"]
    assert scatter["launch"]["found"]
    assert main(scatter["launch"]["command"][1:]) == 1


def test_a_launch_that_shows_nothing_is_never_called_an_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every launch that is shown was run: if runs end without a collision, none is shown."""
    monkeypatch.setattr(example_launch, "run_launch", lambda *_, **__: example_launch.Ran())
    main(["conflicts", *dump("lane_conflict")])
    output = capsys.readouterr().out
    assert "CONFLICT" in output
    assert "no launch is shown" in output
    assert "visaproof run " not in output


def test_a_search_for_launches_leaves_time_for_the_other_questions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def endless(*_: object, **__: object) -> NoReturn:
        while True:
            pass

    monkeypatch.setattr(example_launch, "run_launch", endless)
    assert main(["conflicts", *dump("lane_conflict"), "--limit", "1.5"]) == 1
    output = capsys.readouterr().out
    assert "no launch is shown: none was found in 20% of the time that was left (--limit)" in output
    assert "not asked" not in output


def test_launches_obey_the_relations_that_are_stated(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("--size", "src=4*n", "--size", "dst=4*n")
    assert main(["bounds", *dump("oob_offbyone"), *sizes, "--where", "n >= 3", "--format", "json"]) == 1
    for message in json.loads(capsys.readouterr().out)["files"][0]["messages"]:
        assert int(message["launch"]["arguments"]["n"]) >= 3


def test_launches_have_the_global_size_that_is_stated(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("--size", "src=4*n", "--size", "dst=4*n", "--global-size", "96")
    assert main(["bounds", *dump("oob_offbyone"), *sizes, "--format", "json"]) == 1
    for message in json.loads(capsys.readouterr().out)["files"][0]["messages"]:
        assert message["launch"]["global_size"] == [96, 1, 1]


def test_without_launch_information_no_launch_is_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    main(["conflicts", dump("lane_conflict")[0]])
    assert "launch is shown" not in capsys.readouterr().out


def test_a_race_is_an_error_if_that_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """One thread writes what another reads if `c` is the end of `a`: by default a note, on request the exit code."""
    sizes = ("--global-size", "16", "--local-size", "16")
    buffers = ("--buffer", "a=random:96", "--buffer", "b=random:64:2", "--buffer", "c=a+32")
    assert main(["run", *dump("vadd"), *sizes, *buffers, "--races", "note"]) == 0
    assert "one thread reads what another writes" in capsys.readouterr().out
    assert main(["run", *dump("vadd"), *sizes, *buffers, "--races", "error"]) == 1
    apart = (*buffers[:4], "--buffer", "c=zeros:64")
    assert main(["run", *dump("vadd"), *sizes, *apart, "--races", "error"]) == 0


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize(
    ("source", "target", "written"), [("mean", "mean_short", "out"), ("reload", "reload_once", "a")]
)
def test_a_difference_is_shown_as_a_launch_of_both_kernels(
    source: str,
    target: str,
    written: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of `reload` only where buffers overlap: then they do in the launch."""
    monkeypatch.chdir(EXAMPLES)
    launches = ("--launch", f"{source}.bin", "--launch-target", f"{target}.bin")
    assert main(["refine", f"{source}.visaasm", f"{target}.visaasm", *launches, "--format", "json"]) == 1
    launch = json.loads(capsys.readouterr().out)["asked"][0]["launch"]
    assert launch["found"]
    ends: list[bytes] = []
    for number, command in enumerate(launch["commands"]):
        out = tmp_path / str(number)
        assert main([*command[1:], "--out", f"{written}=@{out}"]) == 0
        ends.append(out.read_bytes())
    assert launch["place"] == f"{written}[0]"
    shown = [int(launch[side].partition(" ")[0]) for side in ("after_source", "after_target")]
    assert [int.from_bytes(end[:4], "little") for end in ends] == shown
    assert shown[0] != shown[1]


@pytest.mark.slow
def test_a_search_for_a_launch_of_two_kernels_ends_with_the_limit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def endless(*_: object, **__: object) -> NoReturn:
        while True:
            pass

    monkeypatch.setattr(differing_launch, "run_launch", endless)
    monkeypatch.chdir(EXAMPLES)
    pair = ("mean.visaasm", "mean_short.visaasm", "--launch", "mean.bin", "--launch-target", "mean_short.bin")
    assert main(["refine", *pair, "--limit", "3"]) == 1
    output = capsys.readouterr().out
    assert re.search(r"no launch is shown: none was found in \S+ s \(--limit\)", output)


@pytest.mark.slow
def test_two_kernels_that_end_alike_are_no_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both runs decide: if the target's buffers end as the source's, no launch is shown."""
    monkeypatch.chdir(EXAMPLES)
    alike = differing_launch.run_launch
    monkeypatch.setattr(
        differing_launch, "run_launch", lambda program, values, memory, **more: alike(SOURCE[0], values, memory, **more)
    )
    monkeypatch.setattr(differing_launch, "prepare", _prepared)
    pair = ("mean.visaasm", "mean_short.visaasm", "--launch", "mean.bin", "--launch-target", "mean_short.bin")
    assert main(["refine", *pair]) == 1
    output = capsys.readouterr().out
    assert "no launch is shown" in output
    assert "visaproof run" not in output


SOURCE: list[Program] = []


def _prepared(program: Program, *rest: object) -> object:
    """As the source is prepared, whichever it is."""
    SOURCE.append(program)
    return prepare(SOURCE[0], *rest)  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_an_example_with_ids_that_are_negative_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A guard `(int)i < (int)n` lets ids of 2^31 and more through, which is asked about only where that is stated."""
    signed = (EXAMPLES / "pairs.visaasm").read_text()
    guard = "V0048(0,0)<1;1,0> V0049(0,0)<0;1,0>"
    assert guard in signed
    signed = signed.replace(guard, guard.replace("V0048", "V0047").replace("V0049", "V0034"))
    (path := tmp_path / "pairs.visaasm").write_text(signed)
    command = ["bounds", str(path), "--launch", str(EXAMPLES / "pairs.bin"), "--size", "in=4*n+4", "--size", "out=4*n"]
    assert main(command) == 0
    assert "OUTSIDE" not in capsys.readouterr().out
    assert main([*command, "--assume", "launch,-int-ids"]) == 1
    reason = "no launch is shown: the ids that show it are negative as `int`; --where 'global_size_x <= 2147483648'"
    assert capsys.readouterr().out.count(reason) == 2
