"""The theorem of refinement: each obligation is a goal of its own, and a wrong target leaves that goal open."""

import pytest

from tests.refinement.test_refinement import APART, HEAD, STORE_B, STORE_C, program
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.obligations import open_goals
from visaproof.refinement.observed import is_register
from visaproof.refinement.scope import Scope
from visaproof.smt import is_true

SOURCE = APART + STORE_B
ADD = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"
MISALIGNED = "add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x1:ud\n"


def open_obligations(target: str, observe: tuple[tuple[str, str], ...] = ()) -> list[str]:
    return open_of(SOURCE, target, observe)


WIDE_Z = HEAD.replace("Z v_type=G type=d num_elts=8", "Z v_type=G type=d num_elts=16")


def open_of(source: str, target: str, observe: tuple[tuple[str, str], ...] = (), head: str = HEAD) -> list[str]:
    question = compare(program(source, head), program(target, head), Scope(Assume.NONE, observe=observe)).question
    open_ = (surface for surface, goal in open_goals(question) if not is_true(goal))
    return ["registers" if is_register(surface) else "stores" if surface else "undefined" for surface in open_]


def test_equal_programs_leave_nothing_open() -> None:
    assert open_obligations(SOURCE) == []


@pytest.mark.parametrize(
    ("target", "observe", "found"),
    [
        (APART + ADD + STORE_B, (), ["stores"]),
        (APART + MISALIGNED + STORE_B, (), ["undefined", "stores"]),
        (APART + STORE_B + ADD, (("X", "X"),), ["registers"]),
    ],
)
def test_a_wrong_target_leaves_its_obligation_open(
    target: str, observe: tuple[tuple[str, str], ...], found: list[str]
) -> None:
    assert open_obligations(target, observe) == found


ATOMIC = "dword_atomic.add (M1, 8) T6 C.0 X.0 %null.0 %null.0\n"


def test_a_store_that_a_later_one_overwrites_leaves_nothing_open() -> None:
    """To the same cell under the same guard, with other stores between."""
    assert open_of(APART + ADD + STORE_B + STORE_C, APART + STORE_B + ADD + STORE_B + STORE_C) == []
    assert open_of(APART + ADD + STORE_C + STORE_B, APART + STORE_B + STORE_C + ADD + STORE_B) == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (ADD + STORE_B, ADD + STORE_B + STORE_B.replace("X.0", "Y.0")),  # the first one stands in the source
        (ADD + STORE_B, STORE_C.replace("Y.0", "X.0") + ADD + STORE_B),  # to another cell
        (ADD + STORE_B, STORE_B + ADD + "(P1) " + STORE_B),  # of some lanes alone
        (ADD + "barrier\n" + STORE_B, STORE_B + ADD + "barrier\n" + STORE_B),  # others read it
        (ADD + ATOMIC + STORE_B, ATOMIC + STORE_B + ADD + STORE_B),  # beside atomics it may be seen
    ],
)
def test_a_store_that_none_overwrites_before_others_see_it_is_left_open(source: str, target: str) -> None:
    assert open_of(APART + source, APART + target) == ["stores"]


WORDS = "and (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0x3ffffffc:ud\n"
"""Addresses of dwords, which no offset wraps."""
RED, GREEN = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n", "scatter4_scaled.R (M1, 8) T6 0x4:ud AT.0 Y.0\n"
BOTH = (
    "mov (M1_NM, 8) Z(0,0)<1> X(0,0)<1;1,0>\n"
    "mov (M1_NM, 8) Z(1,0)<1> Y(0,0)<1;1,0>\n"
    "scatter4_scaled.RG (M1, 8) T6 0x0:ud AT.0 Z.0\n"
)


@pytest.mark.parametrize("target", [RED + GREEN, GREEN + RED])
def test_lanes_of_one_message_store_in_any_order(target: str) -> None:
    """Where one lane's first dword is another's second one, the source is undefined: its lanes collide."""
    assert open_of(WORDS + BOTH, WORDS + target, head=WIDE_Z) == []


def test_lanes_of_two_messages_store_in_their_order() -> None:
    assert open_of(WORDS + RED + GREEN, WORDS + GREEN + RED) == ["stores"]
    assert "undefined" in open_of(WORDS + RED + GREEN, WORDS + BOTH, head=WIDE_Z)
