"""The induction leaves out words of loops on which nothing depends that is compared, and no others."""

import pytest

from tests.refinement.test_refinement import HEAD, STORE_B, program
from tests.refinement.test_refinement_loops import ADD, ADD_TWICE, COUNT, LOAD, STORE_COUNT, STORE_NEXT, looping
from visaproof.launch.assumptions import Assume
from visaproof.launch.float_results import Floats
from visaproof.launch.matching import own_predicates
from visaproof.machine.symbolic.run import trace, uninitialised
from visaproof.machine.symbolic.trace import Trace
from visaproof.refinement import lockstep
from visaproof.refinement.comparison import compare, compare_iterations
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines
from visaproof.refinement.widths import threads
from visaproof.semantics.symbolic.value_names import OfLoop, Owner, RegisterByte

SCRATCH = "mul (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> 0x3:d\n"
SWAPPED = "add (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> 0x0:d\nadd (M1, 8) X(0,0)<1> Y(0,0)<1;1,0> 0x0:d\n"


def general(text: str, *, every_word: bool = False) -> Trace:
    """The kernel with one iteration for all."""
    one = program(text)
    return trace(
        one.kernel, one.platform, uninitialised(one.code), None, own_predicates(Owner("source")), unroll=0,
        compared_as="source", floats=Floats.UNINTERPRETED, every_word=every_word,
    )  # fmt: skip


def names(ran: Trace) -> set[str]:
    """The variables of which words are held."""
    held = (one.during.payload for each in ran.loops for one in each.held)
    return {one.what.variable for one in held if isinstance(one, OfLoop) and isinstance(one.what, RegisterByte)}


@pytest.mark.parametrize(
    ("body", "behind", "used"),
    [
        (ADD + SCRATCH, STORE_B, {"X", "Y"}),
        (SCRATCH + ADD, STORE_B.replace("X.0", "Z.0"), {"X", "Y", "Z"}),
        ("add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\n" + ADD + STORE_NEXT, "", {"X", "Y"}),
        ("add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Z(0,0)<1;1,0>\nadd (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\n", STORE_B,
         {"X", "Y", "Z"}),
        (LOAD, "", {"Y"}),
    ],
    ids=["a temporary word", "stored after the loop", "an unread counter", "part of a used one", "an unread sum"],
)  # fmt: skip
def test_words_are_held_if_a_result_depends_on_them(body: str, behind: str, used: set[str]) -> None:
    text = looping(body).removesuffix(STORE_B) + behind
    assert names(general(text, every_word=True)) >= used
    assert names(general(text)) == used


SUM_OF_FLOATS = """add (M1, 8) G(0,0)<1> G(0,0)<1;1,0> 0x3f800000:f
mul (M1, 8) G(0,0)<1> G(0,0)<1;1,0> 0x40000000:f
"""


def test_a_word_that_only_a_value_left_open_is_made_of_is_held() -> None:
    store = STORE_B.replace("X.0", "G.0")
    assert "G" in names(general(looping(SUM_OF_FLOATS).removesuffix(STORE_B) + store))
    assert "G" not in names(general(looping(SUM_OF_FLOATS)))


PAIRS = [
    (ADD, ADD_TWICE),
    (ADD + SCRATCH, SCRATCH + ADD_TWICE),
    (ADD + STORE_NEXT, ADD_TWICE + STORE_NEXT),
    (ADD + STORE_NEXT, ADD_TWICE + STORE_COUNT),
    (ADD, ADD + "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"),
    (ADD, ADD.replace("X", "Z") + "mov (M1, 8) X(0,0)<1> Z(0,0)<1;1,0>\n"),
    (LOAD, LOAD + SCRATCH),
    (LOAD, SCRATCH + LOAD.replace("X(0,0)<1;1,0> Z", "Z(0,0)<1;1,0> Z")),
    (SWAPPED, SWAPPED + SCRATCH),
]


@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_the_induction_shows_the_same_with_all_words(pair: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pairs that are right and of some that are not."""
    source, target = (program(looping(one), HEAD) for one in PAIRS[pair])
    found = compare(source, target, Scope(Assume.NONE)).in_step
    for where in (lockstep, threads):
        monkeypatch.setattr(where, "trace", lambda *one, **said: trace(*one, **said | {"every_word": True}))
    assert compare(source, target, Scope(Assume.NONE)).in_step == found
    assert found == (pair not in (3, 4, 5, 7))


@pytest.mark.slow
def test_loops_that_go_in_step_are_not_unrolled() -> None:
    source, target = (program(looping(one)) for one in (ADD, ADD_TWICE))
    asked = compare(source, target, Scope(Assume.NONE))
    assert not any(one.trace.bounded for one in asked.runners)
    assert all(len(one.trace.loops) == 1 for one in asked.runners)
    assert isinstance(decide(asked, 2_000), Refines)
    unrolled = compare_iterations(source, target, Scope(Assume.NONE), by_buffers=None)
    assert not unrolled.in_step
    assert not isinstance(decide(unrolled, 2_000), Refines)


def test_loops_that_do_not_go_in_step_are_unrolled() -> None:
    source, target = (program(looping(one)) for one in (ADD, ADD + COUNT))
    asked = compare(source, target, Scope(Assume.NONE))
    assert not asked.in_step
    assert all(one.trace.bounded for one in asked.runners)
