"""Choices of which only is known that they are small numbers: the size of a sub-group, which is smaller in the last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.bounds.sizes.counters.loop_counters import LoopCounters
from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.analysis.bounds.sizes.words.small_words import SMALL, small_words
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.smt import (
    BitVec,
    add,
    bit_and,
    const,
    eq,
    ite,
    mul,
    neg,
    symbol,
    truncate,
    ult,
    zero_extend,
)
from visaproof.smt.evaluate import evaluate

SIZE, INDEX = symbol("size", 32), symbol("index", 32)
KNOWN = Integers({INDEX: {("index",): 1}})


def sub_group(whole: int) -> BitVec:
    """What a compiler makes of get_sub_group_size."""
    rest = bit_and(const(whole - 1, 32), SIZE)
    return ite(eq(const(0, 32), rest), const(whole, 32), rest)


@given(st.sampled_from((8, 16, 32)), st.integers(0, (1 << 32) - 1))
def test_no_size_of_a_sub_group_is_above_what_is_said_of_it(whole: int, size: int) -> None:
    word = sub_group(whole)
    words, most = small_words(add(INDEX, mul(const(3, 32), word)), KNOWN)
    ((name,),) = words[word]
    assert list(words) == [word]
    assert evaluate(word, {SIZE: size}) <= most[name][()]
    assert most[name][()] < SMALL


@pytest.mark.parametrize(
    "word",
    [
        SIZE,
        INDEX,
        ite(eq(SIZE, INDEX), const(1 << 20, 32), const(3, 32)),
        ite(eq(SIZE, INDEX), SIZE, const(3, 32)),
        truncate(SIZE, 8),
    ],
)
def test_words_that_are_no_choices_or_large_have_no_such_name(word: BitVec) -> None:
    assert small_words(zero_extend(word, 64), KNOWN) == ({}, {})


def test_ids_bound_no_arguments() -> None:
    """Of i < n and n <= i + 256 an address i is at most n - 1, and not i + 255 by way of n."""
    own, n = InnerName(Kind.ID, 0), symbol("n", 32)
    guard = frozenset({ult(INDEX, n), neg(ult(add(INDEX, const(256, 32)), n))})
    counters = LoopCounters(guard, {INDEX: {(own,): 1}, n: {("n",): 1}}, {}, {}, {})
    found = counters.compared({(own,): 4})
    assert found is not None
    assert {part: count for part, count in found.most.items() if count} == {("n",): 4, (): -4}
