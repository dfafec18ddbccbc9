"""`visaproof prove`: verdicts, exit codes, files and formats."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from visaproof.checking.counterexample import read_counterexample

SAVED = "qw_scatter-without-bounds-breaks-out-of-bounds-write-is-dropped-simd1.json"


def test_claims_as_expected_exit_0_and_are_counted(visaproof, proofs):
    """A proof that is proved and a refutation that is refuted are what was claimed."""
    ran = visaproof("prove", "--verbose", "--proofs", proofs("proved", "refuted"))
    assert ran.code == 0
    first, second, _, summary, readings = ran.out.splitlines()
    assert first.startswith("ok   proved ")
    assert first.endswith("  m0_proved: prove_it")
    assert second.startswith("ok   refuted ")
    assert second.endswith("  m1_refuted: refute_it_without_bounds")
    assert summary.startswith("1 proved, 1 refuted as expected, 0 unknown, 0 vacuous in ")
    assert readings.startswith("readings relied on: D1 mask-alignment, ")
    assert ran.err == ""


def test_claims_as_expected_are_counted_by_obligation(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("proved", "refuted"))
    assert ran.out.splitlines()[0] == "ok   qw_scatter/out-of-bounds-write-is-dropped: 1 proved, 1 refuted as expected"
    assert "prove_it" not in ran.out


def test_a_surprise_is_named_and_marks_its_obligation(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("proved", "wrong"))
    obligation = "qw_scatter/out-of-bounds-write-is-dropped: 1 proved, 1 REFUTED that should be proved"
    assert f"\nFAIL {obligation}\n" in ran.out
    assert "m1_wrong: prove_" in ran.out
    assert "m0_proved" not in ran.out


def test_a_refuted_proof_exits_1_and_shows_the_counterexample(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("wrong"))
    assert ran.code == 1
    assert "FAIL refuted" in ran.out
    assert "without-bounds breaks qw_scatter/out-of-bounds-write-is-dropped:" in ran.out
    assert "qw_scatter.1 (M1" in ran.out
    assert "\n     execute  " in ran.out
    assert "\n     without-bounds  T6[" in ran.out
    assert "1 REFUTED that should be proved" in ran.out


def test_a_refutation_that_is_proved_exits_1(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("too_true"))
    assert ran.code == 1
    assert "expected a refutation, but the property holds (decided by " in ran.out
    assert "1 PROVED that should be refuted" in ran.out


def test_a_vacuous_claim_exits_5(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("vacuous"))
    assert ran.code == 5
    assert "expected proved: the assumptions cannot hold together" in ran.out
    assert "1 vacuous" in ran.out


def test_a_claim_that_nobody_decides_in_time_exits_3(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("unknown"), "--timeout", "0.2")
    assert ran.code == 3
    assert "FAIL unknown" in ran.out
    assert "expected proved: z3: " in ran.out
    assert "0 proved, 0 refuted as expected, 1 unknown" in ran.out


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        (("unknown", "vacuous", "wrong", "proved"), 1),
        (("unknown", "vacuous", "too_true"), 1),
        (("unknown", "vacuous", "proved"), 5),
        (("unknown", "proved"), 3),
    ],
)
def test_of_several_surprises_a_refutation_comes_first_then_vacuity(visaproof, proofs, claims, code):
    assert visaproof("prove", "--proofs", proofs(*claims), "--timeout", "0.2").code == code


def test_a_pattern_selects_by_part_or_shell_pattern(visaproof, proofs):
    folder = proofs("proved", "refuted", "cases")
    assert visaproof("prove", "--proofs", folder, "--list").out.split() == [
        "prove_it",
        "refute_it_without_bounds",
        "prove_each[1]",
        "prove_each[2]",
    ]
    assert visaproof("prove", "--proofs", folder, "--list", "refute_*", "[2]").out.split() == [
        "refute_it_without_bounds",
        "prove_each[2]",
    ]


def test_a_pattern_that_matches_nothing_exits_2_and_proposes_ids(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("proved", "refuted"), "prove_it", "refute_it_without_bound_s")
    assert ran.code == 2
    assert ran.err == (
        "error: no claim matches 'refute_it_without_bound_s'\n  hint: did you mean refute_it_without_bounds?\n"
    )
    assert ran.out == ""


def test_a_pattern_with_a_slash_selects_by_instruction_and_property(visaproof, proofs):
    folder = proofs("proved", "refuted")
    assert len(visaproof("prove", "--proofs", folder, "--list", "qw_scatter/out-of-bounds-write").out.split()) == 2
    ran = visaproof("prove", "--proofs", folder, "--list", "qw_scatter/out-of-bound-writes")
    assert ran.code == 2
    assert "hint: did you mean qw_scatter/out-of-bounds-write-is-dropped[SIMD1]?" in ran.err


def test_a_pattern_of_no_claim_selects_by_a_part_of_the_obligation(visaproof, proofs):
    folder = proofs("proved", "refuted")
    slashed = visaproof("prove", "--proofs", folder, "--list", "qw_scatter/out-of-bounds-write").out
    assert visaproof("prove", "--proofs", folder, "--list", "out-of-bounds-write-is").out == slashed


@pytest.mark.parametrize("broken", ["crash", "exit", "not_modelled", "no_query"])
def test_a_broken_claim_does_not_hide_a_misspelt_pattern(broken: str, visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("proved", broken), "nosuch")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: no claim matches 'nosuch'")


def test_a_folder_without_proofs_exits_2(visaproof, tmp_path):
    ran = visaproof("prove", "--proofs", tmp_path)
    assert ran.code == 2
    assert ran.err.startswith(f"error: no proofs in {tmp_path}\n  hint: ")


def test_a_folder_that_cannot_be_loaded_exits_2(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("broken"))
    assert ran.code == 2
    assert "ModuleNotFoundError: No module named 'no_such_module_at_all'" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_claim_is_shown_as_its_authors(visaproof, proofs, jobs):
    folder = proofs("proved", "crash")
    ran = visaproof("prove", "--proofs", folder, "--jobs", jobs)
    assert ran.code == 2
    lines = (folder / "m1_crash.py").read_text().splitlines()
    place = f"{folder / 'm1_crash.py'}:{len(lines)}"
    assert f"error: {place}: ZeroDivisionError: one over nothing\n  while asking prove_x_crash\n" in ran.err
    assert f'Traceback (most recent call last):\n  File "{folder / "m1_crash.py"}"' in ran.err
    assert "workers.py" not in ran.err
    assert "bug of visaproof" not in ran.err


def test_a_claim_that_exits_is_no_success(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("exit"))
    assert ran.code == 2
    assert ": SystemExit: 0\n  while asking prove_x_exit" in ran.err


def test_a_claim_that_returns_no_query_is_told_so(visaproof, proofs):
    folder = proofs("no_query")
    ran = visaproof("prove", "--proofs", folder)
    assert ran.code == 2
    assert f"{folder / 'm0_no_query.py'}:" in ran.err
    assert "prove_x_no_query returns None, no query: end it with `return`" in ran.err


def test_a_syntax_error_of_a_module_names_its_line(visaproof, proofs):
    folder = proofs("syntax")
    ran = visaproof("prove", "--proofs", folder)
    assert ran.code == 2
    line = len((folder / "m0_syntax.py").read_text().splitlines())
    assert f"{folder / 'm0_syntax.py'}:{line}: SyntaxError" in ran.err


def test_an_error_of_ours_exits_70_and_names_the_claim_without_a_traceback(visaproof, proofs, monkeypatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("one over nothing")

    monkeypatch.delenv("VISAPROOF_DEBUG", raising=False)
    monkeypatch.setattr("visaproof.checking.claims.workers.decide", broken)
    ran = visaproof("prove", "--proofs", proofs("proved"))
    assert ran.code == 70
    assert "internal error: ZeroDivisionError: one over nothing\nwhile deciding prove_it\n" in ran.err
    assert "please report" in ran.err
    assert "Traceback" not in ran.err


def test_visaproof_debug_shows_the_traceback(visaproof, proofs, monkeypatch):
    monkeypatch.setenv("VISAPROOF_DEBUG", "1")
    assert "workers.py" in visaproof("prove", "--proofs", proofs("crash")).err


def test_what_is_not_modelled_exits_4(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("not_modelled"))
    assert ran.code == 4
    assert ran.err.startswith("error: not modelled: opcode lsc_load")


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_decided_before_an_interruption_is_summarised(visaproof, proofs, jobs):
    folder = proofs("proved", "refuted", "interrupted", "vacuous")
    ran = visaproof("prove", "--proofs", folder, "--jobs", jobs)
    assert ran.code == 130
    assert "interrupted: 2 of 4 claims decided" in ran.out
    assert "1 proved, 1 refuted as expected, 0 unknown, 0 vacuous" in ran.out


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_solver_and_leaves_no_process(proofs, jobs):
    """z3 runs for a minute unless it is stopped."""
    folder = proofs("proved", "unknown", "unknown")
    command = [sys.executable, "-m", "visaproof", "prove", "-v", "--proofs", str(folder), "--timeout", "60"]
    process = subprocess.Popen(
        [*command, "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert "prove_it" in process.stdout.readline()
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "interrupted: 1 of " in out
    assert "Traceback" not in err
    deadline = time.monotonic() + 5
    while _running_in_group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _running_in_group(process.pid) == []


def _running_in_group(group: int) -> list[str]:
    """The processes of a group that run, on a system with /proc; one that only waits to be reaped does not run."""
    running: list[str] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, fields = path.read_text().rpartition(")")
            state, _, its_group, *_ = fields.split()
            if int(its_group) == group and state != "Z":
                running.append(name)
    return running


@pytest.mark.slow
def test_a_process_that_ends_loses_only_its_own_claim(visaproof, proofs):
    """It is unknown, with the reason; those after it are decided."""
    ran = visaproof("prove", "--proofs", proofs("proved", "dies", "refuted"), "--jobs", 2)
    assert ran.code == 3
    assert "its process ended (9), perhaps for want of memory: try fewer --jobs" in ran.out
    assert "1 proved, 1 refuted as expected, 1 unknown, 0 vacuous" in ran.out


@pytest.mark.slow
def test_jobs_give_the_same_verdicts_in_the_same_order(visaproof, proofs):
    folder = proofs("proved", "refuted", "wrong", "cases")
    documents = []
    for jobs in (1, 3):
        ran = visaproof("prove", "--proofs", folder, "--format", "json", "--jobs", jobs)
        assert ran.code == 1
        documents.append(
            [(claim["id"], claim["verdict"], claim["readings"]) for claim in json.loads(ran.out)["claims"]]
        )
    assert documents[0] == documents[1]


def test_counterexamples_are_saved_under_the_name_of_what_they_show(visaproof, proofs, tmp_path):
    folder = tmp_path / "found" / "here"
    ran = visaproof("prove", "--proofs", proofs("proved", "refuted"), "--save", folder)
    assert ran.code == 0
    assert [path.name for path in folder.iterdir()] == [SAVED]
    assert read_counterexample(folder / SAVED).variant == "without-bounds"
    assert f"1 counterexamples saved in {folder}" in ran.out
    assert visaproof("replay", folder).code == 0


def test_a_folder_that_cannot_be_made_exits_2_before_anything_is_decided(visaproof, proofs, tmp_path):
    (tmp_path / "file").touch()
    ran = visaproof("prove", "--proofs", proofs("proved"), "--save", tmp_path / "file")
    assert ran.code == 2
    assert ran.out == ""


def test_json_follows_the_schema_and_holds_the_counterexample(visaproof, proofs, tmp_path):
    folder = proofs("proved", "refuted", "vacuous")
    ran = visaproof("prove", "--proofs", folder, "--format", "json", "--seed", 7, "--save", tmp_path / "found")
    document = json.loads(ran.out)
    assert list(document) == [
        "visaproof", "schema", "command", "exit_code", "complete", "not_done", "timeout_seconds", "seed", "patterns",
        "summary", "readings", "claims", "under",
    ]  # fmt: skip
    assert (document["schema"], document["command"], document["exit_code"], ran.code) == (1, "prove", 5, 5)
    assert (document["timeout_seconds"], document["seed"], document["patterns"]) == (20, 7, [])
    summary = document["summary"]
    assert summary.pop("seconds") > 0
    assert summary == {
        "asked": 3, "decided": 3, "proved": 1, "refuted_as_expected": 1, "refuted_unexpectedly": 0,
        "proved_unexpectedly": 0, "unknown": 0, "vacuous": 1,
    }  # fmt: skip
    proved, refuted, vacuous = document["claims"]
    assert list(proved) == [
        "id", "module", "query", "expected", "verdict", "as_expected", "seconds", "decided_by", "reason", "readings",
        "counterexample", "saved",
    ]  # fmt: skip
    assert (proved["id"], proved["module"], proved["verdict"]) == ("prove_it", "m0_proved", "proved")
    assert proved["query"] == "qw_scatter/out-of-bounds-write-is-dropped[SIMD1]"
    assert {"decision": "D23", "name": "qword-unit"} in proved["readings"]
    assert refuted["counterexample"]["variant"] == "without-bounds"
    assert refuted["saved"] == str(tmp_path / "found" / SAVED)
    assert vacuous["reason"] == "the assumptions cannot hold together"


def test_a_list_as_json(visaproof, proofs):
    document = json.loads(visaproof("prove", "--proofs", proofs("refuted"), "--list", "--format", "json").out)
    assert document["command"] == "prove --list"
    assert document["claims"] == [{"id": "refute_it_without_bounds", "module": "m0_refuted", "expected": "refuted"}]


@pytest.mark.parametrize(
    "arguments",
    [("--timeout", "0"), ("--timeout", "nan"), ("--timeout", "x"), ("--seed", "-1"), ("--jobs", "²"), ("--what",)],
)
def test_a_senseless_option_exits_2_with_usage(visaproof, arguments):
    ran = visaproof("prove", *arguments)
    assert ran.code == 2
    assert ran.err.startswith("usage: visaproof")


def test_a_list_needs_no_solver(proofs):
    """`--list` answers at once: z3 alone takes longer to load."""
    code = (
        "import sys; from visaproof.cli import main; main(sys.argv[1:]);"
        "print([name for name in ('z3', 'rich', 'lark') if name in sys.modules])"
    )
    folder = proofs("proved")
    run = subprocess.run(
        [sys.executable, "-c", code, "prove", "--proofs", str(folder), "--list"], capture_output=True, text=True
    )
    assert run.stdout == "prove_it\n[]\n"


@pytest.mark.slow
def test_in_a_terminal_claims_are_grouped_by_module_and_fit_its_width(proofs, tmp_path: Path):
    pty = pytest.importorskip("pty")
    folder = proofs("proved", "refuted")
    reader, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "visaproof", "prove", "-v", "--proofs", str(folder)],
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"COLUMNS": "40", "NO_COLOR": "1", "TERM": "xterm"},
    )
    os.close(terminal)
    text = b""
    try:
        while chunk := os.read(reader, 65536):
            text += chunk
    except OSError:  # the terminal is closed when the process ends
        pass
    assert process.wait(timeout=20) == 0
    lines = text.decode().replace("\r", "").splitlines()
    assert "m0_proved" in lines[0]
    assert all(len(line.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")) <= 40 for line in lines)
    assert "\x1b[3" not in text.decode()
