"""Random terms, beside z3 expressions that only z3 has seen: every way to a value gives the same one."""

from random import Random
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import WIDTHS, Truth, Values, Word, edge_number, truths, word, words
from visaproof.smt import Term, add, bool_const, bool_symbol, const, evaluate, scale, substitute, symbols_of, value_of
from visaproof.smt.arithmetic import linear_parts, sum_of
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import occurs, subterms
from visaproof.smt.substitution import Substitution, substitute_bools
from visaproof.smt.terms import BitVec, own_mark
from visaproof.smt.z3_backend import Lowering

_z3: Any = z3
DRAWS = 4
"""Assignments to each pair."""


def some_values(roots: tuple[Term, ...], raw: Any, pick: Random) -> tuple[Values, list[tuple[Any, Any]]]:
    """Edge values for the symbols of a term, and for those of the z3 expression (the term may have fewer)."""
    numbers: dict[str, int] = {}
    replacements: list[tuple[Any, Any]] = []
    for variable in z3_variables(raw):
        name = str(variable)
        if _z3.is_bool(variable):
            numbers[name] = pick.randrange(2)
            replacements.append((variable, _z3.BoolVal(bool(numbers[name]))))
        else:
            numbers[name] = edge_number(pick, variable.size())
            replacements.append((variable, _z3.BitVecVal(numbers[name], variable.size())))
    return {symbol: numbers[str(symbol.payload)] for symbol in symbols_of(*roots)}, replacements


def z3_variables(expression: Any) -> list[Any]:
    found: dict[int, Any] = {}
    seen: set[int] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        if _z3.is_const(node) and node.decl().kind() == _z3.Z3_OP_UNINTERPRETED:
            found[node.get_id()] = node
        stack += node.children()
    return sorted(found.values(), key=str)


def z3_value(expression: Any, replacements: list[tuple[Any, Any]]) -> int:
    value = _z3.simplify(_z3.substitute(expression, *replacements) if replacements else expression)
    if _z3.is_bool(value):
        assert _z3.is_true(value) or _z3.is_false(value)
        return int(_z3.is_true(value))
    return value.as_long()


def constant_like(term: Term, value: int) -> Term:
    return const(value, term.width) if term.width else bool_const(bool(value))


def assert_one_meaning(pair: Word | Truth, pick: Random) -> None:
    term, raw = pair.term, pair.raw
    lowered = Lowering().lower(term)
    symbols = symbols_of(term)
    run = compiled((term,), symbols)
    for _ in range(DRAWS):
        values, replacements = some_values((term,), raw, pick)
        expected = z3_value(raw, replacements)
        assert evaluate(term, values) == expected
        assert run([values[symbol] for symbol in symbols]) == [expected]
        assert z3_value(lowered, replacements) == expected
        known: dict[Term, Term] = {symbol: constant_like(symbol, values[symbol]) for symbol in symbols}
        assert value_of(substitute(term, known)) == expected, "a term without symbols is a constant"
        half = {symbol: number for symbol, number in known.items() if pick.randrange(2)}
        assert evaluate(substitute(term, half), values) == expected
        if isinstance(term, BitVec):
            assert term.low <= expected <= term.high
            assert expected & term.zeros == 0


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_a_word_has_one_value(width: int) -> None:
    """By evaluation, after substitution, compiled, lowered to z3, and as z3 built it from the same choices."""

    @settings(max_examples=70)
    @given(words(width), st.randoms(use_true_random=False))
    def agree(pair: Word, pick: Random) -> None:
        assert pair.term.width == width
        assert_one_meaning(pair, pick)

    agree()


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_a_truth_value_has_one_value(width: int) -> None:
    @settings(max_examples=70)
    @given(truths(width), st.randoms(use_true_random=False))
    def agree(pair: Truth, pick: Random) -> None:
        assert_one_meaning(pair, pick)

    agree()


