"""How conflicts are looked for: what is excluded, which values are tried, and what atomics and loads may bring."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.lane_conditions import Excluded, ExcludedBefore, OfLanes
from visaproof.analysis.conflicts.launches.simple_values import classes_of_values
from visaproof.analysis.conflicts.search import UNDEFINED_BEFORE
from visaproof.analysis.conflicts.thread_states import loads_agree
from visaproof.analysis.conflicts.verdicts import Conflict, Finding, Free
from visaproof.checking.stages import NORMAL_FORM
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.queries.kernels.tickets import COUNTED
from visaproof.semantics.symbolic.names import lane_on, surface_size
from visaproof.smt import Bool, Term, bool_symbol, conj, disj, evaluate, neg, symbol
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl S v_type=G type=ud num_elts=8 align=GRF
.decl SHORT v_type=G type=ud num_elts=1 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x1:ud
    movs (M1_NM, 1) T7(0) 0x2:ud
"""

COUNT = """    mov (M1_NM, 8) A(0,0)<1> 0x1000:uq
    svm_atomic.inc (M1, 8) A.0 V.0 %null.0 %null.0
"""

RANKS = """    mov (M1_NM, 8) V(0,0)<1> 0x0:ud
    mov (M1, 8) V(0,0)<1> 0x1:ud
    add (M1_NM, 4) V(0,1)<2> V(0,0)<2;1,0> V(0,1)<2;1,0>
    add (M1_NM, 2) V(0,2)<4> V(0,2)<4;1,0> V(0,1)<4;1,0>
    add (M1_NM, 2) V(0,3)<4> V(0,3)<4;1,0> V(0,1)<4;1,0>
    add (M1_NM, 4) V(0,4)<1> V(0,3)<0;1,0> V(0,4)<4;4,1>
"""
"""How many lanes run up to each lane."""

DWORDS = "    shl (M1_NM, 8) V(0,0)<1> V(0,0)<1;1,0> 0x2:ud\n"
SCATTER = "    scatter_scaled.4 (M1, 8) T6 0x0:ud V.0 S.0\n"
APART = "    mul (M1_NM, 8) W(0,0)<1> 0x76543210:v 0x4:uw\n"


def asked(body: str) -> KernelAnswers:
    kernel = read_kernel(f"{HEAD}{body}    ret (M1, 1)\n", "k.visaasm")
    return ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 10_000)


def last(body: str) -> Finding:
    *_, finding = asked(body).answers()
    return finding


def test_lanes_that_count_on_one_cell_write_apart_and_the_assumption_is_named() -> None:
    answers = asked(COUNT + DWORDS + SCATTER)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Free)
    assert COUNTED in answers.start.assumed


def test_two_numbers_of_a_counter_in_one_dword_conflict() -> None:
    """Mutant: the number is halved, so that 0 and 1 meet; a run of the kernel confirms it."""
    finding = last(f"{COUNT}    shr (M1_NM, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:ud\n{DWORDS}{SCATTER}")
    assert isinstance(finding.answer, Conflict)


def test_an_atomic_that_does_not_count_keeps_nobody_apart() -> None:
    """Mutant: all lanes can get back what `or` finds, and nothing is assumed of it."""
    count = COUNT.replace("inc (M1, 8) A.0 V.0 %null.0", "or (M1, 8) A.0 V.0 S.0")
    answers = asked(count + DWORDS + SCATTER)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Conflict)
    assert COUNTED not in answers.start.assumed


def test_the_ranks_of_the_lanes_that_run_differ_by_normal_form() -> None:
    finding = last(RANKS + DWORDS + SCATTER)
    assert finding.answer == Free(NORMAL_FORM)


def test_lanes_that_do_not_run_have_the_rank_of_another() -> None:
    """Mutant: all lanes write."""
    finding = last(RANKS + DWORDS + SCATTER.replace("M1", "M1_NM"))
    assert isinstance(finding.answer, Conflict)


def test_what_an_earlier_message_excludes_needs_no_solver() -> None:
    """Lanes that met in the first message came to no second."""
    first, second = asked(SCATTER + SCATTER).answers()
    assert isinstance(first.answer, Conflict)
    assert second.answer == Free(NORMAL_FORM)


def test_a_conflict_behind_another_is_shown_where_the_first_is_dropped() -> None:
    """The second address forgets what kept the lanes of the first apart."""
    body = f"{SCATTER.replace('T6', 'T7')}    and (M1_NM, 8) V(0,0)<1> V(0,0)<1;1,0> 0xf:ud\n{SCATTER}"
    first, second = asked(body).answers()
    assert isinstance(first.answer, Conflict)
    assert isinstance(second.answer, Conflict)


def test_behind_a_message_without_a_meaning_the_verdict_says_so() -> None:
    """An address that is never aligned is undefined in every run."""
    finding = last("    mov (M1_NM, 8) W(0,0)<1> 0x1:ud\n    gather4_scaled.R (M1_NM, 1) T7 0x0:ud W.0 X.0\n" + SCATTER)
    assert finding.answer == Free(UNDEFINED_BEFORE)


