"""One question to the solvers: satisfiable with values that satisfy, unsatisfiable, or undecided."""

import gc
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import Truth, truths
from visaproof.isa.errors import LimitReached
from visaproof.smt import (
    Bool,
    bool_symbol,
    conj,
    const,
    eq,
    evaluate,
    false,
    implies,
    mul,
    neg,
    symbol,
    true,
    ult,
    z3_backend,
)
from visaproof.smt import solvers as solvers_module
from visaproof.smt.answers import Answer, Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.limit import Limit
from visaproof.smt.solvers import forget_answers, solve

x, y = symbol("x", 32), symbol("y", 32)
p = bool_symbol("p")

Ask = Callable[[Sequence[Bool], int, int], Answer]


def backends() -> list[Ask]:
    """z3, and Bitwuzla where it is installed."""
    try:
        from visaproof.smt import bitwuzla_backend
    except ImportError:
        return [z3_backend.ask]
    return [z3_backend.ask, bitwuzla_backend.ask]


every_solver = pytest.mark.parametrize("ask", backends(), ids=lambda ask: ask.__module__.rpartition(".")[2])


@every_solver
def test_values_are_given_for_words_and_truth_values(ask: Ask) -> None:
    answer = ask([ult(x, y), implies(p, eq(y, const(5, 32))), p], 5_000, 0)
    assert isinstance(answer, Satisfiable)
    assert (answer.values[p], answer.values[y]) == (1, 5)
    assert answer.values[x] < 5


@every_solver
def test_a_contradiction_is_unsatisfiable(ask: Ask) -> None:
    assert isinstance(ask([ult(x, y), ult(y, x)], 5_000, 0), Unsatisfiable)
    assert isinstance(ask([false()], 5_000, 0), Unsatisfiable)


@every_solver
def test_nothing_asked_is_satisfiable(ask: Ask) -> None:
    for formulas in ([], [true()]):
        answer = ask(formulas, 5_000, 0)
        assert isinstance(answer, Satisfiable)
        assert answer.values == {}


def factors_of_a_product_of_primes() -> list[Bool]:
    """Of two primes of 32 bits."""
    a, b = (symbol(name, 64) for name in ("factor.a", "factor.b"))
    small = [ult(const(1, 64), word) for word in (a, b)] + [ult(word, const(2**32, 64)) for word in (a, b)]
    return [eq(mul(a, b), const(4_294_967_291 * 4_294_967_279, 64)), *small]


def divisors_of_a_large_number() -> list[Bool]:
    """Of 119 bits: no solver finds them in a minute."""
    a, b = (symbol(name, 120) for name in ("divisor.a", "divisor.b"))
    small = [ult(const(1, 120), word) for word in (a, b)] + [ult(word, const(2**60, 120)) for word in (a, b)]
    return [eq(mul(a, b), const(2**119 - 903, 120)), *small]


@every_solver
def test_a_question_that_takes_too_long_is_undecided(ask: Ask) -> None:
    answer = ask(factors_of_a_product_of_primes(), 1, 0)
    assert isinstance(answer, Undecided)
    assert answer.reason.startswith(("z3: ", "bitwuzla: "))


def test_what_the_first_solver_leaves_open_the_second_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """And an answer of z3 is z3's."""
    if len(backends()) == 1:
        pytest.skip("bitwuzla is not installed: z3 is the only solver")
    from visaproof.smt import bitwuzla_backend

    asked: list[str] = []

    def gives_up(formulas: Sequence[Bool], timeout_ms: int, seed: int, *_: object) -> Answer:
        asked.append("bitwuzla")
        return Undecided("bitwuzla: timeout")

    monkeypatch.setattr(bitwuzla_backend, "ask", gives_up)
    forget_answers()
    answer = solve([ult(x, const(3, 32))], 5_000)
    assert asked == ["bitwuzla"]
    assert isinstance(answer, Satisfiable)
    assert answer.solver == z3_backend.NAME
    forget_answers()


def test_z3_alone_answers_where_bitwuzla_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers_module, "has_both", lambda: False)
    forget_answers()
    assert solve([ult(x, y), ult(y, x)], 5_000) == Unsatisfiable(z3_backend.NAME)
    forget_answers()


def test_an_answer_is_remembered_and_its_values_are_the_askers_own() -> None:
    first = solve([ult(x, y)], 5_000)
    assert isinstance(first, Satisfiable)
    first.values[x] = 2**32 - 1
    second = solve([ult(x, y)], 5_000)
    assert isinstance(second, Satisfiable)
    assert second.values[x] < second.values[y]


@every_solver
def test_a_solver_names_its_version(ask: Ask) -> None:
    answer = ask([true()], 5_000, 0)
    assert isinstance(answer, Satisfiable)
    assert answer.solver.startswith(("z3 5.", "bitwuzla 0."))


@settings(max_examples=25)
@given(st.sampled_from((1, 4, 8)).flatmap(truths))
def test_the_solvers_agree_and_their_values_satisfy_the_formula(pair: Truth) -> None:
    """On our own evaluation; and a formula or its denial is satisfiable."""
    for ask in backends():
        answers = [ask([formula], 2_000, 0) for formula in (pair.term, neg(pair.term))]
        for formula, answer in zip((pair.term, neg(pair.term)), answers, strict=True):
            if isinstance(answer, Satisfiable):
                assert evaluate(formula, answer.values)
        assert any(isinstance(answer, Satisfiable | Undecided) for answer in answers)
        assert isinstance(ask([conj(pair.term, neg(pair.term))], 2_000, 0), Unsatisfiable)
    assert len({type(ask([pair.term], 2_000, 0)) for ask in backends()} - {Undecided}) <= 1


STOPPED_S = 1.2
"""By the clock: longer than the limit of the question."""


@pytest.mark.slow(but=1)
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
@every_solver
def test_the_limit_is_one_on_processor_time(ask: Ask) -> None:
    """A machine with other work gives the same answer: here the process does not run at all for a while."""
    code = f"""
import {ask.__module__} as backend
from visaproof.smt import const, eq, mul, symbol, ult
a, b = symbol("a", 32), symbol("b", 32)
small = [ult(one, other) for word in (a, b) for one, other in ((const(1, 32), word), (word, const(2**16, 32)))]
print("asks", flush=True)
print(type(backend.ask([eq(mul(a, b), const(32_771 * 65_521, 32)), *small], 1_000, 0)).__name__)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asks\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)
        assert process.communicate()[0] == "Satisfiable\n"


@every_solver
def test_a_limit_around_it_ends_a_question_at_once(ask: Ask) -> None:
    start = time.process_time()
    with pytest.raises(LimitReached), Limit(0.2).within():
        ask(divisors_of_a_large_number(), 60_000, 0)
    assert time.process_time() - start < 5


@pytest.mark.slow(but=1)
@every_solver
def test_nothing_stays_of_a_question_that_a_limit_ended(ask: Ask) -> None:
    """Solvers hold hundreds of megabytes, and a limit ends many questions of one kernel."""
    with pytest.raises(LimitReached), Limit(0.2).within():
        ask(divisors_of_a_large_number(), 60_000, 0)
    gc.collect()
    backend = sys.modules[ask.__module__]
    lowering = getattr(backend, "_Lowering", None) or backend.Lowering
    assert not [one for one in gc.get_objects() if isinstance(one, lowering)]
