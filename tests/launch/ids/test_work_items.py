"""What a launch hands to a thread belongs together: ids lie in their group, and a value that is passed twice is one."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assume import SETS
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.ids.work_items import BELOW_THE_SIZE
from visaproof.launch.input_meaning import LaunchValue, LocalId, Piece
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import evaluate, symbol
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl ID v_type=G type=uw num_elts=16 align=GRF
.decl SIZE v_type=G type=ud num_elts=3 align=dword
.decl AGAIN v_type=G type=ud num_elts=3 align=dword
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input ID offset=32 size=32
.input SIZE offset=64 size=12
.input AGAIN offset=76 size=12
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x1:ud
mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>
shl (M1, 8) AT(0,0)<1> X(0,0)<1;1,0> 0x2:ud
"""
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n"
MEANINGS = {
    "ID": (Piece(0, 16, LocalId(0)),),
    "SIZE": (Piece(0, 12, LaunchValue.LOCAL_SIZE),),
    "AGAIN": (Piece(0, 12, LaunchValue.LOCAL_SIZE),),
}


def program(body: str) -> Program:
    text = f"{HEAD}{body}ret (M1, 1)\n"
    return Program(read_kernel(text, "k.visaasm"), Launch(8, MEANINGS, {1: 1}), Platform.DG2)


def guarded(size: str, more: str = "") -> Program:
    compare = f"cmp.lt (M1, 8) P1 X(0,0)<1;1,0> {size}(0,0)<0;1,0>\n"
    return program(more + compare + "(P1) " + STORE)


def verdict(source: Program, target: Program, assume: Assume = Assume.IDS) -> Verdict:
    return decide(compare(source, target, Scope(assume)), 10_000)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("size", ["SIZE", "AGAIN"])
def test_a_local_id_lies_below_the_local_size(size: str) -> None:
    assert isinstance(verdict(guarded(size), program(STORE)), Refines)
    assert isinstance(verdict(guarded(size), program(STORE), Assume.BOUNDED), Refines)
    assert isinstance(verdict(guarded(size), program(STORE), Assume.NONE), Difference)
    assert BELOW_THE_SIZE in compare(guarded(size), program(STORE), Scope(Assume.IDS)).assumed
    assert BELOW_THE_SIZE not in compare(guarded(size), program(STORE), Scope(Assume.NONE)).assumed


def test_one_less_than_the_local_size_is_an_id() -> None:
    larger = guarded("SIZE", "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n")
    unguarded = program("add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud\n" + STORE)
    found = verdict(larger, unguarded)
    assert isinstance(found, Difference)
    size = found.values[symbol("SIZE.0", 32)]
    assert 0 < size <= 1 << 16
    assert evaluate(symbol("thread_in_row", 13), found.values) * 8 < size


def test_the_local_size_that_is_passed_twice_is_one() -> None:
    for assume in map(Assume.of, SETS):
        assert isinstance(verdict(guarded("SIZE"), guarded("AGAIN"), assume), Refines)


def test_a_launch_that_is_guessed_has_room_for_its_lanes() -> None:
    start = start_of(program(STORE).kernel, Launch(8, MEANINGS), Assume.IDS)
    lanes = [lane_on(lane) for lane in range(8)]
    guess = {lanes[2]: 1, symbol("thread_in_row", 13): 3, symbol("SIZE.0", 32): 5}
    roomy = start.group.with_room(lanes, guess)
    assert roomy[symbol("SIZE.0", 32)] == 3 * 8 + 2 + 1
    assert all(evaluate(one, roomy) for one in start.group.possible(lanes))
    assert not all(evaluate(one, guess) for one in start.group.possible(lanes))
    wide = start.group.with_room(lanes, {**guess, symbol("SIZE.0", 32): 0xFFFF_FFFF})
    assert all(evaluate(one, wide) for one in start.group.possible(lanes))
