"""`--limit`: what is decided in time is shown, and the rest is named."""

import json
import os
import signal
import subprocess
import sys
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from time import monotonic, process_time
from typing import Any, cast

import pytest

from visaproof.cli import COMMANDS, main

DATA = Path(__file__).parent.parent / "data"
ASKING = ("prove", "replay", "check", "conflicts", "bounds", "refine", "tv", "triage", "ocloc", "rules", "run")
NOT_ASKING = (
    "readings",
    "premises",
    "explain",
    "print",
    "vectors",
    "cache",
    "dump",
    "doctor",
    "watch",
    "report",
    "schema",
    "completion",
)
SLACK_S = 12.0
"""Of processor time: what is loaded before and printed after, on a busy machine."""

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.input Y offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
"""
SCATTER = "    scatter_scaled.4 (M1, 8) T6 0x0:ud X.0 Y.0\n"
STEP = "    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n    mul (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> X(0,0)<1;1,0>\n"
BACK = "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n    (P1) goto (M1, 8) L{k}\n"


def nest(depth: int) -> str:
    """A scatter, loops in loops with a scatter in each, and a scatter after them."""
    heads = "".join(f"L{k}:\n{SCATTER}{STEP}" for k in range(depth))
    return (
        f"{HEAD}{SCATTER}{heads}{''.join(BACK.format(k=k) for k in reversed(range(depth)))}{SCATTER}    ret (M1, 1)\n"
    )


def test_every_command_that_asks_has_a_limit() -> None:
    from visaproof.cli.parser import whole_parser

    assert {*ASKING, *NOT_ASKING} == {*COMMANDS}
    parsers: dict[str, ArgumentParser] = cast(Any, whole_parser(COMMANDS))._subparsers._group_actions[0].choices
    with_limit = {name for name, parser in parsers.items() if "--limit" in parser.format_help()}
    assert with_limit == {*ASKING}
    assert all(hasattr(import_module(f"visaproof.cli.{name}"), "run") for name in COMMANDS)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("command", ["conflicts", "bounds"])
def test_deep_nests_of_back_edges_end_within_the_limit(command: str, tmp_path: Path, capsys) -> None:
    """And each scatter is answered, or named with its place."""
    path = tmp_path / "nest.visaasm"
    path.write_text(nest(30))
    start = process_time()
    code = main([command, str(path), "--limit", "1", "--format", "json", "--platform", "tgllp"])
    assert process_time() - start < 1 + SLACK_S
    assert code in (1, 3)
    (file,) = json.loads(capsys.readouterr().out)["files"]
    asked = file["scatters" if command == "conflicts" else "messages"]
    lines = {number for number, line in enumerate(nest(30).split("\n"), 1) if "scatter" in line}
    answered, named = {one["line"] for one in asked}, {one["line"] for one in file["not_asked"]}
    assert answered | named == lines
    assert not answered & named
    assert "limit of 1 s reached" in str(file["limit"])
    assert file["not_modelled"] is None


def test_what_is_not_asked_is_named_by_line_under_its_file(tmp_path: Path, capsys) -> None:
    path = tmp_path / "nest.visaasm"
    path.write_text(nest(30))
    assert main(["conflicts", str(path), "--limit", "1", "--platform", "tgllp"]) in (1, 3)
    last = max(number for number, line in enumerate(nest(30).split("\n"), 1) if "scatter" in line)
    out = capsys.readouterr().out
    assert out.count(f"not asked: {path}: limit of 1 s reached") == 1
    assert f"    line {last}: scatter_scaled\n" in out
    assert "not modelled" not in out


@pytest.mark.slow
def test_runs_on_what_nothing_wrote_end_within_the_limit(tmp_path: Path, capsys) -> None:
    """From zeros on, this never ends: each run that --save looks at takes as many statements as it may."""
    path = tmp_path / "loop.visaasm"
    again = "    cmp.ge (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n    (P1) goto (M1, 8) L0\n"
    head = HEAD.replace(".input Y offset=64 size=32\n", "")
    path.write_text(f"{head}L0:\n{STEP}{SCATTER}{again}    ret (M1, 1)\n")
    start = process_time()
    arguments = ("--platform", "tgllp", "--assume", "none", "--limit", "0.5", "--save", str(tmp_path / "found"))
    assert main(["bounds", str(path), *arguments]) in (1, 3)
    assert process_time() - start < 0.5 + SLACK_S
    assert "not saved: whether more depends on uninitialised values: limit of 0.5 s reached" in capsys.readouterr().err


def test_a_pair_ends_within_the_limit(tmp_path: Path, capsys) -> None:
    one, other = tmp_path / "a.visaasm", tmp_path / "b.visaasm"
    one.write_text(nest(8))
    other.write_text(nest(8).replace("mul (M1, 8)", "xor (M1, 8)"))
    start = process_time()
    code = main(["refine", str(one), str(other), "--platform", "tgllp", "--limit", "0.5"])
    assert process_time() - start < 0.5 + SLACK_S
    assert code in (1, 3, 4)
    assert code != 3 or "limit of 0.5 s reached" in capsys.readouterr().out


@pytest.mark.slow
def test_the_pairs_of_tv_end_within_the_limit(tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    folder.mkdir()
    (folder / "a.visaasm").write_text(nest(8))
    (folder / "b.visaasm").write_text(nest(8).replace("mul (M1, 8)", "xor (M1, 8)"))
    assert main(["tv", str(folder), "--platform", "tgllp", "--limit", "0.5"]) in (1, 3, 4)


def test_a_launch_that_never_ends_is_unknown(tmp_path: Path, capsys) -> None:
    path = tmp_path / "endless.visaasm"
    path.write_text(f"{HEAD}L0:\n{STEP}    jmp (M1, 1) L0\n    ret (M1, 1)\n")
    start = process_time()
    code = main(["run", str(path), "--global-size", "8", "--platform", "tgllp", "--limit", "0.5", "--engine", "scalar"])
    assert process_time() - start < 0.5 + SLACK_S
    assert code in (3, 4)
    assert "not ended" in capsys.readouterr().err or code == 4


def test_a_rule_and_a_claim_end_within_the_limit(proofs, capsys) -> None:
    """A used up limit is unknown, never as stated."""
    assert main(["rules", "reorder-scatters", "--limit", "0.001"]) == 3
    assert main(["prove", "--proofs", str(proofs("unknown")), "--limit", "0.3"]) == 3
    assert "limit of 0.3 s reached" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "conflicts", "bounds"])
def test_a_file_that_takes_too_long_to_read_is_named(command: str, tmp_path: Path, capsys) -> None:
    path = tmp_path / "nest.visaasm"
    path.write_text(nest(1).replace(SCATTER, SCATTER + STEP * 20_000, 1))
    assert main([command, str(path), "--limit", "0.1", "--platform", "tgllp"]) == 3
    assert f"{path}: not asked: limit of 0.1 s reached" in capsys.readouterr().err


def test_answers_are_shown_as_they_come(tmp_path: Path) -> None:
    """What was decided before a hard kill was printed, although nobody reads a terminal."""
    path = tmp_path / "k.visaasm"
    path.write_text(nest(30))
    easy = DATA / "visaasm" / "vadd" / "tgllp-O2-simd8.visaasm"
    command = [sys.executable, "-m", "visaproof", "conflicts", str(easy), str(path), "--platform", "tgllp"]
    with subprocess.Popen([*command, "--assume", "none"], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        seen, until = "", monotonic() + 60
        while "scatter" not in seen and monotonic() < until:
            seen += run.stdout.readline()
        os.kill(run.pid, signal.SIGKILL)
    assert "vadd" in seen
