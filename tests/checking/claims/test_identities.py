"""A rule of the normal form: proved by solvers alone, refuted by numbers, and neither where it says nothing."""

from pathlib import Path

import msgspec
import pytest

from visaproof.checking.claims import identities
from visaproof.checking.claims.identity_record import IdentityExample, read_identity, replay_identity
from visaproof.checking.counterexample import write_counterexample
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous
from visaproof.isa.errors import ReadError
from visaproof.queries.identities import (
    IN_NORMAL_FORM,
    Copies,
    Rule,
    follows,
    neighbour,
    one_bit_stands_for_all,
    rule_holds,
)
from visaproof.queries.query import Query
from visaproof.smt import BitVec, add, const, symbol
from visaproof.smt.answers import Undecided
from visaproof.smt.solvers import Preparation


def x(width: int) -> BitVec:
    return symbol(f"x{width}", width)


def y(width: int) -> BitVec:
    return symbol(f"y{width}", width)


ORDER = Rule("test", "order", lambda b, w: (b.add(x(w), y(w)), b.add(y(w), x(w))))
"""True, and carried out."""
WRONG = neighbour("test", "or", "the sum", lambda b, w: (b.bit_or(x(w), y(w)), b.add(x(w), y(w))))


def example_of(query: Query) -> IdentityExample:
    verdict = decide(query)
    assert isinstance(verdict, Refuted)
    assert isinstance(verdict.counterexample, IdentityExample)
    return verdict.counterexample


def test_a_true_rule_is_proved_by_a_solver() -> None:
    """Not by the normal form, to which both sides are one term."""
    verdict = decide(rule_holds(ORDER))
    assert isinstance(verdict, Proved)
    assert verdict.by.startswith(("bitwuzla ", "z3 "))


def test_a_rule_about_polynomials_is_proved_by_z3() -> None:
    sides = Rule(
        "test", "square", lambda b, w: (b.mul(b.add(x(w), y(w)), x(w)), b.add(b.mul(x(w), x(w)), b.mul(x(w), y(w))))
    )
    verdict = decide(rule_holds(Rule(sides.family, sides.name, sides.sides, preparation=Preparation.MULTIPLIED_OUT)))
    assert isinstance(verdict, Proved)
    assert verdict.by.startswith("z3 ")


def test_what_is_carried_out_wrong_is_refuted() -> None:
    """A fault after the normal form: the example is the first width, and says which side is wrong."""
    faulty = Rule(
        "test",
        "fault",
        ORDER.sides,
        after=lambda term: add(term, const(1, term.width)) if isinstance(term, BitVec) else term,
    )
    example = example_of(rule_holds(faulty))
    assert example.shows == "fault is not the normal form"
    assert set(example.values) == {"x8", "y8"}
    assert replay_identity(example, "") == ()


def test_a_wrong_bound_of_a_result_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the normal form knows of a word is a part of the rule."""
    kept = Rule("test", "bound", lambda b, w: (b.bit_xor(x(w), const(9, w)), b.bit_xor(x(w), const(9, w))))
    made = kept.sides(IN_NORMAL_FORM, 8)[0]
    monkeypatch.setattr(made, "high", 200)
    assert example_of(rule_holds(kept)).written.value == "false"


def test_a_rule_that_is_not_carried_out_is_no_proof() -> None:
    """x & y = y & x & x is true, but nothing makes it so."""
    rule = Rule("test", "lazy", lambda b, w: (b.bit_and(x(w), b.bit_and(x(w), y(w))), b.bit_and(x(w), y(w))))
    verdict = decide(rule_holds(rule))
    assert isinstance(verdict, Unknown)
    assert "the rule is true, but the normal form is and(" in verdict.reason


def test_a_wrong_rule_is_refuted_with_and_without_guessing() -> None:
    for likely in (True, False):
        verdict = decide(WRONG, likely_fails=likely)
        assert isinstance(verdict, Refuted)
        assert isinstance(verdict.counterexample, IdentityExample)
        assert replay_identity(verdict.counterexample, "") == ()
        assert bool(verdict.counterexample.solver) != likely


def test_a_condition_that_never_holds_is_vacuous() -> None:
    never = follows("test", "never", lambda b, w: b.ult(x(w), x(w)), lambda b, w: (x(w), y(w)))
    assert isinstance(decide(never), Vacuous)


def test_a_condition_is_assumed() -> None:
    small = follows("test", "small", lambda b, w: b.ult(x(w), const(1, w)), lambda b, w: (x(w), const(0, w)))
    assert isinstance(decide(small), Proved)


def test_no_answer_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identities, "solve", lambda *_: Undecided("busy"))
    assert decide(rule_holds(ORDER)) == Unknown("busy")
    assert decide(WRONG) == Unknown("busy")


def test_words_that_are_not_only_copied_are_no_one_bit_data() -> None:
    verdict = decide(one_bit_stands_for_all(Copies("sum", lambda b, w: b.eq(b.add(x(w), y(w)), x(w)))))
    assert isinstance(verdict, Unknown)
    assert "not only copied" in verdict.reason


# ---------------------------------------------------------------- files


def test_a_file_holds_the_example(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    write_counterexample(example_of(WRONG), path)
    assert read_identity(path) == example_of(WRONG)


def test_other_values_do_not_replay() -> None:
    example = example_of(WRONG)
    zeros = msgspec.structs.replace(example, values=dict.fromkeys(example.values, "#x00000000"))
    assert "both sides have the same value" in replay_identity(zeros, "")
    other = msgspec.structs.replace(example.other, value="#x12345678")
    (difference,) = replay_identity(msgspec.structs.replace(example, other=other), "")
    assert "recorded #x12345678" in difference


@pytest.mark.parametrize("term", ["(bvadd x32", "(bvadd x32 #x01)", "(nothing x32)", "unknown"])
def test_a_term_that_cannot_be_read_is_an_error(term: str) -> None:
    example = example_of(WRONG)
    broken = msgspec.structs.replace(example, written=msgspec.structs.replace(example.written, term=term))
    with pytest.raises(ReadError, match="cannot be evaluated"):
        replay_identity(broken, "rule.json")
