"""The tool that measures what of a corpus is covered."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

import benchmarks.coverage.__main__ as coverage
from benchmarks.coverage.__main__ import BEGIN, END, STATE, main, write_between_markers
from benchmarks.coverage.measure import Row
from benchmarks.coverage.table import TAGS, markdown
from visaproof.checking.kept.verdict_cache import VerdictCache

DATA = Path(__file__).parent / "data"

BASE = Row("visaasm/k/v.visaasm", "k", "v", "straight", [], 3.0, read=True, executed=True)


def changed(saved: Path) -> int:
    """How many rows are saved, each of which says from now on that nothing was executed."""
    with closing(sqlite3.connect(saved)) as base:
        keys = [key for (key,) in base.execute("SELECT key FROM answers")]
    with VerdictCache(saved, STATE) as cache:
        for key in keys:
            cache.add(key, cache.get(key) | {"executed": False})
    return len(keys)


def scatter(**answers: str) -> dict[str, str]:
    return {"line": "v.visaasm:1:1"} | answers


@pytest.mark.slow
def test_a_row_of_the_table_says_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A transposition: a conflict for none and ids, free for bounded scalars; what is saved is not measured again."""
    saved = tmp_path / "rows.jsonl"
    arguments = [str(DATA), "--name", "transpose_naive/tgllp-O2-simd8.", "--save", str(saved), "--no-pocl"]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    assert "| **all** | 1 | 1 | - | - | - | 1 | 1 | 0 | 0 | 1 | 0 |" in output
    assert "| bounded scalars (`bounded`) | 1 | 1 | 0 | 0 | 0 | 0 |" in output
    assert "0 `none`, 0 `ids`, 1 `bounded`, 0 under none of them" in output
    assert changed(saved) == 1
    assert main(arguments) == 0
    resumed = capsys.readouterr()
    assert "| **all** | 1 | 1 | - | - | - | 0 | 0 | 0 | 0 | 1 | 0 |" in resumed.out


def test_what_another_version_has_saved_is_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "rows.jsonl"
    arguments = [str(DATA), "--name", "swap_pairs/tgllp-O2-simd8.", "--save", str(saved), "--no-pocl"]
    assert main(arguments) == 0
    assert changed(saved) == 1
    monkeypatch.setattr(coverage, "model_version", lambda: "another")
    capsys.readouterr()
    assert main(arguments) == 0
    assert "| **all** | 1 | 1 | - | - | - | 1 |" in capsys.readouterr().out
    assert changed(saved) == 2  # both rows are kept


def test_a_file_that_holds_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("notes\n")
    assert main([str(DATA), "--name", "swap_pairs/tgllp-O2-simd8.", "--save", str(other), "--no-pocl"]) == 2
    assert "not a cache of visaproof" in capsys.readouterr().err
    assert other.read_text() == "notes\n"


def test_a_file_that_fails_keeps_the_page_as_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "write_between_markers", lambda *_: pytest.fail("it is written"))
    monkeypatch.setattr(coverage, "_rows", lambda *_: ([replace(BASE, failed="TypeError")], True))
    assert main([str(DATA), "--write"]) == 1
    assert "1 files failed" in capsys.readouterr().err


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


def test_a_kernel_that_leaves_its_arrays_is_answered_so() -> None:
    assert TAGS["bug:oob"](replace(BASE, in_arrays={"outside": 1, "inside": 1, "meaningful": 2}))
    assert not TAGS["bug:oob"](replace(BASE, in_arrays={"inside": 2, "meaningful": 2}))
    assert not TAGS["bug:oob"](replace(BASE, in_arrays={"outside": 1, "unknown": 1, "meaningful": 2}))
    inside = replace(BASE, in_arrays={"inside": 2, "meaningful": 2})
    assert "- Guarded kernels on arrays of n elements (`k`): 1 of 1 files stay inside." in list(markdown([inside]))


def test_a_disagreement_with_a_tag_is_listed() -> None:
    row = replace(BASE, tags=["no-conflict"], scatters=[scatter(none="conflict", ids="conflict", bounded="conflict")])
    assert "- Tagged `no-conflict`: 0 of 1 files are answered so: k/v." in list(markdown([row]))


def test_only_files_that_agree_in_every_launch_count() -> None:
    agree, differ, without = (
        {"ran": True, "answer": "agree", "reason": ""},
        {"ran": True, "answer": "differ", "reason": ""},
        {"ran": False, "answer": "not comparable", "reason": "it needs an image"},
    )
    launches = {"v": [agree, differ], "w": [agree, agree], "x": [without], "y": [agree, without]}
    rows = [replace(BASE, variant=variant, launches=found) for variant, found in launches.items()]
    lines = list(markdown(rows))
    (total,) = [line for line in lines if line.startswith("| **all**")]
    assert total.startswith("| **all** | 4 | 4 | 3 | 1 | 2 |")
    assert "- Files with another result than PoCL's: 1: k/v." in lines
    assert "- Not comparable with PoCL: `k` (2 files): it needs an image." in lines


def test_a_file_is_decided_where_nothing_is_open() -> None:
    free = [scatter(none="conflict", ids="free", bounded="free")]
    messages = {"inside": 1, "outside": 2, "meaningful": 3}
    decided = replace(BASE, scatters=free, bounds=messages)
    rows = [
        decided,
        replace(decided, scatters=[scatter(none="unknown", ids="free", bounded="free")]),
        replace(decided, bounds=messages | {"flat": 1}),
        replace(decided, bounds=messages | {"meaning unknown": 1}),
    ]
    (total,) = [line for line in markdown(rows) if line.startswith("| **all**")]
    assert total.startswith("| **all** | 4 | 4 | - | - | - | 4 | 1 |")


def test_only_the_text_between_the_markers_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "coverage.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for lines in (["new"], ["newer"]):
        write_between_markers(page, lines)
        assert page.read_text() == f"before\n{BEGIN}\n\n{lines[0]}\n\n{END}\nafter\n"
    page.write_text("nothing\n")
    with pytest.raises(SystemExit):
        write_between_markers(page, ["new"])
