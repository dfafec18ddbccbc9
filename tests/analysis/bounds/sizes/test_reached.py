"""What an access reaches that is made in one way or another: all that is needed in either."""

from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.analysis.bounds.sizes.reached import NOT_MADE, Reached, either

ONE = Reached(
    {("n",): 4},
    (Below({("n",): 1}, 31),),
    {"n": 3, "m": 1},
    frozenset("n"),
    frozenset("a"),
    {"p": 2, "q": 1},
    frozenset({("n", 0), ("m", 0)}),
    frozenset({("n", "m")}),
    ({("n",): 1, ("m",): -1},),
    is_below=True,
)
OTHER = Reached(
    {("n",): 4},
    (Below({("n",): 1}, 31), Below({("m",): 1}, 31)),
    {"n": 2, "k": 5},
    frozenset("m"),
    frozenset("b"),
    {"q": 3},
    frozenset({("n", 0), ("n", 1)}),
    frozenset({("k", "m")}),
    ({("n",): 1, ("m",): -1}, {("k",): 1, (): -2}),
)


def test_what_is_needed_in_one_way_is_needed() -> None:
    both = either(ONE, OTHER)
    assert both is not None
    assert both.end == ONE.end
    assert both.limits == OTHER.limits
    assert (both.signed, both.small, both.needed) == (frozenset("nm"), frozenset("ab"), {"p": 2, "q": 3})
    assert both.related == ONE.related | OTHER.related
    assert both.sums == OTHER.sums


def test_what_is_known_in_one_way_alone_is_not_known() -> None:
    both = either(ONE, OTHER)
    assert both is not None
    assert both.least == {"n": 2}
    assert both.unequal == {("n", 0)}
    assert not both.is_below
    assert both == either(OTHER, replace(ONE, limits=()))


def test_a_way_in_which_it_is_not_made_needs_nothing() -> None:
    assert either(ONE, NOT_MADE) == either(NOT_MADE, ONE) == ONE


def test_further_in_one_way_is_not_said_in_sums_of_either() -> None:
    assert either(ONE, replace(ONE, end={("n",): 8})) is None
