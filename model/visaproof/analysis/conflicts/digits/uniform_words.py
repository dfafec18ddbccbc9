"""Relations that speak of words which no argument holds, as relations between arguments from which they follow.

2·⌊n/2⌋ ≤ n      so that      n < 2·m   ⇒   ⌊n/2⌋ < m
"""

from collections.abc import Callable, Iterator, Mapping

from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.inner_names import Kind, is_inner
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.parts_of_arguments import largest_divisor
from visaproof.launch.relations.polynomials import Polynomial, at_least, expression, polynomial
from visaproof.smt import symbols_of


def words_in(relation: Relation) -> list[str]:
    return list(dict.fromkeys(one.text for one in relation.names() if is_inner(one.text, Kind.WORD)))


def of_arguments(relation: Relation, names: LaunchNames, holds: Callable[[Relation], bool]) -> Relation | None:
    """A relation between arguments alone, from which this one should follow; None where none is found.

    Each word has to be at most a part of an argument, of which it is asked whether it `holds`.
    """
    words = words_in(relation)
    small, large = map(polynomial, (relation.left, relation.right))
    if relation.sign == ">=":
        small, large = large, small
    elif relation.sign != "<":
        return None
    if small is None or large is None:
        return None
    found = {word: next(_bounds(word, names, holds), None) for word in words}
    parts = {word: one for word, one in found.items() if one is not None}
    larger = {name for each in large for name in each if name in words}
    if len(parts) < len(words) or any(parts[word][0] != 1 for word in larger):
        return None
    times = 1
    for word, (part, _) in parts.items():
        times *= part ** max(each.count(word) for each in small)
    less = _replaced(small, times, parts)
    more = _replaced(large, times, parts)
    if relation.sign == "<":
        return Relation("<", expression(less), expression(more))
    one = at_least(more, less)
    return one if isinstance(one, Relation) else None


def _bounds(word: str, names: LaunchNames, holds: Callable[[Relation], bool]) -> Iterator[tuple[int, str]]:
    """Which parts of arguments the word is at most."""
    used = frozenset(symbols_of(names.found(word).word.term))
    for argument in names.of_arguments():
        named = names.number(argument)
        is_like = named is not None and not used.isdisjoint(symbols_of(named.word.term))
        if is_like and (part := largest_divisor(word, argument, holds)):
            yield part, argument


def _replaced(one: Polynomial, times: int, parts: Mapping[str, tuple[int, str]]) -> Polynomial:
    """So many times the sum, with arguments for words."""
    found: dict[tuple[str, ...], int] = {}
    for each, count in one.items():
        factor = count * times
        for name in each:
            factor //= parts[name][0] if name in parts else 1
        key = tuple(sorted(parts[name][1] if name in parts else name for name in each))
        found[key] = found.get(key, 0) + factor
    return found
