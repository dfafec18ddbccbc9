"""The tables of a grammar are kept beside the compiled modules, and made anew where they cannot be read."""

from pathlib import Path

import pytest

from visaproof.visaasm import text_parser
from visaproof.visaasm.fragment_records import FragmentError
from visaproof.visaasm.grammar import FragmentParser

SOUND = "v_type=G type=ud num_elts=8 align=GRF"
WRONG = "v_type=G type=ud num_elts=align"


@pytest.mark.parametrize("content", [None, b"", b"\x00", b"another version\n\x80\x04."])
def test_tables_that_cannot_be_read_are_made_anew(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Both parsers, the one that writes the tables and the one that reads them, read alike and refuse alike."""
    tables = tmp_path / "tables"
    if content is not None:
        tables.write_bytes(content)

    def beside(_source: object) -> str:
        return str(tables)

    monkeypatch.setattr(text_parser, "_tables_of", beside)
    first = FragmentParser()
    made = tables.read_bytes()
    again = FragmentParser()
    assert made != content
    assert tables.read_bytes() == made
    assert first.parse("declaration", SOUND) == again.parse("declaration", SOUND)
    said: list[tuple[str, str | None]] = []
    for parser in (first, again):
        with pytest.raises(FragmentError) as raised:
            parser.parse("declaration", WRONG)
        said.append((str(raised.value), raised.value.hint))
    assert said[0] == said[1]
    assert capfd.readouterr().err == ""


def test_where_nothing_can_be_kept_the_grammar_is_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(_source: object) -> str:
        return str(tmp_path / "no folder" / "tables")

    monkeypatch.setattr(text_parser, "_tables_of", nowhere)
    assert FragmentParser().parse("declaration", SOUND) is not None
