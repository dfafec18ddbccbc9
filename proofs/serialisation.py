"""TYPED_ATOMIC: what any number of lanes on one texel come to, in any serial order."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.isa.atomics import AtomicOp
from visaproof.queries import serial_orders, serialisation
from visaproof.queries.closed_forms import CLOSED_FORMS
from visaproof.queries.query import Query
from visaproof.queries.serialisation import TICKETS

from .shapes import OPERATIONS, Operation


@for_each(CLOSED_FORMS)
def prove_any_number_of_lanes_leave_the_closed_form(op: AtomicOp) -> Query:
    return serialisation.final_value_is_the_closed_form(op)


@for_each(CLOSED_FORMS)
def prove_any_number_of_lanes_on_16_bits_leave_the_closed_form(op: AtomicOp) -> Query:
    return serialisation.final_value_is_the_closed_form(op, bits=16)


@for_each(
    (
        (AtomicOp.SUB, AtomicOp.ADD),
        (AtomicOp.DEC, AtomicOp.INC),
        (AtomicOp.XOR, AtomicOp.OR),
        (AtomicOp.AND, AtomicOp.OR),
        (AtomicOp.MIN, AtomicOp.IMIN),
        (AtomicOp.IMAX, AtomicOp.MAX),
        (AtomicOp.XCHG, AtomicOp.MAX),
    )
)
def refute_any_number_of_lanes_leave_the_closed_form_of_another_operation(ops: tuple[AtomicOp, AtomicOp]) -> Query:
    op, other = ops
    return serialisation.final_value_is_the_closed_form(op, form=CLOSED_FORMS[other])


NEUTRAL = (*(op for op in CLOSED_FORMS if op.sources), AtomicOp.CMPXCHG)
"""The operations that change nothing for some operands, whatever they find."""


@for_each(NEUTRAL)
def prove_a_lane_whose_operands_change_nothing_only_reads(op: AtomicOp) -> Query:
    return serialisation.such_operands_change_nothing(op)


@for_each(NEUTRAL)
def prove_a_lane_of_16_bits_whose_operands_change_nothing_only_reads(op: AtomicOp) -> Query:
    return serialisation.such_operands_change_nothing(op, bits=16)


@for_each(
    (
        (AtomicOp.AND, AtomicOp.OR),
        (AtomicOp.MIN, AtomicOp.IMIN),
        (AtomicOp.MAX, AtomicOp.IMAX),
        (AtomicOp.IMAX, AtomicOp.MAX),
        (AtomicOp.XCHG, AtomicOp.ADD),
        (AtomicOp.CMPXCHG, AtomicOp.ADD),
    )
)
def refute_a_lane_only_reads_where_those_of_another_operation_do(ops: tuple[AtomicOp, AtomicOp]) -> Query:
    op, other = ops
    return serialisation.such_operands_change_nothing(op, condition=other)


@for_each(OPERATIONS)
def prove_returned_values_lead_from_the_old_value_to_the_final_one(one: Operation) -> Query:
    return serialisation.returned_values_telescope(one.op, readings=one.readings)


@for_each(OPERATIONS)
def prove_returned_values_on_16_bits_lead_from_the_old_value_to_the_final_one(one: Operation) -> Query:
    return serialisation.returned_values_telescope(one.op, bits=16, readings=one.readings)


def refute_returned_values_lead_to_the_final_one_if_predec_returns_the_old() -> Query:
    return serialisation.returned_values_telescope(AtomicOp.PREDEC, returns_new=False)


@for_each((AtomicOp.INC, AtomicOp.XCHG, AtomicOp.CMPXCHG))
def refute_returned_values_start_at_the_old_one_if_the_new_is_returned(op: AtomicOp) -> Query:
    return serialisation.returned_values_telescope(op, returns_new=True)


@for_each(TICKETS)
def prove_no_two_lanes_get_the_same_ticket(op: AtomicOp) -> Query:
    return serialisation.tickets_are_distinct(op)


@for_each(TICKETS)
def prove_no_two_lanes_get_the_same_ticket_of_16_bits(op: AtomicOp) -> Query:
    return serialisation.tickets_are_distinct(op, bits=16)


@for_each((AtomicOp.ADD, AtomicOp.MAX))
def refute_no_two_lanes_get_the_same_ticket_of_an_operation_with_an_operand(op: AtomicOp) -> Query:
    return serialisation.tickets_are_distinct(op)


def prove_xchg_hands_on_every_value() -> Query:
    return serialisation.exchanged_values_are_kept()


@for_each((AtomicOp.CMPXCHG, AtomicOp.ADD))
def refute_every_value_is_handed_on_by_another_operation(op: AtomicOp) -> Query:
    return serialisation.exchanged_values_are_kept(op)


def prove_exactly_one_cmpxchg_wins_if_old_is_the_comparand_and_no_new_value_is() -> Query:
    return serialisation.exactly_one_cmpxchg_wins()


def refute_exactly_one_cmpxchg_wins_if_old_may_differ_from_the_comparand() -> Query:
    return serialisation.exactly_one_cmpxchg_wins(old_matches=False)


@for_each(OPERATIONS)
def prove_lanes_with_equal_operands_swap_their_results(one: Operation) -> Query:
    return serial_orders.swapped_lanes_swap_their_results(one.op, readings=one.readings)


@for_each((AtomicOp.ADD, AtomicOp.XCHG, AtomicOp.CMPXCHG))
def refute_lanes_with_other_operands_swap_their_results(op: AtomicOp) -> Query:
    return serial_orders.swapped_lanes_swap_their_results(op, alike=False)


@for_each(OPERATIONS)
def prove_lanes_on_different_texels_commute(one: Operation) -> Query:
    return serial_orders.lanes_on_different_texels_commute(one.op, readings=one.readings)


@for_each((AtomicOp.XCHG, AtomicOp.INC))
def refute_lanes_on_one_texel_commute(op: AtomicOp) -> Query:
    return serial_orders.lanes_on_different_texels_commute(op, different=False)
