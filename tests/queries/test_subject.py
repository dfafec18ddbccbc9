"""An instruction in an arbitrary state: what its symbols stand for, and what the queries refuse."""

from random import Random

import pytest

from tests.strategies import start_of
from visaproof.checking.runs import claimed, run
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.isa.readings import READINGS
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries import bounds, predication, value
from visaproof.queries.subject import (
    CHANNEL_SET,
    COMBINE,
    INVERSE,
    MASK,
    ClaimBit,
    Subject,
    oword_ld,
    qw_scatter,
    scatter4_scaled,
    typed_atomic,
)
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.state import field_term
from visaproof.smt import Term, bool_symbol, evaluate, symbol

SCATTER = scatter4_scaled(8, Platform.TGLLP, True)


def bound(**codes: int) -> dict[Term, int]:
    fields = {"mask": MASK, "inverse": INVERSE, "combine": COMBINE, "channels": CHANNEL_SET}
    return {field_term(fields[name], fields[name].width): code for name, code in codes.items()}


def test_values_become_the_instruction_and_its_state() -> None:
    values = bound(mask=10, inverse=1, combine=2, channels=9)
    values |= {lane_on(3): 1, bool_symbol(ClaimBit(31)): 1, symbol("VO.1", 32): 0x0403_0201, symbol("size", 33): 7}
    instruction, state = SCATTER.bind(values)
    assert str(instruction) == "(!P1.all) scatter4_scaled.RA (M3_NM, 8) T6 VG(0,0)<0;1,0> VO.0 VS.0"
    assert state.exec_mask == 1 << 3
    assert (state.predicates["P1"].count, state.predicates["P1"].bits) == (32, 1 << 31)
    assert state.registers["VO"][4:8] == bytes([1, 2, 3, 4])
    assert state.buffer("T6").size == 7
    assert len(state.registers["VS"]) == 4 * 8 * 4


@pytest.mark.parametrize("mask", ExecMask)
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_legal_masks_are_those_that_validate_accepts(mask: ExecMask, size: int) -> None:
    """The assumption of every query is the rule of the page: neither more nor less."""
    subject = qw_scatter(size, Platform.DG2, False)
    legal = mask.lane_offset % size == 0 and mask.lane_offset + size <= 32
    assert all(evaluate(condition, bound(mask=mask)) for condition in subject.legal) is legal
    instruction, _ = subject.bind(bound(mask=mask))
    if legal:
        instruction.validate(Platform.DG2)


def test_the_reserved_combine_code_and_the_empty_channel_set_are_not_legal() -> None:
    def legal(**codes: int) -> bool:
        return all(evaluate(condition, bound(**codes)) for condition in SCATTER.legal)

    assert all(legal(mask=0, combine=code.value, channels=1) for code in Combine)
    assert not legal(mask=0, combine=3, channels=1)
    assert not legal(mask=0, combine=0, channels=0)


@pytest.mark.parametrize("platform", [platform for platform in SUPPORTED if platform >= Platform.XeHP_SDV])
def test_subjects_are_legal_on_their_platform(platform: Platform) -> None:
    """A factory validates its instruction: with the least platform that has it, and any later one."""
    for subject in (
        scatter4_scaled(16, platform, True),
        qw_scatter(2, platform, True),
        oword_ld(16, platform),
        typed_atomic(AtomicOp.MIN, SurfaceKind.VOLUME, platform, True),
    ):
        instruction, _ = subject.bind(bound(mask=0, combine=0, channels=15))
        instruction.validate(platform)


def test_painted_values_make_the_effects_visible() -> None:
    """Every enabled lane then writes inside the surface, and something that was not there."""
    values = SCATTER.painted() | bound(mask=8, combine=0, channels=15)
    values |= {bool_symbol(ClaimBit(lane)): 1 for lane in range(32)}
    instruction, before = SCATTER.bind(values)
    assert len(run(instruction, before, [0]).outcome.changes) >= 8


def test_a_variant_keeps_the_instruction_and_its_own_accesses() -> None:
    variant = SCATTER.with_variant("nothing", ())
    assert (variant.variant, variant.accesses) == ("nothing", ())
    assert variant.own_accesses == SCATTER.accesses
    assert variant.instruction is SCATTER.instruction


@pytest.mark.parametrize(
    "subject", [SCATTER, oword_ld(2, Platform.DG2), typed_atomic(AtomicOp.ADD, SurfaceKind.PLANE, Platform.TGLLP, True)]
)
def test_a_claim_about_a_state_leaves_that_state_alone(subject: Subject) -> None:
    start = start_of(subject, Random(7))
    kept = start.before.copy()
    claimed(subject.accesses, True, start.values, start.before)
    run(start.instruction, start.before, [1, 2])
    assert start.before == kept


# ---------------------------------------------------------------- queries


def test_a_query_names_property_shape_and_readings() -> None:
    query = bounds.out_of_bounds_write_is_dropped(SCATTER)
    assert query.claim == "scatter4_scaled/out-of-bounds-write-is-dropped"
    assert query.id == "scatter4_scaled/out-of-bounds-write-is-dropped[SIMD8, GRF 32, predicated]"
    assert "scatter-bounds-grain" in query.readings
    assert set(query.readings) <= READINGS.keys()
    assert query.assumptions[: len(SCATTER.legal)] == SCATTER.legal


def test_a_query_that_makes_no_sense_for_an_instruction_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="a store brings nothing back"):
        bounds.out_of_bounds_read_gives_zero(SCATTER)
    with pytest.raises(TypeError, match="OWORD_LD has no lanes"):
        predication.disabled_lane_touches_nothing(oword_ld(1, Platform.DG2))


def test_at_most_one_of_many_conditions() -> None:
    """For each of the eight truth assignments of three conditions."""
    conditions = [bool_symbol(name) for name in "abc"]
    formula = value.at_most_one(conditions)
    for bits in range(8):
        values: dict[Term, int] = {condition: bits >> k & 1 for k, condition in enumerate(conditions)}
        assert evaluate(formula, values) == (bits.bit_count() <= 1)
