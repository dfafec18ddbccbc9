"""The legal space shape by shape: small slices of it are proved, and a wrong selection is caught either way."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace

from proofs import atomic_variants, variants
from visaproof.checking.claims.enumeration import SAME_AS_FAMILY, BatchResult, decide_batch, selected
from visaproof.checking.claims.workers import Limits
from visaproof.checking.confirm import violated
from visaproof.checking.counterexample import Counterexample
from visaproof.checking.verdict import Refuted
from visaproof.isa.execution import Combine, ExecMask
from visaproof.queries.fixed_shapes import Batch, batches, families, shapes
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Store
from visaproof.smt import false

SLICES = {
    "scatter4_scaled SIMD8 (!P1.any)": 5,
    "scatter4_scaled SIMD16 unpredicated": 3,
    "qw_scatter SIMD4 (P1.all)": 10,
    "oword_ld": 5,
    "typed_atomic cmpxchg (!P1)": 3,
    "typed_atomic predec unpredicated": 4,
}
"""How many shapes of each family are decided here."""


def batch_named(name: str) -> Batch:
    (found,) = selected((name,))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SLICES)
def test_a_slice_of_the_space_is_proved_both_ways(name: str):
    result = decide_batch(batch_named(name), Limits(), most=SLICES[name])
    assert result.shapes > 0
    assert result.enumerated == {"proved": 6 * result.shapes}
    assert set(result.parametric) <= {"proved"}
    assert result.findings == ()


# ---------------------------------------------------------------- the space


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("oword_ld", 6 * 4 + 5 * 4 + 3),  # user's surfaces; T0 from ICLLP on; 16 owords from XeHP_SDV on, T0 only
        ("qw_scatter SIMD16 (P1)", 3 * 2 * 4),  # XeHP_SDV and later, two surface kinds, masks M1, M5 and their _NM
        ("qw_scatter SIMD8 unpredicated", 3 * 2 * 8),
        ("qw_scatter SIMD1 unpredicated", 3 * 2 * 16),
        ("typed_atomic add unpredicated", (6 + 4) * 5 * 8),  # 16 bits from TGLLP on; no T0; five kinds of surface
    ],
)
def test_a_batch_has_the_legal_shapes_and_no_others(name: str, expected: int):
    batch = batch_named(name)
    assert sum(1 for family in families(batch) for _ in shapes(family, batch.form)) == expected


def test_batches_have_names_of_their_own_and_each_form_of_predicate():
    names = [batch.name for batch in batches()]
    assert len(set(names)) == len(names) == 1 + 7 * (2 + 5 + 17)


# ---------------------------------------------------------------- wrong selections


def next_mask(subject: Subject) -> Subject:
    """M2 where the page has M1, and so on, where that is legal: the lanes of a neighbour."""
    instruction = cast(Any, subject.instruction)
    mask = ExecMask(instruction.execution.mask ^ 2)
    moved = replace(instruction, execution=replace(instruction.execution, mask=mask))
    return subject.with_variant("next-mask", tuple(moved.footprint(subject.state)))


def any_for_all(subject: Subject) -> Subject:
    """`.any` where the page has `.all`."""
    instruction = cast(Any, subject.instruction)
    predicate = replace(instruction.execution.predicate, combine=Combine.ANY)
    moved = replace(instruction, execution=replace(instruction.execution, predicate=predicate))
    return subject.with_variant("any-for-all", tuple(moved.footprint(subject.state)))


def last_slot(subject: Subject) -> Subject:
    """Every channel takes its data from the slot of the last one."""
    lanes = cast(Any, subject.instruction).execution.size
    stores = cast(tuple[Store, ...], subject.accesses)
    data = [store.value for store in stores[-lanes:]]
    wrong = tuple(replace(store, value=data[index % lanes]) for index, store in enumerate(stores))
    return subject.with_variant("last-slot", wrong)


WRONG: list[tuple[str, Callable[[Subject], Subject], str, int]] = [
    ("scatter4_scaled SIMD8 unpredicated", last_slot, "data-are-the-pages", 4),
    ("scatter4_scaled SIMD8 unpredicated", variants.exec_size_for_slot_stride, "data-are-the-pages", 4),
    ("scatter4_scaled SIMD8 unpredicated", variants.without_bounds, "bounds-are-the-pages", 1),
    ("scatter4_scaled SIMD8 unpredicated", variants.misalignment_allowed, "meaning-is-the-pages", 1),
    ("scatter4_scaled SIMD8 unpredicated", next_mask, "enabled-lanes-act", 1),
    ("qw_scatter SIMD4 (P1.all)", any_for_all, "enabled-lanes-act", 1),
    ("qw_scatter SIMD4 (P1.all)", variants.without_predicate, "enabled-lanes-act", 1),
    ("oword_ld", variants.next_oword, "addresses-are-the-pages", 1),
    ("typed_atomic cmpxchg unpredicated", atomic_variants.sources_swapped, "data-are-the-pages", 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wrong", "obligation", "most"), WRONG)
def test_a_wrong_selection_in_the_shapes_is_caught_and_shown(
    name: str, wrong: Callable[[Subject], Subject], obligation: str, most: int
):
    result = decide_batch(batch_named(name), Limits(), alter=wrong, most=most)
    found = counterexample_of(result, obligation)
    assert found.variant == wrong.__name__.replace("_", "-")
    assert SAME_AS_FAMILY in {one.obligation for one in result.findings}
    assert result.enumerated["refuted"] >= 2


def test_a_wrong_selection_in_the_family_is_caught_by_the_shapes():
    """The shapes are right, so their pages agree; only putting the numbers in shows that the parameters are wrong."""
    batch = batch_named("scatter4_scaled SIMD8 unpredicated")
    result = decide_batch(batch, Limits(), most=4, alter_family=variants.channel_number_for_slot)
    assert {finding.obligation for finding in result.findings} == {"data-are-the-pages", SAME_AS_FAMILY}
    assert counterexample_of(result, SAME_AS_FAMILY).variant == "parametric-footprint"
    assert result.parametric["refuted"] > 0


def counterexample_of(result: BatchResult, obligation: str) -> Counterexample:
    """That of the first shape of the obligation, which replays."""
    finding = next(one for one in reversed(result.findings) if one.obligation == obligation)
    assert isinstance(finding.verdict, Refuted), finding
    assert violated(finding.verdict.execution)
    return finding.verdict.execution


def test_a_shape_that_can_never_act_is_vacuous():
    def nobody(subject: Subject) -> Subject:
        never = tuple(replace(access, guard=false()) for access in subject.accesses)
        return subject.with_variant("nobody", never)

    result = decide_batch(batch_named("qw_scatter SIMD1 unpredicated"), Limits(), alter=nobody, most=1)
    assert result.enumerated == {"vacuous": 6 * result.shapes}
