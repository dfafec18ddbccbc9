"""`visaproof.toml`: what it states of kernels holds, the command line is stronger, and mistakes are found."""

import json
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
SIZES = 'size = ["in=4*n", "out=4*n"]'


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Two kernels and their launches, as the folder of the run."""
    for name in ("pairs", "pairs_fixed"):
        for suffix in (".visaasm", ".bin"):
            shutil.copy(EXAMPLES / f"{name}{suffix}", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verdicts(ran) -> list[str]:
    return [one["bounds"]["verdict"] for file in json.loads(ran.out)["files"] for one in file["messages"]]


def test_what_is_stated_is_what_one_would_type(visaproof, folder):
    typed = visaproof(
        "bounds", "pairs.visaasm", "--launch", "pairs.bin", "--size", "in=4*n", "--size", "out=4*n", "--format", "json"
    )
    (folder / "visaproof.toml").write_text(f'[[kernel]]\nfiles = "pairs.*"\nlaunch = "pairs.bin"\n{SIZES}\n')
    stated = visaproof("bounds", "pairs.visaasm", "--format", "json")
    assert verdicts(stated) == verdicts(typed)
    assert json.loads(stated.out)["files"] == json.loads(typed.out)["files"]
    assert verdicts(visaproof("bounds", "pairs_fixed.visaasm", "--format", "json")) != verdicts(stated), (
        "nothing is stated of others"
    )


def test_an_answer_in_the_cache_is_of_what_was_stated(visaproof, folder):
    config = folder / "visaproof.toml"
    kept = ("bounds", "pairs_fixed.visaasm", "--format", "json", "--cache", "answers.sqlite")
    before = verdicts(visaproof(*kept))
    config.write_text(f'[[kernel]]\nfiles = "*"\nlaunch = "pairs_fixed.bin"\n{SIZES}\n')
    assert verdicts(visaproof(*kept)) != before


def test_the_command_line_is_stronger(visaproof, folder):
    (folder / "visaproof.toml").write_text('[[kernel]]\nfiles = "*"\nassume = "none"\n')
    plain = json.loads(visaproof("conflicts", "pairs.visaasm", "--format", "json").out)
    typed = json.loads(visaproof("conflicts", "pairs.visaasm", "--assume", "bounded", "--format", "json").out)
    assert plain["files"][0]["premises"] != typed["files"][0]["premises"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[kernel", "not TOML"),
        ("[other]\n", "only [[kernel]]"),
        ("[[kernel]]\nlaunch = 'x'\n", "without files"),
        ("[[kernel]]\nfiles = '*'\nsizes = ['in=4']\n", "no such option: sizes"),
        ("[[kernel]]\nfiles = '*'\nsize = [true]\n", "is no text"),
        ("[[kernel]]\nfiles = '*'\nsize = ['in']\n", "in"),
        ("kernel = 3\n", "only [[kernel]]"),
    ],
)
def test_a_mistake_is_an_error_and_no_answer(visaproof, folder, text, said):
    (folder / "visaproof.toml").write_text(text)
    ran = visaproof("bounds", "pairs.visaasm", "--launch", "pairs.bin")
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
