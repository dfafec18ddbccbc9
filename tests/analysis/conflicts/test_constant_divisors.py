"""Quotients by constants, by the form that compilers give them, and what sums of them are as digits."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from visaproof.analysis.conflicts.digits.constant_divisors import divided_by_constant
from visaproof.analysis.conflicts.digits.records import Part
from visaproof.analysis.conflicts.digits.strides import sum_of
from visaproof.launch.ids.any_items import any_ids
from visaproof.smt import BitVec, Op, add, const, evaluate, extract, scale, sub, symbol, udiv, urem, zero_extend

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


@given(
    divisors=st.lists(st.sampled_from([2, 3, 4, 5, 6, 12, 24]), min_size=1, max_size=3),
    counts=st.lists(st.integers(0, 1000), min_size=4, max_size=4),
    radix=st.integers(2, 24),
    ids=st.tuples(*[st.integers(0, 1023)] * 2),
    group=st.integers(0, 1 << 20),
)
def test_digits_add_up_to_what_addresses_differ_by(
    divisors: list[int], counts: list[int], radix: int, ids: tuple[int, int], group: int
) -> None:
    x = any_ids(0)[0]
    base = symbol("base", 32)
    number = add(base, zero_extend(x, 32))
    quotients = [udiv(number, const(one, 32)) for one in divisors]
    parts = [number, *quotients, urem(number, const(radix, 32))]
    address = add(*(scale(one, count) for one, count in zip(parts, [*counts, 1], strict=False)))
    found = sum_of(address)
    assert found is not None

    def digits(own: int) -> int:
        total = 0
        for digit, stride in found.by_digit.items():
            assert set(stride) <= {()}
            total += stride.get((), 0) * (_part(digit, group + own) if isinstance(digit, Part) else own)
        return total

    one, other = (evaluate(address, {base: group, x: own}) for own in ids)
    assert (digits(ids[0]) - digits(ids[1]) - one + other) % (1 << 32) == 0


def _part(part: Part, value: int) -> int:
    for operation, by in part.steps:
        divisor = evaluate(by, {})
        value = value // divisor if operation is Op.UDIV else value % divisor
    return value
