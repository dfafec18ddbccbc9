"""Blocks of a program and the edges between them."""

from visaproof.isa.platform import Platform
from visaproof.program.flow import Block, blocks, may_run_from
from visaproof.program.lower import lowered
from visaproof.program.program import Program
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl R v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.kernel_attr SimdSize=16
.function "k"
"""


def program(*body: str) -> Program:
    return lowered(read_kernel(HEAD + "\n".join([*body, "ret (M1, 1)", ""]), "k.visaasm"), Platform.TGLLP)


LOOP = program(
    "mov (M1, 16) R(0,0)<1> 0x0:ud",
    "again:",
    "add (M1, 16) R(0,0)<1> R(0,0)<1;1,0> 0x1:ud",
    "(P1) goto (M1, 16) out",
    "barrier",
    "goto (M1, 1) again",
    "out:",
)


def test_blocks_end_where_lanes_may_part_or_meet() -> None:
    assert blocks(LOOP) == (
        Block(0, 1, (1,)),
        Block(1, 4, (6, 4)),
        Block(4, 5, (5,)),
        Block(5, 6, (1,)),  # a branch of one lane without a predicate takes all of them
        Block(6, 8, (8,)),
    )


def test_a_vector_branch_may_leave_lanes_behind() -> None:
    assert blocks(program("again:", "goto (M1, 16) again"))[0].follow == (0, 2)


def test_what_may_still_run_goes_back_with_the_branches() -> None:
    lines = {position.line for position in may_run_from(LOOP, 4)}
    assert lines == {position.line for position in may_run_from(LOOP, 1)}
    assert len(may_run_from(LOOP, 6)) == 2
