"""Parts of sums that cancel out whatever their unknowns are."""

import pytest

from visaproof.checking import constant_sums
from visaproof.checking.constant_sums import without_constant_sums
from visaproof.smt import (
    BitVec,
    add,
    bit_and,
    concat,
    const,
    eq,
    extract,
    is_false,
    ite,
    scale,
    sub,
    symbol,
    ult,
    zero_extend,
)

ID = symbol("thread", 12)
REST = symbol("rest", 20)
LANE = symbol("lane", 64)


def read_from_fields(word: BitVec) -> BitVec:
    """The number from two fields of a state register, in 64 bits: 16·high + low."""
    state = concat(REST, extract(word, 11, 4), symbol("bit", 1), extract(word, 3, 0))
    low = zero_extend(bit_and(state, const(0xF, 33)), 64)
    return add(low, scale(zero_extend(extract(state, 12, 5), 64), 16))


def outside(base: BitVec, offset: BitVec, size: int) -> BitVec:
    """How far behind its slot of so many bytes a place lies."""
    return sub(add(scale(base, size), offset), scale(zero_extend(ID, 64), size))


@pytest.mark.parametrize("size", [1, 192, 384])
def test_the_number_of_a_thread_cancels_out(size: int) -> None:
    place = outside(read_from_fields(ID), const(size - 1, 64), size)
    formula, solver = without_constant_sums(ult(const(size - 1, 64), place))
    assert is_false(formula)
    assert solver


def test_what_is_left_is_the_question() -> None:
    place = outside(read_from_fields(ID), LANE, 192)
    formula, _ = without_constant_sums(ult(const(191, 64), place))
    assert formula is ult(const(191, 64), LANE)


def test_another_number_does_not_cancel_out() -> None:
    question = ult(const(191, 64), outside(read_from_fields(symbol("other", 12)), LANE, 192))
    assert without_constant_sums(question) == (question, "")


def nearly() -> BitVec:
    """0 for all but one value of a word, which no sample finds."""
    word = symbol("word", 64)
    other = ite(eq(word, const(0x1234_5678_9ABC_DEF0, 64)), const(7, 64), word)
    return add(sub(other, word), LANE)


def test_what_only_samples_show_is_not_taken_for_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    question = ult(const(191, 64), nearly())
    assert without_constant_sums(question) == (question, "")
    monkeypatch.setattr(constant_sums, "SAMPLES", 1)
    assert without_constant_sums(question) == (question, "")
