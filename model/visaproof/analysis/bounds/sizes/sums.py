"""Sums at their largest: what is subtracted and not known is left out."""

from collections.abc import Collection, Mapping
from itertools import chain, combinations
from math import gcd

from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.polynomials import Polynomial, constant_of, plus, times, without_factors

Key = tuple[tuple[tuple[str, ...], int], ...]
"""A sum, to be looked up."""

MOST_POSITIVE = 2
"""Arguments of which one sum needs that they are at least 1."""


def key_of(one: Polynomial) -> Key:
    return tuple(sorted((part, count) for part, count in one.items() if count))


def split(
    one: Polynomial, own: str, group: str, stride: Polynomial
) -> tuple[Polynomial, Polynomial, Polynomial, Polynomial]:
    """What the id is multiplied by, group · stride, the group alone, and what has neither."""
    ids, groups, alone, rest = (dict[tuple[str, ...], int]() for _ in range(4))
    ((names, unit),) = stride.items()
    for part, number in one.items():
        left = list(part)
        if own in left:
            left.remove(own)
            ids[tuple(left)] = number
        elif group in left:
            left.remove(group)
            whole = number // unit if all(name in left for name in names) else 0
            if number - whole * unit:
                alone[tuple(left)] = number - whole * unit
            for name in names if whole else ():
                left.remove(name)
            if whole:
                groups[tuple(left)] = groups.get(tuple(left), 0) + whole
        else:
            rest[part] = number
    return ids, groups, alone, rest


def less(one: Polynomial, other: Polynomial) -> Polynomial:
    return {part: left for part, count in one.items() if (left := count - other.get(part, 0))}


def has(one: Polynomial, name: str) -> bool:
    return any(name in part for part in one)


def upper(one: Polynomial) -> Polynomial:
    """Without what is subtracted and is not known: at least as much.  A size that is subtracted is at least 1."""
    total: Polynomial = {}
    for part, count in one.items():
        known = part if count > 0 else tuple(name for name in part if not is_inner(name, Kind.OWN_SIZE))
        if count > 0 or not any(map(is_unknown, known)):
            total = plus(total, {known: count})
    return total


def without_names(one: Polynomial, most: Mapping[str, Polynomial]) -> Polynomial | None:
    """A sum that is at least as large, with what some names are at most in their place; None where one is squared."""
    found = one
    for name in dict.fromkeys(name for part in one for name in part if name in most):
        if any(part.count(name) > 1 for part in found):
            return None
        total: Polynomial = {}
        for part, count in found.items():
            if name not in part:
                total = plus(total, {part: count})
            elif count > 0:  # what is subtracted is at least 0
                rest = tuple(other for other in part if other != name)
                total = plus(total, times({rest: count}, most[name]))
        found = total
    return {part: count for part, count in found.items() if count}


def is_unknown(name: str) -> bool:
    """Whether it is none that a host gives."""
    return isinstance(name, InnerName)


def above(one: Polynomial, least: Mapping[str, int]) -> Polynomial:
    """The same with names that stand for what is above their least values."""
    found: Polynomial = {}
    for part, count in one.items():
        whole: Polynomial = {(): count}
        for name in part:
            whole = times(whole, {(name,): 1, (): least.get(name, 0)})
        found = plus(found, whole)
    return found


def needed_least(one: Polynomial, least: Mapping[str, int], arguments: Collection[str]) -> dict[str, int]:
    """What arguments have to be at least, if that makes a sum one that is at least 0: h is 1 in h - 1 or s*h - s + 4*w.

    As few as it takes, and those that count least: of n - 1 + 64*m it is n, below which an index stays, and not a step.
    More than 1 is said of a sum of one argument that counts once, as of w - 8 + s*w.
    """
    names = {name for part in one for name in part if name in arguments and not least.get(name)}
    ordered = sorted(names, key=lambda name: (one.get((name,), 0), name))
    for chosen in chain.from_iterable(combinations(ordered, many) for many in range(MOST_POSITIVE + 1)):
        if is_natural(one, {**least, **dict.fromkeys(chosen, 1)}):
            return dict.fromkeys(chosen, 1)
    known = above(one, least)
    single = [part[0] for part, count in known.items() if len(part) == 1 and count > 0 and part[0] in arguments]
    if len(single) == 1 and (missing := -known.get((), 0)) > 0:
        (name,) = single
        number = least.get(name, 0) - (-missing // known[name,])
        if is_natural(one, {**least, name: number}):
            return {name: number}
    return {}


def of_arguments(one: Polynomial, arguments: Collection[str]) -> tuple[Polynomial, Polynomial]:
    """What stands in a sum of arguments alone, in lowest terms, and the rest; nothing and all if it adds up nothing."""
    own = {part: count for part, count in one.items() if count and all(name in arguments for name in part)}
    if not any(count > 0 for part, count in own.items() if part):
        return {}, one
    unit = gcd(*own.values())
    return {part: count // unit for part, count in own.items()}, less(one, own)


def is_natural(one: Polynomial, least: Mapping[str, int]) -> bool:
    """Whether it is at least 0 by its coefficients, once what names are at least is taken from them."""
    return all(count >= 0 for count in above(one, least).values())


def has_factors(one: Polynomial) -> bool:
    """Whether it is no sum of single names."""
    return any(len(part) > 1 for part in one)


def is_of_number(one: Polynomial, alone: Polynomial | None, end: Polynomial | None) -> bool:
    """Whether a sum of the number of a lane has more names where a guard bounds that: 64·g + 60 and not 64·g + 4·n.

    Of loops, which go on to what the guard says, this is not asked.
    """
    if alone is None or end is None or not any(is_inner(name, Kind.LANE) for part in one for name in part):
        return False
    names, more = ({name for part in some for name in part} for some in (alone, end))
    return names < more


def added_and_subtracted(one: Polynomial) -> tuple[Polynomial, Polynomial]:
    """What a sum adds up, and what it subtracts: where both are below a number, it is between that and less than it."""
    added = {part: count for part, count in one.items() if count > 0}
    return added, {part: -count for part, count in one.items() if count < 0}


def factor_of(one: Polynomial, part: Polynomial) -> Polynomial:
    """How often a sum has another one, with each of its products; a constant may be another one."""
    first = next(names for names in part if names)
    found: Polynomial = {}
    for names, count in one.items():
        rest = without_factors(names, first)
        factor, left = divmod(count, part[first])
        if rest is not None and factor > 0 and not left:
            found[rest] = factor
    return {
        names: factor
        for names, factor in found.items()
        if all(one.get(tuple(sorted(names + each))) == factor * count for each, count in part.items() if each)
    }


def is_more(one: Polynomial, other: Polynomial) -> bool:
    """Whether it is the other one and a number more."""
    return (constant_of(plus(one, times(other, {(): -1}))) or 0) > 0
