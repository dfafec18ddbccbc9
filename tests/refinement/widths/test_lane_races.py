"""A wide target, whose lanes find what others stored where the threads of the source race."""

import pytest
from msgspec.structs import replace

from tests.refinement.widths.test_refinement_widths import LOAD, STORE, each, ids, kernel, verdict
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines

OUT = STORE.replace("X.", "Y.")
AWAY = "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud"
ACROSS = "xor {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud"
"""To the place of a lane of the other thread."""


def with_found(simd: int, first: str, then: str = "") -> Program:
    """A store, a load from a place that memory says, which may be where any lane has stored, and a store of that."""
    at_loaded = each(simd, "and {m} AT({r},0)<1> Y({r},0)<1;1,0> 0xfffc:ud")
    loads = each(simd, LOAD) + (each(simd, then) if then else "")
    back = each(simd, "shl {m} AT({r},0)<1> X({r},0)<1;1,0> 0x2:ud")
    place = back + each(simd, AWAY) + each(simd, LOAD) + at_loaded + loads
    return kernel(simd, ids(simd) + each(simd, first) + place + back + each(simd, AWAY) + each(simd, OUT))


def test_lanes_find_what_others_store_only_where_threads_race() -> None:
    """A lane may find what one of its own thread stored: that is so in both.  What others store is a race."""
    assert verdict(with_found(8, STORE), with_found(16, STORE)) == Refines("the same stores in normal form")


@pytest.mark.parametrize("then", ["add {m} Y({r},0)<1> Y({r},0)<1;1,0> 0x1:ud", "mov {m} Y({r},0)<1> 0x0:ud"])
def test_a_target_that_finds_something_else_is_not_proved(then: str) -> None:
    assert not isinstance(verdict(with_found(8, STORE), with_found(16, STORE, then)), Refines)


def moved(simd: int, *lines: str) -> Program:
    """Of full threads: each lane stores 7, loads, and stores what it found elsewhere."""
    text = ids(simd) + "".join(each(simd, one) for one in ("mov {m} X({r},0)<1> 0x7:ud", *lines, AWAY, OUT))
    program = kernel(simd, text)
    return replace(program, launch=replace(program.launch, group_size=(32, 1, 1)))


def test_where_no_thread_of_the_source_races_lanes_find_what_others_store() -> None:
    """The source loads what it then overwrites itself; of the wrong target another lane has overwritten it before."""
    source = moved(8, ACROSS, LOAD, STORE)
    right, wrong = moved(16, ACROSS, LOAD, ACROSS, STORE, ACROSS), moved(16, STORE, ACROSS, LOAD)
    found, other = (decide(compare(source, one, Scope(Assume.LAUNCH)), 2_000) for one in (right, wrong))
    assert isinstance(found, Refines)
    assert isinstance(other, Difference)
