"""Every input of every command, where it is no regular file, cut off, nested deeply, or holds huge numbers."""

import json
import os
import re
import shutil
import signal
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from visaproof.checking.task_pool import Answered
from visaproof.cli import COMMANDS, main
from visaproof.cli.parser import whole_parser
from visaproof.pairs.lists import Pair
from visaproof.report.two_kernels import pair_run
from visaproof.report.two_kernels.pair_rows import Row

DATA = Path(__file__).parent.parent / "data"
REPOSITORY = Path(__file__).parent.parent.parent
DUMP = DATA / "visaasm" / "vadd" / "tgllp-O2-simd8.visaasm"
MANIFEST = DATA / "manifest.json"
ADD_RULE = REPOSITORY / "proofs" / "rules" / "add-one-to-inc.rule"
LEDGER = REPOSITORY / "counterexamples" / "errata.toml"
EXAMPLE = REPOSITORY / "counterexamples" / "lane_conflict-tgllp-O2-simd8-line-77.json"
PATIENCE_S = 60
"""By the clock, on a busy machine."""

FOUND = str(Path(__file__).parents[2] / "counterexamples" / "lane_conflict-tgllp-O2-simd8-line-77.json")

INPUTS: dict[tuple[str, str], tuple[list[str], str]] = {
    ("check", "files"): (["check", "{}"], ".visaasm"),
    ("check", "launch"): (["check", str(DUMP), "--launch", "{}"], ".json"),
    ("print", "paths"): (["print", "{}"], ".visaasm"),
    ("conflicts", "files"): (["conflicts", "{}", "--limit", "2"], ".visaasm"),
    ("conflicts", "launch"): (["conflicts", str(DUMP), "--launch", "{}"], ".json"),
    ("bounds", "files"): (["bounds", "{}", "--limit", "2"], ".visaasm"),
    ("bounds", "launch"): (["bounds", str(DUMP), "--launch", "{}"], ".json"),
    ("refine", "source"): (["refine", "{}", str(DUMP), "--limit", "2"], ".visaasm"),
    ("refine", "target"): (["refine", str(DUMP), "{}", "--limit", "2"], ".visaasm"),
    ("refine", "launch"): (["refine", str(DUMP), str(DUMP), "--launch", "{}"], ".json"),
    ("refine", "launch_target"): (["refine", str(DUMP), str(DUMP), "--launch-target", "{}"], ".json"),
    **{
        (command, name): ([command, str(DUMP), "--launch", str(MANIFEST), f"--{name}", "{}"], suffix)
        for command in ("check", "conflicts", "bounds")
        for name, suffix in (("cache", ".sqlite"), ("baseline", ".json"), ("config", ".toml"))
    },
    ("refine", "cache"): (["refine", str(DUMP), str(DUMP), "--launch", str(MANIFEST), "--cache", "{}"], ".sqlite"),
    ("refine", "config"): (["refine", str(DUMP), str(DUMP), "--launch", str(MANIFEST), "--config", "{}"], ".toml"),
    ("prove", "cache"): (
        ["prove", "a_small_number", "--proofs", str(REPOSITORY / "proofs"), "--cache", "{}"],
        ".sqlite",
    ),
    ("rules", "cache"): (["rules", str(ADD_RULE), "--cache", "{}"], ".sqlite"),
    ("tv", "config"): (["tv", "PAIRS", "--config", "{}"], ".toml"),
    ("triage", "config"): (["triage", str(DUMP.parent), "--shard", "9/9", "--config", "{}"], ".toml"),
    ("report", "files"): (["report", "{}"], ".json"),
    ("tv", "baseline"): (["tv", "PAIRS", "--baseline", "{}"], ".json"),
    ("triage", "folder"): (["triage", "{}"], ""),
    ("triage", "launch"): (["triage", str(DUMP.parent), "--shard", "9/9", "--launch", "{}"], ".json"),
    ("triage", "cache"): (["triage", str(DUMP.parent), "--shard", "9/9", "--cache", "{}"], ".sqlite"),
    ("triage", "baseline"): (["triage", str(DUMP.parent), "--shard", "9/9", "--baseline", "{}"], ".json"),
    ("dump", "file"): (["dump", "{}", "--ocloc", "/bin/false"], ".cl"),
    ("cache", "cache"): (["cache", "stats", "--cache", "{}"], ".sqlite"),
    ("cache", "file"): (["cache", "import", "{}", "--cache", "new.sqlite"], ".sqlite"),
    ("tv", "paths"): (["tv", "{}"], ".json"),
    ("tv", "launch"): (["tv", "PAIRS", "--launch", "{}"], ".json"),
    ("tv", "launch_target"): (["tv", "PAIRS", "--launch-target", "{}"], ".json"),
    ("tv", "cache"): (["tv", "PAIRS", "--cache", "{}"], ".sqlite"),
    ("ocloc", "files"): (["ocloc", "{}", "--ocloc", "/bin/false"], ".cl"),
    ("rules", "rules"): (["rules", "{}", "--limit", "2"], ".rule"),
    ("run", "file"): (["run", "{}", "--global-size", "8"], ".visaasm"),
    ("run", "launch"): (["run", str(DUMP), "--global-size", "8", "--launch", "{}"], ".json"),
    ("run", "buffer"): (
        ["run", str(DUMP), "--global-size", "8", "--launch", str(MANIFEST), "--buffer", "0=@{}"],
        ".bin",
    ),
    ("vectors", "paths"): (["vectors", "{}"], ".jsonl"),
    ("vectors", "paths.gz"): (["vectors", "{}"], ".jsonl.gz"),
    ("replay", "paths"): (["replay", "{}"], ".json"),
    ("replay", "paths.toml"): (["replay", "{}"], ".toml"),
    ("replay", "kernel"): (["replay", FOUND, "--emit", "pytest", "--kernel", "{}"], ".visaasm"),
    ("replay", "launch"): (["replay", FOUND, "--emit", "run", "--launch", "{}"], ".json"),
    ("replay", "source"): (
        ["replay", FOUND, "--emit", "opencl", "--launch", str(MANIFEST), "--source", "{}"],
        ".cl",
    ),
    ("explain", "launch"): (["explain", str(DUMP), "--launch", "{}"], ".json"),
    ("prove", "proofs"): (["prove", "--list", "--proofs", "{}"], ""),
}
"""The command line of each input with `{}` for its path, and how the file may be named."""

