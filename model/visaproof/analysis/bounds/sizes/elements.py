"""The elements of which a message reaches one with each lane, as its addresses show them."""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, pairwise
from math import gcd
from typing import cast

from visaproof.isa.identity import Same
from visaproof.launch.ids.launched_words import LaunchedIds
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.expressions import Expression, Name, Number, Operation
from visaproof.launch.relations.launch_names import COUNT, GLOBAL, LOCAL, LaunchNames
from visaproof.launch.relations.polynomials import Polynomial, polynomial
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.semantics.symbolic.accesses import Access
from visaproof.smt import BitVec, Op, Term, linear_parts, signed_value, symbols_of

MOST_FACTORS = 3
"""Of a size, beside the bytes of an element."""

Factors = tuple[str, ...]
"""The names whose product counts the elements."""


def products(
    arguments: Sequence[str], dimensions: Sequence[str], *, local: bool
) -> tuple[list[Factors], list[Factors]]:
    """Arguments, groups, different arguments, and work items, of a group for local memory; then other pairs."""
    sizes, count, whole = ([f"{value}_{name}" for name in dimensions] for value in (LOCAL, COUNT, GLOBAL))
    items = sizes if local else whole
    usual = [(one,) for one in (*arguments, *sizes, *count)]
    usual += [each for number in range(2, MOST_FACTORS + 1) for each in combinations(arguments, number)]
    usual += [tuple(items[: number + 1]) for number in range(len(dimensions))]
    several = [*arguments, *items]
    others = [(one,) for one in whole] + [
        (one, other) for place, one in enumerate(arguments) for other in several[place:]
    ]
    usual = list(dict.fromkeys(usual))
    return usual, [one for one in others if one not in usual]


def element_of(rounds: Sequence[BoundsQuestion]) -> tuple[int, int]:
    """Bytes from one element to the next, and by how many an access reaches further than one element."""
    unit, spans = 0, dict[int | None, tuple[int, int]]()
    for question in rounds:
        for doubt in question.outside:
            constant, factors = _counted(address_of(question, doubt.access))
            unit = gcd(unit, *(factor for factor in factors if abs(factor) > 1))
            low, high = spans.get(doubt.access.lane, (constant, constant))
            spans[doubt.access.lane] = min(low, constant), max(high, constant + doubt.access.width)
    span = max(high - low for low, high in spans.values())
    unit = gcd(unit, *(one[0] - other[0] for one, other in pairwise(spans.values()))) if unit else 0
    unit = unit or span
    return unit, max(0, span - unit)


def address_of(question: BoundsQuestion, access: Access) -> BitVec:
    """From the beginning of its surface or buffer."""
    place = question.places.get(Same(access))
    return access.cell[0] if place is None else place.offset


def _counted(address: BitVec) -> tuple[int, list[int]]:
    """What a constant adds to the address, and by how much words are multiplied in it."""
    constant, parts = linear_parts(address)
    constant, *factors = (signed_value(one, address.width) for one in (constant, *parts.values()))
    inner = next(iter(parts)) if len(parts) == 1 else None
    if inner is None or inner.op not in (Op.ZERO_EXTEND, Op.SIGN_EXTEND):
        return constant, factors
    more, within = _counted(cast(BitVec, inner.args[0]))
    return constant + factors[0] * more, [factors[0] * one for one in within]


def amount_of(unit: int, factors: Sequence[str], more: int) -> Expression:
    """So many bytes for each element that the product of the factors counts, and some more."""
    amount: Expression | None = Number(unit) if unit > 1 else None
    for name in factors:
        amount = Name(name) if amount is None else Operation("*", amount, Name(name))
    assert amount is not None
    return Operation("+", amount, Number(more)) if more else amount


def symbols_used(rounds: Sequence[BoundsQuestion]) -> Sequence[Term]:
    """The symbols on which it depends whether an access is outside."""
    return symbols_of(*(doubt.condition for question in rounds for doubt in question.outside))


def arguments_of(used: Collection[Term], names: LaunchNames) -> list[str]:
    """Those by value on which these symbols depend."""
    found: list[str] = []
    own = set(used)
    for name in names.of_arguments():
        named = names.number(name)
        if named is not None and not own.isdisjoint(symbols_of(named.word.term)):
            found.append(name)
    return found


def dimensions_of(used: Collection[Term], launched: LaunchedIds | None) -> list[str]:
    """Those of which a group id, a local id or a local size is among these symbols."""
    own, found = set(used), list[str]()
    for dimension, name in enumerate(DIMENSIONS):
        words: list[Term] = [GROUP_IDS[dimension]]
        if launched is not None:
            words += [launched.sizes[dimension], *(ids[dimension] for ids in launched.ids)]
        if not own.isdisjoint(symbols_of(*words)):
            found.append(name)
    return found


def like(sizes: Iterable[Expression], named: Polynomial) -> list[Expression]:
    """The one with that name first, and others; none is several times as large, nor a product where that has none."""

    def most(amount: Polynomial) -> int:
        return max((count for part, count in amount.items() if part), default=0)

    def factors(amount: Polynomial) -> int:
        return max(map(len, amount), default=0)

    found = [
        each for each in sizes if most(own := polynomial(each) or {}) <= most(named) and factors(own) <= factors(named)
    ]
    return sorted(found, key=lambda each: polynomial(each) != named)
