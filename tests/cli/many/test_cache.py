"""`--cache`: what counts as the same question, what is never kept, and `visaproof cache`."""

import json
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("pairs", "rows"):
        for suffix in (".visaasm", ".bin"):
            shutil.copy(EXAMPLES / f"{name}{suffix}", tmp_path)
    return tmp_path


@pytest.fixture
def asked(visaproof, folder, monkeypatch):
    """Asks with a cache: what is printed, and how many files had to be asked."""
    import visaproof.analysis.conflicts.ask as kernel

    right, count = kernel.ask_kernel, [0]

    def counted(*arguments, **named):
        count[0] += 1
        return right(*arguments, **named)

    monkeypatch.setattr(kernel, "ask_kernel", counted)

    def ask(*options: str):
        count[0] = 0
        ran = visaproof("conflicts", folder, "--cache", folder / "answers.sqlite", *options)
        return ran, count[0]

    return ask


def test_a_second_run_asks_nothing_and_says_the_same(asked):
    for options in ((), ("--format", "json"), ("--format", "sarif")):
        first, second = asked(*options), asked(*options)
        assert second == (first[0], 0)
        assert first[0].code == 1


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("change", ["kernel", "launch", "function", "option"])
def test_whatever_an_answer_depends_on_is_in_its_key(asked, folder, change):
    asked()
    path = folder / "pairs.visaasm"
    match change:
        case "kernel":
            path.write_text(path.read_text() + "\n// changed\n")
        case "launch":
            path.with_suffix(".bin").write_bytes(path.with_suffix(".bin").read_bytes() + b"\0")
        case "function":
            path.with_name("pairs_f1.visaasm").write_text(path.read_text())
        case _:
            assert asked("--assume", "none")[1] == 2
            return
    assert asked()[1] == 1


def test_a_file_that_cannot_be_read_is_read_again(asked, folder):
    (folder / "bad.visaasm").write_text("nonsense")
    assert asked()[0].code == 2
    (folder / "bad.visaasm").write_text((folder / "rows.visaasm").read_text())
    assert asked()[0].code == 1


@pytest.mark.slow
def test_read_only_and_enforce_keep_nothing(asked, folder):
    refused, count = asked("--cache-mode", "enforce")
    assert (refused.code, count) == (3, 0)
    assert "no answer is in the cache" in refused.err
    assert asked("--cache-mode", "read-only")[1] == 2
    assert asked("--cache-mode", "off")[1] == 2
    assert asked()[1] == 2
    assert asked("--cache-mode", "enforce")[1] == 0
    assert asked("--cache-mode", "read-only")[1] == 0


@pytest.mark.slow
def test_with_save_each_file_is_asked_for_its_examples(asked, folder):
    asked()
    assert asked("--save", str(folder / "found"))[1] == 2
    assert len(list((folder / "found").iterdir())) == 2


def test_the_cache_of_the_environment_is_used(visaproof, folder, monkeypatch):
    monkeypatch.setenv("VISAPROOF_CACHE", str(folder / "mine.sqlite"))
    visaproof("check", folder)
    found = json.loads(visaproof("cache", "stats", "--format", "json").out)
    assert [(one["kind"], one["answers"]) for one in found["stats"]["kinds"]] == [("check", 2)]


def test_answers_are_exported_and_imported(visaproof, asked, folder):
    asked()
    mine, shared, other = (folder / name for name in ("answers.sqlite", "shared", "other.sqlite"))
    assert visaproof("cache", "export", shared, "--cache", mine).out == f"2 answers written to {shared}\n"
    assert visaproof("cache", "import", shared, "--cache", other).out == "2 answers added\n"
    assert visaproof("cache", "gc", "--max-size", "0", "--cache", other).out == "2 answers deleted\n"


@pytest.mark.parametrize(
    "words", [["stats"], ["stats", "--cache", "none"], ["export", "--cache", "none"], ["gc", "--max-size", "-1"]]
)
def test_a_cache_that_is_not_there_is_an_error(visaproof, words, monkeypatch):
    monkeypatch.delenv("VISAPROOF_CACHE", raising=False)
    assert visaproof("cache", *words).code == 2
