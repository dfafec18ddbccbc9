"""README.md fits on a screen or two, and all that it shows is executed."""

from pathlib import Path

from tests.docs.test_transcripts import PAGES, not_executed

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_has_at_most_120_lines() -> None:
    assert len(README.read_text().splitlines()) <= 120


def test_what_the_readme_shows_is_executed() -> None:
    assert README in PAGES
    assert not_executed(README) == []
