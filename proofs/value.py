"""Every written byte has the value that the page says; every loaded byte is the surface's."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.isa.answers import QwordStride
from visaproof.isa.readings import Readings
from visaproof.queries import value
from visaproof.queries.query import Query

from . import variants
from .shapes import BLOCKS, OWORD, PLAIN, PLAIN_QW, SCATTERS, Shape


@for_each(SCATTERS)
def prove_a_written_dword_is_the_lanes_datum(shape: Shape) -> Query:
    return value.written_dword_is_the_lanes_datum(shape())


def refute_a_written_dword_is_the_lanes_datum_if_slots_have_exec_size() -> Query:
    return value.written_dword_is_the_lanes_datum(variants.exec_size_for_slot_stride(PLAIN()))


def refute_a_written_dword_is_the_lanes_datum_if_slots_go_by_channel_number() -> Query:
    return value.written_dword_is_the_lanes_datum(variants.channel_number_for_slot(PLAIN()))


def refute_a_written_dword_is_the_lanes_datum_if_the_offset_sum_does_not_wrap() -> Query:
    return value.written_dword_is_the_lanes_datum(variants.offset_sum_does_not_wrap(PLAIN()))


def refute_a_written_dword_is_the_lanes_datum_if_halves_are_swapped() -> Query:
    return value.written_dword_is_the_lanes_datum(variants.halves_swapped(PLAIN_QW()))


def refute_a_written_dword_is_the_lanes_datum_if_a_straddling_qword_is_dropped() -> Query:
    return value.written_dword_is_the_lanes_datum(variants.straddling_qword_dropped(PLAIN_QW()))


def refute_a_written_dword_is_the_lanes_datum_if_blocks_in_src_are_padded() -> Query:
    return value.written_dword_is_the_lanes_datum(BLOCKS[0].build(Readings(qword_stride=QwordStride.PADDED)))


@for_each(OWORD)
def prove_a_loaded_dword_is_the_surfaces(shape: Shape) -> Query:
    return value.loaded_dword_is_the_surfaces(shape())


def refute_a_loaded_dword_is_the_surfaces_if_the_offset_counts_bytes() -> Query:
    return value.loaded_dword_is_the_surfaces(variants.byte_offset(OWORD[1]()))


def refute_a_loaded_dword_is_the_surfaces_if_it_is_the_next_oword() -> Query:
    return value.loaded_dword_is_the_surfaces(variants.next_oword(OWORD[1]()))


def refute_a_loaded_dword_is_the_surfaces_if_it_lands_one_dword_further() -> Query:
    return value.loaded_dword_is_the_surfaces(variants.next_register(OWORD[1]()))


def refute_a_loaded_dword_is_the_surfaces_if_a_block_address_wraps() -> Query:
    return value.loaded_dword_is_the_surfaces(variants.block_address_wraps(OWORD[1]()))
