"""Quotients by constants, by the form that compilers give them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from visaproof.smt import BitVec, add, bit_and, const, evaluate, extract, scale, sub, symbol, zero_extend
from visaproof.smt.integers.constant_divisors import divided_by_constant, without_low_bits

NUMBER = symbol("number", 32)
WIDE = zero_extend(NUMBER, 64)
MOST = (1 << 32) - 1


def high_bits(factor: int, shift: int) -> BitVec:
    return extract(scale(WIDE, factor), 63, shift)


def of_halves(factor: int, places: int) -> BitVec:
    high = high_bits(factor, 32)
    return extract(add(zero_extend(extract(sub(NUMBER, high), 31, 1), 32), high), 31, places)


def values(divisor: int) -> list[int]:
    last = MOST // divisor * divisor
    return [0, 1, divisor - 1, divisor, divisor + 1, last - 1, last, MOST - 1, MOST]


@given(
    divisor=st.integers(3, 1 << 16),
    more=st.integers(0, 30),
    shift=st.integers(32, 47),
    number=st.integers(0, MOST),
)
def test_a_shifted_product_is_the_quotient(divisor: int, more: int, shift: int, number: int) -> None:
    factor = -(-(1 << shift) // divisor) + more
    assume(3 <= factor <= MOST)
    word = high_bits(factor, shift)
    if (found := divided_by_constant(word)) is not None:
        assert found[0] is NUMBER
        for one in (number, *values(found[1])):
            assert evaluate(word, {NUMBER: one}) == one // found[1]


@given(divisor=st.integers(3, 1 << 20), number=st.integers(0, MOST))
def test_a_divisor_with_a_long_product_is_found(divisor: int, number: int) -> None:
    places = divisor.bit_length() - 1
    factor = -(-(1 << 33 + places) // divisor) - (1 << 32)
    assume(0 < factor <= MOST and divisor & (divisor - 1))
    word = of_halves(factor, places)
    assert divided_by_constant(word) == (NUMBER, divisor)
    for one in (number, *values(divisor)):
        assert evaluate(word, {NUMBER: one}) == one // divisor


@pytest.mark.parametrize(
    ("word", "found"),
    [
        (high_bits(2863311531, 33), (NUMBER, 3)),
        (high_bits(2863311530, 33), None),  # one less
        (high_bits(2863311533, 33), None),  # too large for the greatest numbers
        (extract(scale(WIDE, 2863311531), 62, 33), None),  # not all of the high bits
        (of_halves(613566757, 2), (NUMBER, 7)),
        (of_halves(613566756, 2), None),
        (of_halves(613566760, 2), None),
    ],
)
def test_what_is_nearly_a_quotient_is_none(word: BitVec, found: tuple[BitVec, int] | None) -> None:
    assert divided_by_constant(word) == found


@given(cleared=st.integers(1, 31), number=st.integers(0, MOST))
def test_cleared_low_bits_leave_a_multiple(cleared: int, number: int) -> None:
    word = bit_and(const((1 << 32) - (1 << cleared), 32), NUMBER)
    found = without_low_bits(word)
    assert found is not None
    quotient, place = found
    assert evaluate(quotient, {NUMBER: number}) << place == evaluate(word, {NUMBER: number})


def test_bits_that_do_not_matter_may_be_cleared_too() -> None:
    word, whole = (bit_and(const(mask, 32), NUMBER) for mask in (0x3FFFFFF8, 0xFFFFFFF8))
    assert without_low_bits(word, 1) is None
    assert without_low_bits(word, 2) == without_low_bits(whole)


@pytest.mark.parametrize("mask", [0, 7, 0x7FFFFFF8, 0xFFFFFFF5])
def test_other_masks_leave_no_multiple_of_what_is_left(mask: int) -> None:
    assert without_low_bits(bit_and(const(mask, 32), NUMBER)) is None
