"""Pages: "On write: data is dropped.  On read: zeros are returned." """

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries import bounds
from visaproof.queries.query import Query

from . import atomic_variants, variants
from .shapes import ALL, ATOMIC, DEEP, DEEP_ARRAY, OWORD, PLAIN, PLAIN_QW, READERS, WRITERS, Shape


@for_each(WRITERS)
def prove_an_out_of_bounds_write_is_dropped(shape: Shape) -> Query:
    return bounds.out_of_bounds_write_is_dropped(shape())


@for_each((PLAIN, PLAIN_QW, ATOMIC[1]))
def refute_an_out_of_bounds_write_is_dropped_without_the_bounds_test(shape: Shape) -> Query:
    return bounds.out_of_bounds_write_is_dropped(variants.without_bounds(shape()))


@for_each(READERS)
def prove_an_out_of_bounds_read_gives_zero(shape: Shape) -> Query:
    return bounds.out_of_bounds_read_gives_zero(shape())


@for_each((OWORD[1], ATOMIC[1]))
def refute_an_out_of_bounds_read_gives_zero_without_the_bounds_test(shape: Shape) -> Query:
    return bounds.out_of_bounds_read_gives_zero(variants.without_bounds(shape()))


@for_each(ALL)
def prove_addresses_and_bounds_are_the_pages(shape: Shape) -> Query:
    return bounds.bounds_are_the_pages(shape())


@for_each(
    (
        variants.WrongVariant(PLAIN, variants.global_offset_ignored),
        variants.WrongVariant(PLAIN_QW, variants.straddling_qword_dropped),
        variants.WrongVariant(OWORD[1], variants.next_oword),
        variants.WrongVariant(ATOMIC[1], atomic_variants.one_past_the_end),
        variants.WrongVariant(DEEP, atomic_variants.v_and_r_swapped),
        variants.WrongVariant(DEEP_ARRAY, atomic_variants.slice_below_height),
    )
)
def refute_addresses_and_bounds_are_the_pages(variant: variants.WrongVariant) -> Query:
    return bounds.bounds_are_the_pages(variant())
