"""Many files side by side: order, lost processes, budgets, Ctrl-C, and which findings fail a run."""

import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import msgspec
import pytest

from visaproof.cli.many.asking import Asker, Kept, answered
from visaproof.cli.many.files import Task
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.report.results.finding import Finding, worst_code

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
PAIRS = EXAMPLES / "pairs.visaasm"


@pytest.mark.slow
def test_processes_change_nothing_of_the_order(visaproof):
    alone, together = (visaproof("conflicts", EXAMPLES, "--jobs", jobs) for jobs in (1, 2))
    lines = [
        [line for line in ran.out.splitlines() if " | " in line or ": kernel " in line] for ran in (alone, together)
    ]
    assert lines[0] == lines[1]
    assert (alone.code, together.code) == (1, 1)


@pytest.mark.slow
def test_verdicts_are_the_same_with_processes(visaproof):
    files = (EXAMPLES / "mean.visaasm", PAIRS)
    alone, together = (visaproof("bounds", *files, "--format", "json", "--jobs", jobs).out for jobs in (1, 2))
    said = [
        [(file["file"], [one["bounds"]["verdict"] for one in file["messages"]]) for file in json.loads(out)["files"]]
        for out in (alone, together)
    ]
    assert said[0] == said[1]


NOTHING_FOUND = {"file": "", "errors": [], "findings": [], "undefined": [], "undefined_not_asked": None}


def dies_once(task: Task, arguments: Namespace) -> tuple[ExitCode, dict]:
    """Kills its own process the first time it is asked about `dies`."""
    mark = Path(arguments.marks) / "died"
    if task.path.name == "dies" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return ExitCode.OK, NOTHING_FOUND


def dies(task: Task, arguments: Namespace) -> tuple[ExitCode, dict]:
    """Kills its own process whenever it is asked about `dies`."""
    if task.path.name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    return ExitCode.OK, NOTHING_FOUND


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("ask", "codes"), [(dies_once, [0, 0, 0]), (dies, [0, 3, 0])])
def test_a_killed_process_loses_nothing_and_counts_nothing_twice(tmp_path, ask, codes):
    arguments = Namespace(jobs=2, limit=60.0, undefined=[], marks=tmp_path, format="text", budget=None, scheduler=None)
    tasks = [Task(Path(name), None) for name in ("a", "dies", "b")]
    found = list(answered(Asker("check", ask, arguments), tasks, Kept()))
    assert sorted(index for index, _, _ in found) == [0, 1, 2]
    assert [result.code for _, result, _ in sorted(found, key=lambda one: one[0])] == codes


def test_what_the_budget_does_not_reach_is_named(visaproof):
    ran = visaproof("check", EXAMPLES, "--budget", "0.000001")
    assert ran.code == 3
    assert ran.err.count("not asked: the budget of 1e-06 s is used up") == len(list(EXAMPLES.glob("*.visaasm")))


def test_one_failing_file_does_not_take_the_others_along(visaproof, monkeypatch, tmp_path):
    import visaproof.analysis.legality as legality

    right = legality.legality

    def wrong(text, path, *rest, **named):
        if path.endswith("mean.visaasm"):
            raise ZeroDivisionError("one over nothing")
        return right(text, path, *rest, **named)

    monkeypatch.setattr(legality, "legality", wrong)
    ran = visaproof("check", EXAMPLES / "mean.visaasm", PAIRS, "--format", "json")
    assert ran.code == 70
    document = json.loads(ran.out)
    assert [file.get("legal") for file in document["files"]] == [None, True]
    assert [one["level"] for one in document["findings"]] == ["internal"]


@pytest.mark.slow(but=2)
@pytest.mark.parametrize(
    ("words", "code"),
    [("refuted", 1), ("unknown,bounded", 0), ("none", 0), ("unreadable", 2), ("refuted,unreadable", 2)],
)
def test_only_what_fail_on_names_fails_the_run(visaproof, tmp_path, words, code):
    bad = tmp_path / "bad.visaasm"
    bad.write_text("no kernel")
    assert visaproof("conflicts", PAIRS, bad, "--platform", "tgllp", "--fail-on", words).code == code


@pytest.mark.slow
def test_quiet_shows_only_files_with_a_finding(visaproof):
    ran = visaproof("conflicts", EXAMPLES, "-q")
    assert [line.split(":")[0] for line in ran.out.splitlines() if ": kernel " in line] == [
        str(EXAMPLES / "pairs.visaasm"), str(EXAMPLES / "rows.visaasm"),
    ]  # fmt: skip
    assert visaproof("conflicts", EXAMPLES / "mean.visaasm", "--launch", EXAMPLES / "mean.bin", "-q").out == ""


@pytest.mark.slow
def test_the_findings_of_a_file_have_its_exit_code(visaproof):
    for command in ("conflicts", "bounds", "check"):
        document = json.loads(visaproof(command, EXAMPLES / "rows.visaasm", PAIRS, "--format", "json").out)
        found = msgspec.convert(document["findings"], list[Finding])
        assert document["exit_code"] == worst_code(found)
        assert all(one.kind != "file" for one in found), "each has a statement of its own"


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_answered(tmp_path):
    """One file is answered at once, another takes long: the JSON has the first."""
    slow = Path(__file__).parents[2] / "data" / "visaasm"
    files = [PAIRS, *sorted(slow.glob("*/*O0*.visaasm"))]
    command = [sys.executable, "-m", "visaproof", "bounds", *map(str, files), "--jobs", "2", "--format", "json"]
    process = subprocess.Popen([*command, "--launch", str(slow.parent / "manifest.json")], stdout=subprocess.PIPE)
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    document = json.loads(out)
    assert document["exit_code"] in (130, 2, 1)
    assert document["files"]
