"""Each premise of a lemma on serial orders is needed: without it the lemma fails, or it says nothing new."""

import pytest

from visaproof.engine.ladder import Fails, Holds, climb
from visaproof.isa.atomics import AtomicOp
from visaproof.queries import serialisation
from visaproof.queries.closed_forms import CLOSED_FORMS, ClosedForm
from visaproof.queries.serialisation import TICKETS


@pytest.mark.parametrize("op", TICKETS)
def test_one_lane_too_many_repeats_a_ticket(op: AtomicOp):
    """2^16 + 1 lanes on 16 bits: too many to run, so the premise is only asked about."""
    query = serialisation.tickets_are_distinct(op, bits=16, bounded=False)
    answer = climb(query.assumptions, query.goal, 20_000)
    assert isinstance(answer, Fails)
    count, earlier = (value for term, value in sorted(answer.values.items(), key=str) if term.width == 17)
    assert abs(count - earlier) == 2**16


def test_a_closed_form_stands_for_each_operation_whose_final_value_has_no_order():
    from visaproof.queries.atomics import COMMUTATIVE

    assert set(CLOSED_FORMS) <= set(COMMUTATIVE)


@pytest.mark.parametrize("bits", [16, 32])
def test_exactly_one_winner_on_either_width(bits: int):
    query = serialisation.exactly_one_cmpxchg_wins(bits)
    assert isinstance(climb(query.assumptions, query.goal, 20_000), Holds)


def test_a_closed_form_with_a_wrong_neutral_element_fails():
    form = ClosedForm(lambda _: 1, CLOSED_FORMS[AtomicOp.ADD].joined, CLOSED_FORMS[AtomicOp.ADD].final)
    query = serialisation.final_value_is_the_closed_form(AtomicOp.ADD, form=form)
    assert isinstance(climb(query.assumptions, query.goal, 20_000), Fails)