WRITTEN = {"save", "keep", "write_baseline", "into", "output"}
"""What is written to."""


def test_the_table_has_every_input_of_every_command() -> None:
    parsers: dict[str, ArgumentParser] = cast(Any, whole_parser(COMMANDS))._subparsers._group_actions[0].choices
    paths = {
        (command, action.dest)
        for command in COMMANDS
        for action in parsers[command]._actions
        if action.type is Path or action.metavar == "FILE|DIR|NAME"
    }
    known = {(command, name.partition(".")[0]) for command, name in INPUTS}
    assert {one for one in paths if one[1] not in WRITTEN} <= known


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """A read that blocks fails the test."""

    def blocked(number: int, frame: object) -> None:
        raise AssertionError("blocked")

    before = signal.signal(signal.SIGALRM, blocked)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def one_by_one(asker: Callable[[Pair], Row], pairs: Sequence[Pair], *_: float) -> Iterator[Answered[Row]]:
    """The pairs of `tv` in this process, where a read that blocks is noticed."""
    yield from (Answered(index, asker(pair)) for index, pair in enumerate(pairs))


@pytest.fixture
def ran(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[tuple[str, str], Path], int]:
    monkeypatch.setattr(pair_run, "side_by_side", one_by_one)
    pairs = tmp_path / "pairs.json"
    pairs.write_text(json.dumps([{"source": str(DUMP), "target": str(DUMP)}]))

    monkeypatch.chdir(tmp_path)

    def run(which: tuple[str, str], path: Path) -> int:
        words = [word.replace("{}", str(path)).replace("PAIRS", str(pairs)) for word in INPUTS[which][0]]
        code = main(words)
        shown = capsys.readouterr()
        assert code != 70, shown.err
        assert "Traceback" not in shown.err
        assert code != 2 or (shown.err + shown.out).strip()
        return code

    return run


@pytest.mark.parametrize("which", INPUTS, ids="-".join)
def test_what_is_no_regular_file_is_an_error_at_once(which: tuple[str, str], ran, tmp_path: Path) -> None:
    """A pipe without a writer, a device without an end, and a socket."""
    fifo = tmp_path / f"fifo{INPUTS[which][1]}"
    os.mkfifo(fifo)
    assert ran(which, fifo) == 2
    device = tmp_path / f"zero{INPUTS[which][1]}"
    device.symlink_to("/dev/zero")
    assert ran(which, device) == 2


