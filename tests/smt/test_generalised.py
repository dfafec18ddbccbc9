"""One term for two that differ in numbers: with the number of each it is that one again, or there is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.smt import BitVec, Term, add, bool_symbol, conj, const, ite, mul, symbol, ult, zero_extend
from visaproof.smt.generalised import generalised
from visaproof.smt.substitution import substitute_all

NUMBER, A, X, Y, Z = (symbol(name, 32) for name in ("number", "a", "x", "y", "z"))
FREE = {X, Y, Z}


def kind(each: Term) -> bool | None:
    return True if each in FREE else None


def of(one: Term, other: Term, places: tuple[int, int] = (3, 7)) -> Term | None:
    found = generalised([one], [other], places, NUMBER, kind)
    return None if found is None else found[0]


def number(value: int) -> BitVec:
    return const(value, 32)


@given(st.integers(0, 31), st.integers(0, 31), st.integers(-40, 40), st.integers(2000, 2**31))
def test_numbers_go_with_the_places(first: int, second: int, step: int, more: int) -> None:
    def at(place: int) -> Term:
        word = add(mul(A, X), number(step * place + more))
        wide = add(zero_extend(word, 64), const(step * place, 64))
        return conj(bool_symbol("on"), ult(wide, zero_extend(ite(ult(A, word), number(place), Y), 64)))

    if first == second:
        return
    found = of(at(first), at(second), (first, second))
    assert found is not None
    for place in (first, second, 5):
        assert substitute_all([found], {NUMBER: number(place)}) == [at(place)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (number(0), number(1)),  # of places that are 4 apart
        (const(0, 8), const(4, 8)),
        (A, symbol("b", 32)),
        (A, X),
        (add(A, X), add(A, A, X)),
        (mul(A, X), mul(A, A)),
        (ult(A, X), ult(X, A)),
        (conj(bool_symbol("p"), ult(A, X)), ult(A, X)),
        (add(X, mul(X, A)), add(Y, mul(Z, A))),  # one is two there
        (zero_extend(A, 64), const(4, 64)),
    ],
)
def test_there_is_none_where_more_differs(one: Term, other: Term) -> None:
    assert of(one, other) is None


@pytest.mark.parametrize(("places", "numbers"), [((0, 1), (0, 16)), ((1, 0), (16, 0)), ((2, 3), (0, 16))])
def test_a_sum_may_begin_at_nothing(places: tuple[int, int], numbers: tuple[int, int]) -> None:
    first = numbers[0] - 16 * places[0]
    one, other = (add(mul(A, X), number(each)) for each in numbers)
    assert of(one, other, places) is add(mul(A, X), number(first), mul(number(16), NUMBER))


def test_symbols_may_have_other_names() -> None:
    assert of(add(X, mul(X, A), number(6)), add(Y, mul(Y, A), number(14))) is add(X, mul(X, A), NUMBER, NUMBER)


def test_a_symbol_has_its_other_name_wherever_it_is() -> None:
    """What is the same in both would be another one."""
    shared = ult(A, X)
    assert generalised([X, shared], [Y, shared], (3, 7), NUMBER, kind) is None
    assert generalised([X, shared], [Y, ult(A, Y)], (3, 7), NUMBER, kind) == [X, shared]
