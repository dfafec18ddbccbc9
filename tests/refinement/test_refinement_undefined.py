"""Kinds of undefined behaviour: forbidden they excuse the source and condemn the target, allowed they do neither."""

import pytest

from tests.support.differences import kind_of
from visaproof.cli import main
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, forbidden_by, unusual
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Vacuous, Verdict
from visaproof.report.two_kernels.answer import verdict_lines
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl N v_type=G type=d num_elts=8 align=GRF
.decl SHORT v_type=G type=d num_elts=4 align=GRF
.decl T6 v_type=T num_elts=1
.input AT offset=32 size=32
.input X offset=64 size=32
.input SHORT offset=96 size=16
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n"
LOAD = "gather4_scaled.R (M1, 8) T6 {at}:ud AT.0 {to}.0\n"
MASKED = "and (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0xfffffffc:ud\n"
APART = "add (M1_NM, 8) AT(0,0)<1> 0x76543210:uv 0x0:ud\nshl (M1_NM, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0x2:ud\n"
ALLOW = {kind: forbidden_by([(kind, False)]) for kind in UndefinedKind}
FORBID = {kind: forbidden_by([(kind, True)]) for kind in UndefinedKind}


def program(body: str) -> Program:
    return Program(read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm"), NOTHING_KNOWN, Platform.DG2)


def asked(source: str, target: str, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE, forbidden)), 10_000)


def test_a_difference_names_the_kind() -> None:
    """All lanes write one dword at one address: one of them alone leaves the same, and is defined."""
    every = "mov (M1_NM, 8) AT(0,0)<1> 0x0:ud\nmov (M1_NM, 8) X(0,0)<1> X(0,0)<0;1,0>\n"
    one = every + STORE.replace("M1, 8", "M1_NM, 1")
    target = every + STORE.replace("M1, 8", "M1_NM, 8")
    comparison = compare(program(one), program(target), Scope(Assume.NONE))
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference)
    assert kind_of(found) is UndefinedKind.COLLISION
    assert "`--undefined collision=allow`" in "\n".join(verdict_lines(comparison, found))


@pytest.mark.slow
def test_lanes_that_may_collide_write_one_after_another() -> None:
    every = "mov (M1_NM, 8) AT(0,0)<1> 0x0:ud\nmov (M1_NM, 8) X(0,0)<1> X(0,0)<0;1,0>\n"
    one, all_lanes = every + STORE.replace("M1, 8", "M1_NM, 1"), every + STORE.replace("M1, 8", "M1_NM, 8")
    allowed = ALLOW[UndefinedKind.COLLISION]
    assert isinstance(asked(one, all_lanes, allowed), Refines)
    assert isinstance(asked(all_lanes, one, allowed), Refines)
    assert isinstance(asked(all_lanes, one), Refines)
    assert not isinstance(asked(one, all_lanes.replace("X(0,0)<0;1,0>", "AT(0,0)<0;1,0>"), allowed), Refines)


def test_a_misaligned_source_excuses_only_where_that_is_forbidden() -> None:
    one = STORE.replace("M1, 8", "M1, 1")
    assert isinstance(asked(one, MASKED + one), Refines)
    assert not isinstance(asked(one, MASKED + one, ALLOW[UndefinedKind.MISALIGNED]), Refines | Vacuous)
    assert isinstance(asked(one, one, ALLOW[UndefinedKind.MISALIGNED]), Refines)


def test_what_lies_beyond_a_variable_is_undefined_in_the_source_or_reads_as_0() -> None:
    short, zero = APART + STORE.replace("X.0", "SHORT.0"), "mov (M1, 8) X(0,0)<1> 0x0:d\n"
    assert isinstance(asked(APART + STORE, short), Difference)
    copied = APART + zero + "mov (M1, 4) X(0,0)<1> SHORT(0,0)<1;1,0>\n" + STORE
    assert isinstance(asked(copied, short, ALLOW[UndefinedKind.BEYOND_VARIABLE]), Refines)
    assert not isinstance(asked(copied, short), Refines)


@pytest.mark.slow
def test_an_address_that_is_always_misaligned_is_not_taken_for_registers_beyond_a_variable() -> None:
    """Nor is one that may be misaligned overlooked beside registers that the variable does not have."""
    off, short = LOAD.format(at="0x2", to="N"), LOAD.format(at="0x0", to="SHORT")
    for one, other in ((APART + STORE, APART + off + STORE), (APART + STORE, short + APART + STORE)):
        assert isinstance(asked(one, other), Difference)
        with pytest.raises(NotModelled, match="may be misaligned"):
            asked(one, other, ALLOW[UndefinedKind.BEYOND_VARIABLE])
        with pytest.raises(NotModelled, match="may be misaligned"):
            asked(other, one, ALLOW[UndefinedKind.MISALIGNED])
    aligned = APART + LOAD.format(at="0x4", to="SHORT") + STORE
    assert isinstance(asked(APART + STORE, aligned, ALLOW[UndefinedKind.BEYOND_VARIABLE]), Refines)


SLM = "scatter4_scaled.R (M1, 1) %slm 0x0:ud AT.0 X.0\n"


def test_an_access_outside_of_shared_local_memory_counts_where_it_is_forbidden() -> None:
    """A load without a use changes nothing, but may be outside."""
    load = "gather4_scaled.R (M1_NM, 1) %slm 0x0:ud SHORT.0 N.0\nand (M1_NM, 4) SHORT(0,0)<1> SHORT(0,0)<1;1,0> 0x0:d\n"
    load = "and (M1_NM, 1) SHORT(0,0)<1> SHORT(0,0)<0;1,0> -4:d\n" + load
    outside = load + MASKED + SLM
    assert isinstance(asked(MASKED + SLM, outside), Refines)
    found = asked(MASKED + SLM, outside, FORBID[UndefinedKind.SLM_OUTSIDE])
    assert isinstance(found, Difference), found
    assert kind_of(found) is UndefinedKind.SLM_OUTSIDE
    assert isinstance(asked(outside, MASKED + SLM, FORBID[UndefinedKind.SLM_OUTSIDE]), Refines)


def test_what_nothing_wrote_excuses_the_source_where_that_is_forbidden() -> None:
    """Where it is not, the source may find just what the target stores."""
    unwritten = APART + STORE.replace("X.0", "N.0")
    assert isinstance(asked(unwritten, APART + STORE), Refines)
    forbidden = FORBID[UndefinedKind.UNINITIALISED]
    assert isinstance(asked(unwritten, APART + STORE, forbidden), Refines | Vacuous)
    assert not isinstance(asked(APART + STORE, unwritten, forbidden), Refines)
    assert not isinstance(asked(APART + STORE, unwritten), Refines)


def test_the_last_choice_of_a_kind_counts_and_is_told() -> None:
    kind = UndefinedKind.COLLISION
    assert forbidden_by([(kind, False), (kind, True)]) == FORBIDDEN
    assert not list(unusual(FORBIDDEN))
    assert [one.sentence.partition(" ")[0] for one in unusual(ALLOW[kind])] == ["collision"]
    assert "forbidden" in next(unusual(FORBID[UndefinedKind.SLM_OUTSIDE])).sentence


def test_a_kind_that_there_is_not_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refine", "a", "b", "--undefined", "colision=allow"]) == 2
    assert "misaligned" in capsys.readouterr().err
    assert main(["refine", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"  {kind.value} " in told for kind in UndefinedKind)
