"""`execute` against the footprint at the same values: whole states, every shape, near every edge."""

from itertools import chain
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import Loose, Start, any_readings, loose_start, loose_starts, start_of, starts
from tests.two_writings import (
    ASKED,
    ASKED_OF_FLOATS,
    answered_together,
    difference,
    disagreement,
    executed,
    found_disagreement,
    is_undefined,
    short_subjects,
    symbolised,
)
from visaproof.instructions import Instruction, Scatter4Scaled, TypedAtomic
from visaproof.instructions.family import Gather4Scaled, GatherScaled, ScatterScaled
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.answers import FloatAtomics
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.operands import Channels, Execution, RawOperand, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, alternatives, setting
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.subject import SURFACE, Subject, oword_ld, qw_scatter, scatter4_scaled, typed_atomic
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer

LINE, PLANE = SurfaceKind.LINE, SurfaceKind.PLANE
KINDS = tuple(kind for kind in SurfaceKind if kind is not PLANE)
"""Those beside the one on which each operation is tried."""

SHAPES: dict[str, Subject] = {
    f"{subject.instruction.spec.name}-{subject.scope}": subject
    for subject in (
        *(
            scatter4_scaled(size, platform, predicated)
            for size in (8, 16)
            for platform in (Platform.TGLLP, Platform.PVC)
            for predicated in (False, True)
        ),
        *(qw_scatter(size, Platform.DG2, predicated) for size in (1, 2, 4, 8, 16) for predicated in (False, True)),
        *(oword_ld(owords, Platform.DG2) for owords in (1, 2, 4, 8, 16)),
        *(typed_atomic(op, LINE, Platform.TGLLP, False) for op in PAGE_OPS),
        *(typed_atomic(op, PLANE, Platform.TGLLP, True) for op in PAGE_OPS),
        *(typed_atomic(op, LINE, Platform.TGLLP, False, texel_bits=16) for op in PAGE_OPS),
        *(
            typed_atomic(AtomicOp.ADD, kind, Platform.PVC, levels == 3, 32, levels)
            for kind in KINDS
            for levels in (0, 3)
        ),
        typed_atomic(AtomicOp.IMAX, PLANE, Platform.PVC, True, texel_bits=16),
        typed_atomic(AtomicOp.XCHG, SurfaceKind.PLANE_ARRAY, Platform.TGLLP, True, texel_bits=16, levels=2),
        typed_atomic(AtomicOp.CMPXCHG, LINE, Platform.PVC, True),
        typed_atomic(AtomicOp.PREDEC, PLANE, Platform.PVC, False),
    )
}


SHORT = short_subjects()


def _examples(subject: Subject) -> int:
    return 25 if isinstance(subject.instruction, TypedAtomic) else 40


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_execute_and_footprint_agree_on_whole_states(shape: str) -> None:
    """Both are undefined, or both change the same bytes to the same values."""
    subject = SHAPES[shape]

    @settings(max_examples=_examples(subject))
    @given(starts(subject))
    def agree(start: Start) -> None:
        found = disagreement(subject, start)
        assert found is None, found

    agree()


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("shape", SHAPES)
def test_drawn_states_have_effects_of_every_kind(shape: str) -> None:
    """The agreement above is not about nothing: states are defined and change something, and scatters also collide."""
    subject = SHAPES[shape]
    outcomes = [
        executed(start.instruction, start.before) for seed in range(80) for start in [start_of(subject, Random(seed))]
    ]
    assert sum(bool(outcome.changes) for outcome in outcomes) >= 8
    reasons = " ".join(outcome.undefined or "" for outcome in outcomes)
    if subject.instruction.spec.collision_undefined:
        assert "is not a multiple of" in reasons
        assert "both write byte" in reasons or "SIMD1" in subject.scope.split(", ")
    else:
        assert reasons.strip() == ""


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHORT)
def test_a_variable_without_the_last_lanes_is_undefined_only_if_they_are_used(shape: str) -> None:
    """Which dwords a lane needs depends on the channel set too, which is a symbol here; nothing changes before (D6)."""
    subject = SHORT[shape]
    drawn = [start_of(subject, Random(seed)) for seed in range(100)]
    assert [found for start in drawn if (found := disagreement(subject, start))] == []
    reasons = [executed(start.instruction, start.before).undefined or "" for start in drawn]
    assert sum("lies beyond its variable" in reason for reason in reasons) >= 3
    assert sum(not reason for reason in reasons) >= 5


