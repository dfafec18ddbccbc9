"""Relations under which a size is tried first, and which of them it needs."""

from collections.abc import Callable, Iterable, Sequence

from visaproof.analysis.bounds.sizes.by_ends import LARGEST
from visaproof.analysis.bounds.sizes.global_ids import FEW_ITEMS
from visaproof.launch.relations.expressions import Expression, Name, Number, Relation, names_in
from visaproof.launch.relations.launch_names import GLOBAL

Proved = Callable[[Sequence[Relation]], str]
"""By what a size is shown to be enough under relations; empty where it is not."""


def usual_relations(amount: Expression, arguments: Sequence[str], dimensions: Sequence[str]) -> tuple[Relation, ...]:
    """That neither ids nor the size need more bits than addresses have, and that there are elements and whole rows."""
    names = {one.text for one in names_in(amount)}
    sizes = [Name(f"{GLOBAL}_{name}") for name in dimensions]
    lengths = [Name(one) for one in arguments if one in names]
    rows = [Relation(">=", lengths[0], sizes[0])] if lengths and names.intersection(map(str, sizes[1:])) else []
    some = (Relation(">=", one, Number(1)) for one in lengths)
    return Relation("<=", amount, Number(LARGEST)), *(FEW_ITEMS[one] for one in dimensions), *rows, *some


def weaker(
    relations: tuple[Relation, ...], by: str, proved: Proved, is_signed: Callable[[str], bool]
) -> tuple[tuple[Relation, ...], str]:
    """The relations without those that are not needed; of a number that may be negative, that it is at least 0."""
    if without := proved(()):
        return (), without
    for one in relations:
        others = tuple(other for other in relations if other != one)
        for fewer in (others, *_natural(one, others, is_signed)):
            if fewer and (found := proved(fewer)):
                relations, by = fewer, found
                break
    return relations, by


def _natural(
    one: Relation, others: tuple[Relation, ...], is_signed: Callable[[str], bool]
) -> Iterable[tuple[Relation, ...]]:
    if one.right == Number(1) and isinstance(one.left, Name) and is_signed(one.left.text):
        yield (*others, Relation(">=", one.left, Number(0)))
