"""A statement leaves a surface only where an earlier one does: named where it is so, and only there."""

import random

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option
from visaproof.smt import evaluate, symbols_of
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl OTHER v_type=G type=uq num_elts=1 align=qword
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input IDX offset=32 size=32
.input PTR offset=128 size=8
.input OTHER offset=136 size=8
.kernel_attr SimdSize=8
.function "k"
k:
    cmp.gt (M1, 8) P1 IDX(0,0)<1;1,0> 0x4:uw
    shl (M1, 8) A(0,0)<1> IDX(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
    svm_gather.4.1 (M1, 8) A.0 D.0
    xor (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x55:ud
    shl (M1, 8) A(0,0)<1> D(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> OTHER(0,0)<0;1,0>
"""
LOAD, STORE = "    svm_gather.4.1 (M1, 8) A.0 E.0\n", "    svm_scatter.4.1 (M1, 8) A.0 D.0\n"
NEXT = "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x4:uq\n"
OF_THE_FIRST = "    mov (M1, 8) A(0,0)<1> A(0,0)<0;1,0>\n"
LOAD_LINE = HEAD.count("\n") + 1


def guarded(statement: str) -> str:
    return statement.replace("    svm", "    (P1) svm")


def asked(body: str) -> BoundsAnswers:
    kernel = read_kernel(HEAD + body + "    ret (M1, 1)\n", "k.visaasm")
    options = ("PTR=buffer_address:arg0", "OTHER=buffer_address:arg1", "IDX=local_id_x")
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, [parse_input_option(one) for one in options]), simd=8)
    return ask_bounds(kernel, Platform.TGLLP, launch, Assume.LAUNCH, StatedLaunch(align=4), 20_000)


def last(body: str) -> BoundsFinding:
    return list(asked(body).answers())[-1]


@pytest.mark.parametrize("body", [LOAD + STORE, LOAD + guarded(STORE), guarded(LOAD) + guarded(STORE)])
def test_a_store_behind_a_load_of_its_place(body: str) -> None:
    found = last(body).only_after
    assert found is not None
    assert found.position.line == LOAD_LINE


@pytest.mark.parametrize(
    "body",
    [
        LOAD + NEXT + STORE,
        guarded(LOAD) + STORE,  # a lane that did not load
        guarded(LOAD) + OF_THE_FIRST + STORE,  # lane 0 need not have loaded
        STORE,
        STORE + NEXT + LOAD,
    ],
)
def test_where_another_place_or_lane_leaves_nothing_is_named(body: str) -> None:
    assert last(body).only_after is None


def test_whatever_the_values_are_the_earlier_one_has_left_the_surface_too() -> None:
    """Without solvers: on values at random, of which many are outside."""
    answers, draw, outside = asked(LOAD + guarded(STORE)), random.Random(0), 0
    load, store = answers.questions[-2:]
    symbols = symbols_of(*(one.condition for each in (load, store) for one in each.outside))
    for _ in range(300):
        values = {one: draw.getrandbits(min(one.width or 1, 6)) for one in symbols}
        for one in store.outside:
            if evaluate(one.condition, values):
                outside += 1
                assert any(evaluate(each.condition, values) for each in load.outside
                           if each.access.lane == one.access.lane)  # fmt: skip
    assert outside
