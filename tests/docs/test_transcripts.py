"""Every transcript in README.md and docs/ is what its commands print now."""

from pathlib import Path

import pytest

from docs.generator.transcripts import Step, differences, executed, pages, rewritten, steps_of, transcripts_in

ROOT = Path(__file__).parents[2]
PAGES = pages(ROOT)


LONG = {"docs/tutorial.md", "docs/how-to/one-kernel.md"}
"""Pages whose commands take 10 s and more; README.md and the other pages are executed by `make test`."""


BY_LENGTH = [
    pytest.param(page, id=name, marks=[pytest.mark.slow] if name in LONG else [])
    for page, name in ((page, str(page.relative_to(ROOT))) for page in PAGES)
]


@pytest.mark.slow
@pytest.mark.parametrize("page", BY_LENGTH)
def test_transcripts_of_a_page_are_current(page: Path) -> None:
    stale = [f"{after}\ninstead of\n{before.output}" for before, after in differences(page.read_text(), ROOT)]
    assert not stale, "run make pages:\n" + "\n".join(stale)


def not_executed(page: Path) -> list[str]:
    """Blocks with a prompt that are no transcripts; `sh` blocks have commands alone."""
    fences = (fence.partition("\n") for fence in page.read_text().split("```")[1::2])
    return [body for language, _, body in fences if language != "console" and body.startswith("$ ")]


def test_a_block_with_output_is_executed() -> None:
    assert ROOT / "docs" / "tutorial.md" in PAGES
    assert [page for page in (ROOT / "docs").rglob("*.md") if not_executed(page)] == []


CHANGED = "```console\n$ echo one\nanother\n$ echo two\ntwo\n```\n"


def test_an_output_that_changed_is_noticed_and_rewritten() -> None:
    [(before, after)] = differences(CHANGED, ROOT)
    assert (before.output, after.output) == ("another\n", "one\n")
    assert rewritten(CHANGED, ROOT) == CHANGED.replace("another", "one")


def test_times_may_differ() -> None:
    assert Step("x", "proved in 0.31 s\n").agrees(Step("x", "proved in 12.04 s\n"))
    assert not Step("x", "proved in 0.31 s\n").agrees(Step("x", "refuted in 0.31 s\n"))
    slow = "```console\n$ echo it took 0.01 s\nit took 1.23 s\n```\n"
    assert rewritten(slow, ROOT) == slow


def test_a_page_is_one_session_with_its_own_folder() -> None:
    first, second = "```console\n$ echo 7 > n; false\n$ echo $?\n```\n", "```console\n$ cat n\n```\n"
    blocks = executed(transcripts_in(first + second), ROOT)
    assert [[step.output for step in block] for block in blocks] == [["", "1\n"], ["7\n"]]
    assert not (ROOT / "n").exists()


def test_a_transcript_begins_with_a_command() -> None:
    with pytest.raises(ValueError, match="begins with"):
        steps_of("output without a command\n")
    assert steps_of("$ one \\\n    two\nthree\n") == [Step("one \\\n    two", "three\n")]
