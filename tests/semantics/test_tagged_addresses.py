"""Addresses of shared local memory with IGC's tag, as terms: what is left is what is left of their numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.isa import operands
from visaproof.isa.operands import SLM_TAG
from visaproof.semantics.symbolic.slm_tag import without_slm_tag
from visaproof.smt import (
    BitVec,
    add,
    bit_and,
    bit_or,
    bool_symbol,
    concat,
    const,
    extract,
    ite,
    symbol,
    symbols_of,
    zero_extend,
)
from visaproof.smt.evaluate import evaluate

X, TAG = symbol("x", 32), const(SLM_TAG, 32)
SHORT = zero_extend(symbol("s", 16), 32)
FIRST = add(X, TAG)
TAGGED = {
    "a sum": FIRST,
    "less": add(FIRST, const(-4, 32)),
    "made longer": zero_extend(FIRST, 40),
    "a sum of one that is longer": add(zero_extend(FIRST, 40), const(12, 40)),
    "the bit": bit_or(SHORT, TAG),
    "the bit of any word": bit_or(X, TAG),
    "a choice": ite(bool_symbol("c"), add(FIRST, const(8, 32)), X),
    "a multiple of four": concat(extract(FIRST, 31, 2), const(0, 2)),
    "without low bits": bit_and(FIRST, const(0xFFFFFFFC, 32)),
}


@pytest.mark.parametrize("name", TAGGED)
@given(st.integers(8, 1 << 20), st.integers(0, 1))
def test_what_is_left_is_the_number_without_the_tag(name: str, x: int, chosen: int) -> None:
    """Where no offset carries into the tag."""
    word = TAGGED[name]
    values = {one: {"x": x, "s": x % (1 << 16), "c": chosen}[str(one.payload)] for one in symbols_of(word)}
    assert evaluate(without_slm_tag(word), values) == operands.without_slm_tag(evaluate(word, values))


@pytest.mark.parametrize(
    "word", [X, SHORT, add(X, const(4096, 32)), add(X, const(SLM_TAG // 4, 32)), add(X, const(-4, 32))]
)
def test_an_address_with_no_such_constant_stays(word: BitVec) -> None:
    assert without_slm_tag(word) is word


def test_what_is_added_to_a_longer_address_is_added_to_what_is_left() -> None:
    """As of the dwords that a lane stores side by side."""
    longer = zero_extend(bit_or(bit_and(X, const(0x1FFFFFF0, 32)), TAG), 40)
    beside = without_slm_tag(add(longer, const(4, 40)))
    assert beside is add(without_slm_tag(longer), const(4, 40))


def test_choices_are_looked_at_once() -> None:
    """As many as of 2^40 ways, in a chain that is longer than Python recurses."""
    word, plain = FIRST, X
    for place in range(2000):
        other, condition = symbol(f"b.{place}", 32), bool_symbol(f"c.{place}")
        word = ite(condition, word, add(word, const(4, 32)) if place < 40 else other)
        plain = ite(condition, plain, add(plain, const(4, 32)) if place < 40 else other)
    values = dict.fromkeys(symbols_of(word), 1)
    assert evaluate(without_slm_tag(word), values) == evaluate(plain, values) == 1
