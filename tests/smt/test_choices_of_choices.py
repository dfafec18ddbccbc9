"""Choices of choices: whatever form they are given, they are what their conditions say in every case."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from visaproof.smt import BitVec, Term, bool_symbol, conj, disj, extract, ite, neg, slices, slt, symbol, ult
from visaproof.smt.evaluate import evaluate

CONDITIONS = tuple(bool_symbol(name) for name in ("p", "q", "r"))
WORDS = tuple(symbol(name, 4) for name in ("x", "y", "z"))
Case = tuple[bool, Sequence[int]]
"""Whether one of the literals is enough, and the literals: 1 … 3, or negated -1 … -3."""
LITERALS = st.sampled_from((1, 2, 3, -1, -2, -3))
CASES = st.tuples(st.booleans(), st.lists(LITERALS, min_size=1, max_size=3))


@given(st.lists(CASES, min_size=2, max_size=4), st.lists(st.integers(0, 2), min_size=5, max_size=5))
@example([(False, [1, 2, 3]), (False, [1, 2, -3]), (False, [1])], [0, 1, 2, 0, 1])
@example([(False, [1, 2]), (False, [1, -2]), (False, [1, 3])], [0, 1, 2, 0, 1])
def test_the_first_case_that_holds_is_chosen(cases: Sequence[Case], words: Sequence[int]) -> None:
    built = WORDS[words[-1]]
    for (either, literals), word in reversed(list(zip(cases, words, strict=False))):
        conditions = [CONDITIONS[one - 1] if one > 0 else neg(CONDITIONS[-one - 1]) for one in literals]
        built = ite((disj if either else conj)(*conditions), WORDS[word], built)
    for truth in product((0, 1), repeat=3):
        first = (word for case, word in zip(cases, words, strict=False) if holds(case, truth))
        values: dict[Term, int] = {
            **dict(zip(CONDITIONS, truth, strict=True)),
            **dict(zip(WORDS, (1, 2, 3), strict=True)),
        }
        assert evaluate(built, values) == next(first, words[-1]) + 1


def holds(case: Case, truth: Sequence[int]) -> bool:
    either, literals = case
    return (any if either else all)(bool(truth[abs(one) - 1]) == (one > 0) for one in literals)


@given(st.booleans(), st.permutations(WORDS), st.booleans(), st.lists(st.integers(0, 15), min_size=3, max_size=3))
def test_the_smaller_or_larger_word_is_chosen(
    signs: bool, words: Sequence[BitVec], larger: bool, numbers: Sequence[int]
) -> None:
    one, other, _ = words
    values: dict[Term, int] = dict(zip(WORDS, numbers, strict=True))
    built = ite((slt if signs else ult)(one, other), *((other, one) if larger else (one, other)))
    key = (lambda word: (values[word] ^ 8) - 8) if signs else values.__getitem__
    assert evaluate(built, values) == values[(max if larger else min)(one, other, key=key)]


def test_a_choice_is_sliced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each lane that is compared slices it again."""
    word = symbol("part", 32)
    for k in range(20):
        word = ite(bool_symbol(f"sliced{k}"), symbol(f"part{k}", 32), word)
    first, made = extract(word, 15, 0), list[object]()
    together = slices._put_together

    def counted(*given: Any) -> BitVec:
        made.append(given)
        return together(*given)

    monkeypatch.setattr(slices, "_put_together", counted)
    assert extract(word, 15, 0) is first
    assert not made
    assert extract(word, 16, 1) is not first
    assert made
