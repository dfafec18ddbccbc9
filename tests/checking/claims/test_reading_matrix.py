"""Claims under other readings: what is asked, what a verdict depends on, and that every example replays."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from proofs.shapes import ATOMIC, BLOCKS, HALF_ATOMIC, OWORD, PLAIN, PLAIN_QW, SCATTER4, Shape
from visaproof.checking.claims.catalogue import Claim, load_claims
from visaproof.checking.claims.reading_matrix import row
from visaproof.checking.claims.workers import Limits
from visaproof.checking.confirm import violated
from visaproof.checking.counterexample import Counterexample, encoded
from visaproof.checking.decide import decide
from visaproof.checking.replay import replay
from visaproof.checking.verdict import Proved, Refuted
from visaproof.isa.readings import DEFAULT, readings_from
from visaproof.queries import atomics, bounds, collision, frame, predication, value
from visaproof.queries.query import Query
from visaproof.queries.subject import Subject

Property = Callable[[Subject], Query]

ROOT = Path(__file__).parents[3]

BROKEN: dict[str, tuple[Shape, Property]] = {
    "any-all-window=declared-width": (SCATTER4[0], predication.enabled_lane_acts),
    "disabled-lanes=undefined": (ATOMIC[1], predication.disabled_lane_touches_nothing),
    "offset-sum-wraps=no-wrap": (PLAIN, bounds.bounds_are_the_pages),
    "channel-address-wraps=wraps": (PLAIN, bounds.bounds_are_the_pages),
    "scatter-bounds-grain=per-byte": (PLAIN, bounds.out_of_bounds_write_is_dropped),
    "scatter-bounds-grain=per-lane": (PLAIN, bounds.bounds_are_the_pages),
    "slm-bounds=undefined": (OWORD[0], bounds.out_of_bounds_read_gives_zero),
    "dword-misaligned=floor": (PLAIN, collision.misaligned_lane_is_undefined),
    "dword-misaligned=byte-exact": (PLAIN, collision.misaligned_lane_is_undefined),
    "dword-misaligned=data-undefined": (PLAIN, collision.misaligned_lane_is_undefined),
    "collision=equal-allowed": (PLAIN_QW, collision.colliding_lanes_are_undefined),
    "collision=last-wins": (PLAIN_QW, collision.colliding_lanes_are_undefined),
    "collision=any-wins": (PLAIN, collision.the_last_lane_wins),
    "oword-bounds-grain=per-oword": (OWORD[1], value.loaded_dword_is_the_surfaces),
    "oword-bounds-grain=whole-block": (OWORD[1], value.loaded_dword_is_the_surfaces),
    "oword-address-wraps=wraps": (OWORD[1], bounds.out_of_bounds_read_gives_zero),
    "oword-rest=undefined": (OWORD[0], frame.other_registers_are_unchanged),
    "qword-unit=qword-index": (PLAIN_QW, bounds.bounds_are_the_pages),
    "qword-bounds-grain=per-qword": (PLAIN_QW, value.written_dword_is_the_lanes_datum),
    "qword-misaligned=byte-exact": (PLAIN_QW, collision.misaligned_lane_is_undefined),
    "qword-misaligned=floor": (PLAIN_QW, collision.misaligned_lane_is_undefined),
    "qword-misaligned=dword-aligned": (PLAIN_QW, collision.misaligned_lane_is_undefined),
    "typed-bounds=unspecified": (ATOMIC[1], bounds.out_of_bounds_read_gives_zero),
}
"""For each alternative that breaks a property, one that it breaks."""

KEPT: dict[str, tuple[Shape, Property]] = {
    "mask-alignment=verifier-accepts": (PLAIN, predication.enabled_lane_acts),
    "short-predicate=zero": (SCATTER4[0], predication.enabled_lane_acts),
    "collision=last-wins": (PLAIN, collision.the_last_lane_wins),
    "channel-sets=prefix-only": (PLAIN, frame.other_memory_is_unchanged),
    "half-result-rest=zero": (HALF_ATOMIC[0], frame.other_registers_are_unchanged),
    "half-result-rest=preserved": (HALF_ATOMIC[0], frame.other_registers_are_unchanged),
    "half-result-rest=sign-extended": (HALF_ATOMIC[0], atomics.returned_value_is_old),
}
"""Alternatives that make another question, to which the answer is the same."""


def asked(setting: str, shape: Shape, property_: Property) -> Query:
    reread = shape.under(readings_from([setting]))
    assert reread is not None
    return property_(reread())


def broken(setting: str) -> Counterexample:
    verdict = decide(asked(setting, *BROKEN[setting]))
    assert isinstance(verdict, Refuted), verdict
    return verdict.execution


@pytest.mark.parametrize("setting", BROKEN)
def test_an_alternative_that_breaks_a_property_is_shown_by_execute_both_ways(setting: str) -> None:
    """The page's outcome, and the other one, are what `execute` leaves; the file says which reading that is."""
    found = broken(setting)
    assert (found.under, found.variant) == ([setting], f"reading {setting}")
    assert violated(found)
    again = msgspec.json.decode(encoded(found), type=Counterexample)
    assert replay(again, "a.json").differences == ()


