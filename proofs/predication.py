"""Pages: every effect stands under `if (ChEn[i])`."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries import predication
from visaproof.queries.query import Query

from . import atomic_variants, variants
from .shapes import ATOMIC, MASKED, QW, SCATTER4, Shape

WRONG_ON = (SCATTER4[1], QW[3], ATOMIC[1])


@for_each(MASKED)
def prove_a_disabled_lane_touches_neither_memory_nor_destination(shape: Shape) -> Query:
    return predication.disabled_lane_touches_nothing(shape())


@for_each(WRONG_ON)
def refute_a_disabled_lane_touches_nothing_without_the_predicate(shape: Shape) -> Query:
    return predication.disabled_lane_touches_nothing(variants.without_predicate(shape()))


@for_each(WRONG_ON)
def refute_a_disabled_lane_touches_nothing_without_the_execution_mask(shape: Shape) -> Query:
    return predication.disabled_lane_touches_nothing(variants.without_execution_mask(shape()))


@for_each(WRONG_ON)
def refute_a_disabled_lane_touches_nothing_if_inverted_before_combining(shape: Shape) -> Query:
    return predication.disabled_lane_touches_nothing(variants.inverted_before_combining(shape()))


def refute_a_disabled_lane_keeps_its_destination_if_it_returns_zero() -> Query:
    return predication.disabled_lane_touches_nothing(atomic_variants.disabled_lane_returns_zero(ATOMIC[1]()))


@for_each(MASKED)
def prove_an_enabled_lane_acts(shape: Shape) -> Query:
    return predication.enabled_lane_acts(shape())


@for_each(MASKED)
def prove_nomask_ignores_the_execution_mask(shape: Shape) -> Query:
    return predication.nomask_ignores_the_execution_mask(shape())


@for_each(WRONG_ON)
def refute_nomask_ignores_the_execution_mask_if_it_is_applied(shape: Shape) -> Query:
    return predication.nomask_ignores_the_execution_mask(variants.nomask_obeys_the_mask(shape()))


@for_each(WRONG_ON)
def refute_an_enabled_lane_acts_if_nomask_obeys_the_mask(shape: Shape) -> Query:
    return predication.enabled_lane_acts(variants.nomask_obeys_the_mask(shape()))


@for_each(MASKED)
def prove_nomask_obeys_the_predicate(shape: Shape) -> Query:
    return predication.nomask_obeys_the_predicate(shape())


@for_each(WRONG_ON)
def refute_nomask_obeys_the_predicate_without_it(shape: Shape) -> Query:
    return predication.nomask_obeys_the_predicate(variants.without_predicate(shape()))
