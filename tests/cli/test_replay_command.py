"""`visaproof replay`: counterexamples run again, without a solver."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.support.examples import wrong_rule, wrong_scatter
from visaproof.checking.counterexample import write_counterexample


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "found" / "b.json"
    write_counterexample(wrong_scatter(), path)
    return path


def test_a_counterexample_that_replays_exits_0(visaproof, example):
    ran = visaproof("replay", example)
    assert ran.code == 0
    assert ran.out == f"ok   {example}: without-bounds writes outside\n1 replayed\n"
    assert ran.err == ""


def test_a_folder_stands_for_its_files_in_the_order_of_their_names(visaproof, example):
    write_counterexample(wrong_scatter(), example.parent / "a" / "z.json")
    write_counterexample(wrong_scatter(), example.parent / "c.json")
    ran = visaproof("replay", example.parent)
    names = [line.split(":")[0].removeprefix("ok   ") for line in ran.out.splitlines()[:-1]]
    assert names == [str(example.parent / name) for name in ("a/z.json", "b.json", "c.json")]


def test_another_outcome_exits_1_and_says_where(visaproof, example):
    found = wrong_scatter()
    found.runs[0].outcome.changes["T6[0x0]"] = "0x09"
    write_counterexample(found, example)
    ran = visaproof("replay", example)
    assert ran.code == 1
    assert "FAIL" in ran.out
    assert "     T6[0x0]: recorded 0x09, execute leaves 0x05\n" in ran.out
    assert ran.out.endswith("1 DID NOT REPLAY\n")


def test_a_wrong_rule_replays_by_numbers(visaproof, tmp_path):
    path = tmp_path / "rule.json"
    write_counterexample(wrong_rule(), path)
    ran = visaproof("replay", path)
    assert (ran.code, ran.out) == (0, f"ok   {path}: or is not the sum\n1 replayed\n")
    write_counterexample(msgspec.structs.replace(wrong_rule(), values={"x": "#x0", "y": "#x0"}), path)
    ran = visaproof("replay", path)
    assert ran.code == 1
    assert "     both sides have the same value\n" in ran.out
    write_counterexample(msgspec.structs.replace(wrong_rule(), values={"x": "#x0", "y": "#x00"}), path)
    ran = visaproof("replay", path)
    assert ran.code == 2
    assert f"{path}:1:1: its terms cannot be evaluated: widths differ: [4, 8]" in ran.err


def test_an_unreadable_file_exits_2_and_the_others_are_replayed(visaproof, example):
    bad = example.parent / "a.json"
    bad.write_text('{"claim": 3')
    ran = visaproof("replay", bad, example, example.parent / "missing.json")
    assert ran.code == 2
    assert ran.out.endswith("1 replayed, 2 unreadable\n")
    assert f"error: {bad}:1:12: not a counterexample: " in ran.err
    assert "  hint: the format is described in counterexamples/README.md" in ran.err
    assert "missing.json:1:1: cannot be read: No such file or directory" in ran.err


def test_a_file_cannot_steer_the_terminal(visaproof, example):
    found = wrong_scatter()
    found.shows = "all\x1b[2J is well\nok   nothing.json: replays"
    write_counterexample(found, example)
    ran = visaproof("replay", example)
    assert ran.code == 0
    assert ran.out.splitlines()[0] == f"ok   {example}: all [2J is well ok   nothing.json: replays"


def test_an_empty_folder_exits_2(visaproof, tmp_path):
    ran = visaproof("replay", tmp_path)
    assert ran.code == 2
    assert ran.err == f"error: no counterexample in {tmp_path}\n  hint: a counterexample is a .json file\n"


def test_json_lists_every_file(visaproof, example):
    bad = example.parent / "c.json"
    bad.write_text("[]")
    ran = visaproof("replay", example.parent, "--format", "json")
    document = json.loads(ran.out)
    assert list(document) == ["visaproof", "schema", "command", "exit_code", "complete", "not_done", "files"]
    assert (document["schema"], document["command"], document["exit_code"]) == (1, "replay", 2)
    good, unreadable = document["files"]
    assert good == {
        "file": str(example), "claim": "scatter4_scaled/example", "shows": "without-bounds writes outside",
        "replays": True, "differences": [], "error": None,
    }  # fmt: skip
    assert unreadable["replays"] is None
    assert "not a counterexample" in unreadable["error"]


@pytest.mark.slow
def test_no_solver_is_loaded(example):
    code = "import sys; from visaproof.cli import main; main(sys.argv[1:]); print('z3' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code, "replay", str(example)], capture_output=True, text=True)
    assert run.stdout.endswith("1 replayed\nFalse\n")


ERRATA = Path(__file__).parents[2] / "counterexamples" / "errata.toml"


def test_the_errata_of_a_folder_are_replayed_entry_by_entry(visaproof, tmp_path):
    (tmp_path / "errata.toml").write_text(ERRATA.read_text())
    ran = visaproof("replay", tmp_path)
    assert ran.code == 0
    assert f"ok   {tmp_path}/errata.toml#any-all-window: " in ran.out
    (first, *_) = json.loads(visaproof("replay", tmp_path, "--format", "json").out)["files"]
    assert first["claim"] == "errata/full-width-is-an-error"
    assert first["replays"] is True


def test_an_erratum_that_does_not_replay_exits_1_and_a_broken_ledger_2(visaproof, tmp_path):
    ledger = tmp_path / "errata.toml"
    ledger.write_text(ERRATA.read_text().replace('"T6[0x8]" = "0x07"', '"T6[0x8]" = "0x08"', 1))
    ran = visaproof("replay", ledger)
    assert ran.code == 1
    assert f"FAIL {ledger}#full-width-is-an-error" in ran.out
    ledger.write_text("declarations = 1")
    assert visaproof("replay", ledger).code == 2
