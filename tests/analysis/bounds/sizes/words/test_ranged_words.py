"""Indices that a solver shows to be inside: those that are clamped, and those that a guard keeps above −1."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes import largest
from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.words.any_numbers import AnyNumbers
from visaproof.analysis.bounds.sizes.words.element_words import ElementWords
from visaproof.analysis.bounds.sizes.words.ranged_words import ranged_words
from visaproof.cli import main
from visaproof.smt import BitVec, Bool, Term, add, const, ite, neg, sign_extend, slt, symbol, zero_extend
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.evaluate import evaluate
from visaproof.smt.solvers import solve

DATA = Path(__file__).parents[4] / "data" / "decided"
N, X, HALF = symbol("n", 8), symbol("x", 8), symbol("half", 4)
ASKED = AnyNumbers((), lambda formula: isinstance(solve([formula], 1000), Unsatisfiable))


def asked(capsys: pytest.CaptureFixture[str], kernel: str) -> list[dict[str, Any] | None]:
    """What is named for each message at the buffer that is read."""
    launch = ("--launch", str(DATA / "decided.ze_info"), "--format", "json", "--limit", "300")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    return [one["inside_if"] for one in file["messages"] if one["surface"] == "in"]


def larger(one: BitVec, other: BitVec) -> BitVec:
    return ite(slt(one, other), other, one)


def smaller(one: BitVec, other: BitVec) -> BitVec:
    return ite(slt(one, other), one, other)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize(
    ("kernel", "size", "where"),
    [
        ("scaled", "4*n", ["n >= 1"]),
        ("scaled_past", "4*n + 4", ["n >= 0"]),
        ("warped", "4*n", []),
        ("looked_up", "4*n", ["n >= 1"]),
        ("moved", "4*n", []),
    ],
)
def test_an_index_needs_what_it_is_clamped_to_or_kept_below(
    kernel: str, size: str, where: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for one in asked(capsys, kernel):
        assert one is not None
        assert one["bytes"] == size
        assert one["where"] == where


def test_elements_have_to_be_natural_where_no_solver_is_asked_about_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ElementWords, "needed", lambda *_: False)
    for one in asked(capsys, "moved"):
        assert one is not None
        assert "min(at) >= 0" in one["where"]


def test_an_index_that_may_be_negative_has_no_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "scaled_below") == [None, None]


@pytest.mark.slow
def test_a_clamped_index_has_no_size_where_no_solver_is_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {one["bytes"] for one in asked(capsys, "scaled_rows") if one} == {"4*w + 4*h*pitch - 4*pitch"}
    monkeypatch.setattr(largest, "ranged_words", lambda *_: ({}, {}))
    assert not any(asked(capsys, "scaled_rows"))


@pytest.mark.parametrize(("size", "code"), [("4*n", 0), ("4*n - 1", 1)])
def test_a_clamped_index_is_inside_of_what_is_named(size: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("--size", f"in={size}", "--size", "out=4*count", "--where", "n >= 1")
    launch = ("--launch", str(DATA / "decided.ze_info"), "--limit", "300", "--quiet")
    assert main(["bounds", str(DATA / "scaled.visaasm"), *launch, *sizes]) == code
    assert ("in" in capsys.readouterr().out) == bool(code)


def one_less(word: BitVec) -> BitVec:
    return add(word, const(-1, word.width))


WIDE = sign_extend(HALF, 8)
RANGES: list[tuple[BitVec, tuple[Bool, ...]]] = [
    (smaller(larger(X, const(0, 8)), one_less(N)), ()),
    (larger(smaller(X, one_less(N)), const(0, 8)), ()),
    (smaller(larger(X, const(0, 8)), N), ()),
    (smaller(X, one_less(N)), ()),
    (smaller(X, one_less(N)), (neg(slt(X, const(0, 8))),)),
    (larger(X, const(0, 8)), (slt(X, N),)),
    (WIDE, (slt(const(-2, 4), HALF), slt(add(WIDE, const(1, 8)), N))),
    (WIDE, (slt(const(-3, 4), HALF), slt(add(WIDE, const(1, 8)), N))),
    (X, (slt(const(-2, 8), X), slt(add(X, const(1, 8)), N))),  # 127 + 1 is -128
    (smaller(larger(X, const(0, 8)), const(7, 8)), ()),
    (smaller(larger(X, const(0, 8)), const(-7, 8)), ()),
]


@pytest.mark.parametrize("place", range(len(RANGES)))
@given(n=st.integers(0, 255), x=st.integers(0, 255), half=st.integers(0, 15))
@example(n=1, x=255, half=15)
@example(n=0, x=5, half=1)
@example(n=255, x=0, half=14)
def test_a_word_is_between_what_it_is_shown_to_be_between(place: int, n: int, x: int, half: int) -> None:
    word, guard = RANGES[place]
    reader = Integers({N: {("n",): 1}})
    words, most = ranged_words(word, guard, reader, ASKED)
    values: dict[Term, int] = {N: n, X: x, HALF: half}
    if not words or not all(evaluate(one, values) for one in guard):
        return
    ((name, end),) = most.items()
    whole = {(): 0, **words[word]}
    least, last = whole[()], sum(count * (n if part else 1) for part, count in end.items())
    limits = [sum(count * (n if part else 1) for part, count in one.sum.items()) for one in reader.limits]
    if all(0 <= limit < 1 << one.bits for limit, one in zip(limits, reader.limits, strict=True)):
        assert whole == {(name,): 1, (): least}
        number = (evaluate(word, values) - least) % 256
        assert 0 <= number <= last


SHOWN = [True, True, True, False, True, True, True, False, False, True, False]


def test_words_that_may_be_outside_are_shown_to_be_nothing() -> None:
    found = [bool(ranged_words(word, guard, Integers({N: {("n",): 1}}), ASKED)[0]) for word, guard in RANGES]
    assert found == SHOWN


def test_a_word_below_zero_is_no_number_that_is_extended_with_zeros() -> None:
    """x + 1 = n of 0 <= n: where n is 0, x has all its bits."""
    reader = Integers({X: {("n",): 1, (): -1}})
    assert reader.exact(zero_extend(X, 16)) == {("n",): 1, (): -1}
    assert Below({("n",): 1, (): -1}, 8) in reader.limits
