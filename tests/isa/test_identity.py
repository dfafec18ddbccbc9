"""Keys by identity."""

from visaproof.isa.identity import Same


def test_an_object_is_the_same_as_itself_alone() -> None:
    one, other = {1: 2}, {1: 2}
    assert Same(one) == Same(one)
    assert Same(one) != Same(other)
    assert {Same(one): "one", Same(other): "other"}[Same(one)] == "one"


def test_a_key_keeps_its_object_so_that_no_other_gets_its_number() -> None:
    keys = {Same({number: number}) for number in range(100)}
    assert len(keys) == 100
