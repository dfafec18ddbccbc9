"""Runs of kernels whose loops have a fixed length: however long they take, they come to an end."""

from tests.refinement.test_refinement import APART, STORE_B, program
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_testing import random_test
from visaproof.refinement.testing.runner import IN_LOOPS

ROUNDS = IN_LOOPS // 2
LOOP = """mov (M1, 8) Z(0,0)<1> 0x0:d
again:
add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d
cmp.lt (M1, 8) P1 Z(0,0)<1;1,0> {bound}
(P1) goto (M1, 8) again
"""
ADD = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"


def is_shown(bound: str) -> bool:
    """Whether a few runs show that the target stores another value after its loop."""
    loop = LOOP.format(bound=bound)
    source, target = APART + loop + STORE_B, APART + loop + ADD + STORE_B
    return random_test(compare(program(source), program(target), Scope(Assume.NONE)), 6) is not None


def test_a_long_loop_of_fixed_length_is_run_to_its_end() -> None:
    assert is_shown(f"0x{ROUNDS:x}:d")


def test_a_loop_of_unknown_length_is_run_where_it_is_short() -> None:
    assert is_shown("Y(0,0)<1;1,0>")
