"""The tool that measures what of a corpus is covered."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.coverage.__main__ import BEGIN, END, main, write_between_markers
from benchmarks.coverage.measure import Row
from benchmarks.coverage.table import TAGS, markdown, pocl_answers

DATA = Path(__file__).parent / "data"

BASE = Row("visaasm/k/v.visaasm", "k", "v", "straight", [], 3.0, read=True, executed=True)


def scatter(**answers: str) -> dict[str, str]:
    return {"line": "v.visaasm:1:1"} | answers


def test_a_row_of_the_table_says_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A transposition: a conflict for none and ids, free for bounded scalars; what is saved is not measured again."""
    saved = tmp_path / "rows.jsonl"
    arguments = [str(DATA), "--name", "transpose_naive/tgllp-O2-simd8.", "--save", str(saved)]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    assert "| **all** | 1 | 1 | 1 | 0 | 0 | 1 | 0 |" in output
    assert "| bounded scalars (`bounded`) | 1 | 1 | 0 | 0 | 0 | 0 |" in output
    assert "0 `none`, 0 `ids`, 1 `bounded`, 0 under none of them" in output
    saved.write_text(saved.read_text().replace('"executed": true', '"executed": false') + '{"file": "cut')
    assert main(arguments) == 0
    resumed = capsys.readouterr()
    assert "| **all** | 1 | 1 | 0 | 0 | 0 | 1 | 0 |" in resumed.out
    assert "left out" in resumed.err


def test_without_a_corpus_it_is_skipped_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "skipped: no corpus" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tag", "right", "wrong"),
    [
        ("bug:conflict", scatter(none="conflict", ids="conflict", bounded="conflict"), scatter(ids="free")),
        ("no-conflict", scatter(none="conflict", ids="free", bounded="free"), scatter(none="free", ids="unknown")),
        ("conflict-depends-on-data", scatter(ids="conflict"), scatter(ids="unknown")),
    ],
)  # fmt: skip
def test_a_tag_holds_only_where_the_answers_say_so(tag: str, right: dict[str, str], wrong: dict[str, str]) -> None:
    assert TAGS[tag](replace(BASE, scatters=[right]))
    assert not TAGS[tag](replace(BASE, scatters=[wrong]))


def test_a_disagreement_with_a_tag_is_listed() -> None:
    row = replace(BASE, tags=["no-conflict"], scatters=[scatter(none="conflict", ids="conflict", bounded="conflict")])
    assert "- Tagged `no-conflict`: 0 of 1 files are answered so: k/v." in list(markdown([row], None))


def test_only_files_that_agree_in_every_launch_count(tmp_path: Path) -> None:
    printed = tmp_path / "pocl.txt"
    printed.write_text(
        "PoCL: 3.1\n"
        "k                    v                          64 items           agree \n"
        "k                    v                          ragged             differ byte 3\n"
        "k                    w                          ragged             agree \n"
        "k                    x                          ragged             not comparable reason\n\n"
        "kernel               files launches  agree differ not comparable  ulps\n"
        "k                        3        4      2      1              1     0\n"
    )
    pocl = pocl_answers(printed)
    assert pocl == {("k", "v"): {"agree", "differ"}, ("k", "w"): {"agree"}, ("k", "x"): {"not comparable"}}
    rows = [replace(BASE, variant=variant) for variant in "vwxy"]
    (total,) = [line for line in markdown(rows, pocl) if line.startswith("| **all**")]
    assert total.endswith("| 1 of 3 |")


def test_only_the_text_between_the_markers_is_replaced(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for lines in (["new"], ["newer"]):
        write_between_markers(readme, lines)
        assert readme.read_text() == f"before\n{BEGIN}\n\n{lines[0]}\n\n{END}\nafter\n"
    readme.write_text("nothing\n")
    with pytest.raises(SystemExit):
        write_between_markers(readme, ["new"])
