"""Nothing but the footprint changes."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries import frame
from visaproof.queries.query import Query

from . import atomic_variants, variants
from .shapes import ALL, ATOMIC, DEEP, HALF_ATOMIC, OWORD, PLAIN, PLAIN_QW, Shape


@for_each(ALL)
def prove_other_memory_is_unchanged(shape: Shape) -> Query:
    return frame.other_memory_is_unchanged(shape())


def refute_other_memory_is_unchanged_if_the_channel_position_is_its_number() -> Query:
    return frame.other_memory_is_unchanged(variants.channel_position_for_number(PLAIN()))


def refute_other_memory_is_unchanged_if_the_global_offset_is_ignored() -> Query:
    return frame.other_memory_is_unchanged(variants.global_offset_ignored(PLAIN()))


def refute_other_memory_is_unchanged_if_offsets_count_qwords() -> Query:
    return frame.other_memory_is_unchanged(variants.qword_index(PLAIN_QW()))


def refute_other_memory_is_unchanged_if_coordinates_are_swapped() -> Query:
    return frame.other_memory_is_unchanged(atomic_variants.coordinates_swapped(ATOMIC[1]()))


def refute_other_memory_is_unchanged_if_the_texel_past_the_end_is_inside() -> Query:
    return frame.other_memory_is_unchanged(atomic_variants.one_past_the_end(ATOMIC[1]()))


def refute_other_memory_is_unchanged_if_the_lod_is_ignored() -> Query:
    return frame.other_memory_is_unchanged(atomic_variants.lod_ignored(DEEP()))


@for_each((*OWORD, *ATOMIC, HALF_ATOMIC[0], DEEP))
def prove_other_registers_are_unchanged(shape: Shape) -> Query:
    return frame.other_registers_are_unchanged(shape())


def refute_other_registers_are_unchanged_if_disabled_lanes_return_zero() -> Query:
    return frame.other_registers_are_unchanged(atomic_variants.disabled_lane_returns_zero(ATOMIC[1]()))


def refute_other_registers_are_unchanged_if_a_16_bit_result_lands_in_the_upper_half() -> Query:
    return frame.other_registers_are_unchanged(atomic_variants.result_in_upper_half(HALF_ATOMIC[0]()))


def refute_other_registers_are_unchanged_if_the_block_lands_one_dword_further() -> Query:
    return frame.other_registers_are_unchanged(variants.one_dword_further(OWORD[1]()))


def refute_other_memory_is_unchanged_if_a_block_is_cleared() -> Query:
    return frame.other_memory_is_unchanged(variants.stores_zeros(OWORD[1]()))