@pytest.mark.slow
@settings(max_examples=150)
@given(loose_starts())
def test_both_writings_are_undefined_where_operands_are_too_short(loose: Loose) -> None:
    """Short variables, short predicates, masks that do not fit and operands in one variable: still one meaning."""
    state, values = symbolised(loose.before)
    accesses = list(loose.instruction.footprint(state))
    found = difference(loose.instruction, accesses, loose.before, values, undefined_bytes_of(loose.instruction, state))
    assert found is None, f"{loose.instruction}: {found}"


@pytest.mark.slow
@settings(max_examples=400)
@given(st.randoms(use_true_random=False))
def test_both_writings_agree_under_any_readings(pick: Random) -> None:
    """Several questions may have other answers at once, on states that a page need not allow."""
    loose = loose_start(pick, any_readings(pick))
    state, values = symbolised(loose.before)
    accesses = list(loose.instruction.footprint(state))
    found = difference(loose.instruction, accesses, loose.before, values, undefined_bytes_of(loose.instruction, state))
    assert found is None, f"{loose.instruction}, {loose.before.readings.chosen_otherwise()}: {found}"


ALTERNATIVES = {setting(name, answer): DEFAULT.with_answer(name, answer) for name, answer in alternatives()}


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_both_writings_agree_under_each_alternative(alternative: str) -> None:
    """On the legal states of the shapes, near their edges."""
    readings = ALTERNATIVES[alternative]
    floats = ASKED_OF_FLOATS if readings.float_atomics is not FloatAtomics.REJECT else ()
    for build in (*chain(*ASKED.values()), *floats):
        subject = build(readings)
        found = found_disagreement(subject, 30)
        assert found is None, f"{subject.instruction}: {found}"


@pytest.mark.slow
@pytest.mark.parametrize("instruction", ASKED)
def test_both_writings_agree_under_several_alternatives_at_once(instruction: str) -> None:
    """Where two answers meet: a sum that does not wrap and a channel's address that does, and the like."""
    for subject in (build() for build in answered_together(instruction)):
        found = found_disagreement(subject, 8)
        assert found is None, f"{subject.instruction} {subject.variant}: {found}"


@pytest.mark.parametrize("kind", [Scatter4Scaled, Gather4Scaled])
def test_a_short_offset_is_undefined_only_if_a_lane_reads_it_with_channels(kind: type[Scatter4Scaled]) -> None:
    _assert_offset_is_read_by_lanes(kind(Execution(8), Channels(1), SURFACE, ScalarUD("VG"), VARIABLE, VARIABLE))


@pytest.mark.parametrize("kind", [ScatterScaled, GatherScaled])
def test_a_short_offset_is_undefined_only_if_a_lane_reads_it(kind: type[ScatterScaled]) -> None:
    _assert_offset_is_read_by_lanes(kind(Execution(8), 4, SURFACE, ScalarUD("VG"), VARIABLE, VARIABLE))


VARIABLE = RawOperand("VO")


def _assert_offset_is_read_by_lanes(instruction: Instruction) -> None:
    """A global offset beyond its variable is undefined for an enabled lane, and no reader without one (D6)."""
    for exec_mask in (0, 1):
        before = ConcreteState(Platform.TGLLP, exec_mask=exec_mask, surfaces={SURFACE: Buffer(64)})
        before.registers = {"VG": bytearray(2), "VO": bytearray(32)}
        assert is_undefined(instruction, before) == bool(exec_mask)


def test_drawn_short_operands_have_effects_of_every_kind() -> None:
    drawn = [loose_start(Random(seed)) for seed in range(400)]
    outcomes = [executed(loose.instruction, loose.before) for loose in drawn]
    reasons = [outcome.undefined or "" for outcome in outcomes]
    assert sum(bool(outcome.changes) for outcome in outcomes) >= 50
    assert sum("lies beyond its variable" in reason for reason in reasons) >= 50
    assert sum("has no bits for lanes" in reason for reason in reasons) >= 20
