"""Quotients of signed numbers by constants, by the form that compilers give them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.smt import (
    BitVec,
    add,
    bit_and,
    const,
    evaluate,
    extract,
    ite,
    scale,
    sign_extend,
    slt,
    symbol,
)
from visaproof.smt.integers.signed_quotients import of_natural_numbers, signed_quotient

NUMBER = symbol("number", 32)
ZERO = const(0, 32)
LEAST, MOST = -(1 << 31), (1 << 31) - 1


def factor_of(divisor: int) -> tuple[int, int]:
    """By what compilers multiply, and how far they shift the high half: the first that is exact for all numbers."""
    for places in range(31):
        factor = -(-(1 << 32 + places) // divisor)
        if (1 << 32 + places) < factor * divisor <= (1 << 32 + places) + (1 << places + 1):
            return factor, places
    raise AssertionError(divisor)


def divided(number: BitVec, factor: int, places: int, more: int = 1) -> BitVec:
    signed = factor if factor < 1 << 31 else factor - (1 << 32)
    whole = extract(scale(sign_extend(number, 64), signed), 63, 32)
    whole = add(whole, number) if signed < 0 else whole
    high = sign_extend(extract(whole, 31, places), 32)
    return ite(slt(whole, ZERO), add(high, const(more, 32)), high)


def by_power(number: BitVec, power: int) -> BitVec:
    low = ite(slt(number, ZERO), add(number, const((1 << power) - 1, 32)), number)
    return sign_extend(extract(low, 31, power), 32)


def as_c_divides(number: int, divisor: int) -> int:
    return abs(number) // divisor * (1 if number >= 0 else -1) % (1 << 32)


def numbers(divisor: int) -> list[int]:
    last = MOST // divisor * divisor
    near = [0, 1, divisor - 1, divisor, divisor + 1, last - 1, last, MOST]
    return [one for one in (*near, *(-one for one in near), LEAST, LEAST + 1) if LEAST <= one <= MOST]


NUMBERS = st.integers(LEAST, MOST)
DIVISORS = st.one_of(st.integers(3, 100), st.integers(3, 1 << 30)).filter(lambda one: one & (one - 1))


@given(divisor=DIVISORS, number=NUMBERS)
def test_a_signed_quotient_is_found(divisor: int, number: int) -> None:
    word = divided(NUMBER, *factor_of(divisor))
    assert signed_quotient(word) == (NUMBER, divisor)
    for one in (number, *numbers(divisor)):
        assert evaluate(word, {NUMBER: one % (1 << 32)}) == as_c_divides(one, divisor)


@given(factor=st.integers(3, (1 << 32) - 1), places=st.integers(0, 30), number=NUMBERS)
def test_what_is_found_divides(factor: int, places: int, number: int) -> None:
    word = divided(NUMBER, factor, places)
    if (found := signed_quotient(word)) is not None:
        for one in (number, *numbers(found[1])):
            assert evaluate(word, {NUMBER: one % (1 << 32)}) == as_c_divides(one, found[1])


THIRD, SEVENTH = factor_of(3), factor_of(7)


@pytest.mark.parametrize(
    "word",
    [
        divided(NUMBER, THIRD[0] - 1, THIRD[1]),
        divided(NUMBER, THIRD[0] + 1, THIRD[1]),
        divided(NUMBER, *THIRD, more=2),
        divided(NUMBER, *THIRD, more=0),
        divided(NUMBER, SEVENTH[0] - 1, SEVENTH[1]),
        ite(slt(NUMBER, ZERO), add(divided(NUMBER, *THIRD), const(1, 32)), divided(NUMBER, *THIRD)),
    ],
)
def test_what_is_nearly_a_signed_quotient_is_none(word: BitVec) -> None:
    assert signed_quotient(word) is None
    assert of_natural_numbers(word, lambda _: False) is word


@given(number=st.integers(0, MOST), divisor=DIVISORS, power=st.integers(1, 30), next_one=DIVISORS)
def test_quotients_of_natural_numbers_have_no_signs(number: int, divisor: int, power: int, next_one: int) -> None:
    inner = divided(NUMBER, *factor_of(divisor))
    masked = bit_and(
        const((1 << 32) - (1 << power), 32), ite(slt(NUMBER, ZERO), add(NUMBER, const((1 << power) - 1, 32)), NUMBER)
    )
    for word in (inner, by_power(NUMBER, power), divided(inner, *factor_of(next_one)), masked):
        found = of_natural_numbers(word, lambda _: True)
        assert found is not word
        assert evaluate(found, {NUMBER: number}) == evaluate(word, {NUMBER: number})


def test_numbers_that_may_be_negative_keep_their_signs() -> None:
    asked: list[BitVec] = []

    def unknown(number: BitVec) -> bool:
        asked.append(number)
        return False

    for word in (divided(NUMBER, *SEVENTH), by_power(NUMBER, 3)):
        assert of_natural_numbers(word, unknown) is word
    assert asked == [NUMBER, NUMBER]


def test_choices_of_other_numbers_stay() -> None:
    """Where x is negative, x + 6 or 0, and x else, is no quotient by a power of two."""
    for more in (add(NUMBER, const(6, 32)), ZERO, NUMBER):
        word = ite(slt(NUMBER, ZERO), more, NUMBER)
        assert of_natural_numbers(word, lambda _: True) is word
