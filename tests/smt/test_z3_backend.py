"""One question to z3: satisfiable with values that satisfy, unsatisfiable, or undecided."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import Truth, truths
from visaproof.smt import bool_symbol, conj, const, eq, evaluate, false, implies, mul, neg, symbol, true, ult
from visaproof.smt.z3_backend import NAME, Satisfiable, Undecided, Unsatisfiable, solve

x, y = symbol("x", 32), symbol("y", 32)
p = bool_symbol("p")


def test_values_are_given_for_words_and_truth_values() -> None:
    answer = solve([ult(x, y), implies(p, eq(y, const(5, 32))), p], 5_000)
    assert isinstance(answer, Satisfiable)
    assert (answer.values[p], answer.values[y]) == (1, 5)
    assert answer.values[x] < 5


def test_a_contradiction_is_unsatisfiable() -> None:
    assert solve([ult(x, y), ult(y, x)], 5_000) == Unsatisfiable()
    assert solve([false()], 5_000) == Unsatisfiable()


def test_nothing_asked_is_satisfiable() -> None:
    assert solve([], 5_000) == Satisfiable({})
    assert solve([true()], 5_000) == Satisfiable({})


def test_a_question_that_takes_too_long_is_undecided() -> None:
    """The factors of the product of two primes of 32 bits, in one millisecond."""
    a, b = (symbol(name, 64) for name in ("factor.a", "factor.b"))
    small = [ult(const(1, 64), word) for word in (a, b)] + [ult(word, const(2**32, 64)) for word in (a, b)]
    answer = solve([eq(mul(a, b), const(4_294_967_291 * 4_294_967_279, 64)), *small], 1)
    assert isinstance(answer, Undecided)
    assert answer.reason.startswith("z3: ")


def test_the_solver_names_its_version() -> None:
    assert NAME.partition(".")[0] in ("z3 4", "z3 5")


@settings(max_examples=25)
@given(st.sampled_from((1, 4, 8)).flatmap(truths))
def test_values_that_z3_gives_satisfy_the_formula(pair: Truth) -> None:
    """On our own evaluation; and a formula or its denial is satisfiable."""
    answers = [solve([formula], 2_000) for formula in (pair.term, neg(pair.term))]
    for formula, answer in zip((pair.term, neg(pair.term)), answers, strict=True):
        if isinstance(answer, Satisfiable):
            assert evaluate(formula, answer.values)
    assert any(isinstance(answer, Satisfiable | Undecided) for answer in answers)
    assert solve([conj(pair.term, neg(pair.term))], 2_000) == Unsatisfiable()
