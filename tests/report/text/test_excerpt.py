"""A line of a file with a caret under one of its columns."""

from pathlib import Path

from visaproof.isa.errors import Position
from visaproof.report.text.excerpt import WIDTH, excerpt, lines_of


def test_the_caret_stands_under_the_column():
    assert excerpt(("one", "  two"), Position("f", 2, 3)) == ["      two", "      ^"]


def test_a_tab_counts_as_one_column_and_nothing_reaches_the_terminal_unescaped():
    assert excerpt(("\ta\x1b[31mb",), Position("f", 1, 2)) == ["     a [31mb", "     ^"]


def test_the_part_of_a_long_line_is_shown_that_has_the_column():
    line = "".join(chr(ord("a") + index % 26) for index in range(5000))
    shown, caret = excerpt((line,), Position("f", 1, 3001))
    assert len(shown) <= WIDTH + 4
    assert shown[caret.index("^")] == line[3000]


def test_a_place_behind_the_end_or_in_no_line_is_no_error():
    assert excerpt(("ab",), Position("f", 1, 99)) == ["    ab", "      ^"]
    assert excerpt(("ab",), Position("f", 7, 1)) == []
    assert excerpt(("  ",), Position("f", 1, 1)) == []


def test_a_file_that_is_no_text_has_no_lines(tmp_path: Path):
    binary = tmp_path / "x"
    binary.write_bytes(b"\xff\xfe\n")
    assert lines_of(binary, 100) == ()
    assert lines_of(tmp_path, 100) == ()
    binary.write_text("a\nb")
    assert lines_of(binary, 100) == ("a", "b")
    assert lines_of(binary, 2) == ()
