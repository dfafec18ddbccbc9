"""Findings whose runs have results that no page states: those that do not depend on them are kept."""

import msgspec
import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Outside
from visaproof.analysis.bounds.verdicts import Undecided as BoundsUndecided
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.records import conflict_record
from visaproof.analysis.conflicts.verdicts import Conflict, Free, Undecided
from visaproof.checking.all_choices import under_all_choices, under_each_choice
from visaproof.checking.replay import replay
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.semantics.concrete.choices import ANY_BITS, POLICIES, Choices, Unstated
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HERE = Position("k.visaasm", 1, 1)

TEXT = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl AF v_type=G type=f num_elts=8 align=GRF alias=<A, 0>
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1 v_name=T006
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1, 8) A(0,0)<1> 0x0:ud
{body}
    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0
    ret (M1, 1)
"""

DEAD = {
    "div": "    div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> A(0,0)<1;1,0>",
    "NaN": "    mov (M1, 8) F(0,0)<1> 0x7f800000:f\n    mul (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x0:f",
    "zeros": "    mov (M1, 8) F(0,0)<1> 0x0:f\n    min (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x80000000:f",
    "unsigned": "    mov (M1, 8) F(0,0)<1> 0xc0000000:f\n    mov (M1, 8) R(0,0)<1> F(0,0)<1;1,0>",
}
OF_ADDRESS = """    mov (M1, 8) R(0,0)<1> 0x76543210:uv
    div (M1, 8) A(0,0)<1> R(0,0)<1;1,0> A(0,0)<1;1,0>
    and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0xfffc:ud"""
"""The address is any: the lanes collide if all are 0, and need not if they are not."""


def kernel(body: str) -> Kernel:
    return read_kernel(TEXT.format(body=body), "k.visaasm")


def asked(body: str) -> KernelAnswers:
    answers = ask_kernel(kernel(body), Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 5_000)
    assert answers.stopped is None
    return answers


def bounds(body: str) -> object:
    answers = ask_bounds(kernel(body), Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, StatedLaunch(()), 5_000)
    (finding,) = answers.answers()
    return finding.bounds


@pytest.mark.parametrize("kind", DEAD)
def test_a_conflict_beside_an_unstated_result_is_found(kind: str) -> None:
    """And replays from its file."""
    answers = asked(DEAD[kind])
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Conflict)
    record = conflict_record(answers, finding.question, finding.answer)
    assert replay(record, "finding.json").differences == ()


def test_a_recorded_conflict_that_only_one_choice_shows_does_not_replay() -> None:
    """A file that somebody changed: the address of its scatter depends on the result now."""
    answers = asked(DEAD["div"])
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Conflict)
    record = conflict_record(answers, finding.question, finding.answer)
    text = TEXT.format(body=OF_ADDRESS).splitlines()
    line = 1 + next(k for k, each in enumerate(text) if "scatter4" in each)
    changed = msgspec.structs.replace(record, program=text, line=line)
    (difference,) = replay(changed, "finding.json").differences
    assert "the run is defined to its end" in difference


def test_a_conflict_that_depends_on_an_unstated_result_is_unknown() -> None:
    (finding,) = asked(OF_ADDRESS).answers()
    assert isinstance(finding.answer, Undecided)
    assert "depends on a result that no page states: div by 0" in finding.answer.reason


@pytest.mark.parametrize("kind", DEAD)
def test_a_lane_outside_beside_an_unstated_result_is_found(kind: str) -> None:
    body = DEAD[kind] + "\n    mov (M1, 8) A(0,0)<1> X(0,0)<1;1,0>"
    assert isinstance(bounds(body), Outside)


def test_a_lane_outside_that_depends_on_an_unstated_result_is_unknown() -> None:
    assert isinstance(bounds(OF_ADDRESS), BoundsUndecided)


@pytest.mark.parametrize("opcode", ["div", "mod", "min", "add"])
def test_a_lane_that_is_off_keeps_its_value_symbolically(opcode: str) -> None:
    """The operation is under a predicate that is false: the lanes write apart, whatever it would give."""
    lanes = "    mov (M1, 8) A(0,0)<1> 0x76543210:uv\n    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n"
    off = "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x0:ud\n"
    infinity = "    mov (M1, 8) F(0,0)<1> 0x7f800000:f\n"
    operation = {
        "div": "    (P1) div (M1, 8) A(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>",
        "mod": "    (P1) mod (M1, 8) A(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>",
        "min": "    (P1) min (M1, 8) AF(0,0)<1> F(0,0)<1;1,0> 0x80000000:f",
        "add": "    (P1) add (M1, 8) AF(0,0)<1> F(0,0)<1;1,0> 0xff800000:f",
    }[opcode]
    (finding,) = asked(lanes + off + infinity + operation).answers()
    assert isinstance(finding.answer, Free)


# ---------------------------------------------------------------- the mechanism


def picking(shows: set[int]) -> list[int]:
    """A run that picks a result, and shows something under these policies."""

    def attempt(choices: Choices) -> int | None:
        choices.pick(Unstated("div by 0", ANY_BITS), HERE, 0, DataType.UD, ())
        return choices.policy if choices.policy in shows else None

    found = under_all_choices(attempt)
    return [] if found is None else [found]


def test_what_all_choices_show_is_shown() -> None:
    assert picking(set(range(POLICIES))) == [0]
    assert picking(set()) == []


@pytest.mark.parametrize("missing", range(POLICIES))
def test_what_one_choice_does_not_show_is_not_known(missing: int) -> None:
    with pytest.raises(NotModelled, match="depends on a result that no page states"):
        picking(set(range(POLICIES)) - {missing})


def test_a_run_without_such_results_is_made_once() -> None:
    assert list(under_each_choice(lambda choices: choices.policy)) == [0]