@pytest.mark.slow(but=13)
@pytest.mark.parametrize("which", INPUTS, ids="-".join)
def test_a_folder_and_an_empty_file_are_no_bug(which: tuple[str, str], ran, tmp_path: Path) -> None:
    folder = tmp_path / f"folder{INPUTS[which][1]}"
    folder.mkdir()
    assert ran(which, folder) == 2
    empty = tmp_path / f"empty{INPUTS[which][1]}"
    empty.touch()
    ran(which, empty)


DEEP = 100_000
NESTED = {
    "json": "[" * DEEP,
    "json-objects": '{"a":' * DEEP,
    "json-closed": "[" * DEEP + "]" * DEEP,
    "toml": "a = " + "[" * DEEP + "]" * DEEP,
    "toml-names": "[" + "a." * 5_000 + "a]",
    "toml-tables": "a = " + "{a = " * 5_000,
    "yaml": "\n".join(" " * k + "a:" for k in range(2_000)),
    "yaml-flow": "a: " + "[" * DEEP,
    "rule": "rule: r\nvar: a ud[8]\npre: " + "(" * 5_000 + "a" + ")" * 5_000,
    "rule-not": "rule: r\nvar: a ud[8]\npre: " + "not " * 5_000 + "a == a",
    "rule-size": "rule: r\nvar: a ud[" + "(" * 5_000 + "8" + ")" * 5_000 + "]\n",
    "kernel": '.version 4.1\n.kernel "k"\n' + "    add (M1, 8) " + "r[" * 3_000,
}


@pytest.mark.slow(but=7)
@pytest.mark.parametrize("which", INPUTS, ids="-".join)
def test_deep_nesting_is_an_error_in_the_input(which: tuple[str, str], ran, tmp_path: Path) -> None:
    for name, text in NESTED.items():
        path = tmp_path / f"{name}{INPUTS[which][1] or '.py'}"
        path.write_text(text)
        ran(which, path)


RULE = """rule: mine
platform: dg2
for: k in 1, 2
var: off ud[8], data ud[8]
surface: S bti 1
pre: aligned(off, 4) and mask within 0xff
  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
=>
  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
"""
NUMBER = re.compile(rb"(?<![\w.])(?:0x[0-9a-f]+|\d+)")
SAMPLES = {
    "rule": (("rules", "rules"), lambda: RULE.encode()),
    "dump": (("check", "files"), DUMP.read_bytes),
    "manifest": (("conflicts", "launch"), MANIFEST.read_bytes),
    "example": (("replay", "paths"), EXAMPLE.read_bytes),
    "ledger": (("replay", "paths.toml"), LEDGER.read_bytes),
}
MOST = 25
"""Places of each sample, spread over it."""


def spread(found: list[re.Match[bytes]]) -> list[re.Match[bytes]]:
    return found[:: max(1, len(found) // MOST)]


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("digits", [b"9" * 5_000, b"0x" + b"f" * 5_000, b"-" + b"9" * 5_000], ids=["dec", "hex", "neg"])
@pytest.mark.parametrize("sample", ["rule", "dump", "example"])
def test_a_number_of_5000_digits_is_an_error_in_the_input(sample: str, digits: bytes, ran, tmp_path: Path) -> None:
    """Python reads at most 4,300 by itself: wherever a sample has a number."""
    which, read = SAMPLES[sample]
    content = read()
    for found in spread(list(NUMBER.finditer(content))):
        path = tmp_path / f"huge{INPUTS[which][1]}"
        path.write_bytes(content[: found.start()] + digits + content[found.end() :])
        ran(which, path)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_file_that_is_cut_off_is_no_bug(sample: str, ran, tmp_path: Path) -> None:
    which, read = SAMPLES[sample]
    content = read()
    for part in range(1, 8):
        path = tmp_path / f"cut{INPUTS[which][1]}"
        path.write_bytes(content[: len(content) * part // 8])
        ran(which, path)


def test_an_output_that_is_a_pipe_is_an_error_at_once(tmp_path: Path, capsys) -> None:
    pipe = tmp_path / "out.bin"
    os.mkfifo(pipe)
    words = ["run", str(DUMP), "--global-size", "8", "--launch", str(MANIFEST), "--out", f"0=@{pipe}"]
    assert main([*words, "--buffer", "0=zeros:64", "--buffer", "1=zeros:64", "--buffer", "2=zeros:64"]) == 2
    shutil.rmtree(tmp_path / "none", ignore_errors=True)
    assert "--out" in capsys.readouterr().err
