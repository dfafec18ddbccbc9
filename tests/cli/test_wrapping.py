"""Long lines on a terminal break between words; commands, kernels and tables stay as they are."""

import io
import re

import pytest

from visaproof.cli import COMMANDS, main
from visaproof.cli.options.wrapping import Wrapped, wrapped, wrapped_help

LONG = "        CONFLICT: lanes 0 and 1 write the same byte of bti 1 (argument 1 (out)) (replayed)"


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_word_is_broken_and_none_is_lost(width: int) -> None:
    pieces = wrapped(LONG, width).split("\n")
    assert max(map(len, pieces)) <= width
    assert " ".join(" ".join(pieces).split()) == " ".join(LONG.split())
    assert all(piece.startswith("          ") for piece in pieces[1:])


def test_colour_takes_no_room_and_stays_with_its_word() -> None:
    line = LONG.replace("CONFLICT", "\x1b[1;31mCONFLICT\x1b[0m")
    assert re.sub(r"\x1b\[[\d;]*m", "", wrapped(line, 60)) == wrapped(LONG, 60)
    assert "\x1b[1;31mCONFLICT\x1b[0m:" in wrapped(line, 60)


@pytest.mark.parametrize(
    "line",
    [
        "          visaproof run d/blur_pairs.visaasm --launch d/blur.bin --global-size 32 --local-size 32 --arg n=2",
        "  kernel          SIMD    verdict        seconds      and so on until there is no more room in this line",
        "  a/very/long/path/without/any/blank/in/it/so/that/there/is/nothing/to/break/at/all/in/this/line.visaasm",
    ],
)
def test_what_is_copied_or_aligned_stays_one_line(line: str) -> None:
    assert wrapped(line, 60).strip() == line.strip()


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("    115 | scatter4_scaled.R (M1, 16) T6 0x0:ud V0065.0 V0061.0 V0062.0 and a comment that goes on", 10),
        ("  blur.cl:12 | out[i / 2] = in[i] + in[i + 1] + in[i + 2] + in[i + 3] + in[i + 4]; // and so on", 15),
        ("  * number-wins       the number, as maxNum and minNum of IEEE 754-2008; of two NaN the old one", 22),
    ],
)
def test_what_stands_beside_a_number_or_a_name_goes_on_below_it(line: str, column: int) -> None:
    first, *rest = wrapped(line, 60).split("\n")
    assert first[:column] == line[:column]
    assert rest
    assert all(each.startswith(" " * column) and len(each) <= 60 for each in rest)


def test_what_a_library_has_coloured_is_left_to_it() -> None:
    line = "\x1b[1mok\x1b[0m  \x1b[32m" + "word " * 20 + "\x1b[0m"
    assert wrapped(line, 60) == line


def test_hints_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["explain", "nosuch"]) == 2
    _, *hint = capsys.readouterr().err.splitlines()
    assert len(hint) > 1
    assert all(len(line) <= 60 for line in hint)


def test_pieces_of_a_line_are_wrapped_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    shown = Wrapped(stream)
    print(*LONG.split(" "), file=shown)
    shown.write("no end")
    shown.flush()
    assert stream.getvalue() == wrapped(LONG, 60) + "\nno end"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_as_wide_as_the_terminal_and_says_the_same(command: str, width: int, monkeypatch, capsys) -> None:
    said = []
    for columns in (width, 400):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main([command, "--help"]) == 0
        said.append(capsys.readouterr().out)
    narrow, wide = said
    words = [text.partition("examples:")[2].replace("#", " ").split() for text in (narrow, wide)]
    assert words[0] == words[1]
    assert [line for line in narrow.splitlines() if len(line) > width and " " in line.strip()[: width // 2]] == []


def test_an_example_keeps_what_it_shows_beside_it() -> None:
    line = "  visaproof tv dumps          kernels of one name in a folder, one against the others"
    assert wrapped_help(line, 60).split("\n")[1].startswith(" " * 30 + "folder")
