"""The inequalities between the digits of an address: how far each stride has to reach."""

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from visaproof.analysis.conflicts.digits.parts_of_numbers import ONE
from visaproof.analysis.conflicts.digits.strides import Strides
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.named_words import SIZES_OF_LAUNCH
from visaproof.launch.relations.polynomials import Polynomial, at_least, constant_of, divided, expression, times


class Place(Struct, frozen=True):
    """A digit of an address: its stride, and that it is below ⌈size/over⌉."""

    stride: Polynomial
    size: Polynomial
    over: Polynomial = field(default_factory=lambda: ONE)
    of_number: bool = False

    @property
    def reach(self) -> Polynomial:
        """Times `over`: what the strides above have to reach over."""
        return times(self.stride, self.size)


def chain(places: Sequence[Place], unit: int, strides: Strides) -> Iterator[Relation | bool]:
    """False where one cannot hold, or could only hold of arguments that are about 0."""
    before: Place | None = None
    for place in places:
        one = _reaches(place, before, unit, strides)
        small = isinstance(one, Relation) and one.sign == "<=" and not (before is not None and before.of_number)
        if small and isinstance(one, Relation) and any(name.text not in SIZES_OF_LAUNCH for name in one.names()):
            yield False
        elif one is not True:
            yield one
        before = place
    most, last = (1 << strides.bits) // unit, places[-1]
    items = constant_of(last.size) or MOST_GROUP_ITEMS
    value = constant_of(last.stride)
    if last.of_number:
        yield from _at_least(times({(): most}, last.over), last.reach)
    elif value is None and (of_group := _items_in(last.reach)) is not None and of_group <= most:
        return
    elif value is None:
        yield Relation("<", expression(last.stride), expression({(): most // items}))
    elif value * items > most:
        yield from _at_least({(): most // value}, last.size)


def _reaches(place: Place, before: Place | None, unit: int, strides: Strides) -> Relation | bool:
    """That the stride reaches over the digits below."""
    if before is None:
        return at_least(place.stride, {(): -(-strides.width // (strides.unit * unit))})
    rows = divided(place.stride, before.stride)
    if rows is None:
        return before.over == ONE and at_least(place.stride, before.reach)
    rows = times(rows, before.over)  # of a stride above 0, which it is by the inequality before
    times_more = divided(rows, before.size) if before.of_number else None
    return at_least(rows, before.size) if times_more is None else at_least(times_more, ONE)


def _at_least(left: Polynomial, right: Polynomial) -> Iterator[Relation | bool]:
    one = at_least(left, right)
    if one is not True:
        yield one


def _items_in(reach: Polynomial) -> int | None:
    """What a product of local sizes of different dimensions is at most; None where it is no such product."""
    ((names, count), *more) = reach.items()
    dimensions = [next((d for d in range(3) if is_own_size(name, d)), None) for name in names]
    if more or count < 0 or None in dimensions or len(set(dimensions)) < len(names):
        return None
    return count * MOST_GROUP_ITEMS


def is_own_size(name: str, dimension: int) -> bool:
    """Whether it is the local size of the group in a dimension."""
    return name == InnerName(Kind.OWN_SIZE, dimension)
