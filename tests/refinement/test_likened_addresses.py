"""Loops that load and store at addresses of which only a solver sees that both kernels have the same."""

import pytest

from tests.refinement.effects.test_items import asked, items
from visaproof.launch.matching import Program
from visaproof.refinement.verdicts import Difference, Refines

JOINED = "or (M1_NM, 1) Y(0,1)<1> N(0,0)<0;1,0> A(0,1)<0;1,0>\n"
ADDED = """and (M1_NM, 1) Y(0,0)<1> N(0,0)<0;1,0> A(0,1)<0;1,0>
add (M1_NM, 1) Y(0,1)<1> N(0,0)<0;1,0> A(0,1)<0;1,0>
add (M1_NM, 1) Y(0,1)<1> Y(0,1)<0;1,0> (-)Y(0,0)<0;1,0>
"""
"""The same: n + g - (n & g), where g is the number of the group."""
ONCE = JOINED.replace("or ", "xor ")
"""The same where n and g have no bit in common."""

PLACE = """shl (M1_NM, 1) Y(0,1)<1> Y(0,1)<0;1,0> 0x6:ud
add (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> Y(0,1)<0;1,0>
"""
ITERATIONS = """again:
gather4_scaled.R (M1, 16) T6 0x0:ud AT.0 Y.0
add (M1, 16) Y(0,0)<1> Y(0,0)<1;1,0> X(0,0)<1;1,0>
scatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 Y.0
add (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xffffffff:ud
cmp.ne (M1, 16) P1 N(0,0)<0;1,0> 0x0:ud
(P1) goto (M1, 16) again
"""


def looping(address: str) -> Program:
    """Iterations at one address."""
    return items(address, PLACE, ITERATIONS)


@pytest.mark.parametrize(("one", "other"), [(JOINED, ADDED), (ADDED, JOINED)])
def test_addresses_that_a_solver_shows_to_be_equal_are_one(one: str, other: str) -> None:
    found = asked(looping(one), looping(other))
    assert isinstance(found, Refines), found
    assert "iteration by iteration" in found.by


@pytest.mark.parametrize(("one", "other"), [(JOINED, ONCE), (ONCE, ADDED)])
def test_addresses_that_are_equal_for_some_inputs_are_two(one: str, other: str) -> None:
    assert isinstance(asked(looping(one), looping(other)), Difference)
