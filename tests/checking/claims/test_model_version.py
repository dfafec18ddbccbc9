"""Answers that are kept hold only for the sources that gave them."""

from pathlib import Path

from visaproof.checking.claims.model_version import digest


def test_every_source_file_counts_and_nothing_else_does(tmp_path: Path) -> None:
    """A grammar decides answers as code does; compiled code and notes do not."""
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "g.lark").write_text("start:")
    before = digest(tmp_path)
    (tmp_path / "a.pyc").write_text("")
    (tmp_path / "README.md").write_text("")
    assert digest(tmp_path) == before
    (tmp_path / "g.lark").write_text("start: x")
    grammar = digest(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({before, grammar, digest(tmp_path)}) == 3
