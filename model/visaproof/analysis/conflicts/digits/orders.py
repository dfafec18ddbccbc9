"""Orders of the digits of an address, and what they are made of."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from visaproof.analysis.conflicts.digits.guards import IdBound
from visaproof.analysis.conflicts.digits.parts_of_numbers import ONE
from visaproof.analysis.conflicts.digits.records import Digit
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.inner_names import Kind, is_inner
from visaproof.launch.relations.named_words import SIZES_OF_LAUNCH
from visaproof.launch.relations.polynomials import Polynomial, at_least
from visaproof.smt import BitVec


class Limits(Struct, frozen=True):
    """How large the digits of an address are, and under which relations that holds."""

    sizes: Mapping[Digit, tuple[Polynomial, Polynomial]]
    """What each is below, as ⌈size/over⌉."""
    relations: tuple[Relation, ...]
    exact: Mapping[BitVec, Polynomial]
    """Words that have to be these integers."""
    covered: frozenset[Digit]
    """The dimensions of local ids of which none differ where no digit does."""


class Order(Struct, frozen=True):
    """What makes the digits those of a number, in one order of them."""

    relations: tuple[Relation, ...]
    exact: Mapping[BitVec, Polynomial]


def positive(bounds: Sequence[IdBound]) -> Iterator[Relation | bool]:
    """That the names of bounds are: then these are the integers that they seem."""
    names = {name for one in bounds for each in one.below for name in each if not is_size(name)}
    return (at_least({(name,): 1}, ONE) for name in sorted(names))


def degree(one: Polynomial) -> int:
    return max(map(len, one))


def is_size(name: str) -> bool:
    return is_of_launch(name) or is_inner(name, Kind.OWN_SIZE)


def is_of_launch(name: str) -> bool:
    return name in SIZES_OF_LAUNCH
