"""A target that never ends where the source does is no refinement; one that takes long, or may be stopped, may be."""

import pytest

from tests.refinement.test_refinement import APART, HEAD, STORE_B, program
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.machine.concrete.endless import NEVER_ENDS, NO_WAY_OUT, without_end
from visaproof.machine.concrete.run import Undefined, run
from visaproof.machine.symbolic import walk as symbolic_walk
from visaproof.program.lower import lowered
from visaproof.refinement.comparison import compare
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_testing import AUDITS, random_test
from visaproof.refinement.verdicts import TargetUndefined
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.visaasm.reader import read_kernel

COUNTED = """mov (M1_NM, 8) Z(0,0)<1> 0x0:d
again:
{body}add (M1_NM, 8) Z(0,0)<1> Z(0,0)<1;1,0> {step}:d
cmp.lt (M1_NM, 8) P1 Z(0,0)<1;1,0> {last}:d
(P1) goto (M1, 8) again
"""


def counted(step: str, last: str = "0x3", body: str = "") -> str:
    return COUNTED.format(step=step, last=last, body=body)


@pytest.fixture(autouse=True)
def _short_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms are given up soon: runs of 2,000 statements are what is looked at."""
    monkeypatch.setattr(symbolic_walk, "MAX_STEPS", 60)


def test_a_target_that_never_ends_does_not_refine() -> None:
    """The example replays."""
    source, target = (program(counted(step) + APART + STORE_B) for step in ("0x1", "0x0"))
    comparison = compare(source, target, Scope(Assume.NONE))
    found = random_test(comparison, AUDITS)
    assert found is not None
    assert isinstance(found.what, TargetUndefined)
    assert found.what.undefined.message == NEVER_ENDS
    assert found.what.undefined.position.line == HEAD.count("\n") + 5
    assert not replay_refinement(refinement_record(comparison, found, "no end"), "example.json")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (counted("0x1"), counted("0x1", "0x4000")),  # it ends after 2^14 iterations
        (counted("0x1"), counted("0x0").replace("0x3:d", "%tsc(0,0)<0;1,0>")),  # the time may come to its end
    ],
)
def test_what_is_not_known_to_go_on_for_ever_is_no_difference(source: str, target: str) -> None:
    comparison = compare(program(source + APART + STORE_B), program(target + APART + STORE_B), Scope(Assume.NONE))
    assert random_test(comparison, AUDITS) is None


def test_of_a_source_that_never_ends_nothing_is_asked() -> None:
    with pytest.raises(NotModelled, match="loops that take more"):
        compare(program(counted("0x0")), program(counted("0x1")), Scope(Assume.NONE))


STORED = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 {data}.0\n"
ADDED = "svm_atomic.add (M1, 1) A.0 %null.0 X.0 %null.0\n"


def ended(body: str) -> Undefined | None:
    """Why a run of a loop that goes on for 4,000 statements is undefined."""
    head = HEAD.replace(".decl T6", ".decl A v_type=G type=uq num_elts=8 align=GRF\n.decl T6")
    kernel = read_kernel(head + body + "ret (M1, 1)\n", "k.visaasm")
    state = ConcreteState(Platform.TGLLP, exec_mask=1, surfaces={"bti 0": Buffer(64), "flat": Buffer(64)})
    return run(kernel, state, most=4_000, endless=True).undefined


@pytest.mark.parametrize("body", ["", STORED.format(data="Y")])
def test_a_loop_that_does_the_same_for_ever_has_no_end(body: str) -> None:
    assert ended(counted("0x0", body=body)) is not None
    assert ended(counted("0x1", body=body)) is None


@pytest.mark.parametrize(
    "body",
    [ADDED, "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n" + STORED.format(data="Y") + "mov (M1, 8) C(0,0)<1> 0x0:ud\n"],
)
def test_a_loop_that_changes_something_may_have_one(body: str) -> None:
    with pytest.raises(NotModelled, match="more than 4000 statements"):
        ended(counted("0x0", body=body))


GROWS = "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n"
OUT = "(P1) goto (M1, 8) out\n"


def round_and_round(branch: str, inside: str = "") -> str:
    return f"again:\n{GROWS}{inside}{branch} again\nout:\n"


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        (round_and_round("goto (M1, 8)"), True),
        (round_and_round("goto (M1, 1)"), True),
        (round_and_round("jmp (M1, 1)"), True),
        (round_and_round("(P1) goto (M1, 8)"), False),
        (round_and_round("goto (M1, 8)", inside=OUT), False),
        (round_and_round("goto (M1, 4)"), False),  # the upper lanes go on
        (round_and_round("goto (M5, 8)"), False),
        (OUT + round_and_round("goto (M1, 8)"), True),
    ],
)
def test_a_loop_that_no_branch_leaves_has_no_end_whatever_it_computes(body: str, stays: bool) -> None:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    assert bool(without_end(lowered(kernel, Platform.TGLLP), 0xFF)) == stays


def test_a_target_without_the_condition_of_its_loop_does_not_refine() -> None:
    """What it computes is another number in each iteration, so that nothing repeats."""
    source = counted("0x1", body=GROWS)
    comparison = compare(
        program(source + APART + STORE_B), program(source.replace("(P1) goto", "goto") + APART + STORE_B), SCOPE
    )
    found = random_test(comparison, AUDITS)
    assert found is not None
    assert isinstance(found.what, TargetUndefined)
    assert found.what.undefined.message == NO_WAY_OUT
    assert not replay_refinement(refinement_record(comparison, found, "no end"), "example.json")


SCOPE = Scope(Assume.NONE)
