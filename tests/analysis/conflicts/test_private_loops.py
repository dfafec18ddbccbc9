"""Private memory in loops: what no iteration writes there stays, and what a later iteration writes is arbitrary."""

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Free
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, LaunchValue
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.visaasm.reader import read_kernel

HEADER = """.version 4.1
.kernel "k"
.decl OWN v_type=G type=uq num_elts=1 align=qword
.decl W v_type=G type=uq num_elts=8 align=GRF
.decl PLACE v_type=G type=uq num_elts=8 align=GRF
.decl COUNTER v_type=G type=uq num_elts=8 align=GRF
.decl MOVING v_type=G type=uq num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl S v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input OWN offset=128 size=8
.kernel_attr SimdSize=8
.function "k"
    mov (M1_NM, 1) N(0,0)<1> 0x0:ud
    mul (M1_NM, 8) X(0,0)<1> 0x76543210:v 0x4:uw
    mov (M1_NM, 8) Y(0,0)<1> 0x0:ud
    mov (M1_NM, 8) W(0,0)<1> X(0,0)<1;1,0>
    add (M1_NM, 8) PLACE(0,0)<1> W(0,0)<1;1,0> OWN(0,0)<0;1,0>
    add (M1_NM, 8) COUNTER(0,0)<1> PLACE(0,0)<1;1,0> 0x20:ud
    add (M1_NM, 8) MOVING(0,0)<1> PLACE(0,0)<1;1,0> 0xE0:ud
    svm_scatter.4.1 (M1, 8) PLACE.0 X.0
again:
    add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:ud
    svm_scatter.4.1 (M1, 8) COUNTER.0 Y.0
"""
"""In private memory: at PLACE the address of each lane, 4 times its number, and behind it a counter."""

FOOTER = """    cmp.lt (M1, 8) P1 N(0,0)<0;1,0> S(0,0)<1;1,0>
    (P1) goto (M1, 8) again
    svm_gather.4.1 (M1, 8) PLACE.0 X.0
    scatter_scaled.4 (M1, 8) T6 0x0:ud X.0 Y.0
    ret (M1, 1)
"""
"""Lane i goes through S[i] rounds, or one, and then writes to the address from private memory."""

LATE = "    cmp.gt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n"

KEPT = {
    "nothing else": "",
    "a counter that is read again": "    svm_gather.4.1 (M1, 8) COUNTER.0 Y.0\n"
    "    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:ud\n    svm_scatter.4.1 (M1, 8) COUNTER.0 Y.0\n",
    "a loop in the loop": "inner:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:ud\n"
    "    svm_scatter.4.1 (M1, 8) COUNTER.0 Y.0\n    cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> S(0,0)<0;1,0>\n"
    "    (P2) goto (M1, 8) inner\n",
}  # fmt: skip

WRITTEN = {
    "in each iteration": "    svm_scatter.4.1 (M1, 8) PLACE.0 Y.0\n",
    "in late rounds": f"{LATE}    (P2) svm_scatter.4.1 (M1, 8) PLACE.0 Y.0\n",
    "by a loop in the loop": f"inner:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:ud\n{LATE}"
    "    (P2) svm_scatter.4.1 (M1, 8) PLACE.0 Y.0\n"
    "    cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> S(0,0)<0;1,0>\n    (P2) goto (M1, 8) inner\n",
    "at an address that comes near": "    add (M1_NM, 8) MOVING(0,0)<1> MOVING(0,0)<1;1,0> 0xffffffe0:d\n"
    "    svm_scatter.4.1 (M1, 8) MOVING.0 Y.0\n",
    "at an address that was loaded in the iteration": "    svm_gather.4.1 (M1, 8) COUNTER.0 X.0\n"
    "    mov (M1, 8) W(0,0)<1> X(0,0)<1;1,0>\n    add (M1, 8) W(0,0)<1> W(0,0)<1;1,0> PLACE(0,0)<1;1,0>\n"
    "    svm_scatter.4.1 (M1, 8) W.0 Y.0\n",
    "by an atomic": f"{LATE}    (P2) svm_atomic.and (M1, 8) PLACE.0 Y.0 Y.0 %null.0\n",
}  # fmt: skip

ROUNDS = ((9,) * 8, (1, 2, 3, 4, 5, 6, 7, 8))


def is_free(body: str, unroll: int) -> bool:
    """Whether the last write is shown to be free in all runs."""
    kernel = read_kernel(HEADER + body + FOOTER, "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [("OWN", LaunchValue.PRIVATE_BASE)])
    asked = ask_kernel(kernel, Platform.TGLLP, launch, Assume.NONE, 2000, unroll)
    assert asked.stopped is None
    answer = [finding.answer for finding in asked.answers()][-1]
    return isinstance(answer, Free) and answer.bounded == ()


def collides(body: str, rounds: tuple[int, ...]) -> bool:
    """Whether a run with so many iterations for each lane is undefined."""
    kernel = read_kernel(HEADER + body + FOOTER, "k.visaasm")
    state = ConcreteState(Platform.TGLLP, exec_mask=0xFF, surfaces={"T6": Buffer(2**32), FLAT: Buffer(2**64)})
    state.registers["S"] = bytearray(b"".join(count.to_bytes(4, "little") for count in rounds))
    return run(kernel, state).undefined is not None


@pytest.mark.parametrize("case", KEPT)
@pytest.mark.parametrize("unroll", [1, 2])
def test_what_no_round_writes_is_the_same_behind_the_loop(case: str, unroll: int) -> None:
    assert is_free(KEPT[case], unroll)
    assert not any(collides(KEPT[case], rounds) for rounds in ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("case", WRITTEN)
@pytest.mark.parametrize("unroll", [1, 2])
def test_what_a_later_round_writes_is_never_relied_on(case: str, unroll: int) -> None:
    assert not is_free(WRITTEN[case], unroll)
    assert any(collides(WRITTEN[case], rounds) for rounds in ROUNDS)
