"""Uninitialised registers of the source in loops of any length: chosen once, before all iterations."""

import pytest

from tests.refinement.test_refinement import HEAD, program
from tests.refinement.test_refinement_loops import ADD, ADD_TWICE, in_step_too, looping
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines

UNWRITTEN = "".join(f".decl {name} v_type=G type=d num_elts=8 align=GRF\n" for name in "UV")
HEAD_OF_UNWRITTEN = HEAD.replace(".decl P1", f"{UNWRITTEN}.decl P1")
BEHIND = "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 "


MOVED = "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x100:ud\n"


def stored(body: str, value: str, first: str = "") -> str:
    """X and a value are stored after the loop, and something is done before it."""
    return f"{first}{looping(body)}{BEHIND}{value}.0\n"


def within(value: str, further: str = "") -> str:
    """An iteration that stores a value at a place of its own."""
    return f"scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 {value}.0\n{MOVED}{further}"


def where_y_is_2(value: str) -> str:
    return f"cmp.eq (M1, 8) P2 Y(0,0)<1;1,0> 0x2:d\n(P2) mov (M1, 8) {value}(0,0)<1> X(0,0)<1;1,0>\n"


def where(predicate: str) -> str:
    return f"({predicate}) add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"


SEVEN = "mov (M1_NM, 8) V(0,0)<1> 0x7:d\n"
OFF, ON = "setp (M1_NM, 8) P2 0x0:ud\n", "setp (M1_NM, 8) P2 0xff:ud\n"


def but_first(value: str) -> str:
    """An iteration that stores a value unless it is the first one."""
    return f"gather4_scaled.R (M1, 8) T6 0x0:ud C.0 Z.0\n(P2) {within(value)}{ON}"


COUNTED = "add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:d\n"

CHOSEN = {
    "stored after the loop": (stored(ADD, "U"), stored(ADD_TWICE, "V")),
    "stored in each iteration": (stored(ADD + within("U"), "U"), stored(ADD_TWICE + within("V"), "V")),
    "written in a later iteration": (
        stored(ADD + where_y_is_2("U"), "U"), stored(ADD_TWICE + where_y_is_2("V"), "V")
    ),
    "a number": (stored(ADD + within("U"), "U"), stored(ADD_TWICE + within("V"), "V", SEVEN)),
    "a predicate": (stored(ADD + where("P2"), "X"), stored(ADD_TWICE + where("P2"), "X")),
}  # fmt: skip


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("kind", CHOSEN)
def test_the_source_finds_there_what_the_target_has(kind: str) -> None:
    source, target = (program(one, HEAD_OF_UNWRITTEN) for one in CHOSEN[kind])
    found = decide(compare(source, target, Scope(Assume.NONE)), 20_000)
    assert isinstance(found, Refines)
    assert "iteration by iteration" in found.by


LEFT = {
    "a number of the source": (stored(ADD, "V", SEVEN), stored(ADD_TWICE, "V")),
    "two registers of the target": (stored(ADD + within("U"), "U"), stored(ADD_TWICE + within("U"), "V")),
    "what an iteration counts": (stored(ADD + within("U"), "X"), stored(ADD_TWICE + within("V", COUNTED), "X")),
    "what an iteration finds": (stored(ADD + within("U"), "X"), stored(ADD_TWICE + within("Y"), "X")),
    "two numbers": (stored(ADD + within("U"), "U"), stored(ADD_TWICE + within("V") + COUNTED, "V", SEVEN)),
    "what a later iteration finds": (
        stored(ADD + but_first("U"), "X", OFF), stored(ADD_TWICE + but_first("Z"), "X", OFF)
    ),
    "what a loop leaves": (stored(ADD + within("U"), "U"), stored(ADD_TWICE + within("Y"), "Y")),
}  # fmt: skip


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("kind", LEFT)
def test_nothing_is_chosen_anew_in_an_iteration(kind: str) -> None:
    source, target = LEFT[kind]
    assert not in_step_too(source, target, HEAD_OF_UNWRITTEN)