def test_of_several_blocks_the_stride_in_src_is_asked() -> None:
    """The page has one block: several are a reading of their own, and every example says so."""
    verdict = decide(asked("qword-stride=padded", BLOCKS[0], value.written_dword_is_the_lanes_datum))
    assert isinstance(verdict, Refuted)
    assert verdict.execution.under == ["qword-blocks=several", "qword-stride=padded"]
    assert violated(verdict.execution)


def test_an_example_does_not_replay_under_a_reading_that_does_something_else() -> None:
    found = broken("qword-misaligned=floor")
    found.under = ["qword-misaligned=dword-aligned"]
    assert replay(found, "a.json").differences != ()


@pytest.mark.parametrize("setting", KEPT)
def test_an_alternative_that_keeps_a_property_is_proved(setting: str) -> None:
    assert isinstance(decide(asked(setting, *KEPT[setting])), Proved)


@pytest.mark.parametrize("setting", ["short-variable=all-lanes", "qword-unit=literal", "lod-range=clamp"])
def test_what_makes_no_difference_to_a_shape_is_not_asked(setting: str) -> None:
    readings = readings_from([setting])
    assert all(shape.under(readings) is None for shape in (PLAIN, PLAIN_QW, OWORD[1], ATOMIC[1]))


def test_the_defaults_make_no_difference() -> None:
    assert PLAIN.under(DEFAULT) is None


def claim_named(name: str) -> Claim:
    return next(claim for claim in load_claims(ROOT / "proofs") if claim.id == name)


def test_a_row_names_the_readings_that_the_verdict_depends_on() -> None:
    found = row(claim_named("prove_a_loaded_dword_is_the_surfaces[oword_ld-2]"), Limits())
    assert found.default.answer == "proved"
    names = ["oword-bounds-grain=per-oword", "oword-bounds-grain=whole-block", "oword-address-wraps=wraps"]
    assert [one.setting for one in found.depends_on] == names


def test_a_claim_without_a_shape_depends_on_no_reading() -> None:
    found = row(claim_named("prove_an_operation_is_the_tables[add]"), Limits())
    assert found.asked == ()


def test_a_float_operation_alone_depends_on_its_readings() -> None:
    found = row(claim_named("prove_an_operation_is_the_tables[fmax]"), Limits())
    answers = {one.setting: one.answer for one in found.asked}
    assert answers.pop("float-atomics=reject") == "illegal"
    settings = {"float-atomics=as-lowered", "float-nan=propagates", "float-zeros=ordered", "float-denormals=flushed"}
    assert answers == dict.fromkeys(settings, "refuted")


def test_lanes_commute_whatever_a_float_operation_is() -> None:
    found = row(claim_named("prove_lanes_on_different_texels_commute[fcmpwr]"), Limits())
    assert {one.answer for one in found.asked} == {"proved", "illegal"}
    assert found.depends_on == ()


def test_refutations_are_not_asked_under_other_readings() -> None:
    readings = readings_from(["scatter-bounds-grain=per-byte"])
    claims = [claim for claim in load_claims(ROOT / "proofs") if claim.expected is Refuted]
    assert claims
    assert all(claim.under(readings) is None for claim in claims)
