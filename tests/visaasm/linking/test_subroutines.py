"""Subroutines: examples worked by hand, both machines on kernels with calls, and calls that cannot be followed."""

import pytest

from tests.support.crosscheck import disagreements
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.kernel_attr SimdSize=8
.function "k"
_main:
"""
TWICE = """twice:
    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> X(0,0)<1;1,0>
    ret (M1, 8)
"""
ABSOLUTE = """absolute:
    cmp.ge (M1, 8) P1 X(0,0)<1;1,0> 0x0:d
    (P1) goto (M1, 8) past
    mov (M1, 8) X(0,0)<1> (-)X(0,0)<1;1,0>
past:
    ret (M1, 8)
"""
EARLY = """early:
    cmp.ge (M1, 8) P1 X(0,0)<1;1,0> 0x0:d
    (P1) ret (M1, 8)
    call (M1, 8) twice
    ret (M1, 8)
"""
RETURN = "    ret (M1, 1)\n"
CALL = "    call (M1, 8) {}\n"


def program(*parts: str) -> Kernel:
    return linked(read_kernel(HEAD + "".join(parts), "k.visaasm"), {})


def ran(kernel: Kernel, *lanes: int) -> list[int]:
    """What X holds after a run with these numbers in X."""
    state = ConcreteState(Platform.TGLLP, exec_mask=(1 << len(lanes)) - 1)
    words = [lane.to_bytes(4, "little", signed=True) for lane in (*lanes, *([0] * (8 - len(lanes))))]
    state.registers = {"X": bytearray(b"".join(words)), "Y": bytearray(32)}
    assert run(kernel, state).undefined is None
    found = state.registers["X"]
    return [int.from_bytes(found[4 * k : 4 * k + 4], "little", signed=True) for k in range(len(lanes))]


def test_a_call_runs_the_subroutine_and_goes_on_behind_itself() -> None:
    kernel = program(CALL.format("twice"), CALL.format("twice"), RETURN, TWICE)
    assert ran(kernel, 1, -2, 3) == [4, -8, 12]


def test_a_lane_that_returns_early_waits_behind_the_call() -> None:
    kernel = program(CALL.format("early"), CALL.format("absolute"), RETURN, TWICE, ABSOLUTE, EARLY)
    assert ran(kernel, 5, -3, 0) == [5, 6, 0]


def test_a_call_under_a_condition_is_of_the_lanes_that_are_on() -> None:
    kernel = program(
        "    cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x2:d\n    (P1) goto (M1, 8) past\n",
        CALL.format("twice"), "past:\n", RETURN, TWICE,
    )  # fmt: skip
    assert ran(kernel, 1, 2, 3) == [2, 4, 3]


def test_both_machines_agree_on_calls() -> None:
    calls = (CALL.format(name) for name in ("early", "twice", "absolute", "early"))
    kernel = program(*calls, RETURN, ABSOLUTE, EARLY, TWICE)
    assert trace(kernel, Platform.TGLLP).stopped is None
    assert [disagreements(kernel, Platform.TGLLP, seed) for seed in range(6)] == [[]] * 6


OF_THREAD = "    call (M1_NM, 1) {}\n"
SCALAR = """scalar:
    cmp.ge (M1, 1) P1 X(0,0)<0;1,0> 0x0:d
    (P1) jmp (M1, 1) past
    mov (M1, 8) X(0,0)<1> (-)X(0,0)<1;1,0>
past:
    ret (M1, 1)
"""


def of_esimd(*parts: str) -> Kernel:
    text = HEAD.replace("SimdSize=8", 'Target="cm"') + "".join(parts)
    return linked(read_kernel(text, "k.visaasm"), {})


def test_an_esimd_kernel_calls_with_its_whole_thread() -> None:
    kernel = of_esimd(OF_THREAD.format("scalar"), OF_THREAD.format("twice"), RETURN, TWICE, SCALAR)
    assert ran(kernel, -1, 2, 3, 0, 0, 0, 0, 4) == [2, -4, -6, 0, 0, 0, 0, -8]
    assert trace(kernel, Platform.TGLLP).stopped is None


LEAVING = {
    "goto": (ABSOLUTE, "absolute"),
    "ret": ("some:\n    cmp.ge (M1, 8) P1 X(0,0)<1;1,0> 0x0:d\n    (P1) ret (M1, 8)\n    ret (M1, 8)\n", "some"),
}


@pytest.mark.parametrize("by", LEAVING)
def test_a_call_of_the_thread_is_not_followed_where_lanes_may_be_off(by: str) -> None:
    text, name = LEAVING[by]
    stopped = trace(of_esimd(OF_THREAD.format(name), RETURN, text), Platform.TGLLP).stopped
    assert stopped is not None
    assert f"a call of {name} for some of the lanes" in stopped.what


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ((CALL.format("me"), RETURN, "me:\n", CALL.format("me"), "    ret (M1, 8)\n"), "a call of me by itself"),
        (("    (P1) call (M1, 8) twice\n", RETURN, TWICE), "a call of twice for some of the lanes"),
        (("    call (M1_NM, 1) twice\n", RETURN, TWICE), "a call of twice for some of the lanes"),
        ((CALL.format("twice"), TWICE), "a call of what is no subroutine of its own"),
        ((CALL.format("_main"), RETURN), "a call of what is no subroutine of its own"),
        ((CALL.format("f"), "out:\n", RETURN, "f:\n    goto (M1, 8) out\n    ret (M1, 8)\n"), "no subroutine"),
        ((CALL.format("f0"), RETURN, *(
            f"f{k}:\n{CALL.format(f'f{k + 1}') * 2}    ret (M1, 8)\n" for k in range(9)
        ), TWICE.replace("twice", "f9")), "more than 256 calls"),
    ],
)  # fmt: skip
def test_a_call_that_cannot_be_followed_says_why(parts: tuple[str, ...], reason: str) -> None:
    kernel = program(*parts)
    stopped = trace(kernel, Platform.TGLLP).stopped
    assert stopped is not None
    assert reason in stopped.what
