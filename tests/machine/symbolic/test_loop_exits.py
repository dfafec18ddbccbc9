"""What counters hold behind a loop that ends where one of them is equal to something: as the concrete machine says."""

import pytest

from tests.analysis.conflicts.test_loop_conflicts import SCATTER
from tests.machine.symbolic.test_came_back import kernel_of, possible
from tests.support.crosscheck import inputs_of
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, LaneWrite
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import symbols_of

BEHIND = f"    add (M1, 8) X(0,0)<1> L(0,0)<1;1,0> N(0,0)<0;1,0>\n{SCATTER}"
STEPS = "again:\n    add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0x4:ud\n"
ENDS = "    cmp.ne (M1_NM, 8) P1 N(0,0)<0;1,0> S(0,0)<0;1,0>\n    (P1) goto (M1, 8) again\n"
OF_LANES = "    cmp.ne (M1, 8) P1 Y(0,0)<1;1,0> S(0,0)<1;1,0>\n    (P1) goto (M1, 8) again\n"
BEFORE = (
    "    mov (M1_NM, 1) N(0,0)<1> 0x14:ud\n    cmp.lt (M1, 8) P2 S(0,0)<1;1,0> 0x11:ud\n    (P2) goto (M1, 8) out\n"
)
FURTHER = "    add (M1_NM, 1) ROWS(0,0)<1> ROWS(0,0)<0;1,0> 0x8:ud\n" + BEHIND.replace("N(", "ROWS(")
KNOWN = {
    "of all lanes": f"{STEPS}{ENDS}{BEHIND}",
    "entered by some": f"{BEFORE}    mov (M1_NM, 1) N(0,0)<1> 0x0:ud\n{STEPS}{ENDS}out:\n{BEHIND}",
    "of each lane": "    mov (M1_NM, 8) Y(0,0)<1> 0x0:ud\nagain:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x4:ud\n"
    f"{OF_LANES}    add (M1, 8) X(0,0)<1> L(0,0)<1;1,0> Y(0,0)<1;1,0>\n{SCATTER}",
    "further in each iteration": f"    mov (M1_NM, 1) ROWS(0,0)<1> 0x3:ud\n{STEPS}{FURTHER}{ENDS}{FURTHER}",
}
"""What is written behind the loop is known."""
OPEN = {
    "a way out in the middle": f"{STEPS}    cmp.gt (M1_NM, 8) P2 N(0,0)<0;1,0> S(0,2)<0;1,0>\n"
    f"    (P2) goto (M1, 8) out\n{ENDS}out:\n{BEHIND}",
    "an end that each lane has for itself": f"{STEPS}    cmp.ne (M1, 8) P1 N(0,0)<0;1,0> S(0,0)<1;1,0>\n"
    f"    (P1) goto (M1, 8) again\n{BEHIND}",
}
"""Some other value of the counter may be left."""
NUMBERS = ((0x20,) * 8, (0x10,) * 8, (0x24, 0x24, 0x14, 0x24, 0x10, 0x24, 0x24, 0x24), (4, 8, 12, 16, 20, 24, 28, 32))


def traced(body: str) -> Trace:
    return trace(kernel_of(body), Platform.TGLLP, unroll=1)


def is_known(body: str) -> bool:
    """Whether addresses outside of the loop say nothing of what its iterations left."""
    accesses = [access for one in traced(body).performed if not one.any_round for access in one.accesses]
    assert accesses
    return not any(isinstance(one.payload, OfLoop) for access in accesses for one in symbols_of(access.cell[0]))


def agrees(body: str) -> bool:
    """Whether each write of a concrete run behind the loop is one that may be made there."""
    kernel, found = kernel_of(body), traced(body)
    stand = [access for one in found.performed for access in one.accesses]
    ran = 0
    for numbers in NUMBERS:
        state = ConcreteState(Platform.TGLLP, exec_mask=0xFF, surfaces={"T6": Buffer(2**32)})
        state.registers["S"] = bytearray(b"".join(number.to_bytes(4, "little") for number in numbers))
        values = inputs_of(kernel, state, found).values
        for message in run(kernel, state, enough=lambda _: True, most=2000).performed:
            for write in message.writes:
                assert isinstance(write, LaneWrite)
                own = [each for each in stand if each.lane == write.lane]
                ran += 1
                if not any(possible(each.guard, each.cell[0], write.address, values) for each in own):
                    return False
    assert ran
    return True


@pytest.mark.parametrize("case", KNOWN)
def test_what_is_left_is_what_the_end_says(case: str) -> None:
    assert is_known(KNOWN[case])
    assert agrees(KNOWN[case])


@pytest.mark.parametrize("case", OPEN)
def test_what_the_end_does_not_say_is_open(case: str) -> None:
    assert not is_known(OPEN[case])
    assert agrees(OPEN[case])
