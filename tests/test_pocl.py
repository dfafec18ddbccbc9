"""Launches of compiled kernels, held against their OpenCL source run by PoCL."""

from functools import cache
from pathlib import Path

import pytest

from benchmarks.pocl import cases_2026
from benchmarks.pocl.__main__ import entries
from benchmarks.pocl.case import Case, Data, Order
from benchmarks.pocl.cases import LUT, NOT_COMPARABLE, cases, known
from benchmarks.pocl.comparison import Answer, Comparison, Entry, compared
from benchmarks.pocl.oracle import NoOracle, Oracle, oracle
from visaproof.execution.run import Engine

DATA = Path(__file__).parent / "data"
FOLDERS = (DATA, DATA / "launches")
SHARED = Path(__file__).parents[1] / ".." / "shared"
CORPUS, CORPUS_2026 = SHARED / "corpus", SHARED / "corpus-2026"


@cache
def device() -> Oracle | NoOracle:
    try:
        return oracle()
    except NoOracle as reason:
        return reason


def comparison(folder: Path, engine: Engine = Engine.ARRAYS) -> Comparison:
    found = device()
    if isinstance(found, NoOracle):
        pytest.skip(str(found))
    return Comparison(found, folder / "manifest.json", engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_compiled_kernel_does_what_its_source_does(folder: Path, engine: Engine) -> None:
    comparer = comparison(folder, engine)
    results = [result for entry in entries(folder / "manifest.json", folder) for result in comparer.compare(entry)]
    assert [result for result in results if result.answer is Answer.DIFFER] == []
    not_comparable = {result.kernel for result in results if result.answer is Answer.NOT_COMPARABLE}
    assert not_comparable <= set(NOT_COMPARABLE)
    assert sum(result.answer is Answer.AGREE for result in results) > 8


def sampled(listed: list[Entry]) -> list[Entry]:
    """One file of each new kernel, each of another device, and of each device one that has private memory."""
    devices = ("tgllp", "dg2", "mtl", "pvc", "bmg", "nvl-p")
    names = {one.kernel: k for k, one in enumerate(each for each in listed if each.kernel in cases_2026.CASES)}
    whole = [one for one in listed if one.variant == f"{devices[names.get(one.kernel, 0) % len(devices)]}-O2"]
    private = [one for one in listed if (one.kernel, one.variant) in PRIVATE]
    return [one for one in whole if one.kernel in names] + private


PRIVATE = {
    ("swap_pairs", "dg2-O0"), ("stencil3", "bmg-O0"), ("copy16", "pvc-O0"), ("atomics_mixed", "ptl-O0"),
    ("copy16_b", "dg2-O0"), ("copy16", "cri-O0"),
}  # fmt: skip


@pytest.mark.slow
def test_what_the_compiler_of_2026_emits_does_what_its_source_does() -> None:
    """Of each device; what cannot be read or run is no success, and a few are all that may be left."""
    if not CORPUS_2026.is_dir():
        pytest.skip("the corpus of 2026 is not there")
    comparer = comparison(CORPUS_2026)
    chosen = sampled(list(entries(CORPUS_2026 / "manifest.json", CORPUS_2026)))
    results = [result for entry in chosen for result in comparer.compare(entry)]
    assert [result for result in results if result.answer is Answer.DIFFER] == []
    assert {result.kernel for result in results} >= set(cases_2026.CASES)
    left = [result for result in results if result.answer is Answer.NOT_COMPARABLE]
    assert len(left) <= len(results) // 2, left


def test_threads_that_share_private_memory_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all have one number, an unoptimised kernel ends with other bytes than its source."""
    if not CORPUS_2026.is_dir():
        pytest.skip("the corpus of 2026 is not there")
    comparer = comparison(CORPUS_2026)
    listed = list(entries(CORPUS_2026 / "manifest.json", CORPUS_2026))
    (entry,) = [one for one in listed if (one.kernel, one.variant) == ("swap_pairs", "bmg-O0")]
    assert {result.answer for result in comparer.compare(entry)} == {Answer.AGREE}
    monkeypatch.setattr("visaproof.execution.payload.thread_words", lambda *_: (0, 0))
    assert {result.answer for result in comparer.compare(entry)} == {Answer.DIFFER}


def test_a_wrong_kernel_differs_from_the_source(tmp_path: Path) -> None:
    """Subtraction instead of addition, and a guard that is one too small."""
    folder = DATA
    comparer = comparison(folder)
    changes = {"vadd": ("add (M1, 8) V0048(0,0)<1> V0048", "xor (M1, 8) V0048(0,0)<1> V0048"),
               "oob_offbyone_fixed": ("cmp.lt", "cmp.le")}  # fmt: skip
    found: dict[str, Answer] = {}
    for entry in entries(folder / "manifest.json", folder):
        if entry.variant != "tgllp-O2-simd8" or entry.kernel not in changes:
            continue
        text = entry.file.read_text()
        before, after = changes[entry.kernel]
        assert before in text
        wrong = tmp_path / entry.kernel / entry.file.name
        wrong.parent.mkdir()
        wrong.write_text(text.replace(before, after))
        for result in comparer.compare(type(entry)(entry.kernel, entry.variant, wrong, entry.source, entry.options)):
            found[entry.kernel] = result.answer
    assert found == dict.fromkeys(changes, Answer.DIFFER)


def test_every_kernel_of_the_corpus_has_a_launch_or_a_reason() -> None:
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not there")
    folders = (CORPUS, *FOLDERS, *([CORPUS_2026] if CORPUS_2026.is_dir() else []))
    kernels = {path.stem for folder in folders for path in (folder / "src").iterdir()} | set(cases_2026.CASES)
    assert kernels == known() | set(NOT_COMPARABLE)
    assert not known() & set(NOT_COMPARABLE)


# ---------------------------------------------------------------- the comparison itself


def test_floats_are_compared_by_how_many_floats_lie_between() -> None:
    case = Case("", (Data(bytes(4), ulps=2),))
    assert compared(case, [b"\x02\0\x80\x3f"], [b"\0\0\x80\x3f"]) == (Answer.AGREE, "", 2)
    assert compared(case, [b"\x03\0\x80\x3f"], [b"\0\0\x80\x3f"])[0] is Answer.DIFFER
    assert compared(case, [b"\x01\0\0\x80"], [b"\x01\0\0\0"]) == (Answer.AGREE, "", 2)  # both zeros are one
    assert compared(case, [b"\0\0\0\x80"], [b"\0\0\0\0"]) == (Answer.AGREE, "", 0)


def test_buffers_in_some_order_are_compared_as_multisets() -> None:
    case = Case("", (Data(bytes(8), Order.ANY),))
    one, other = b"\1\0\0\0\2\0\0\0", b"\2\0\0\0\1\0\0\0"
    assert compared(case, [one], [other])[0] is Answer.AGREE
    assert compared(case, [one], [b"\2\0\0\0\2\0\0\0"])[0] is Answer.DIFFER


def test_the_same_seed_gives_the_same_launches() -> None:
    assert [case.arguments for case in cases("spmv_csr")] == [case.arguments for case in cases("spmv_csr")]
    assert len(LUT) == 64
