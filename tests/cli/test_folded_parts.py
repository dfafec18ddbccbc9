"""What is one for the reader stands once: halves of a message, and lanes next to each other."""

import json
import shutil
from pathlib import Path

import pytest

from visaproof.report.one_kernel.lane_rows import LaneRow, in_rows

DATA = Path(__file__).parents[1] / "data"
WIDE = DATA / "visaasm" / "lane_conflict" / "tgllp-O2.visaasm"
MIXED = DATA / "visaasm" / "permute_scatter" / "tgllp-O2.visaasm"
LAUNCH = ("--launch", DATA / "manifest.json")


def _rows(addresses, width=4, mark=""):
    return [(one.name, one.span) for one in in_rows([LaneRow(k, at, width, mark) for k, at in enumerate(addresses)])]


@pytest.mark.parametrize(
    ("addresses", "rows"),
    [
        ([0, 4, 8, 12], [("0-3", "0x0..0xf, 4 bytes each")]),
        ([0, 16, 32], [("0-2", "0x0..0x23, 4 bytes each, 16 apart")]),
        ([8, 4, 0], [("0-2", "0x0..0xb, 4 bytes each")]),
        ([4, 4, 4], [("0-2", "0x4..0x7 each")]),
        ([0, 4], [("0", "0x0..0x3"), ("1", "0x4..0x7")]),
        ([0, 4, 8, 100], [("0-2", "0x0..0xb, 4 bytes each"), ("3", "0x64..0x67")]),
        ([], []),
    ],
)
def test_even_distances_are_one_row(addresses, rows):
    assert _rows(addresses) == rows


def test_other_lanes_widths_and_marks_are_rows_of_their_own():
    lanes = [LaneRow(k, 4 * k, 4) for k in (0, 1, 2, 4, 5, 6)]
    assert [one.name for one in in_rows(lanes)] == ["0-2", "4-6"]
    marked = [LaneRow(k, 4 * k, 4, "outside" if k > 2 else "") for k in range(6)]
    assert [one.name for one in in_rows(marked)] == ["0-2", "3-5"]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "list_of"), [("conflicts", "scatters"), ("bounds", "messages")])
def test_text_json_and_page_fold_the_same_parts(visaproof, command, list_of, tmp_path):
    """A further part says the same of later lanes: a line of text, a field of JSON, a line of the page's entry."""
    html, as_json = tmp_path / "page.html", tmp_path / "found.json"
    short = visaproof(command, WIDE, *LAUNCH, "--output", f"html:{html}", "--output", f"json:{as_json}")
    full = visaproof(command, WIDE, *LAUNCH, "-v")
    assert short.code == full.code == 1
    (file,) = json.loads(as_json.read_text())["files"]
    parts = [one for one in file[list_of] if one["part_of"] is not None]
    assert parts
    for one in parts:
        _, _, below = short.out.partition(f"{one['line']} | {one['instruction']}\n")
        assert f"line {one['part_of']} (-v shows it)" in below.splitlines()[0]
    assert short.out.count("(-v shows it)") == len(parts)
    assert "(-v shows it)" not in full.out
    assert f"{len(file[list_of]) - len(parts)} result" in html.read_text()
    assert len(short.out.splitlines()) < len(full.out.splitlines())


def test_nothing_is_left_out_of_a_half_with_another_verdict(visaproof, tmp_path):
    """Of a kernel whose first half stores one lane alone."""
    folder = tmp_path / "visaasm" / "lane_conflict"
    folder.mkdir(parents=True)
    shutil.copy(DATA / "manifest.json", tmp_path)
    text = WIDE.read_text()
    first, second = [line for line in text.splitlines() if "scatter4_scaled" in line]
    (file := folder / WIDE.name).write_text(text.replace(first, first.replace("(M1, 16)", "(M1, 1)")))
    ran = visaproof("conflicts", file, "--launch", tmp_path / "manifest.json")
    assert ran.code == 1
    assert second.strip().split("  ")[0] in ran.out
    assert "-v shows it" not in ran.out
    assert ran.out.count("lane  enabled") == 1


def test_a_launch_stands_instead_of_the_inputs_of_its_thread(visaproof):
    short, full = (visaproof("conflicts", MIXED, *LAUNCH, *more) for more in ((), ("-v",)))
    first = short.out.partition("\n     105")[0]
    assert "launch: 32 work items" in first
    assert "inputs:" not in first
    assert "inputs:" in full.out.partition("\n     105")[0]
