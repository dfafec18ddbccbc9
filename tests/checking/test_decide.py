"""The four verdicts, and that no counterexample is shown that `execute` does not confirm."""

from collections.abc import Iterator
from typing import cast

import pytest
from msgspec.structs import replace

from proofs import atomic_variants, variants
from proofs.shapes import ATOMIC, EACH_ATOMIC, OWORD, PLAIN_QW
from visaproof.checking import decide as decide_module
from visaproof.checking import refutation as refutation_module
from visaproof.checking.confirm import violated
from visaproof.checking.counterexample import Outcome
from visaproof.checking.decide import decide
from visaproof.checking.replay import replay
from visaproof.checking.stages import Answer, Fails, GaveUp, decide_goal
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous
from visaproof.instructions import Instruction, QwScatter
from visaproof.isa.atomics import AtomicOp
from visaproof.queries import atomics, bounds, predication, value
from visaproof.queries.query import Query, TwoLanes, about
from visaproof.queries.subject import MASK, Subject
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Atomic, Store
from visaproof.semantics.symbolic.state import SymbolicState, field_term
from visaproof.smt import (
    Bool,
    add,
    bit_and,
    bool_symbol,
    conj,
    const,
    eq,
    false,
    implies,
    mul,
    neg,
    solvers,
    symbol,
    true,
    ult,
)

x, y = symbol("x", 32), symbol("y", 32)
SOLVERS = ("bitwuzla ", "z3 ")


def question(goal: Bool, *assumptions: Bool) -> Query:
    """A bare formula; what it is about is not reached unless the goal fails."""
    lanes = TwoLanes(AtomicOp.ADD, x, (x, y), (x, y))
    return Query(claim="test/question", scope="", assumptions=assumptions, goal=goal, about=lanes)


def factors() -> Query:
    """No two numbers above 1 have this product of two primes: false, and hard to refute."""
    a, b = symbol("factor.a", 64), symbol("factor.b", 64)
    product = eq(mul(a, b), const(4_294_967_291 * 4_294_967_279, 64))
    return question(neg(product), *(ult(const(1, 64), word) for word in (a, b)), ult(a, const(2**32, 64)))


# ---------------------------------------------------------------- proved, vacuous, unknown


def test_what_the_normal_form_decides_needs_no_solver() -> None:
    assert decide(question(eq(add(x, y), add(y, x)))) == Proved("normal form")


def test_what_an_assumption_says_is_proved_by_it() -> None:
    assert decide(question(ult(x, y), ult(x, y))) == Proved("normal form")
    assert decide(question(neg(ult(x, y)), neg(ult(x, y)))) == Proved("normal form")


def test_equals_are_put_for_equals_before_a_solver_is_asked() -> None:
    """By constants, by words, and where one word equals two."""
    assert decide(question(eq(add(x, y), add(y, y)), eq(x, y))) == Proved("normal form")
    assert decide(question(ult(x, const(9, 32)), eq(x, const(5, 32)))) == Proved("normal form")
    assert isinstance(decide(question(ult(x, const(9, 32)), eq(x, const(5, 32)), eq(x, const(6, 32)))), Vacuous)


def test_what_needs_a_solver_names_it() -> None:
    verdict = decide(question(ult(x, const(9, 32)), ult(x, y), ult(y, const(9, 32))))
    assert isinstance(verdict, Proved)
    assert verdict.by.startswith(SOLVERS)


def test_a_goal_under_assumptions_that_contradict_each_other_is_vacuous() -> None:
    p = bool_symbol("p")
    for assumptions in ((false(),), (p, neg(p)), (ult(x, y), ult(y, x))):
        assert isinstance(decide(question(ult(x, y), *assumptions)), Vacuous)


def test_a_true_goal_does_not_hide_that_the_assumptions_never_hold() -> None:
    assert isinstance(decide(question(true(), ult(x, y), ult(y, x))), Vacuous)
    assert decide(question(true())) == Proved("normal form")