@given(st.sampled_from(WIDTHS).flatmap(lambda width: st.tuples(words(width), words(width))), st.data())
def test_replacements_one_after_another_are_those_at_once(pairs: tuple[Word, Word], data: st.DataObject) -> None:
    """Of two terms, where a symbol of the second is replaced only after the first was built."""
    first, second = (pair.term for pair in pairs)
    known = {one: constant_like(one, data.draw(st.integers(0, 1))) for one in symbols_of(first)}
    late = {one: constant_like(one, 1) for one in symbols_of(second) if one not in known}
    replaced = Substitution(known)
    assert replaced.of(first) is substitute(first, known)
    for symbol, number in late.items():
        replaced.add(symbol, number)
    assert replaced.of(second) is substitute(second, known | late)


@given(st.sampled_from(WIDTHS).flatmap(words))
def test_a_word_is_its_own_normal_form(pair: Word) -> None:
    """So none is made where nothing is added to it, or where it is taken once."""
    word, nothing = pair.term, const(0, pair.term.width)
    assert sum_of(*linear_parts(word), word.width) is word
    assert add(word, nothing) is add(nothing, word) is scale(word, 1) is word


@given(st.sampled_from(WIDTHS).flatmap(words), st.randoms(use_true_random=False))
def test_substituting_a_term_is_evaluating_at_its_value(pair: Word, pick: Random) -> None:
    """[r / x] t at v is t at v with x at the value of r."""
    replacements: dict[Term, Term] = {}
    for symbol in symbols_of(pair.term):
        replacements[symbol] = word(pick, symbol.width, 2).term if symbol.width else bool_symbol(pick.choice("pqr"))
    values: Values = {
        symbol: edge_number(pick, max(symbol.width, 1)) for symbol in symbols_of(pair.term, *replacements.values())
    }
    inner = {symbol: evaluate(replacement, values) for symbol, replacement in replacements.items()}
    assert evaluate(substitute(pair.term, replacements), values) == evaluate(pair.term, inner)


@given(st.sampled_from(WIDTHS).flatmap(words), st.randoms(use_true_random=False))
def test_booleans_that_are_known_are_replaced_as_any_other_terms(pair: Word, pick: Random) -> None:
    """Skipping what holds none of them by the marks of terms changes nothing; a lower bound leaves all as it is."""
    booleans: list[Term] = [term for term in subterms(pair.term) if not term.width and value_of(term) is None]
    known: dict[Term, Term] = {term: bool_const(bool(pick.randrange(2))) for term in booleans if pick.randrange(3) == 0}
    (found,) = substitute_bools((pair.term,), known, len(subterms(pair.term)))
    assert found is substitute(pair.term, known)
    assert substitute_bools((pair.term,), known, 0) == [pair.term]
    assert all(own_mark(term) & pair.term.marks for term in booleans)


@given(st.sampled_from(WIDTHS).flatmap(words), st.randoms(use_true_random=False))
def test_a_symbol_occurs_where_it_is_among_the_subterms(pair: Word, pick: Random) -> None:
    for one in pick.sample(found := subterms(pair.term), min(4, len(found))):
        assert all(occurs(symbol, one) == (symbol in symbols_of(one)) for symbol in symbols_of(pair.term))


@pytest.mark.slow
@settings(max_examples=150)
@given(st.sampled_from((1, 3, 4)).flatmap(words))
def test_a_narrow_term_is_proved_equal_to_its_meaning(pair: Word) -> None:
    """Not for some values but for all: the normal form against the z3 expression."""
    solver = _z3.Solver()
    solver.set(timeout=2_000)
    solver.add(Lowering().lower(pair.term) != pair.raw)
    assert solver.check() != _z3.sat, solver.model()


@pytest.mark.slow
@settings(max_examples=100)
@given(st.sampled_from((1, 3, 4)).flatmap(truths))
def test_a_narrow_comparison_is_proved_equal_to_its_meaning(pair: Truth) -> None:
    solver = _z3.Solver()
    solver.set(timeout=2_000)
    solver.add(Lowering().lower(pair.term) != pair.raw)
    assert solver.check() != _z3.sat, solver.model()
