"""The third writing of the pages, the statement that the queries use, against `execute` on whole states."""

import pytest
from hypothesis import given, settings

from tests.strategies import Start, Values, starts
from tests.two_writings import executed
from visaproof.checking.runs import claimed
from visaproof.checking.states import changes
from visaproof.instructions.lsc.block2d import BlockShape
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.operands import Execution
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.block2d import load_block2d, store_block2d
from visaproof.queries.page_accesses import page_accesses, page_undefined
from visaproof.queries.pages import acting_effects, aligned_in_the_page, contains, effects
from visaproof.queries.subject import Subject, oword_ld, qw_scatter, scatter4_scaled, typed_atomic
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.smt import evaluate
from visaproof.smt.evaluate import evaluate_all

SCATTERS = (
    scatter4_scaled(8, Platform.TGLLP, True),
    scatter4_scaled(8, Platform.PVC, True),
    scatter4_scaled(16, Platform.TGLLP, False),
    scatter4_scaled(16, Platform.PVC, False),
    qw_scatter(1, Platform.DG2, True),
    qw_scatter(8, Platform.DG2, True),
    qw_scatter(16, Platform.DG2, False),
)
LANES = (
    *(qw_scatter(size, Platform.DG2, True) for size in (1, 2, 4, 8, 16)),
    typed_atomic(AtomicOp.ADD, SurfaceKind.PLANE, Platform.TGLLP, True),
    typed_atomic(AtomicOp.INC, SurfaceKind.LINE, Platform.TGLLP, False),
)
"""Subjects whose lanes act without further conditions."""
MATRICES = (
    load_block2d(BlockShape(8, 3, 5, vnni=True), True),
    load_block2d(BlockShape(16, 3, 2, blocks=2), False, moved=True),
    load_block2d(BlockShape(32, 2, 3, transposed=True), False),
    load_block2d(BlockShape(64, 2, 2), True, moved=True),
    store_block2d(BlockShape(8, 3, 2), False, moved=True),
    store_block2d(BlockShape(64, 2, 2), True),
)
BLOCKS = tuple(oword_ld(owords, Platform.DG2) for owords in (1, 4, 16))


def name(subject: Subject) -> str:
    return f"{subject.instruction.spec.name}-{subject.scope}"


def stated_scatter(subject: Subject, values: Values, before: ConcreteState) -> ConcreteState | None:
    """What the statement of a scatter's page leaves; None where it is undefined."""
    if not evaluate(aligned_in_the_page(subject), values):
        return None
    after = before.copy()
    buffer = after.buffer(subject.surface)
    owner: dict[int, int | None] = {}
    for effect in effects(subject):
        if not evaluate(effect.enabled, values) or not evaluate(
            contains(subject.state, subject.surface, effect.cell), values
        ):
            continue
        assert effect.written is not None
        (address,), written = evaluate_all(effect.cell, values), evaluate(effect.written, values)
        if owner.setdefault(address, effect.lane) != effect.lane:
            return None
        buffer.contents |= {address + k: written >> 8 * k & 0xFF for k in range(4)}
    return after


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("subject", SCATTERS, ids=name)
def test_the_statement_of_a_scatter_is_what_execute_does(subject: Subject) -> None:
    @settings(max_examples=40)
    @given(starts(subject))
    def agree(start: Start) -> None:
        stated = stated_scatter(subject, start.values, start.before)
        observed = executed(start.instruction, start.before)
        if stated is None:
            assert observed.undefined is not None
        else:
            assert observed == changes(start.before, stated)

    agree()


@pytest.mark.parametrize("subject", BLOCKS, ids=name)
def test_the_statement_of_a_block_load_is_what_execute_does(subject: Subject) -> None:
    @given(starts(subject))
    def agree(start: Start) -> None:
        after = start.before.copy()
        memory = start.before.surfaces[subject.surface]
        assert isinstance(memory, Buffer)
        for effect in effects(subject):
            (address,) = evaluate_all(effect.cell, start.values)
            inside = evaluate(contains(subject.state, subject.surface, effect.cell), start.values)
            held = bytes(memory.contents.get(address + k, 0) if inside else 0 for k in range(4))
            assert effect.destination is not None
            place = effect.destination
            after.registers[place.variable][place.start : place.start + 4] = held
        assert executed(start.instruction, start.before) == changes(start.before, after)

    agree()


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("subject", MATRICES, ids=name)
def test_the_statement_of_a_2d_block_is_what_execute_does(subject: Subject) -> None:
    @given(starts(subject))
    def agree(start: Start) -> None:
        stated = claimed(page_accesses(subject), False, start.values, start.before, page_undefined(subject))
        assert executed(start.instruction, start.before) == stated

    agree()


@pytest.mark.parametrize("subject", LANES, ids=name)
def test_the_lanes_that_the_page_enables_are_those_of_the_machine(subject: Subject) -> None:
    """Whole masks shifted in the statement, bit by bit in the footprint, concretely in `execute`."""

    @settings(max_examples=40)
    @given(starts(subject))
    def agree(start: Start) -> None:
        execution = getattr(start.instruction, "execution", None)
        assert isinstance(execution, Execution)
        observed = [start.before.channel_enabled(execution, lane) for lane in range(execution.size)]
        for stated in (effects(subject), acting_effects(subject)):
            for effect, enabled in zip(stated, evaluate_all([e.enabled for e in stated], start.values), strict=True):
                assert effect.lane is not None
                assert bool(enabled) == observed[effect.lane]

    agree()


@pytest.mark.parametrize("kind", SurfaceKind, ids=lambda kind: kind.spelling)
def test_the_texels_of_the_statement_are_those_of_the_machine(kind: SurfaceKind) -> None:
    """Each row of the page's table, at every level: by axis in the one writing, row by row in the other."""
    subject = typed_atomic(AtomicOp.ADD, kind, Platform.TGLLP, False, levels=3)

    @settings(max_examples=40)
    @given(starts(subject))
    def agree(start: Start) -> None:
        image = start.before.image(subject.surface)
        for effect in effects(subject):
            u, v, r, lod = evaluate_all(effect.cell, start.values)
            stated = evaluate(contains(subject.state, subject.surface, effect.cell), start.values)
            assert bool(stated) == image.contains((u, v, r, lod))

    agree()
