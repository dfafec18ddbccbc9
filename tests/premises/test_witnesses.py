"""Each premise is needed: a kernel or a pair is right with it, and wrong or not decided without."""

import pytest

from tests.premises.launches import LAUNCHES

WITNESSES = {**LAUNCHES}


@pytest.mark.parametrize("name", WITNESSES)
def test_a_premise_decides_and_is_stated_where_it_does(name: str) -> None:
    witness = WITNESSES[name]
    with_it, without = witness.ask(witness.given), witness.ask(witness.without)
    assert with_it.right, with_it
    assert not without.right, without
    assert name in with_it.premises
    assert name not in without.premises
