"""What an assumption lacks for a guard."""

import pytest

from visaproof.semantics.symbolic.literals import Literals, missing
from visaproof.smt import Bool, bool_symbol, conj, disj, false, neg, true

P, Q, R = map(bool_symbol, "pqr")


@pytest.mark.parametrize(
    ("guard", "assumed", "lacking"),
    [
        ((P, Q), (P,), Q),
        ((P, Q), (P, Q, R), true()),
        ((P, neg(Q)), (Q,), false()),
        ((P, Q), (neg(Q),), false()),
        ((P, Q), (neg(conj(P, Q)),), false()),
        ((P,), (neg(Q),), P),
        ((P,), (P, false()), false()),
        ((disj(P, Q),), (P,), true()),
    ],
)
def test_what_is_not_assumed_is_lacking_and_nothing_makes_up_for_an_opposite(
    guard: tuple[Bool, ...], assumed: tuple[Bool, ...], lacking: Bool
) -> None:
    assert missing(Literals(guard), Literals(assumed)) is lacking


def test_an_opposite_that_no_term_is_contradicts_nothing() -> None:
    alone = bool_symbol("alone")
    assert missing(Literals((alone,)), Literals((P, neg(Q)))) is alone
