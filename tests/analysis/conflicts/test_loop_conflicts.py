"""Loops of unknown length: free means free in every iteration, also in those that were not unrolled."""

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.visaasm.reader import read_kernel

HEADER = """.version 4.1
.kernel "k"
.decl L v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1
.decl S v_type=G type=ud num_elts=8 align=GRF
.decl ROWS v_type=G type=ud num_elts=96 align=GRF
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl P3 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
    mov (M1_NM, 1) N(0,0)<1> 0x0:ud
    mul (M1_NM, 8) L(0,0)<1> 0x76543210:v 0x100:uw
    mov (M1_NM, 8) X(0,0)<1> L(0,0)<1;1,0>
"""

COUNT = """again:
    add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
"""

BACK = """    cmp.lt (M1, 8) P1 N(0,0)<0;1,0> S(0,0)<1;1,0>
    (P1) goto (M1, 8) again
"""
"""Lane i goes through S[i] rounds, or one."""

SCATTER = "    scatter_scaled.4 (M1, 8) T6 0x0:ud X.0 Y.0\n"

ROWS = "".join(f"    mov (M1_NM, 8) ROWS({row},0)<1> {'L(0,0)<1;1,0>' if row < 6 else '0x0:ud'}\n" for row in range(12))
"""Addresses that are apart in the first six rows, and 0 in the others."""

OF_LANE_0 = """    mul (M1_NM, 8) Y(0,0)<1> 0x76543210:v 0x4:uw
    add (M1_NM, 8) Y(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
    add (M1_NM, 1) Y(0,2)<1> X(0,0)<0;1,0> 0x304:ud
"""
"""Addresses in which lane 2 takes the element of lane 0: lane 1 meets it two additions later."""

FREE = {
    "addresses that the loop leaves alone": f"{COUNT}    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n{BACK}{SCATTER}",
    "a uniform step inside the loop": f"{COUNT}    mad (M1, 8) X(0,0)<1> N(0,0)<0;1,0> 0x8:uw L(0,0)<1;1,0>\n"
    f"{SCATTER}{BACK}",
    "a loop in a loop": f"{COUNT}inner:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n"
    f"    cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> S(0,0)<0;1,0>\n    (P2) goto (M1, 8) inner\n{SCATTER}{BACK}{SCATTER}",
    "a loop in a loop in a loop": f"{COUNT}middle:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x2:d\n"
    "inner:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n    cmp.lt (M1, 8) P3 Y(0,0)<1;1,0> S(0,0)<0;1,0>\n"
    f"{SCATTER}    (P3) goto (M1, 8) inner\n    cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> S(0,0)<0;1,0>\n"
    f"    (P2) goto (M1, 8) middle\n{BACK}{SCATTER}",
    "a counter of each lane": f"{COUNT}{SCATTER}    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> S(0,0)<0;1,0>\n"
    "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x1000:ud\n    (P1) goto (M1, 8) again\n",
}

CONFLICT = {
    "an address that shrinks in each one": f"{COUNT}    shr (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n{BACK}{SCATTER}",
    "a step that is not every lane's": f"{COUNT}{SCATTER}    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n"
    f"    (P2) add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> (-)L(0,0)<1;1,0>\n{BACK}",
    "inside the loop": f"{COUNT}{SCATTER}    shr (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n{BACK}",
    "lanes that leave in different rounds": f"{COUNT}    mad (M1, 8) X(0,0)<1> N(0,0)<0;1,0> 0x100:uw L(0,0)<1;1,0>\n"
    f"{BACK}{SCATTER}",
    "a predicate of an earlier iteration": "    cmp.ne (M1_NM, 8) P2 N(0,0)<0;1,0> 0x0:ud\n"
    f"{COUNT}    (P2) mov (M1, 8) X(0,0)<1> 0x0:ud\n    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n{BACK}{SCATTER}",
    "a way out in the middle": f"{COUNT}    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n    (P2) goto (M1, 8) out\n{BACK}"
    f"    goto (M1, 8) end\nout:\n    mov (M1, 8) X(0,0)<1> 0x0:ud\nend:\n{SCATTER}",
    "an inner loop that later iterations enter in the middle": f"{COUNT}    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n"
    "    (P2) mov (M1, 8) X(0,0)<1> 0x0:ud\n    (P2) goto (M1, 8) middle\ninner:\n"
    "    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\nmiddle:\n    cmp.lt (M1, 8) P3 Y(0,0)<1;1,0> S(0,0)<1;1,0>\n"
    f"    (P3) goto (M1, 8) inner\n{SCATTER}{BACK}",
    "an inner loop that shrinks in later iterations": f"{COUNT}inner:\n    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n"
    "    (P2) shr (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x8:ud\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n"
    "    cmp.lt (M1, 8) P3 Y(0,0)<1;1,0> S(0,0)<1;1,0>\n"
    f"    (P3) goto (M1, 8) inner\n{SCATTER}{BACK}",
    "a row that moves in each iteration": f"{ROWS}    addr_add (M1_NM, 1) A0(0)<1> &ROWS 0x0:uw\n"
    f"{COUNT}    mov (M1, 8) X(0,0)<1> r[A0(0),0]<8;8,1>:ud\n"
    f"    addr_add (M1_NM, 1) A0(0)<1> A0(0)<0;1,0> 0x20:uw\n{SCATTER}{BACK}",
    "an element of a lane that has left": f"{COUNT}    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n{OF_LANE_0}"
    "    (P2) scatter_scaled.4 (M1, 8) T6 0x0:ud Y.0 L.0\n    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x100:ud\n"
    f"{BACK}",
}  # fmt: skip

