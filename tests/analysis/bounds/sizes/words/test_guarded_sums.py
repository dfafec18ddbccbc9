"""Sums that a guard keeps from being negative: a word for each is the same sum, and launches stay inside the sizes."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes import at_ends
from visaproof.analysis.bounds.sizes.words.guarded_sums import GuardedSum, with_guarded_sums
from visaproof.cli import main
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    conj,
    const,
    mul,
    neg,
    sign_extend,
    slt,
    sub,
    symbol,
    ult,
    zero_extend,
)
from visaproof.smt.evaluate import evaluate

DATA = Path(__file__).parents[4] / "data" / "from_below"
X, Y, K, W, H = (symbol(name, 8) for name in "xykwh")
ZERO, ALL = const(0, 8), const(-1, 8)


def inside(word: BitVec, most: BitVec) -> list[Bool]:
    return [slt(ALL, word), slt(word, most)]


PLACES: list[tuple[BitVec, list[Bool], list[BitVec]]] = [
    (zero_extend(add(X, K), 16), inside(add(X, K), W), [add(X, K)]),
    (sign_extend(add(X, sub(ZERO, K)), 16), inside(sub(X, K), W), [sub(X, K)]),
    (add(mul(add(Y, K), W), X, K), [*inside(add(Y, K), H), *inside(add(X, K), W)], [add(Y, K), add(X, K)]),
    (sub(X, const(7, 8)), [slt(const(6, 8), X), slt(sub(X, const(7, 8)), W)], [sub(X, const(7, 8))]),
    (add(X, X, K, K, Y), [ult(add(X, K), W)], [add(X, K)]),
    (add(X, mul(X, K)), [neg(ult(W, add(X, mul(X, K))))], [add(X, mul(X, K))]),
]
BYTES = st.integers(0, 255)


@given(st.sampled_from(PLACES), BYTES, BYTES, BYTES, BYTES, BYTES)
def test_the_word_is_the_sum(
    place: tuple[BitVec, list[Bool], list[BitVec]], x: int, y: int, k: int, w: int, h: int
) -> None:
    """Whatever the guard says: the address is the same, and what is said of the words follows from the guard."""
    address, guard, sums = place
    state: dict[Term, int] = {X: x, Y: y, K: k, W: w, H: h}
    changed, said = with_guarded_sums(address, conj(*guard)) or (address, conj())
    assert changed is not address
    held = evaluate(conj(*guard), state)
    found = [
        state | {symbol(GuardedSum(number), 8): evaluate(one, state) for number, one in enumerate(order)}
        for order in permutations(sums)
    ]
    assert any(evaluate(changed, each) == evaluate(address, state) and evaluate(said, each) == held for each in found)


@pytest.mark.parametrize(
    ("address", "guard"),
    [
        (add(X, K), [slt(add(X, K), W)]),  # may be negative
        (add(X, K), [slt(ALL, add(X, Y))]),
        (add(X, X, K, K, K), inside(add(X, X, K, K, K), W)),  # no part of it follows from the others
        (X, inside(X, W)),
        (add(X, Y), inside(add(X, K), W)),  # depends on no less then
        (add(X, K), [slt(const(-5, 8), add(X, K))]),
    ],
)
def test_other_sums_are_left(address: BitVec, guard: list[Bool]) -> None:
    assert with_guarded_sums(address, conj(*guard)) is None


def asked(capsys: pytest.CaptureFixture[str], kernel: str) -> dict[str, str | None]:
    """The size that each message needs, by what it accesses; the same for all that access one buffer."""
    launch = ("--launch", str(DATA / "from_below.ze_info"), "--format", "json", "--cache-mode", "off")
    main(["bounds", str(DATA / f"{kernel}.visaasm"), *launch])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    found = {(one["surface"], one["inside_if"] and one["inside_if"]["bytes"]) for one in file["messages"]}
    assert len(found) == len(dict(found))
    return dict(found)


SIZES = {
    "around": {"a": "4*n", "f": "8*r + 4", "o": "4*n"},
    "window": {"a": "4*w*h", "f": "16*r + 16*r*r + 4", "o": "4*w*h"},
    "lower": {"a": "4*n*global_size_x + 4*global_size_x - 4*n", "x": "4*global_size_x + 20", "o": "4*global_size_x"},
    "scattered": {"p": "8*global_size_x", "hist": "4*w*h"},
}


@pytest.mark.parametrize(
    "kernel", ["around", "lower", *(pytest.param(each, marks=pytest.mark.slow) for each in ("scattered", "window"))]
)
def test_what_is_kept_inside_has_a_size(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Neighbours that are left out beyond an edge, counters from -r to r, and indices from memory that are shifted."""
    assert asked(capsys, kernel) == SIZES[kernel]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["around", "window", "scattered"])
def test_without_words_for_sums_it_has_none(
    kernel: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_ends, "with_guarded_sums", lambda *_: None)
    assert asked(capsys, kernel) != SIZES[kernel]


LAUNCHES: list[tuple[str, tuple[int, ...], dict[str, int]]] = [
    ("around", (8,), {"n": 8, "r": 3}),
    ("around", (16,), {"n": 9, "r": 8}),
    ("around", (4,), {"n": 4, "r": 0}),
    ("window", (4, 3), {"w": 4, "h": 3, "r": 1}),
    ("window", (4, 4), {"w": 3, "h": 2, "r": 1}),
    ("lower", (9,), {"n": 9}),
    ("lower", (7,), {"n": 11}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "items", "arguments"), LAUNCHES)
@pytest.mark.parametrize("less", [None, "a", "f", "o"])
def test_launches_stay_inside_what_is_named(
    kernel: str, items: tuple[int, ...], arguments: dict[str, int], less: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """With buffers of exactly that size; with one element less of one of them some launch reaches the end."""
    if less == "f" and kernel == "lower":
        less = None  # it has no filter
    names = {**arguments, "global_size_x": items[0]}
    amounts = {name: eval(size, {}, names) - 4 * (name == less) for name, size in SIZES[kernel].items()}
    options = [word for name, number in arguments.items() for word in ("--arg", f"{name}={number}")]
    options += [word for name, size in amounts.items() for word in ("--buffer", f"{name}=zeros:{size}")]
    size = ",".join(map(str, items))
    launch = ["--launch", str(DATA / "from_below.ze_info"), "--global-size", size, "--local-size", size]
    main(["run", str(DATA / f"{kernel}.visaasm"), *launch, *options, "--engine", "scalar"])
    written = capsys.readouterr().out
    assert "ran to the end" in written
    assert ("outside of it" in written) == (less is not None)
