"""`--assume`: a set of premises by its name, less some of them."""

import pytest

from visaproof.launch.assume import SETS, Assume
from visaproof.launch.premise_table import PREMISES


def test_a_set_has_only_premises_of_the_table() -> None:
    assert {name for names in SETS.values() for name in names} <= PREMISES.keys()


@pytest.mark.parametrize("base", SETS)
def test_each_premise_of_a_set_can_be_lifted(base: str) -> None:
    for name in SETS[base]:
        found = Assume.of(f"{base},-{name}")
        assert name not in found
        assert all(other in found for other in SETS[base] - {name})
        assert Assume.of(found.value) == found


def test_the_spelling_does_not_depend_on_the_order() -> None:
    one, other = Assume.of("launch,-rows,-global-ids"), Assume.of("launch,-global-ids,-rows")
    assert one == other
    assert one.value == other.value == "launch,-global-ids,-rows"
    assert "first-lanes" in Assume.of("none,first-lanes")
    assert Assume.of("launch") == Assume.LAUNCH


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("all", "no set of premises 'all'"),
        ("none,-ids", "none does not assume 'ids': it has no premise"),
        ("launch,-ids", "launch does not assume 'ids'"),
        ("ids,global-ids", "only first-lanes can be assumed beside ids"),
        ("ids,first-lanes,-first-lanes", "assumed and lifted"),
        ("", "no set of premises ''"),
    ],
)
def test_what_cannot_be_lifted_or_assumed_is_said(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Assume.of(text)
