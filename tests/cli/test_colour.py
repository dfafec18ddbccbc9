"""Verdicts in colour: on terminals alone, and never instead of a word."""

import io
import os
import re
from typing import Any, cast

import pytest

from visaproof.cli import COMMANDS, main
from visaproof.cli.options.colour import GREEN, RED, YELLOW, Coloured, coloured, wanted
from visaproof.cli.parser import whole_parser

KERNEL = "tests/data/visaasm/lane_conflict/tgllp-O2-simd8.visaasm"
LAUNCH = ("--launch", "tests/data/manifest.json")


@pytest.mark.parametrize(
    ("line", "colour"),
    [
        ("    CONFLICT: lanes 0 and 1", RED), ("  DOES NOT REFINE (both", RED), ("  REFINES: both are", GREEN),
        ("    free: no two lanes", GREEN), ("    free if pitch >= 3 (proved)", YELLOW), ("    UNKNOWN: why", YELLOW),
    ],
)  # fmt: skip
def test_a_verdict_has_its_colour_and_its_word(line: str, colour: str) -> None:
    shown = coloured(line)
    assert f"\x1b[{colour}m" in shown
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == line


@pytest.mark.parametrize("line", ["     93 | free (M1, 8) V1", "  launch: k.bin", "", "freedom: none", "assumed: free"])
def test_all_else_is_plain(line: str) -> None:
    assert coloured(line) == line


def test_pieces_of_a_line_are_no_beginnings() -> None:
    stream = io.StringIO()
    print("x", "free:", "\nfree: y", file=Coloured(stream))
    assert stream.getvalue() == f"x free: \n\x1b[{GREEN}mfree\x1b[0m: y\n"


def test_variables_and_the_terminal_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert not wanted(io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert wanted(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wanted(io.StringIO())


@pytest.mark.parametrize("form", ["text", "json"])
def test_documents_have_no_colour(form: str, monkeypatch, capsys) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["conflicts", KERNEL, *LAUNCH, "--format", form]) == 1
    assert ("\x1b[1;31mCONFLICT\x1b[0m:" in capsys.readouterr().out) == (form == "text")


@pytest.mark.parametrize("variable", ["NO_COLOR", "FORCE_COLOR", ""])
@pytest.mark.parametrize("when", ["always", "never", "auto"])
def test_the_option_is_stronger_than_the_variables(when: str, variable: str, monkeypatch, capsys) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, "1")
    before = dict(os.environ)
    assert main(["conflicts", KERNEL, *LAUNCH, "--color", when]) == 1
    shown = "\x1b[" in capsys.readouterr().out
    assert shown == {"always": True, "never": False, "auto": variable == "FORCE_COLOR"}[when]
    assert dict(os.environ) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_the_option(command: str) -> None:
    choices = cast(Any, whole_parser(COMMANDS))._subparsers._group_actions[0].choices
    assert "--color" in choices[command]._option_string_actions


@pytest.mark.parametrize("when", ["always", "never"])
def test_tables_follow_the_option(when: str, monkeypatch, capsys) -> None:
    """Those of commands that draw with a library of their own."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert main(["prove", "a_small_number", "--color", when]) == 0
    assert ("\x1b[" in capsys.readouterr().out) == (when == "always")
