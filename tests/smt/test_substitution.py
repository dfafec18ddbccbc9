"""Terms with parts replaced."""

import pytest
from hypothesis import given

from tests.strategies import Truth, truths
from visaproof.smt import (
    Bool,
    Op,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    false,
    ite,
    mul,
    substitute,
    substitution,
    symbol,
    symbols_of,
    true,
)
from visaproof.smt.evaluate import consists_of, subterms
from visaproof.smt.substitution import Booleans, Substitution, rebuild, substitute_bools

P, Q = bool_symbol("p"), bool_symbol("q")
X, Y, Z = (symbol(name, 32) for name in "xyz")


def all_rebuilt(root: Term, replacements: dict[Term, Term]) -> Term:
    """The same, from the oldest subterm to the root: none is left out."""
    done: dict[Term, Term] = {}
    for term in subterms(root):
        args = tuple(done[arg] for arg in term.args)
        done[term] = replacements.get(term) or (term if args == term.args else rebuild(term, args))
    return done[root]


@given(truths(8))
def test_parts_that_are_left_out_change_nothing(truth: Truth) -> None:
    for value in (0, 1, 7):
        known: dict[Term, Term] = {
            one: const(value, one.width) if one.width else (true() if value else false())
            for one in symbols_of(truth.term)[::2]
        }
        assert substitute(truth.term, known) is all_rebuilt(truth.term, known)


@pytest.mark.parametrize(
    ("term", "decided"),
    [
        (conj(P, eq(X, Y)), false()),
        (disj(P, eq(X, Y)), true()),
        (eq(ite(P, X, ite(eq(X, Y), Y, Z)), Y), None),
    ],
)
def test_what_an_argument_decides_is_not_built(
    monkeypatch: pytest.MonkeyPatch, term: Term, decided: Term | None
) -> None:
    def built(one: Term, args: tuple[Term, ...]) -> Term:
        assert one is term, "a part was built that the result does not have"
        return rebuild(one, args)

    monkeypatch.setattr(substitution, "rebuild", built)
    known = {P: decided if decided is not None else true(), Y: Z}
    assert substitute(term, known) is (decided if decided is not None else eq(X, Z))


def test_deep_terms_need_no_recursion() -> None:
    term = X
    for number in range(20_000):
        term = ite(eq(term, const(number, 32)), Y, Z)
    assert substitute(term, {X: Y}) is not term


def test_replacements_may_come_later() -> None:
    replaced = Substitution({X: Y})
    assert replaced.of(eq(X, Z)) is eq(Y, Z)
    replaced.add(Q, true())
    assert replaced.of(conj(Q, eq(X, Z))) is eq(Y, Z)


def test_an_older_replacement_may_come_later_than_a_newer_one() -> None:
    """Terms that are older than all replacements are not looked at: a new one may be the oldest."""
    newer = symbol("a symbol of this test", 32)
    replaced = Substitution({newer: Y})
    assert replaced.of(eq(Y, Z)) is eq(Y, Z)
    replaced.add(X, newer)
    assert replaced.of(eq(X, Z)) is eq(newer, Z)
    assert replaced.of(eq(newer, X)) is eq(Y, newer)


@given(truths(8))
def test_a_term_consists_of_its_symbols_and_of_nothing_less(truth: Truth) -> None:
    symbols = symbols_of(truth.term)
    assert consists_of(truth.term, symbols)
    assert consists_of(truth.term, symbols[::2], symbols[1::2])
    assert consists_of(truth.term, [truth.term])
    for one in symbols:
        assert not consists_of(truth.term, [other for other in symbols if other is not one])


CHAIN = [ite(eq(const(k, 32), X), symbol(f"word{k}", 32), Y) for k in range(20)]


@given(truths(8))
def test_what_was_looked_through_before_changes_nothing(truth: Truth) -> None:
    """Parts first, then the whole: what is known of parts is that of the whole."""
    inside = [one for one in subterms(truth.term) if isinstance(one, Bool) and one.op is not Op.CONST]
    known: dict[Term, Term] = {one: true() for one in inside[::3]}
    kept = Booleans(known)
    for one in (*inside[::2], truth.term):
        assert substitute_bools((one,), kept) == substitute_bools((one,), known)


def test_parts_that_stay_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that grows statement by statement holds more than may be looked at, but little of it is new."""
    monkeypatch.setattr(substitution, "marks_of", lambda _: -1)  # as where all marks are taken
    kept, word = Booleans({P: true()}), X
    for one in CHAIN:
        word = add(word, mul(one, one))
        assert substitute_bools((word,), kept, 12) == [word]
    assert len(subterms(word)) > 60
    assert substitute_bools((ite(P, word, Z),), kept, 12) == [word]


def test_what_stays_under_one_assumption_changes_under_another() -> None:
    word = add(ite(P, X, Y), ite(Q, Y, Z))
    assert substitute_bools((word,), Booleans({bool_symbol("r"): true()})) == [word]
    assert substitute_bools((word,), Booleans({Q: true()})) == [add(ite(P, X, Y), Y)]
