"""Refinement of loops whose length depends on inputs: real differences, and verdicts that do not claim more."""

from tests.engine.test_refinement import APART, HEAD, STORE_B, program
from visaproof.engine.refinement import Bounded, Difference, Refines, Unknown, Verdict, decide
from visaproof.engine.refinement_comparison import compare
from visaproof.engine.same_program import SAME_PROGRAM
from visaproof.kernel.assumptions import Assume

COUNT = "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> -1:d\n"
BACK = "cmp.gt (M1, 8) P1 Y(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 8) again\n"
ADD = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x6:d\n"
ADD_TWICE = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x2:d\nadd (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x4:d\n"
ADD_LATER = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x6:d\ncmp.eq (M1, 8) P1 Y(0,0)<1;1,0> 0x9:d\n"
ADD_LATER += "(P1) add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"


def looping(body: str) -> str:
    """X grows round by round, as often as Y says."""
    return f"{APART}again:\n{body}{COUNT}{BACK}{STORE_B}"


def verdict(source: str, target: str, unroll: int = 3) -> Verdict:
    return decide(compare(program(source), program(target), Assume.NONE, unroll=unroll), 20_000)


def test_loops_that_do_the_same_are_bounded_and_not_proved() -> None:
    """Each loop is named once, and what was shown of so many rounds."""
    found = verdict(looping(ADD), looping(ADD_TWICE))
    assert isinstance(found, Bounded)
    assert [loop.line for loop in found.loops] == sorted({loop.line for loop in found.loops})
    assert "normal form" in found.found.rung


def test_a_difference_in_the_first_rounds_is_a_run_of_both() -> None:
    found = verdict(looping(ADD), looping(ADD_TWICE.replace("0x4:d", "0x5:d")))
    assert isinstance(found, Difference)
    assert found.source != found.target


def test_a_difference_that_only_longer_runs_have_is_found_by_running_or_left_open() -> None:
    """A round of the target that three rounds do not reach."""
    assert not isinstance(verdict(looping(ADD), looping(ADD_LATER), unroll=3), Refines)
    assert isinstance(verdict(looping(ADD), looping(ADD_LATER), unroll=12), Difference)


def test_loops_that_never_end_in_time_show_nothing() -> None:
    """Y is at least 16: no run has so few rounds, and what holds in none is not even bounded."""
    large = "and (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x7f:d\nor (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x10:d\n"
    found = verdict(large + looping(ADD), large + looping(ADD_TWICE))
    assert isinstance(found, Unknown)
    assert "in no run" in found.reason


def test_a_program_refines_itself_however_long_its_loops_are() -> None:
    """Blanks and comments do not matter; anything else does."""
    body = looping(ADD)
    assert verdict(body, "// the same\n" + body.replace("(M1, 8)", "(M1,  8)")) == Refines(SAME_PROGRAM)
    assert isinstance(verdict(body, body.replace("0x6:d", "6:d")), Bounded)


def test_another_device_is_another_program() -> None:
    """The same text means something else where registers have another size: it is compared, not waved through."""
    from dataclasses import replace

    from visaproof.engine.same_program import same_program
    from visaproof.isa.platform import Platform

    one = program(looping(ADD), HEAD)
    assert same_program(one, program(looping(ADD), HEAD))
    assert not same_program(one, replace(one, platform=Platform.PVC))
