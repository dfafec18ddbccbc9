"""Sums of products of names, as relations between them: what is subtracted stands on the other side.

n − 1 ≥ local_size_x    is    n >= local_size_x + 1
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from math import gcd

from visaproof.launch.relations.expressions import Expression, Name, Number, Operation, Relation

Polynomial = Mapping[tuple[str, ...], int]
"""Coefficients of products of names; that of no name is the constant."""


def plus(one: Polynomial, other: Polynomial) -> Polynomial:
    found = dict(one)
    for names, count in other.items():
        found[names] = found.get(names, 0) + count
    return found


def times(one: Polynomial, other: Polynomial) -> Polynomial:
    found: dict[tuple[str, ...], int] = {}
    for names, count in one.items():
        for more, factor in other.items():
            both = tuple(sorted((*names, *more)))
            found[both] = found.get(both, 0) + count * factor
    return found


def polynomial(one: Expression) -> Polynomial | None:
    """None where it has a remainder."""
    match one:
        case Number(value):
            return {(): value}
        case Name(text):
            return {(text,): 1}
        case Operation(sign, left, right):
            first, second = polynomial(left), polynomial(right)
            if first is None or second is None or sign == "%":
                return None
            return times(first, second) if sign == "*" else plus(first, times(second, {(): 1 if sign == "+" else -1}))


def divided(one: Polynomial, other: Polynomial) -> Polynomial | None:
    """One divided by a sum; None where it is no multiple of it, or that is 0.

    Leading products are those of most names, of these the last: that of a product of two sums is the product of theirs.
    """
    divisor = {names: count for names, count in other.items() if count}
    if not divisor:
        return None
    lead = max(divisor, key=_rank)
    left, found = {names: count for names, count in one.items() if count}, dict[tuple[str, ...], int]()
    while left:
        names = max(left, key=_rank)
        rest = without_factors(names, lead)
        if rest is None or left[names] % divisor[lead]:
            return None
        found[rest] = left[names] // divisor[lead]
        taken = times(divisor, {rest: -found[rest]})
        left = {names: count for names, count in plus(left, taken).items() if count}
    return found


def _rank(names: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    return len(names), names


def without_factors(names: tuple[str, ...], less: tuple[str, ...]) -> tuple[str, ...] | None:
    """The other factors of a product; None where it has not all of these."""
    left = list(names)
    for name in less:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)


def content(polynomials: Iterable[Polynomial]) -> int:
    """What divides all coefficients; 1 at least."""
    return reduce(gcd, (count for one in polynomials for count in one.values()), 0) or 1


def constant_of(one: Polynomial) -> int | None:
    """Its value where it has no name."""
    return one.get((), 0) if all(not names or not count for names, count in one.items()) else None


def at_least(left: Polynomial, right: Polynomial) -> Relation | bool:
    """`left >= right`; whether it holds where it does not depend on a name."""
    parts = dict(left)
    for names, count in right.items():
        parts[names] = parts.get(names, 0) - count
    sides = [{names: abs(count) for names, count in parts.items() if sign * count > 0} for sign in (1, -1)]
    value = constant_of({**sides[0], **sides[1]})
    if value is not None:
        return parts.get((), 0) >= 0
    unit = reduce(gcd, (count for names, count in parts.items() if names), 0)
    more, less = ({names: -(-count // unit) if side else count // unit for names, count in each.items()}
                  for side, each in enumerate(sides))  # fmt: skip
    if constant_of(more) is not None:
        return Relation("<=", expression(less), Number(more.get((), 0)))
    return Relation(">=", expression(more), expression(less))


def expression(one: Polynomial) -> Expression:
    """The smallest coefficients first and the constant last; only coefficients above 0."""
    parts = [_product(names, count) for names, count in sorted(one.items(), key=_coefficient) if names and count]
    if (constant := one.get((), 0)) or not parts:
        parts.append(Number(constant))
    return reduce(lambda left, right: Operation("+", left, right), parts)


def difference(one: Polynomial) -> Expression:
    """What has coefficients above 0, less the rest."""
    more = expression({names: count for names, count in one.items() if count > 0})
    less = {names: -count for names, count in one.items() if count < 0}
    return Operation("-", more, expression(less)) if less else more


def _coefficient(part: tuple[tuple[str, ...], int]) -> int:
    return part[1]


def _product(names: tuple[str, ...], count: int) -> Expression:
    factors: list[Expression] = [Number(count)] if count != 1 else []
    return reduce(lambda left, right: Operation("*", left, right), [*factors, *map(Name, names)])