@pytest.mark.parametrize(("shared_ms", "last"), [(2, ("bitwuzla: ", "z3: ")), (1, ("z3: ",))])
def test_a_question_that_takes_too_long_is_unknown(
    shared_ms: int, last: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short limit is one solver's; of a longer one z3 is the last that is asked."""
    monkeypatch.setattr(solvers, "SHARED_MS", shared_ms)
    solvers.forget_answers()
    verdict = decide(factors(), timeout_ms=1)
    assert isinstance(verdict, Unknown)
    assert verdict.reason.startswith(last)


def test_assumptions_that_take_too_long_are_unknown_not_vacuous() -> None:
    """The goal follows from anything; whether anything satisfies the assumptions is the hard part."""
    hard = factors()
    query = replace(hard, assumptions=(*hard.assumptions, neg(hard.goal)), goal=true())
    assert isinstance(decide(query, timeout_ms=1), Unknown)


# ---------------------------------------------------------------- refuted


def test_a_wrong_variant_is_refuted_by_a_run_that_differs_from_its_claim() -> None:
    verdict = decide(value.loaded_dword_is_the_surfaces(variants.next_oword(OWORD[1]())))
    assert isinstance(verdict, Refuted)
    counterexample = verdict.execution
    assert counterexample.variant == "next-oword"
    assert counterexample.claimed != counterexample.runs[0].outcome
    assert counterexample.solver.startswith(SOLVERS)
    assert any("oword-unit" in reading for reading in counterexample.readings)
    assert violated(counterexample)


def test_an_order_that_matters_is_shown_in_both_orders() -> None:
    verdict = decide(atomics.final_value_is_order_independent(AtomicOp.XCHG))
    assert isinstance(verdict, Refuted)
    assert [run.steps for run in verdict.execution.runs] == [["0x1", "0x2"], ["0x2", "0x1"]]
    assert violated(verdict.execution)


def test_two_winners_are_shown() -> None:
    verdict = decide(atomics.at_most_one_cmpxchg_wins(new_differs=False))
    assert isinstance(verdict, Refuted)
    assert verdict.execution.violation == "two-winners"
    assert violated(verdict.execution)


def test_a_counterexample_is_small() -> None:
    """The block that is read one oword too far needs an offset and a size of a few bytes, and one loaded dword."""
    verdict = decide(value.loaded_dword_is_the_surfaces(variants.next_oword(OWORD[1]())))
    assert isinstance(verdict, Refuted)
    state = verdict.execution.state
    assert int.from_bytes(bytes.fromhex(state.registers["VG"]), "little") < 16
    assert (state.surfaces["T6"].size or 0) < 256
    assert set(state.registers["VD"]) == {"0"}
    assert len(state.surfaces["T6"].contents) <= 4


# ---------------------------------------------------------------- a bug of ours is not a counterexample


def with_wrong_own_accesses(subject: Subject) -> Subject:
    """A subject whose footprint is wrong although it is called the instruction's own."""
    wrong = variants.without_bounds(subject)
    return replace(subject, accesses=wrong.accesses, own_accesses=wrong.accesses, variant="")


def test_a_failure_that_execute_contradicts_is_unknown_and_called_a_bug() -> None:
    """The footprint forgets the bounds test, `execute` does not: their disagreement is a bug of the model."""
    query = bounds.out_of_bounds_read_gives_zero(with_wrong_own_accesses(OWORD[1]()))
    verdict = decide(query)
    assert isinstance(verdict, Unknown)
    assert query.id in verdict.reason
    assert "report this bug" in verdict.reason


def test_a_variant_that_is_right_where_the_property_fails_is_unknown() -> None:
    """A property that is false of the instruction itself blames no variant."""
    right = PLAIN_QW().with_variant("no-change", PLAIN_QW().accesses)
    query = replace(bounds.out_of_bounds_write_is_dropped(right), goal=false())
    assert isinstance(decide(query, timeout_ms=2_000), Unknown)


class WritesBeyondTheEnd(QwScatter, frozen=True):
    """Both writings are wrong in the same way."""

    def execute(self, state: ConcreteState) -> None:
        memory = state.buffer(self.surface)
        size, memory.size = memory.size, 2**40
        QwScatter.execute(self, state)
        memory.size = size

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        return (replace(store, inside=true()) for store in QwScatter.footprint(self, state))


def as_if_right(right: Subject, instruction: Instruction) -> Subject:
    """The subject of an instruction whose footprint passes for the instruction's own."""
    accesses = tuple(instruction.footprint(right.state))
    return replace(right, instruction=instruction, accesses=accesses, own_accesses=accesses)


def test_a_model_that_is_wrong_in_both_writings_is_shown_against_the_page() -> None:
    right = PLAIN_QW()
    assert isinstance(right.instruction, QwScatter)
    fields = {name: getattr(right.instruction, name) for name in right.instruction.__struct_fields__}
    verdict = decide(bounds.out_of_bounds_write_is_dropped(as_if_right(right, WritesBeyondTheEnd(**fields))))
    assert isinstance(verdict, Refuted), verdict
    assert verdict.execution.variant == ""
    assert verdict.execution.claimed == Outcome()
    assert verdict.execution.runs[0].outcome != Outcome()
    assert violated(verdict.execution)


def test_a_claim_that_is_false_of_the_instruction_is_refuted() -> None:
    """Both writings and the page agree in the state in which the claim fails: it is the claim that is wrong."""
    subject = PLAIN_QW()
    no_offset = eq(bit_and(field_term(MASK, 4), const(7, 4)), const(0, 4))
    silent = conj(*(implies(access.guard, subject.state.exec_mask[access.lane or 0]) for access in subject.accesses))
    verdict = decide(about(subject, "lanes-obey-the-mask", (no_offset,), silent))
    assert isinstance(verdict, Refuted), verdict
    found = verdict.execution
    assert found.violation == "claim-fails"
    assert found.shows.startswith("qw_scatter/lanes-obey-the-mask is false here, in ")
    assert "(M1_NM, 8)" in found.program[-2]  # NoMask: the lesson of the claim
    assert found.runs[0].outcome.changes
    assert not replay(found, "memory").differences


def test_a_claim_that_only_fails_where_the_instruction_is_undefined_is_shown_there() -> None:
    subject = PLAIN_QW()
    apart = implies(subject.accesses[0].guard, subject.accesses[0].defined)
    verdict = decide(about(subject, "lane-0-is-aligned", (), apart))
    assert isinstance(verdict, Refuted), verdict
    assert verdict.execution.runs[0].outcome.undefined is not None


def test_a_claim_that_no_values_break_is_not_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that returns values for which the goal holds: what it says is not believed."""
    query = bounds.out_of_bounds_write_is_dropped(PLAIN_QW())
    monkeypatch.setattr(decide_module, "decide_goal", lambda *_: Fails({}))
    assert isinstance(decide(query, timeout_ms=2_000), Unknown)


def test_a_wrong_footprint_that_execute_does_not_share_is_unknown() -> None:
    """Also where the smallest state hides the difference: nothing is added, and nothing subtracted."""
    right = EACH_ATOMIC[0]()
    wrong = tuple(replace(cast(Atomic, access), op=AtomicOp.SUB) for access in right.accesses)
    subject = replace(right, accesses=wrong, own_accesses=wrong)
    assert isinstance(decide(atomics.memory_holds_the_result(subject), timeout_ms=2_000), Unknown)
    hidden = replace(atomics.memory_holds_the_result(subject), goal=false())
    assert isinstance(decide(hidden, timeout_ms=2_000), Unknown)


def test_a_query_keeps_its_verdict_for_other_seeds() -> None:
    query = predication.nomask_ignores_the_execution_mask(variants.nomask_obeys_the_mask(ATOMIC[1]()))
    for seed in range(4):
        assert isinstance(decide(query, seed=seed), Refuted)


def test_the_search_for_small_numbers_does_not_use_up_the_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing replays, the search that is most likely in vain is short, and the last one has all the time."""
    limits: list[int] = []

    def noted(assumptions: tuple[Bool, ...], goal: Bool, timeout_ms: int, seed: int = 0) -> Answer:
        limits.append(timeout_ms)
        return decide_goal(assumptions, goal, timeout_ms, seed)

    monkeypatch.setattr(decide_module, "decide_goal", noted)
    monkeypatch.setattr(refutation_module, "decide_goal", noted)
    decide(bounds.out_of_bounds_read_gives_zero(with_wrong_own_accesses(OWORD[1]())), timeout_ms=10_000)
    assert limits[0] == 10_000
    assert limits[1] <= 1_000
    assert limits[-1] == 10_000


def test_a_query_in_parts_is_proved_by_all_of_them_or_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that fail say nothing of a goal that follows from them."""
    whole = question(conj(ult(x, const(9, 32)), ult(y, const(9, 32))), ult(x, const(3, 32)), ult(y, const(3, 32)))

    def gives_up(assumptions: tuple[Bool, ...], goal: Bool, timeout_ms: int, seed: int = 0) -> Answer:
        return GaveUp("too large")

    monkeypatch.setattr(decide_module, "decide_goal", gives_up)
    true_parts, false_part = whole.goal.args, ult(x, const(2, 32))
    assert decide(whole) == Unknown("too large")
    in_parts = decide(replace(whole, parts=cast(tuple[Bool, ...], true_parts)))
    assert isinstance(in_parts, Proved)
    assert in_parts.by.startswith(SOLVERS)
    assert decide(replace(whole, parts=(false_part,))) == Unknown("too large")


def test_a_query_in_parts_whose_assumptions_cannot_hold_is_vacuous() -> None:
    never = question(ult(x, const(9, 32)), ult(x, const(3, 32)), ult(const(3, 32), x))
    assert isinstance(decide(replace(never, parts=(ult(x, const(4, 32)),))), Vacuous)


def test_assumptions_are_conjoined_with_the_failure() -> None:
    """A counterexample satisfies every assumption: here that u stays below 5."""
    subject = atomic_variants.one_past_the_end(ATOMIC[1]())
    base = bounds.out_of_bounds_write_is_dropped(subject)
    u = subject.own_accesses[0].cell[0]
    verdict = decide(replace(base, assumptions=(*base.assumptions, ult(u, const(5, 32)), conj())))
    assert isinstance(verdict, Refuted)
    assert int.from_bytes(bytes.fromhex(verdict.execution.state.registers["VU"])[:4], "little") < 5
