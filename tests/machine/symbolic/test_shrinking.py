"""Words that no iteration makes larger: what is said of them holds of every run of such a loop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.machine.symbolic.loops import shrinking
from visaproof.machine.symbolic.loops.shrinking import at_most_first
from visaproof.smt import (
    add,
    bit_and,
    bit_or,
    const,
    evaluate,
    extract,
    ite,
    mul,
    shl,
    sign_extend,
    slt,
    sub,
    symbol,
    udiv,
    urem,
    zero_extend,
)

BITS = 8
HELD, FIRST, OTHER = symbol("held", BITS), symbol("first", BITS), symbol("other", BITS)
SIGN = zero_extend(extract(HELD, 7, 7), BITS)
HALVED = zero_extend(extract(HELD, 7, 1), BITS)
HALVED_SIGNED = sign_extend(extract(add(HELD, SIGN), 7, 1), BITS)
SHIFTED_SIGNED = sign_extend(extract(HELD, 7, 1), BITS)

SHRINKING = {
    "shifted": HALVED,
    "divided": udiv(HELD, const(3, BITS)),
    "remainder": urem(HELD, OTHER),
    "masked": bit_and(HELD, OTHER),
    "signed": HALVED_SIGNED,
    "signed_shifted": SHIFTED_SIGNED,
    "cases": ite(slt(HELD, const(0, BITS)), HALVED, udiv(HELD, const(2, BITS))),
    "cases_of_another": ite(slt(OTHER, const(0, BITS)), HALVED_SIGNED, HELD),
    "another_where_it_is_negative": ite(slt(HELD, const(0, BITS)), OTHER, SHIFTED_SIGNED),
}
GROWING = {
    "doubled": shl(HELD, const(1, BITS)),
    "added": add(HELD, const(1, BITS)),
    "less": sub(HELD, const(1, BITS)),  # of 0 it is the largest
    "times": mul(HELD, OTHER),
    "or": bit_or(HELD, OTHER),
    "by_nothing": udiv(HELD, OTHER),  # by 0 it is the largest
    "another": zero_extend(extract(OTHER, 7, 1), BITS),
    "another_in_a_case": ite(slt(OTHER, const(0, BITS)), HALVED_SIGNED, OTHER),
}


@pytest.mark.parametrize("form", SHRINKING)
@given(first=st.integers(0, 255), others=st.lists(st.integers(0, 255), min_size=1, max_size=6))
def test_what_is_said_holds_in_each_iteration(form: str, first: int, others: list[int]) -> None:
    (fact,) = at_most_first(SHRINKING[form], HELD, FIRST)
    held = first
    for other in others:
        assert evaluate(fact, {HELD: held, FIRST: first})
        held = int(evaluate(SHRINKING[form], {HELD: held, OTHER: other}))


@pytest.mark.parametrize("form", GROWING)
def test_nothing_is_said_of_words_that_may_grow(form: str) -> None:
    assert not list(at_most_first(GROWING[form], HELD, FIRST))


@pytest.mark.parametrize("form", ["signed", "signed_shifted"])
def test_of_signed_words_it_depends_on_the_first(form: str) -> None:
    (fact,) = at_most_first(SHRINKING[form], HELD, FIRST)
    assert evaluate(fact, {HELD: 255, FIRST: 128})  # -1, of -128


def test_words_with_a_case_without_the_word_are_not_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most that iterations write are such: rebuilding them took a tenth of the time of a run."""
    monkeypatch.setattr(shrinking, "substitute", None)
    assert not list(at_most_first(GROWING["another_in_a_case"], HELD, FIRST))


def test_nothing_is_said_of_a_long_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinking, "MOST_LOOKED_AT", 2)
    assert not list(at_most_first(HALVED_SIGNED, HELD, FIRST))


def test_nothing_is_said_where_the_first_value_is_not_known() -> None:
    assert not list(at_most_first(HALVED, HELD, None))
