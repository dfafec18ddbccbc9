"""Products of words that were computed in halves: which are joined, and that the sum stays the same."""

import pytest

from visaproof.smt import BitVec, add, concat, const, eq, extract, mul, neg, scale, sub, symbol, truncate, zero_extend
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.halves.products import without_split_words
from visaproof.smt.solvers import solve

HALF, WIDTH = 4, 8
ONE, OTHER, LESS = (symbol(name, WIDTH) for name in ("one", "other", "less"))
HIGH, LOW = symbol("high", HALF), symbol("low", HALF)


def high(word: BitVec) -> BitVec:
    return extract(word, word.width - 1, word.width // 2)


def low(word: BitVec) -> BitVec:
    return truncate(word, word.width // 2)


def in_split_words(one: tuple[BitVec, BitVec], other: tuple[BitVec, BitVec]) -> BitVec:
    """mul and mulh of the low halves, and two products for the high half."""
    (upper, lower), (other_upper, other_lower) = one, other
    whole = mul(zero_extend(lower, WIDTH), zero_extend(other_lower, WIDTH))
    above = add(high(whole), mul(lower, other_upper), mul(upper, other_lower))
    return concat(above, mul(lower, other_lower))


def halves(word: BitVec) -> tuple[BitVec, BitVec]:
    return high(word), low(word)


NOTHING = const(0, HALF)
JOINED = {
    "two words": (in_split_words(halves(ONE), halves(OTHER)), mul(ONE, OTHER)),
    "a word and two halves": (in_split_words(halves(ONE), (HIGH, LOW)), mul(ONE, concat(HIGH, LOW))),
    "a word and one half": (in_split_words(halves(ONE), (NOTHING, LOW)), mul(ONE, zero_extend(LOW, WIDTH))),
    "a multiple, and more": (
        add(scale(in_split_words(halves(ONE), halves(OTHER)), 4), LESS),
        add(scale(mul(ONE, OTHER), 4), LESS),
    ),
    "a sum, and a word": (
        in_split_words((NOTHING, add(LOW, scale(HIGH, 3), const(5, HALF))), halves(ONE)),
        mul(ONE, zero_extend(add(LOW, scale(HIGH, 3), const(5, HALF)), WIDTH)),
    ),
    "two products": (
        add(in_split_words(halves(ONE), halves(OTHER)), in_split_words(halves(ONE), halves(LESS))),
        add(mul(ONE, OTHER), mul(ONE, LESS)),
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_a_product_in_halves_is_one_of_words(name: str) -> None:
    term, expected = JOINED[name]
    assert without_split_words(term) is expected


LOWS = mul(zero_extend(low(ONE), WIDTH), zero_extend(low(OTHER), WIDTH))
RAISED = scale(zero_extend(mul(high(ONE), low(OTHER)), WIDTH), 1 << HALF)
APART = {
    "the high half of another word": add(LOWS, scale(zero_extend(mul(high(LESS), low(OTHER)), WIDTH), 1 << HALF)),
    "another multiple": add(LOWS, scale(RAISED, 2)),
    "the other high half": add(LOWS, scale(zero_extend(mul(high(OTHER), low(OTHER)), WIDTH), 1 << HALF)),
    "products of halves alone": add(RAISED, scale(zero_extend(mul(low(ONE), high(OTHER)), WIDTH), 1 << HALF)),
    "a part of a sum": add(
        mul(zero_extend(add(LOW, HIGH), WIDTH), zero_extend(low(OTHER), WIDTH)),
        scale(zero_extend(mul(LOW, high(OTHER)), WIDTH), 1 << HALF),
    ),
    "not raised": add(LOWS, zero_extend(mul(high(ONE), low(OTHER)), WIDTH)),
}


@pytest.mark.parametrize("name", APART)
def test_other_products_stay_products_of_halves(name: str) -> None:
    term = APART[name]
    assert without_split_words(term) is not mul(ONE, OTHER)
    assert without_split_words(term) is not mul(ONE, zero_extend(low(OTHER), WIDTH))


@pytest.mark.parametrize("name", [*list(JOINED)[:-1], *APART])
def test_the_sum_stays_the_same(name: str) -> None:
    term = JOINED[name][0] if name in JOINED else APART[name]
    assert isinstance(solve([neg(eq(term, without_split_words(term)))], 20_000), Unsatisfiable)


def test_a_solver_finds_the_difference_of_wrong_products() -> None:
    wrong = sub(JOINED["two words"][0], mul(ONE, zero_extend(low(OTHER), WIDTH)))
    assert isinstance(solve([neg(eq(wrong, const(0, WIDTH)))], 20_000), Satisfiable)
