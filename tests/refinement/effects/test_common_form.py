"""Conditions and choices in the form that both kernels share; its rules: `proofs/expanded_rules.py`."""

from functools import reduce
from random import Random
from typing import cast

import pytest

from visaproof.refinement.effects.common_form import in_common_form
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    bit,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    evaluate,
    extract,
    ite,
    neg,
    sign_extend,
    slt,
    symbol,
    symbols_of,
    ult,
)
from visaproof.smt.evaluate import evaluate_all, subterms

P, Q = bool_symbol("p"), bool_symbol("q")
X, Y = symbol("x", 4), symbol("y", 4)


def word(random: Random, depth: int) -> BitVec:
    if not depth or random.random() < 0.3:
        return random.choice((X, Y, const(random.getrandbits(4), 4)))
    if random.random() < 0.2:
        return extract(sign_extend(word(random, depth - 1), 8), 7, 4)
    return ite(truth(random, depth - 1), word(random, depth - 1), word(random, depth - 1))


def truth(random: Random, depth: int) -> Bool:
    if not depth or random.random() < 0.2:
        return random.choice((P, Q, order(random), bit(X, 3)))
    parts = [truth(random, depth - 1) for _ in range(random.randint(2, 3))]
    found = random.choice((conj, disj))(*parts)
    return neg(found) if random.random() < 0.4 else found


def order(random: Random) -> Bool:
    left, right = random.sample((X, Y, const(random.getrandbits(4), 4)), 2)
    if random.random() < 0.3:
        number = const(random.getrandbits(8), 8)
        return slt(*random.sample((sign_extend(left, 8), random.choice((sign_extend(right, 8), number))), 2))
    if random.random() < 0.3:
        top, lowest = random.choice(((3, 1), (3, 2), (2, 1)))
        return eq(extract(left, top, lowest), const(0, top - lowest + 1))
    return random.choice((slt, ult, eq))(left, right)


def test_a_denial_reaches_junctions_at_any_depth() -> None:
    """Each is denied once, though more and more conditions have it in them."""
    nested, denials = P, list[Bool]()
    for level in range(400):
        nested = conj(disj(nested, bool_symbol(f"or.{level}")), bool_symbol(f"and.{level}"))
        denials.append(neg(nested))
    found = in_common_form(denials)
    assert not any(one.op is Op.NOT and one.args[0].op in (Op.CONJ, Op.DISJ) for one in subterms(*found))
    random, symbols = Random(0), symbols_of(*denials)
    for _ in range(20):
        values: dict[Term, int] = {one: int(random.random() < 0.9) for one in symbols}
        assert evaluate_all(found, values) == evaluate_all(denials, values)


@pytest.mark.parametrize("seed", range(60))
def test_common_form_has_the_value_of_what_was_written(seed: int) -> None:
    random = Random(seed)
    term: Term = word(random, 4) if seed % 2 else truth(random, 4)
    (found,) = in_common_form([term])
    for bits in range(1 << 10):
        values = {X: bits & 15, Y: bits >> 4 & 15, P: bits >> 8 & 1, Q: bits >> 9}
        assert evaluate(found, values) == evaluate(term, values)


@pytest.mark.parametrize("lowest", [1, 2])
def test_highest_bits_that_are_0_are_the_order_that_says_so(lowest: int) -> None:
    high = eq(extract(X, 3, lowest), const(0, 4 - lowest))
    assert in_common_form([high, ult(X, const(1 << lowest, 4))]) == 2 * in_common_form([high])
    assert in_common_form([eq(extract(X, 2, 1), const(0, 2))]) == [eq(extract(X, 2, 1), const(0, 2))]


def test_an_order_with_signs_above_is_that_of_the_words() -> None:
    wide, other = sign_extend(X, 8), sign_extend(Y, 8)
    for number in (-8, -1, 0, 7):
        assert in_common_form([slt(const(number, 8), wide)]) == in_common_form([slt(const(number, 4), X)])
    assert in_common_form([slt(wide, other)]) == [slt(X, Y)]
    for kept in (slt(const(8, 8), wide), slt(const(-9, 8), wide), ult(const(2, 8), wide)):
        assert in_common_form([kept]) == [kept]


def test_a_chain_of_choices_asks_of_each_what_is_asked_of_all() -> None:
    one, two, three = (bool_symbol(name) for name in "stu")
    chain = ite(one, X, ite(two, const(3, 4), ite(three, const(5, 4), Y)))
    each = ite(conj(P, one), X, ite(conj(P, two), const(3, 4), ite(conj(P, three), const(5, 4), Y)))
    assert in_common_form([ite(P, chain, Y)]) == in_common_form([each])
    assert in_common_form([ite(P, Y, chain)]) == in_common_form([ite(neg(P), chain, Y)])
    assert in_common_form([ite(P, chain, const(9, 4))]) == [ite(P, chain, const(9, 4))]


def test_a_deep_alternation_ends() -> None:
    symbols = [bool_symbol(f"d{number}") for number in range(4_000)]
    deep = reduce(
        lambda inner, pair: disj(pair[0], conj(pair[1], inner)), zip(symbols[::2], symbols[1::2], strict=True), P
    )
    (found,) = in_common_form([neg(deep)])
    assert any(cast(Term, one) is P for one in subterms(found))
