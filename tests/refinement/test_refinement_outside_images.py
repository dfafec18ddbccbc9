"""Accesses outside of an image: what is written is undefined in the source language, what is read is left open."""

import pytest
from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.report.two_kernels.answer import verdict_json, verdict_lines
from visaproof.report.two_kernels.difference import difference_text
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl A v_type=T num_elts=1
.decl B v_type=T num_elts=1
.input X offset=64 size=32
.input W offset=96 size=32
.input V offset=128 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) A(0) 0x0:ud
movs (M1_NM, 1) B(0) 0x1:ud
and (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> 0x3fff:ud
cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x4000:ud
"""
FORBID = FORBIDDEN | {UndefinedKind.OUTSIDE}


def read(image: str, at: str, value: str = "Y") -> str:
    return f"gather4_typed.R (M1, 1) {image} {at}.0 {at}.0 %null.0 %null.0 {value}.0\n"


def write(image: str, at: str, value: str = "Y") -> str:
    return f"scatter4_typed.R (M1, 1) {image} {at}.0 {at}.0 %null.0 %null.0 {value}.0\n"


RELOADED = write("A", "X", "V") + read("A", "X") + write("B", "W")
FORWARDED = write("A", "X", "V") + write("B", "W", "V")
"""Both differ only where X is outside of A."""
COPIED, WRAPPED = (read("A", at) + write("B", "W") for at in ("X", "Z"))
"""Z is X below 16,384, which is the largest that an image has."""
CHOSEN = read("A", "X") + "(P1) sel (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x0:ud\n" + write("B", "W")
"""Nothing depends on what is read outside."""
ONE_MORE = read("A", "X") + "add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:ud\n" + write("B", "W")


def program(body: str) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    inputs = [(name, ArgumentValue(Argument(3 + k))) for k, name in enumerate("XWV")]
    known = NOTHING_KNOWN.with_inputs(kernel, inputs)
    return Program(kernel, replace(known, binding_table={0: 0, 1: 1}, arg_names={0: "a", 1: "b"}), Platform.DG2)


def asked(source: str, target: str, forbidden: frozenset[UndefinedKind]) -> tuple[Comparison, Verdict]:
    comparison = compare(program(source), program(target), Scope(Assume.IDS, forbidden, alias=Alias.NONE))
    return comparison, decide(comparison, 2_000)


@pytest.mark.parametrize(("source", "target"), [(RELOADED, FORWARDED), (COPIED, WRAPPED)])
def test_a_difference_outside_of_an_image_of_the_source_says_so(source: str, target: str) -> None:
    comparison, found = asked(source, target, FORBIDDEN)
    assert isinstance(found, Difference), found
    lines = "\n".join(verdict_lines(comparison, found))
    assert "of a, outside of it" in lines
    assert "`--undefined outside=forbid`" in lines
    missed = verdict_json(comparison, found)["example"]["source_accesses_outside"]
    assert (missed["surface"], len(missed["texel"])) == ("a", 4)
    record = refinement_record(comparison, found, difference_text(comparison, found))
    assert replay_refinement(record, "f.json") == ()


@pytest.mark.parametrize(("source", "target"), [(RELOADED, FORWARDED), (FORWARDED, RELOADED), (COPIED, WRAPPED)])
def test_there_the_source_is_undefined_where_that_is_forbidden(source: str, target: str) -> None:
    _, found = asked(source, target, FORBID)
    assert isinstance(found, Refines), found


@pytest.mark.slow
def test_a_read_outside_on_which_nothing_depends_excuses_nobody() -> None:
    """OpenCL C leaves open what is read, and not what the kernel does: 0 is stored, whatever it was."""
    _, found = asked(CHOSEN, WRAPPED, FORBID)
    assert not isinstance(found, Refines)


def test_a_target_may_bring_what_it_likes_where_the_source_leaves_that_open() -> None:
    _, found = asked(COPIED, CHOSEN, FORBID)
    assert isinstance(found, Refines), found


@pytest.mark.parametrize("forbidden", [FORBIDDEN, FORBID])
def test_a_wrong_change_is_shown_in_a_launch_that_stays_inside(forbidden: frozenset[UndefinedKind]) -> None:
    comparison, found = asked(COPIED, ONE_MORE, forbidden)
    assert isinstance(found, Difference), found
    assert found.source_missed is None
    record = refinement_record(comparison, found, difference_text(comparison, found))
    assert replay_refinement(record, "f.json") == ()
