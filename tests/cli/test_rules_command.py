"""`visaproof rules`."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from visaproof.cli import main

RULE = """rule: mine
platform: dg2
var: off ud[8], data ud[8]
surface: S
  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
=>
  scatter4_scaled.R ({mask}, 8) S 0x0:ud off.0 data.0
"""


def _file(folder: Path, mask: str = "M1", head: str = "", channel: str = "R") -> str:
    path = folder / "mine.rule"
    source, arrow, target = RULE.replace("{mask}", mask).partition("=>")
    path.write_text(head + source + arrow + target.replace("scaled.R", f"scaled.{channel}"), "utf-8")
    return str(path)


@pytest.mark.slow
def test_a_rule_that_is_as_stated_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Proved as stated, and refuted as expected."""
    assert main(["rules", _file(tmp_path)]) == 0
    assert main(["rules", _file(tmp_path, "M3", "expect: refuted\nright if: mask within 0xff\n")]) == 1
    assert "1 rule: 0 as stated, 1 not" in capsys.readouterr().out
    assert main(["rules", _file(tmp_path, "M1_NM", "expect: refuted\nright if: mask includes 0xff\n")]) == 0
    assert "right if mask includes 0xff: proved" in capsys.readouterr().out


def test_a_refuted_rule_is_shown_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which lane of which instruction wrote what, in both runs."""
    assert main(["rules", _file(tmp_path, channel="G")]) == 1
    shown = capsys.readouterr().out
    assert "source" in shown
    assert "| target" in shown
    assert " S[0x" in shown
    assert "after the source" in shown


def test_a_proof_of_what_should_be_refuted_ends_with_1(tmp_path: Path) -> None:
    """The file is wrong, whichever way."""
    assert main(["rules", _file(tmp_path, "M1", "expect: refuted\n")]) == 1


def test_json_has_the_steps_of_both_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object, keys in a fixed order."""
    assert main(["rules", _file(tmp_path, channel="G"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["visaproof", "schema", "command", "exit_code", "complete", "not_done", "rules"]
    found = document["rules"][0]["counterexample"]
    assert found["replayed"]
    assert found["target"]["steps"][0]["changes"]


def test_errors_have_a_place_and_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and no traceback."""
    assert main(["rules", _file(tmp_path, "M1", "pre: alined(off, 4)\n")]) == 2
    shown = capsys.readouterr().err
    assert "mine.rule:1:6: no property 'alined'" in shown
    assert "did you mean aligned?" in shown
    assert main(["rules", "reorder-scaters"]) == 2
    assert "did you mean reorder-scatters" in capsys.readouterr().err


def test_a_form_without_semantics_ends_with_4(tmp_path: Path) -> None:
    """Nothing is guessed."""
    path = tmp_path / "mine.rule"
    path.write_text(RULE.replace("  scatter4_scaled.R ({mask}, 8) S 0x0:ud off.0 data.0", "  barrier"), "utf-8")
    assert main(["rules", str(path)]) == 4


def test_the_library_has_at_least_25_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with a name and a line on what it is about."""
    assert main(["rules", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 25
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


@pytest.mark.parametrize("columns", [60, pytest.param(80, marks=pytest.mark.slow)])
def test_the_rule_of_the_help_is_decided_as_it_states(
    columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its comments, which are wrapped as comments."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["rules", "--help"]) == 0
    _, _, rest = capsys.readouterr().out.partition("# Two scatters")
    rule, _, _ = rest.partition("\n\n")
    path = tmp_path / "help.rule"
    path.write_text(dedent(f"  # Two scatters{rule}\n"), "utf-8")
    assert main(["rules", str(path)]) == 0
    assert "right if disjoint(off, next, 4): proved" in capsys.readouterr().out
