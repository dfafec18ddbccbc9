"""What is known at a place where some lane runs: what all guards say, and no more."""

from itertools import product

import pytest

from visaproof.isa.execution import THREAD_LANES
from visaproof.machine.symbolic.lanes import Lanes
from visaproof.smt import Bool, Term, bool_symbol, conj, disj, evaluate, false, neg

A, B, C, D = NAMES = tuple(map(bool_symbol, "abcd"))

GUARDS: tuple[tuple[Bool, ...], ...] = (
    (conj(C, A), conj(C, B)),
    (conj(C, A), B),
    (conj(C, A), C),
    (conj(C, D, A), false(), conj(C, D, B), conj(C, D, neg(A))),
    (conj(C, neg(A)), conj(neg(C), A)),
    (A,),
)


def facts(guards: tuple[Bool, ...]) -> frozenset[Bool]:
    lanes = Lanes([false()] * THREAD_LANES)
    lanes.only((*guards, *[false()] * (THREAD_LANES - len(guards))))
    return lanes.facts


@pytest.mark.parametrize("guards", GUARDS)
def test_the_facts_of_a_place_are_that_some_lane_runs(guards: tuple[Bool, ...]) -> None:
    """In each of the sixteen cases: no less is known, which would only be weak, and no more, which would be wrong."""
    for values in product((0, 1), repeat=len(NAMES)):
        case: dict[Term, int] = dict(zip(NAMES, values, strict=True))
        assert evaluate(conj(*facts(guards)), case) == evaluate(disj(*guards), case)


def test_what_all_lanes_have_in_common_is_a_fact_by_itself() -> None:
    assert facts((conj(C, A), conj(C, B))) == {C, disj(A, B)}
    assert facts((conj(C, A), C)) == {C}
    assert C not in facts((conj(C, A), B))
