"""Of writes that are reached under one condition after another, few are asked about."""

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.findings import unreachable
from visaproof.analysis.findings.unreachable import unreachable_writes
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.smt import Bool
from visaproof.smt.answers import Answer
from visaproof.visaasm.reader import read_kernel

HEADER = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
    mul (M1_NM, 8) A(0,0)<1> 0x76543210:v 0x4:uw
"""
MOST = 0x76543


def written_between(first: int, last: int) -> str:
    return f"""    cmp.gt (M1, 8) P1 X(0,0)<1;1,0> {first:#x}:ud
    cmp.lt (M1, 8) P2 X(0,0)<1;1,0> {last:#x}:ud
    and (M1, 8) P1 P1 P2
    (P1) scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 Y.0
"""


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[Bool]:
    found: list[Bool] = []
    solve = unreachable.solve

    def counted(formulas: list[Bool], timeout_ms: int) -> Answer:
        found.extend(formulas)
        return solve(formulas, timeout_ms)

    monkeypatch.setattr(unreachable, "solve", counted)
    return found


def lines(body: str) -> list[int]:
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    asked = ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 2000).asked
    return [one.position.line for one in unreachable_writes(asked)]


def test_values_that_reach_one_write_are_tried_for_the_next_ones(questions: list[Bool]) -> None:
    assert lines("".join(written_between(MOST - 9 - wider, MOST) for wider in range(6))) == []
    assert len(questions) == 1


def test_each_write_that_these_do_not_reach_is_asked_about(questions: list[Bool]) -> None:
    never = len(HEADER.splitlines()) + 8
    reached, other = written_between(MOST - 9, MOST), written_between(2 * MOST, 2 * MOST + 7)
    assert lines(reached + written_between(MOST, MOST) + other) == [never]
    assert len(questions) == 3
