"""Least and greatest of several words: one form for each set of words, and the same number."""

from itertools import permutations
from random import Random

import pytest

from visaproof.checking.stages import Holds, decide_goal
from visaproof.queries.extremes import in_one_form
from visaproof.smt import BitVec, const, eq, evaluate, ite, neg, slt, symbol, ult

WORDS = [symbol(f"extremes.{k}", 8) for k in range(4)]


def pick(kind: str, one: BitVec, other: BitVec) -> BitVec:
    """`umin`, `umax`, `smin` or `smax` of two words, in one of the ways to write it."""
    less = (ult if kind[0] == "u" else slt)(one, other)
    return ite(less, one, other) if kind.endswith("min") else ite(less, other, one)


def tree(kind: str, words: list[BitVec], random: Random) -> BitVec:
    if len(words) == 1:
        return words[0]
    cut = random.randrange(1, len(words))
    return pick(kind, tree(kind, words[:cut], random), tree(kind, words[cut:], random))


KINDS = ("umin", "umax", "smin", "smax")
NEUTRAL = {"umin": 0xFF, "umax": 0, "smin": 0x7F, "smax": 0x80}


@pytest.mark.parametrize("kind", KINDS)
def test_every_order_has_one_form(kind: str) -> None:
    """Also with words that are there twice, and with the one that changes nothing."""
    random, neutral = Random(0), const(NEUTRAL[kind], 8)
    forms = {in_one_form(tree(kind, [*order, order[0], neutral], random)) for order in permutations(WORDS)}
    assert len(forms) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_form_is_the_same_number(kind: str) -> None:
    random = Random(1)
    for _ in range(4):
        words = [*random.sample(WORDS, 3), const(random.choice((0, 0x7F, 0x80, 0xFF)), 8)]
        whole = tree(kind, words, random)
        assert isinstance(decide_goal((), eq(in_one_form(whole), whole), 10_000), Holds)


@pytest.mark.parametrize("kind", KINDS)
def test_other_sets_have_other_forms(kind: str) -> None:
    """Those of one word less, and of another kind, differ for some numbers."""
    random = Random(2)
    three, four = tree(kind, WORDS[:3], random), tree(kind, WORDS, random)
    other = tree(KINDS[KINDS.index(kind) - 1], WORDS, random)
    for wrong in (three, other):
        assert in_one_form(wrong) is not in_one_form(four)
        assert not isinstance(decide_goal((), eq(wrong, four), 10_000), Holds)


def test_another_choice_is_left_alone() -> None:
    """A word under a condition that compares something else is no extreme."""
    one, other, *_ = WORDS
    odd = ite(ult(one, const(3, 8)), one, other)
    assert in_one_form(odd) is odd
    turned = ite(neg(ult(one, other)), one, other)
    assert evaluate(in_one_form(turned), {one: 3, other: 5}) == 5
