"""What a model gets wrong, and is asked for again: comparisons of floats."""

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.repairs import FLOATS_DISAGREE, comparisons_agree
from visaproof.analysis.conflicts.verdicts import Answer, Conflict, Undecided
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.smt import conj
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "chosen"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl I v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=f num_elts=8 align=GRF
.decl Y v_type=G type=f num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl T8 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "chosen"
    movs (M1_NM, 1) T6(0) 0x0:ud
    movs (M1_NM, 1) T7(0) 0x1:ud
    movs (M1_NM, 1) T8(0) 0x2:ud
    mul (M1_NM, 8) A(0,0)<1> 0x76543210:v 0x4:uw
    gather4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0
    gather4_scaled.R (M1, 8) T7 0x0:ud A.0 Y.0
"""
COMPARE = "    cmp.{} (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
AND_GREATER = "    cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> X(0,0)<1;1,0>\n    and (M1, 8) P1 P1 P2\n"
INDEX_AND_STORE = """    gather4_scaled.R (M1, 8) T6 0x40:ud A.0 I.0
    shl (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x2:ud
    (P1) scatter4_scaled.R (M1, 8) T8 0x0:ud I.0 A.0
    ret (M1, 1)
"""


def asked(body: str) -> KernelAnswers:
    code = read_kernel(HEAD + body + INDEX_AND_STORE, "chosen.visaasm")
    return ask_kernel(code, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 10_000)


def answer_of(body: str) -> Answer:
    (finding,) = asked(body).answers()
    return finding.answer


@pytest.mark.parametrize("relation", ["lt", "ge", "eq", "ne"])
def test_lanes_collide_where_their_floats_compare_so(relation: str) -> None:
    """`out[index[i]] = i` where x[i] < y[i]: numbers are found with which the run of the kernel goes there."""
    assert isinstance(answer_of(COMPARE.format(relation)), Conflict)


def test_floats_that_are_less_and_greater_are_not_found_and_nothing_is_proved() -> None:
    answer = answer_of(COMPARE.format("lt") + AND_GREATER)
    assert isinstance(answer, Undecided)
    assert FLOATS_DISAGREE in answer.reason


def test_a_model_that_compares_floats_as_a_run_does_is_left_alone() -> None:
    question = (answers := asked(COMPARE.format("lt"))).questions[0]
    trace = answers.asked.trace
    formula = conj(*(pair.meet for pair in question.pairs))
    lane = next(one for one in trace.arbitrary if one.operands is not None)
    assert lane.operands is not None
    zero, one = 0, 0x3F80_0000
    less = {source.bits: bits for source, bits in zip(lane.operands, (zero, one), strict=True)}
    (wrong,) = list(comparisons_agree([lane], formula, {**less, lane.symbol: 0}))
    assert not wrong.certain
    assert not list(comparisons_agree([lane], formula, {**less, lane.symbol: 1}))
