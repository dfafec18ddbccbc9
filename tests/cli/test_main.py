"""The command line as a whole: start, help, errors, pipes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from visaproof import __version__
from visaproof.cli import COMMANDS
from visaproof.cli.options.exit_codes import ExitCode, worst

PROOFS = Path(__file__).parents[2] / "proofs"
DUMPS = Path(__file__).parents[1] / "data/visaasm/vadd"
KERNEL = DUMPS / "tgllp-O2-simd8.visaasm"
HEAVY = ("z3", "bitwuzla", "numpy", "rich", "lark", "yaml", "elftools", "hypothesis")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["prove", "--help"], ["conflicts", "--help"]])
def test_help_and_version_load_nothing_heavy(arguments):
    code = f"""
import sys
from visaproof.cli import main
assert main({arguments!r}) == 0
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    start = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr == "[]\n"
    assert time.perf_counter() - start < 1.5


def test_the_version_is_the_packages(visaproof):
    ran = visaproof("--version")
    assert (ran.code, ran.out) == (0, f"visaproof {__version__}\n")


def test_the_help_names_every_command_and_exit_code(visaproof):
    ran = visaproof("--help")
    assert ran.code == 0
    for command in COMMANDS:
        assert f"    {command}" in ran.out
    for code in ExitCode:
        assert f"  {int(code)}  " in ran.out or code is ExitCode.BROKEN_PIPE
    assert max(map(len, ran.out.splitlines())) <= 110


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_examples_and_exit_codes(visaproof, command):
    ran = visaproof(command, "--help")
    assert ran.code == 0
    assert ran.out.count(f"  visaproof {command} ") >= 2
    assert "exit codes:" in ran.out


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["check"], ["replay", "--format", "xml", "a"]])
def test_a_senseless_command_line_exits_2(visaproof, arguments):
    ran = visaproof(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("usage: visaproof")


def test_of_several_codes_the_worst_is_returned():
    assert worst([]) == 0
    assert worst([ExitCode.UNKNOWN, ExitCode.OK]) == 3
    assert worst([ExitCode.UNKNOWN, ExitCode.VACUOUS, ExitCode.REFUTED]) == 1
    assert worst([ExitCode.REFUTED, ExitCode.USAGE]) == 2
    assert worst([ExitCode.REFUTED, ExitCode.INTERRUPTED]) == 130


def test_a_reader_that_goes_away_ends_the_run_quietly():
    """As in `visaproof prove --list | head -1`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "visaproof", "prove", "--list", "--proofs", str(PROOFS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=20) == ExitCode.BROKEN_PIPE


def test_a_pipe_that_breaks_in_the_middle_of_prove_is_quiet():
    process = subprocess.Popen(
        [sys.executable, "-m", "visaproof", "prove", "-v", "--proofs", str(PROOFS), "out_of_bounds"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == ExitCode.BROKEN_PIPE


def test_a_terminal_without_unicode_gets_escapes(tmp_path):
    file = tmp_path / "käse.visaasm"
    file.write_text('.version 4.1\n.kernel "k"\n    möv (M1, 8) x y\n')
    run = subprocess.run(
        [sys.executable, "-m", "visaproof", "check", "--platform", "DG2", str(file)],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert run.returncode == 2
    assert b"k\\xe4se.visaasm:3:" in run.stderr
    assert b"Traceback" not in run.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_no_exit_code(closed):
    """Not even to 1, which says that something is refuted."""
    command = f'"{sys.executable}" -m visaproof rules --list {closed}'
    run = subprocess.run(["sh", "-c", command], capture_output=True)
    assert run.returncode == 0
    assert b"Traceback" not in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "/dev/zero"),
        ("tv", "/dev/zero"),
        ("tv", DUMPS, "--cache", "/dev/zero"),
        ("refine", "/dev/zero"),
        ("refine", KERNEL, KERNEL, "--launch", "/dev/zero"),
        ("ocloc", "/dev/zero"),
    ],
)
def test_a_file_without_an_end_is_an_error(visaproof, arguments):
    ran = visaproof(*arguments)
    assert ran.code == 2
    assert "error: /dev/zero:1:1: " in ran.err


def test_a_terminal_without_other_characters_gets_likenesses():
    """As under LC_ALL=C: an arrow is `->`, and what has no likeness is shown by its number."""
    from io import BytesIO, TextIOWrapper

    from visaproof.cli.options.ascii import register

    shown = BytesIO()
    stream = TextIOWrapper(shown, encoding="ascii", errors=register())
    stream.write("► a → b × 3 … ☃ \udcff")
    stream.flush()
    assert shown.getvalue() == rb"> a -> b x 3 ... \u2603 \udcff"


ENDING = """
import atexit, os, sys
from visaproof.cli import entry
class Part:
    def __del__(self): os.write(1, b"taken apart")
part = Part()
sys.argv = ["visaproof", *sys.argv[1:]]
atexit.register(print, "at the end", flush=False)
entry()
"""


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["--nonsense"], 2), (["readings"], 0)])
def test_a_process_ends_as_it_is_and_prints_everything(words: list[str], code: int) -> None:
    command = [sys.executable, "-c", ENDING, *words]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == code
    assert ran.stdout.endswith("at the end\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("conflicts", "x", "--out", "y"), "did you mean --output or --save"),
        (("dump", "x.cl", "--out", "y"), "did you mean --into"),
        (("ocloc", "x.cl", "--env", "A=1"), "did you mean --source-env or --target-env"),
        (("conflicts", "x", "--cache", "off"), "--cache-mode off"),
    ],
)
def test_options_of_other_tools_are_told_from_those_here(visaproof, words, said):
    ran = visaproof(*words)
    assert ran.code == 2
    assert said in ran.err
