"""`visaproof refine` on real dumps of different SIMD widths."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"
WIDTHS = ("tgllp-O2-simd8", "tgllp-O2-simd16", "tgllp-O2")


def dump(kernel: str, variant: str) -> Path:
    return DATA / "visaasm" / kernel / f"{variant}.visaasm"


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", ["vadd", "swap_pairs"])
@pytest.mark.parametrize(("one", "other"), [(WIDTHS[0], WIDTHS[1]), (WIDTHS[0], WIDTHS[2]), (WIDTHS[1], WIDTHS[2])])
def test_threads_of_other_widths_refine_each_other(kernel, one, other, visaproof):
    found = visaproof("refine", dump(kernel, one), dump(kernel, other), "--launch", MANIFEST, "--bidirectional")
    assert found.code == 0, found.out
    assert found.out.count("REFINES: ") == 2


def test_the_threads_and_the_assumptions_are_named(visaproof):
    found = visaproof("refine", dump("vadd", WIDTHS[2]), dump("vadd", WIDTHS[0]), "--launch", MANIFEST, "-v")
    assert found.code == 0
    assert "lane L of the source is lane L mod 8 of thread L div 8 of the target" in found.out
    assert "local_id_x of its lanes" in found.out
    assert "a thread of which no lane is on is not launched" in found.out
    assert "no other thread writes what these read or write" in found.out


@pytest.mark.slow
def test_a_race_is_shown_saved_and_replayed(tmp_path, visaproof):
    """The halves of a wide scatter are in order, narrow threads are not: they may write one byte."""
    files = dump("permute_scatter", WIDTHS[2]), dump("permute_scatter", WIDTHS[1])
    found = visaproof("refine", *files, "--launch", MANIFEST, "--save", tmp_path)
    assert found.code == 1
    assert "thread 1 writes byte" in found.out
    assert "(race)" in found.out
    assert "they race by the language" in found.out
    (path,) = tmp_path.iterdir()
    record = json.loads(path.read_text())
    assert [thread["number"] for thread in record["target"]["threads"]] == [0, 1]
    assert visaproof("replay", path).code == 0
    record["target"]["threads"].pop()
    path.write_text(json.dumps(record))
    assert visaproof("replay", path).code == 1


@pytest.mark.slow
def test_threads_that_run_in_order_do_not_race(visaproof):
    files = dump("permute_scatter", WIDTHS[2]), dump("permute_scatter", WIDTHS[1])
    found = visaproof("refine", *files, "--launch", MANIFEST, "--undefined", "race=allow")
    assert found.code == 0
    assert "race is allowed" in found.out


def test_without_a_launch_the_inputs_cannot_be_matched(visaproof):
    found = visaproof("refine", dump("vadd", WIDTHS[0]), dump("vadd", WIDTHS[1]), "--platform", "tgllp")
    assert found.code == 2
    assert "--launch" in found.err


@pytest.mark.slow
def test_a_list_of_pairs_may_mix_widths(tmp_path, visaproof):
    """The answers of `tv` are those of `refine`."""
    pairs = [
        {"source": str(dump(kernel, WIDTHS[2])), "target": str(dump(kernel, WIDTHS[1])), "class": "simd-width"}
        for kernel in ("vadd", "permute_scatter")
    ]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(pairs))
    found = visaproof("tv", path, "--launch", MANIFEST, "--class", "simd-width", "--format", "json")
    assert found.code == 1
    rows = json.loads(found.out)["asked"]
    assert [row["answer"] for row in rows] == ["refines", "does not refine"]
    assert rows[0]["verdict"]["widths"] == [32, 16]
    assert rows[1]["verdict"]["example"]["target_undefined"]["kind"] == "race"
