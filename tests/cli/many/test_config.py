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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_of_a_pair_the_entry_of_its_source_counts(visaproof, folder):
    pair = ("refine", "pairs.visaasm", "pairs_fixed.visaasm", "--format", "json")
    launches = ("--launch", "pairs.bin", "--launch-target", "pairs_fixed.bin")
    (typed,) = json.loads(visaproof(*pair, *launches, "--where", "n <= 4").out)["asked"]
    (folder / "visaproof.toml").write_text(
        '[[kernel]]\nfiles = "pairs.*"\nlaunch = "pairs.bin"\nwhere = ["n <= 4"]\n'
        '[[kernel]]\nfiles = "pairs_fixed.*"\nlaunch = "pairs_fixed.bin"\nwhere = ["n <= 9"]\n'
    )
    (stated,) = json.loads(visaproof(*pair).out)["asked"]
    assert stated["premises"] == typed["premises"]
    assert stated["verdict"] == typed["verdict"]


@pytest.mark.slow
def test_each_pair_of_a_list_has_what_is_stated_of_it(visaproof, folder):
    names = ("pairs", "pairs_fixed")
    for name in names:
        shutil.copy(folder / f"{name}.visaasm", folder / f"{name}_again.visaasm")
    pairs = [{"source": f"{name}.visaasm", "target": f"{name}_again.visaasm"} for name in names]
    (folder / "pairs.json").write_text(json.dumps(pairs))
    (folder / "visaproof.toml").write_text(
        '[[kernel]]\nfiles = "pairs_fixed.*"\nlaunch = "pairs_fixed.bin"\nwhere = ["n <= 9"]\n'
    )
    rows = json.loads(visaproof("tv", "pairs.json", "--format", "json").out)["asked"]
    bound = {one["source"]: "where" in {each["name"] for each in one["verdict"]["premises"]} for one in rows}
    assert bound == {"pairs": False, "pairs_fixed": True}


def test_pairs_can_be_named_before_they_are_asked(visaproof, folder):
    ran = visaproof("tv", folder, "--list")
    assert ran.code == 0
    assert "refines" not in ran.out
    assert visaproof("tv", folder, "--list", "--format", "json").code == 2


@pytest.mark.slow
def test_triage_takes_sizes_from_the_file(visaproof, folder):
    (folder / "visaproof.toml").write_text(f'[[kernel]]\nfiles = "*"\n{SIZES}\n')
    document = json.loads(visaproof("triage", folder, "--launch", "pairs.bin", "--format", "json").out)
    messages = [one for file in document["files"] if file["command"] == "bounds" for one in file["messages"]]
    assert messages
    assert not any(one["size_is_arbitrary"] for one in messages)


@pytest.mark.slow
def test_what_the_command_line_says_too_is_said_once(visaproof, folder):
    (folder / "visaproof.toml").write_text('[[kernel]]\nfiles = "*"\nwhere = ["n <= 4"]\nsize = ["in=4*n", "in=8*n"]\n')
    asked = ("bounds", "pairs.visaasm", "--launch", "pairs.bin", "-v")
    ran = visaproof(*asked, "--where", "n <= 4")
    assert ran.out.count("n <= 4") == 1
    (folder / "none.toml").touch()
    plain = visaproof(
        *asked, "--where", "n <= 4", "--size", "in=8*n", "--size", "in=4*n", "--config", folder / "none.toml"
    ).out
    assert visaproof(*asked, "--size", "in=4*n").out == plain  # the last one counts
