"""Registers that are compared at the end: wherever the source defines them, and nowhere else."""

import pytest

from tests.support.differences import byte_of, in_a_register
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.observed import names_from, observed_registers
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl R v_type=G type=d num_elts=8 align=GRF
.decl S v_type=G type=d num_elts=8 align=GRF
.decl H v_type=G type=d num_elts=4 alias=<R, 16>
.decl U v_type=G type=d num_elts=8 align=GRF
.decl W v_type=G type=w num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.input X offset=32 size=32
.input Y offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
"""
ADD = "add (M1, 8) R(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
SWAPPED = "add (M1, 8) R(0,0)<1> Y(0,0)<1;1,0> X(0,0)<1;1,0>\n"
SUB = "add (M1, 8) R(0,0)<1> X(0,0)<1;1,0> (-)Y(0,0)<1;1,0>\n"


def program(body: str) -> Program:
    return Program(read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm"), NOTHING_KNOWN, Platform.DG2)


def verdict(source: str, target: str, names: str = "R") -> Verdict:
    comparison = compare(program(source), program(target), Scope(Assume.NONE, observe=tuple(names_from(names))))
    found = decide(comparison, 10_000)
    if isinstance(found, Difference):
        record = refinement_record(comparison, found, "")
        assert record.differs.source_register
        assert replay_refinement(record, "k.json") == ()
    return found


def test_an_observed_register_has_to_be_the_same() -> None:
    assert isinstance(verdict(ADD, SWAPPED), Refines)
    found = verdict(ADD, SUB)
    assert isinstance(found, Difference)
    assert byte_of(found).surface == "register R"
    assert in_a_register(found).lanes == (byte_of(found).address // 4,)


def test_a_register_that_is_not_observed_may_differ() -> None:
    assert isinstance(verdict(ADD, SUB, "S"), Refines)


def test_what_the_source_does_not_write_may_be_anything() -> None:
    """In lanes that are off the target may write, and the source may not where the target does not."""
    everywhere = ADD.replace("(M1,", "(M1_NM,")
    assert isinstance(verdict(ADD, everywhere), Refines)
    found = verdict(everywhere, ADD)
    assert isinstance(found, Difference)
    assert not found.exec_mask >> byte_of(found).address // 4 & 1


def test_a_lane_that_the_predicate_leaves_out_is_not_compared() -> None:
    compared = "cmp.gt (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
    some = compared + ADD.replace("add", "(P1) add")
    assert isinstance(verdict(some, ADD), Refines)
    assert isinstance(verdict(ADD, some), Difference)
    inverted = compared + ADD.replace("add", "(!P1) add")
    assert isinstance(verdict(some, inverted), Difference)


def test_what_is_computed_from_what_nothing_wrote_may_be_anything() -> None:
    copied = "mov (M1, 8) R(0,0)<1> U(0,0)<1;1,0>\n"
    assert isinstance(verdict(copied, ADD), Refines)
    assert not isinstance(verdict(ADD, copied), Refines)


def test_a_part_of_a_result_that_is_defined_counts() -> None:
    """The high half of an `and` with a mask is 0, whatever the low half is made from."""
    masked = "and (M1, 8) R(0,0)<1> U(0,0)<1;1,0> 0xffff:d\n"
    ones = "or (M1, 8) R(0,0)<1> X(0,0)<1;1,0> 0xffff0000:d\n"
    assert isinstance(verdict(masked, masked), Refines)
    found = verdict(masked, ones)
    assert isinstance(found, Difference)
    assert byte_of(found).address % 4 >= 2


def test_an_input_that_nothing_overwrites_is_defined() -> None:
    assert isinstance(verdict(ADD, ADD, "X"), Refines)
    overwritten = ADD + "mov (M1, 8) X(0,0)<1> 0x0:d\n"
    assert isinstance(verdict(ADD, overwritten, "X"), Difference)


def test_registers_of_other_names_and_aliases_are_compared() -> None:
    renamed = ADD.replace("R(", "S(")
    assert isinstance(verdict(ADD, renamed, "R=S"), Refines)
    found = verdict(ADD, SUB, "H")
    assert isinstance(found, Difference)
    assert byte_of(found).address < 16


def test_predicates_are_compared_bit_by_bit() -> None:
    greater = "cmp.gt (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
    less = "cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> X(0,0)<1;1,0>\n"
    assert isinstance(verdict(greater, less, "P1=P2"), Refines)
    found = verdict(greater, greater.replace("gt", "ge"), "P1")
    assert isinstance(found, Difference)
    assert byte_of(found).address < 8


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("Q", "declares no"), ("T9=R", "declares no"), ("R=W", "32 bytes"), ("P1=R", "bits"),
        ("R=", "is not NAME"), ("R=S,R", "R is compared"),
    ],
)  # fmt: skip
def test_names_that_cannot_be_compared_are_errors(names: str, message: str) -> None:
    kernel = program(ADD).kernel
    with pytest.raises(ReadError, match=message):
        observed_registers(kernel, kernel, names_from(names))