def test_only_what_stays_open_is_asked_of_the_whole_run() -> None:
    """A load that is never aligned: whether the lanes store apart is proved without it."""
    load = "    mov (M1_NM, 8) W(0,0)<1> 0x1:ud\n    gather4_scaled.R (M1_NM, 1) T7 0x0:ud W.0 X.0\n"
    apart = f"{load}    mul (M1_NM, 8) V(0,0)<1> 0x76543210:v 0x4:uw\n{SCATTER}"
    answers = asked(apart)
    assert [finding.answer for finding in answers.answers()] == [Free(NORMAL_FORM)]
    assert not answers.again
    open_without = asked(load + SCATTER)
    assert [finding.answer for finding in open_without.answers()] == [Free(UNDEFINED_BEFORE)]
    assert open_without.again


def test_registers_beyond_a_variable_are_no_end_of_the_answer() -> None:
    finding = last("    oword_st (2) T7 0x0:ud SHORT.0\n" + SCATTER)
    assert isinstance(finding.answer, Conflict)


@pytest.mark.parametrize(("between", "certain"), [("", True), ("scatter_scaled.4 (M1, 8) T6 0x0:ud W.0 S.0", False)])
def test_two_loads_agree_for_certain_unless_something_was_written_between(between: str, certain: bool) -> None:
    gather = "    gather_scaled.4 (M1, 8) T6 0x0:ud W.0 {}.0\n"
    answers = asked(f"{APART}{gather.format('V')}    {between}\n{gather.format('X')}{SCATTER}")
    trace = answers.with_data().trace
    lanes = {lane_on(lane): 1 for lane in range(8)}
    (_, mine), (_, theirs) = trace.performed[0].loaded[0], trace.performed[-2].loaded[0]
    values: dict[Term, int] = {**lanes, surface_size("bti 1"): 64, mine: 1, theirs: 2}
    assert [repair.certain for repair in loads_agree(trace, trace.performed[-1], values)] == [certain]


NAMES = "pqrs"


def literals() -> st.SearchStrategy[Bool]:
    truths = st.sampled_from(NAMES).map(bool_symbol)
    return st.one_of(truths, truths.map(neg))


def clauses() -> st.SearchStrategy[Bool]:
    conjunctions = st.lists(literals(), min_size=1, max_size=3).map(lambda parts: conj(*parts))
    return st.lists(conjunctions, min_size=1, max_size=3).map(lambda parts: disj(*parts))


@given(clauses(), st.lists(clauses().map(neg), max_size=4))
def test_what_is_excluded_holds_nowhere(condition: Bool, earlier: list[Bool]) -> None:
    """Tried for all truth values."""
    symbols: list[Term] = [bool_symbol(name) for name in NAMES]
    values = [dict(zip(symbols, bits, strict=True)) for bits in product((0, 1), repeat=len(NAMES))]
    if ExcludedBefore().by(tuple(earlier))(condition):
        assert not any(evaluate(conj(condition, *earlier), one) for one in values)


@given(clauses(), st.lists(clauses().map(neg), max_size=6), st.lists(st.integers(0, 6), max_size=6), st.booleans())
def test_what_the_first_conditions_exclude_is_known_beside_what_more_do(
    condition: Bool, earlier: list[Bool], counts: list[int], other: bool
) -> None:
    known = ExcludedBefore()
    if other:  # of another run
        known.by((neg(bool_symbol("p")), *earlier))
    for count in counts:
        first = tuple(earlier[:count])
        assert known.by(first)(condition) == ExcludedBefore().by(first)(condition)


def test_each_earlier_condition_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    added, add = list[Bool](), Excluded.add
    monkeypatch.setattr(Excluded, "add", lambda self, denied: (added.append(denied), add(self, denied)))
    conditions = [neg(bool_symbol(f"c{number}")) for number in range(30)]
    known = ExcludedBefore()
    excluded = [known.by(tuple(conditions[:count])) for count in range(31)]
    assert len(added) == 30
    for number, condition in enumerate(conditions):
        assert [by(neg(condition)) for by in excluded] == [number < count for count in range(31)]


def test_conditions_on_other_lanes_are_left_out() -> None:
    first, second, third = (lane_on(lane) for lane in range(3))
    other = bool_symbol("p")
    earlier = OfLanes.of([neg(disj(conj(first, other), conj(third, other))), neg(conj(first, second)), other])
    assert earlier.within(frozenset((first, second))) == (neg(conj(first, other)), neg(conj(first, second)))


def test_surfaces_but_the_one_in_question_are_guessed_empty_too() -> None:
    symbols = [surface_size("bti 1"), surface_size("bti 2"), symbol("V.0", 32), lane_on(0)]
    equal, others_empty, random = (list(kind) for kind in classes_of_values(symbols, 1 << 32, "bti 1"))
    assert [1 << 32, 1 << 32, 0, 1] in equal
    assert all(guess[:2] == [1 << 32, 0] for guess in others_empty)
    assert all(guess[:2] == [1 << 32, 1 << 32] for guess in random)
