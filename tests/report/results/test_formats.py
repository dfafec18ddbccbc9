"""SARIF, JUnit and GitHub's formats, each read by a reader that nobody here wrote."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from visaproof.cli import main
from visaproof.report.results.finding import Finding, Level, Place, Result
from visaproof.report.results.github import annotations, summary
from visaproof.report.results.junit import junit
from visaproof.report.results.outputs import write_whole
from visaproof.report.results.sarif import sarif

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
VALIDATOR = "@microsoft/sarif-multitool"


def finding(**more) -> Finding:
    """One of each part; `more` replaces some."""
    parts = {
        "level": Level.REFUTED, "kind": "collision", "message": "lanes 0 and 1 write the same byte", "kernel": "k",
        "place": Place(file="a b/k.visaasm", line=7, column=5), "statement": "scatter4_scaled.R (M1, 8) T6",
        "related": (Place(file="a b/k.visaasm", line=7, message="lane 0"), Place(file="a b/k.visaasm", line=7)),
        "source": Place(file="k.cl", line=3),
    }  # fmt: skip
    return Finding(**(parts | more))


def result(*found: Finding, **more) -> Result:
    parts = {"subject": "a b/k.visaasm", "code": 1, "text": "said\n", "findings": found, "seconds": 0.25}
    return Result(**(parts | more))


ODD = (
    result(finding(), finding(level=Level.UNKNOWN, kind="file", place=Place(file="käse\udcff.visaasm"), source=None)),
    result(
        finding(kernel="", statement="", message="50% ::error:: <&|`\n\x00,", related=()),
        subject="\x1b[0m",
        text="\x00",
    ),
    result(code=0),
)


@pytest.fixture(scope="session")
def validator(tmp_path_factory) -> list[str]:
    """The command of the validator; skips where it cannot be had."""
    if found := os.environ.get("SARIF_MULTITOOL"):
        return [found, "validate"]
    if shutil.which("npx") is None:
        pytest.skip("no npx: SARIF is not validated")
    offline = ["npx", "--yes", "--offline", VALIDATOR]
    try:
        run = subprocess.run([*offline, "version"], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{VALIDATOR} does not answer")
    if run.returncode:
        pytest.skip(f"{VALIDATOR} is not in npm's cache (npx --yes {VALIDATOR} version)")
    return [*offline, "validate"]


@pytest.mark.slow
def test_sarif_is_valid(validator, tmp_path, monkeypatch):
    """Of what commands say about examples, and of odd texts."""
    monkeypatch.chdir(EXAMPLES.parents[1])
    main(["conflicts", "docs/examples", "-q", "--output", f"sarif:{tmp_path / 'conflicts.sarif'}"])
    files = ("docs/examples/pairs.visaasm", "docs/examples/reload.visaasm")
    main(["bounds", *files, "-q", "--output", f"sarif:{tmp_path / 'bounds.sarif'}"])
    (tmp_path / "odd.sarif").write_text(sarif("conflicts", ODD))
    (tmp_path / "none.sarif").write_text(sarif("check", [result(code=0)]))
    files = sorted(tmp_path.glob("*.sarif"))
    report = tmp_path / "report.log"
    run = subprocess.run([*validator, *map(str, files), "--output", str(report)], capture_output=True, text=True)
    found = [one for log in json.loads(report.read_text())["runs"] for one in log.get("results", [])]
    wrong = [one for one in found if one.get("level", "warning") == "error"]
    assert (run.returncode, wrong) == (0, [])


def test_sarif_shows_the_source_and_both_accesses():
    (run,) = json.loads(sarif("conflicts", [result(finding())]))["runs"]
    (one,) = run["results"]
    (place,) = one["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "k.cl"
    assert place["physicalLocation"]["region"] == {"startLine": 3}
    uris = [each["physicalLocation"]["artifactLocation"]["uri"] for each in one["relatedLocations"]]
    assert uris == ["a%20b/k.visaasm"] * 3, "the statement, and what both lanes do there"


def test_a_fingerprint_does_not_hold_the_line():
    here, there = finding(), finding(place=Place(file="other.visaasm", line=99))
    assert here.key == there.key
    others = (
        finding(kernel="other"),
        finding(statement="other"),
        finding(kind="outside"),
        finding(level=Level.UNKNOWN),
    )
    assert len({here.key, *(one.key for one in others)}) == 5


def test_junit_counts_failures_and_errors():
    """As an ordinary reader of XML sees it."""
    root = ElementTree.fromstring(junit("conflicts", [*ODD, result(finding(level=Level.UNKNOWN))]))
    assert root.attrib | {} == root.attrib
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "4", "failures": "2", "errors": "1",
    }  # fmt: skip
    kinds = [[child.tag for child in case] for case in root.iter("testcase")]
    assert kinds == [["failure", "system-out"], ["failure", "system-out"], ["system-out"], ["error", "system-out"]]


def test_an_annotation_is_one_line_at_the_source():
    first, _, odd = annotations(ODD)
    assert first.startswith("::error file=k.cl,title=visaproof%3A collision,line=3::k: lanes 0 and 1")
    assert "\n" not in odd
    assert "50%25 ::error:: <&|`%0A" in odd, "what is said cannot begin another command"


def test_the_summary_is_a_table_that_no_text_breaks():
    lines = list(summary("conflicts", ODD))
    rows = [line for line in lines if line.startswith("| ") and "---" not in line]
    assert len(rows) == 1 + 3
    assert all(line.replace("\\|", "").count("|") == 5 for line in rows)


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "out.json"
    path.write_text("old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    write_whole(path, "new")
    assert path.read_text() == "new"


def test_every_output_is_written_and_one_that_fails_loses_no_other(capsys, tmp_path):
    good = [tmp_path / name for name in ("r.sarif", "r.xml", "r.md", "r.json", "r.txt")]
    names = ("sarif", "junit", "github", "json", "text")
    options = [word for name, path in zip(names, good, strict=True) for word in ("--output", f"{name}:{path}")]
    code = main(["conflicts", str(EXAMPLES / "pairs.visaasm"), "--output", "json:/dev/full", *options])
    printed = capsys.readouterr()
    assert code == 2
    assert "No space left on device" in printed.err
    assert all(path.stat().st_size for path in good)
    assert good[4].read_text() == printed.out
    assert json.loads(good[3].read_text())["findings"][0]["kind"] == "collision"


def test_the_folder_of_an_output_is_made(capsys, tmp_path):
    path = tmp_path / "new" / "folder" / "r.json"
    assert main(["check", str(EXAMPLES / "pairs.visaasm"), "--output", f"json:{path}"]) == 0
    assert json.loads(path.read_text())["command"] == "check"


@pytest.mark.parametrize("words", [["xml:a"], ["json"], ["json:"], ["json:/dev/null/a"], ["sarif:/tmp"]])
def test_an_output_that_cannot_be_is_refused_before_anything_is_asked(capsys, words):
    assert main(["check", str(EXAMPLES), "--output", *words]) == 2
    assert "--output" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["check", "no-such-file"], ["check", "--nonsense"], ["conflict", "x"], ["prove", "nosuch"], []]
)
def test_an_error_is_a_document_where_programs_read(capsys, words):
    assert main([*words, "--format", "json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["exit_code"] == 2
    assert document.get("error") or document["files"][0]["errors"]
