"""What is no word in halves, and words at a known distance; the rules are claims of `proofs/normal_form.py`."""

from collections.abc import Callable

import pytest

from visaproof.smt import (
    BitVec,
    Term,
    add,
    concat,
    const,
    eq,
    extract,
    is_false,
    neg,
    scale,
    sign_extend,
    sub,
    symbol,
    symbols_of,
    truncate,
    zero_extend,
)
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.evaluate import evaluate_all
from visaproof.smt.halves import sums as split_words
from visaproof.smt.halves.sums import recombined
from visaproof.smt.solvers import solve


def test_other_neighbours_stay_apart() -> None:
    """The upper half of one word and the lower half of another are no word."""
    one, other = symbol("one", 64), symbol("other", 64)
    mixed = recombined(concat(extract(one, 63, 32), truncate(other, 32)))
    values: dict[Term, int] = {one: 7 << 32 | 1, other: 9 << 32 | 2}
    assert evaluate_all([mixed], values) == [7 << 32 | 2]


def test_the_steps_of_a_loop_are_joined_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that a stride is added to in halves, time and again: each join uncovers the next."""
    totals: list[BitVec] = []
    fused = split_words._fused
    monkeypatch.setattr(split_words, "_fused", lambda total, half: fused(totals.append(total) or total, half))
    base, stride, steps = symbol("base", 64), symbol("stride", 64), 24
    high, low = extract(base, 63, 32), truncate(base, 32)
    for _ in range(steps):
        total = add(zero_extend(low, 64), zero_extend(truncate(stride, 32), 64))
        high, low = add(high, extract(stride, 63, 32), extract(total, 63, 32)), truncate(total, 32)
    assert recombined(concat(high, low)) is add(base, scale(stride, steps))
    assert len(totals) == 2


@pytest.mark.parametrize("extend", [zero_extend, sign_extend])
@pytest.mark.parametrize("factor", [1, 4, 12])
@pytest.mark.parametrize("distance", [0, 1, -1, 5])
@pytest.mark.parametrize("bytes_apart", [0, 1, 4, -4, 12, 20, 60])
def test_scaled_words_at_a_known_distance(
    extend: Callable[[BitVec, int], BitVec], factor: int, distance: int, bytes_apart: int
) -> None:
    """f·ext(x + d) = f·ext(x) + c is decided only where it can never hold; z3 agrees."""
    x, top = symbol("narrow", 6), 16
    left = scale(extend(add(x, const(distance, 6)), top), factor)
    right = add(scale(extend(x, top), factor), const(bytes_apart, top))
    equal = eq(left, right)
    possible = not isinstance(solve([neg(neg(equal))], 5000), Unsatisfiable)
    holds = [
        (factor * _extended(value + distance, extend) - factor * _extended(value, extend) - bytes_apart) % 2**16 == 0
        for value in range(64)
    ]
    assert possible == any(holds)
    if is_false(equal):
        assert not any(holds)
    if bytes_apart % factor or (bytes_apart // factor - distance) % 64:
        assert is_false(equal), "the difference is not a multiple, or another one"
    assert symbols_of(sub(left, right)) in ([], [x])


def _extended(value: int, extend: Callable[[BitVec, int], BitVec]) -> int:
    value %= 64
    return value - 64 if extend is sign_extend and value >= 32 else value


def test_a_word_in_halves_that_comes_from_another_is_joined_as_well() -> None:
    """What the high half of the outer one is taken from has a word in halves among its summands."""
    base, stride = symbol("base", 64), symbol("stride", 32)
    inner = add(zero_extend(stride, 64), base)
    halves_of_inner = concat(extract(inner, 63, 32), add(truncate(base, 32), stride))
    outer = add(zero_extend(stride, 64), halves_of_inner)
    low = add(truncate(base, 32), stride, stride)
    assert recombined(concat(extract(outer, 63, 32), low)) is add(base, scale(zero_extend(stride, 64), 2))