ROUNDS = ((9,) * 8, (1, 2, 3, 4, 5, 6, 7, 8), (8, 7, 6, 5, 4, 3, 2, 1), (7, 6, 1, 1, 1, 1, 1, 1), (3, *(8,) * 7))


def answers(body: str, unroll: int) -> list[object]:
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    asked = ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 2000, unroll)
    assert asked.stopped is None
    return [finding.answer for finding in asked.answers()]


def collides(body: str, rounds: tuple[int, ...]) -> bool:
    """Whether a run with so many iterations for each lane is undefined."""
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    state = ConcreteState(Platform.TGLLP, exec_mask=0xFF, surfaces={"T6": Buffer(2**32)})
    state.registers["S"] = bytearray(b"".join(count.to_bytes(4, "little") for count in rounds))
    return run(kernel, state).undefined is not None


@pytest.mark.slow
@pytest.mark.parametrize("case", FREE)
@pytest.mark.parametrize("unroll", [1, 2])
def test_what_no_round_can_break_is_free_without_a_bound(case: str, unroll: int) -> None:
    found = answers(FREE[case], unroll)
    assert found
    assert all(isinstance(answer, Free) and answer.bounded == () for answer in found)
    assert not any(collides(FREE[case], rounds) for rounds in ROUNDS)


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("case", CONFLICT)
@pytest.mark.parametrize("unroll", [1, 2])
def test_what_a_later_round_breaks_is_never_free(case: str, unroll: int) -> None:
    (found,) = answers(CONFLICT[case], unroll)
    assert not isinstance(found, Free) or found.bounded
    assert any(collides(CONFLICT[case], rounds) for rounds in ROUNDS)


def test_a_conflict_within_the_rounds_that_were_unrolled_is_shown() -> None:
    (found,) = answers(CONFLICT["lanes that leave in different rounds"], 4)
    assert isinstance(found, Conflict)


def moved(index: int) -> str:
    return f"    movs (M1_NM, 1) T6(0) {index:#x}:ud\n"


def test_a_surface_variable_may_stand_for_another_surface_on_some_way_through_an_iteration() -> None:
    some = f"    cmp.gt (M1, 8) P2 S(0,0)<1;1,0> 0x5:ud\n    (!P2) goto (M1, 8) over\n{moved(1)}{SCATTER}over:\n"
    found = answers(f"{moved(0)}{COUNT}{some}{moved(0)}{SCATTER}{BACK}{moved(0)}{SCATTER}", 2)
    assert len(found) == 3
    assert all(isinstance(one, Free) and one.bounded == () for one in found)


def test_an_inner_loop_leaves_what_a_surface_variable_stands_for_as_its_iterations_do() -> None:
    """Also where a run comes to it again, with another surface than the first time."""
    inner = "inner:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n" + SCATTER + moved(1)
    back = "    cmp.lt (M1, 8) P3 Y(0,0)<1;1,0> S(0,0)<1;1,0>\n    (P3) goto (M1, 8) inner\n"
    body = f"{COUNT}{moved(0)}{inner}{back}{SCATTER}{BACK}"
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    ran = trace(kernel, Platform.TGLLP)
    first, last = (one.position for one in kernel.instructions() if "scatter" in one.opcode)
    surfaces = {at: {one.surface for one in ran.performed if one.instruction.position == at} for at in (first, last)}
    assert len(surfaces[first]) == 2
    assert len(surfaces[last]) == 1
