"""Programs without what decides no place: a concrete run comes to the same stores in fewer statements."""

import pytest

from visaproof.isa.platform import Platform, platform_named
from visaproof.machine.concrete.run import Code, Outcome, PerformedMessage, Thread
from visaproof.program.lower import lowered
from visaproof.program.places_alone import places_alone
from visaproof.program.program import Program
from visaproof.semantics.concrete.choices import Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Place
from visaproof.visaasm.reader import read_kernel

LOOP = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl I v_type=G type=d num_elts=1 align=dword
.decl P1 v_type=P num_elts=1
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input A offset=32 size=32
.input D offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 1) I(0,0)<1> 0x0:d
again:
    gather_scaled.4 (M1, 8) T6 0x0:ud A.0 D.0
    mul (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>
    cmp.lt (M1, 8) P2 A(0,0)<1;1,0> 0x20:ud
    (!P2) goto (M1, 8) over
    add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>
    scatter_scaled.4 (M1, 8) T6 0x0:ud A.0 F.0
over:
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x8:ud
    add (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x1:d
    cmp.lt (M1_NM, 1) P1 I(0,0)<0;1,0> 0x5:d
    (P1) goto (M1, 1) again
    ret (M1, 1)
"""


def ended(program: Program, platform: Platform, first: int) -> tuple[list[PerformedMessage], int]:
    places = b"".join((4 * (first + 3 * lane)).to_bytes(4, "little") for lane in range(8))
    state = ConcreteState(platform, exec_mask=0xFF, registers={"A": bytearray(places)}, choices=Choices(0))
    state.surfaces["bti 0"] = Buffer(1 << 16)
    thread = Thread(Code(program, platform), state)
    while not isinstance(stop := thread.resume(), Outcome):
        pass
    assert stop.undefined is None
    return [one for one in stop.performed if one.writes], thread.steps


def places(stores: list[PerformedMessage]) -> list[tuple[int, list[tuple[int | None, tuple[Place, ...]]]]]:
    return [(one.instruction.position.line, [(w.lane, w.places) for w in one.writes]) for one in stores]


@pytest.mark.parametrize("first", [0, 1, 5])
def test_a_short_run_comes_to_the_same_stores(first: int) -> None:
    platform = platform_named("TGLLP")
    program = lowered(read_kernel(LOOP, "k.visaasm"), platform)
    whole, steps = ended(program, platform, first)
    short, fewer = ended(places_alone(program, None).short, platform, first)
    assert whole
    assert places(short) == places(whole)
    assert fewer < steps


def test_nothing_is_left_of_loads_and_labels() -> None:
    program = lowered(read_kernel(LOOP, "k.visaasm"), platform_named("TGLLP"))
    alone = places_alone(program, None)
    left = [one.origin.opcode for one in alone.short.run_statements()]
    assert "gather_scaled" not in left
    assert "mul" not in left
    assert len(left) == len(alone.short.statements)
