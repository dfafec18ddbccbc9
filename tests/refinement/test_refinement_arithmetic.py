"""Words that two kernels compute in two ways: selections, functions of bits, products, and loops that are unrolled."""

import pytest

from tests.refinement.test_refinement import APART, STORE_B, program
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Bounded, Difference, Refines, Verdict


def asked(source: str, target: str) -> Verdict:
    return decide(compare(program(APART + source + STORE_B), program(APART + target + STORE_B), SCOPE), 20_000)


SCOPE = Scope(Assume.NONE, unroll=3)
SELECT = """cmp.gt (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>
(P1) sel (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x9:d
"""
BY_MASK = """cmp.gt (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
mov (M1, 8) Y(0,0)<1> 0x9:d
bfn.TABLE (M1, 8) X(0,0)<1> Z(0,0)<1;1,0> X(0,0)<1;1,0> Y(0,0)<1;1,0>
"""


def test_a_selection_by_a_mask_is_one_by_a_predicate() -> None:
    """As the compiler writes it for DG2 and for what was before: xd8 takes the second where the first has a bit."""
    found = asked(SELECT, BY_MASK.replace("TABLE", "xd8"))
    assert isinstance(found, Refines)
    assert "normal form" in found.by
    assert isinstance(asked(SELECT, BY_MASK.replace("TABLE", "xe4")), Difference)


SUM = "add (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
CARRIES = """xor (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
and (M1, 8) Y(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
shl (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> SHIFT:d
add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> Y(0,0)<1;1,0>
"""
MIXED = """asr (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x5:d
mul (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> X(0,0)<1;1,0>
xor (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> X(0,0)<1;1,0>
asr (M1, 8) Y(0,0)<1> Z(0,0)<1;1,0> 0x3:d
mul (M1, 8) X(0,0)<1> Z(0,0)<1;1,0> Y(0,0)<1;1,0>
"""


@pytest.mark.slow
def test_words_in_between_that_are_equal_become_one() -> None:
    """Both products at once are too much for a solver; sum and carries are a question of milliseconds."""
    assert isinstance(asked(SUM + MIXED, CARRIES.replace("SHIFT", "0x1") + MIXED), Refines)
    assert isinstance(asked(SUM + MIXED, CARRIES.replace("SHIFT", "0x2") + MIXED), Difference)


ROUND = "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x6:d\nadd (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> -1:d\n"
AGAIN = "cmp.gt (M1, 8) P1 Y(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 8) again\n"
DOWN = f"and (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x7:d\nagain:\n{ROUND}{AGAIN}"
UP = """and (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x7:d
mov (M1, 8) Z(0,0)<1> 0x0:d
again:
add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> STEP:d
add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d
cmp.lt (M1, 8) P1 Z(0,0)<1;1,0> Y(0,0)<1;1,0>
(P1) goto (M1, 8) again
"""


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize(("step", "expected"), [("0x6", Bounded), ("0x7", Difference)])
def test_loops_counted_up_and_down_agree_in_the_rounds_that_were_unrolled(step: str, expected: type) -> None:
    """Not in more: that both end within them is a premise for each lane."""
    assert isinstance(asked(DOWN, UP.replace("STEP", step)), expected)
