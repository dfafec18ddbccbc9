"""`--cross-check`: both solvers are asked, and one that lies ends the run with a verdict of its own."""

import json
from pathlib import Path

import pytest

from visaproof.isa.errors import SolversDisagree
from visaproof.smt import bitwuzla_backend, bool_symbol, conj, eq, neg, solvers, symbol, z3_backend
from visaproof.smt.answers import Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.terms import const

DATA = Path(__file__).parents[1] / "data"
CONFLICT = DATA / "visaasm" / "lane_conflict" / "tgllp-O2-simd8.visaasm"
LAUNCH = ("--launch", DATA / "manifest.json")


@pytest.fixture(autouse=True)
def fresh():
    solvers.forget_answers()
    yield
    solvers.forget_answers()


@pytest.fixture
def z3_lies(monkeypatch):
    """It says that nothing ever holds."""
    monkeypatch.setattr(z3_backend, "ask", lambda *_, **__: Unsatisfiable("z3"))


def _question():
    x = symbol("x_of_cross_check", 32)
    return [eq(x, const(5, 32))]


def test_a_solver_that_lies_is_found_out(z3_lies):
    with solvers.cross_checked(), pytest.raises(SolversDisagree) as raised:
        solvers.solve(_question(), 1000)
    assert str(raised.value).endswith("evaluated, it holds for these values")


def test_values_that_make_nothing_hold_are_named(monkeypatch):
    (formula,) = _question()
    monkeypatch.setattr(bitwuzla_backend, "ask", lambda *_, **__: Satisfiable({}, "bitwuzla"))
    monkeypatch.setattr(z3_backend, "ask", lambda *_, **__: Unsatisfiable("z3"))
    with solvers.cross_checked(), pytest.raises(SolversDisagree, match="it does not hold for these values"):
        solvers.solve([formula], 1000)


def test_a_lie_passes_where_one_solver_is_asked(monkeypatch):
    """Without the option the faster one is believed: that is what the option is for."""
    monkeypatch.setattr(bitwuzla_backend, "ask", lambda *_, **__: Unsatisfiable("bitwuzla"))
    assert isinstance(solvers.solve(_question(), 1000), Unsatisfiable)


def test_both_solvers_agree_on_what_is_so():
    p = bool_symbol("p_of_cross_check")
    with solvers.cross_checked():
        assert isinstance(solvers.solve(_question(), 1000), Satisfiable)
        refuted = solvers.solve([conj(p, neg(p))], 1000)
    assert isinstance(refuted, Unsatisfiable)
    assert (refuted.solver.startswith("bitwuzla"), " and z3" in refuted.solver) == (True, True)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(Unsatisfiable("bitwuzla"), Undecided), (Satisfiable({}, "bitwuzla"), Undecided)],
)
def test_what_one_solver_alone_says_does_not_count(monkeypatch, answer, kind):
    """Values count by themselves if the formulas hold for them; these do not."""
    monkeypatch.setattr(bitwuzla_backend, "ask", lambda *_, **__: answer)
    monkeypatch.setattr(z3_backend, "ask", lambda *_, **__: Undecided("too slow"))
    with solvers.cross_checked():
        assert isinstance(solvers.solve(_question(), 1000), kind)


def test_values_for_which_all_holds_count_by_themselves(monkeypatch):
    monkeypatch.setattr(z3_backend, "ask", lambda *_, **__: Undecided("too slow"))
    with solvers.cross_checked():
        assert isinstance(solvers.solve(_question(), 1000), Satisfiable)


def test_a_claim_on_which_solvers_disagree_ends_the_run(visaproof, proofs, z3_lies, monkeypatch):
    monkeypatch.setattr(bitwuzla_backend, "ask", lambda *_, **__: Satisfiable({}, "bitwuzla"))
    folder = proofs("unknown")
    ran = visaproof("prove", "--proofs", folder, "--cross-check")
    assert ran.code == 6
    assert ran.err.startswith("error: solvers disagree: bitwuzla has values for which a formula holds, z3 says")
    assert "while deciding prove_the_hard_one" in ran.err
    as_json = visaproof("prove", "--proofs", folder, "--cross-check", "--format", "json")
    assert json.loads(as_json.out)["exit_code"] == 6


def test_a_kernel_on_which_solvers_disagree_has_a_verdict_of_its_own(visaproof, monkeypatch, tmp_path):
    """It is a finding of its own level, and no cache keeps it."""

    def lies(*_: object, **__: object) -> None:
        raise SolversDisagree("one says this and one says that")

    monkeypatch.setattr("visaproof.analysis.conflicts.ask.ask_kernel", lies)
    cache = ("--cache", tmp_path / "answers.sqlite")
    ran = visaproof("conflicts", CONFLICT, *LAUNCH, "--cross-check", "--format", "json", *cache)
    assert ran.code == 6
    assert [one["level"] for one in json.loads(ran.out)["findings"]] == ["disagreement"]
    assert visaproof("conflicts", CONFLICT, *LAUNCH, "--cross-check", *cache, "--cache-mode", "enforce").code == 3


def test_a_cross_checked_kernel_has_its_ordinary_answer(visaproof):
    assert visaproof("conflicts", CONFLICT, *LAUNCH, "--cross-check").code == 1


@pytest.mark.slow
def test_other_processes_cross_check_as_well(visaproof, proofs):
    """What is asked there is asked of both: an answer of one alone would not be unknown."""
    from visaproof.checking.task_pool import Answered, side_by_side

    with solvers.cross_checked():
        found = list(side_by_side(_is_checked, [0, 1], 2))
    assert [one.answer for one in found if isinstance(one, Answered)] == [True, True]


def _is_checked(_: int) -> bool:
    return solvers.CROSS_CHECKED.get()


def test_without_a_second_solver_the_option_is_an_error(visaproof, proofs, monkeypatch):
    monkeypatch.setattr(solvers, "has_both", lambda: False)
    ran = visaproof("prove", "--proofs", proofs("proved"), "--cross-check")
    assert (ran.code, "bitwuzla is not installed" in ran.err) == (2, True)
