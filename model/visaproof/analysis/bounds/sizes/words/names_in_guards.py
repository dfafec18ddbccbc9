"""What a guard says of arguments by themselves, where it compares them with numbers."""

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from typing import cast

from visaproof.analysis.bounds.sizes.integers import Below, Integers
from visaproof.analysis.bounds.sizes.launch_integers import conjuncts
from visaproof.analysis.bounds.sizes.sums import added_and_subtracted, is_unknown
from visaproof.launch.relations.inner_names import Kind, is_inner
from visaproof.launch.relations.polynomials import Polynomial, plus, times
from visaproof.semantics.symbolic.literals import Literals
from visaproof.smt import BitVec, Bool, Op, concat, conj, value_of


def least_of_names(
    compared: Iterable[tuple[BitVec, BitVec, int, int]],
    new_reader: Callable[[], Integers],
    largest: Callable[[Polynomial], Polynomial | None],
) -> tuple[dict[str, int], list[Below]]:
    """What names are at least where a guard compares a number with a sum of one of them: 80 <= 2*n - 1.

    And under which limits the sums are what they are read as.  A name may be subtracted from the number: of signed
    numbers 3 - n <= n - 1 says 3 <= 2*n - 1.  A sum of ids is no more than its `largest` value: 4 <= id says that the
    global size is more than 4.
    """
    found, limits = dict[str, int](), list[Below]()
    for word, bound, more, bits in compared:
        if value_of(bound) is not None:
            continue
        reader = new_reader()
        less = _as_sum(word, bits, reader)
        total = reader.exact(bound, bits) if less is not None else _less_than(bound, bits, reader)
        if total is not None and less is None:
            less = _least_id(word, bits, reader)
        if total is None or less is None:
            continue
        total = plus(total, times(less, {(): -1}))
        inner = [name for part in total for name in part if is_unknown(name)]
        if inner and all(is_inner(name, Kind.ID) or is_inner(name, Kind.GROUP) for name in inner):
            total = largest(total) or {}
        parts = [part for part, count in total.items() if part and count]
        if [*map(len, parts)] != [1] or total[parts[0]] < 0 or is_unknown(parts[0][0]):
            continue
        ((name,),) = parts
        found[name] = max(found.get(name, 0), -((total.get((), 0) + more) // total[parts[0]]))
        limits += reader.limits
    return found, limits


def _less_than(word: BitVec, bits: int, reader: Integers) -> Polynomial | None:
    """The signed number of so many bits that it is, of which a constant is subtracted: it may be negative.

    That what is added up may not wrap is no condition: where it does, it is large anyway.
    """
    found = reader.read(word) if bits < word.width else None
    added, subtracted = added_and_subtracted(found or {})
    return found if added and list(subtracted) == [()] and not subtracted[()] >> bits else None


def _least_id(word: BitVec, bits: int, reader: Integers) -> Polynomial | None:
    """What a sum of ids and a number is at least: id < n - 1 says 0 < n - 1."""
    one = None if value_of(word) is not None else reader.exact(word, bits)
    if one is None or any(count < 0 for count in one.values()):
        return None
    of_ids = (any(is_inner(name, Kind.ID) or is_inner(name, Kind.GROUP) for name in part) for part in one if part)
    return {(): one.get((), 0)} if all(of_ids) else None


def _as_sum(word: BitVec, bits: int, reader: Integers) -> Polynomial | None:
    """A number, or one of which something is subtracted, as signed numbers of so many bits; nothing else.

    The word is no less than such a sum, of which the number is below 2^bits.
    """
    if (number := value_of(word)) is not None:
        return None if number >> bits else {(): number}
    if bits == word.width or (found := reader.read(word)) is None:
        return None
    added, subtracted = added_and_subtracted(found)
    return None if any(added.keys() - {()}) or not subtracted else found


def unequal_names(guard: Literals, new_reader: Callable[[], Integers]) -> frozenset[tuple[str, int]]:
    """Names with a number that they are not, as the guard says: 0 < n - 1 is n != 1 in normal form."""
    found = set[tuple[str, int]]()
    for one in conjuncts(conj(*guard)):
        for word, number in _denied(one):
            reader = new_reader()
            total = reader.read(word)
            if total is None or list(total.values()) != [1]:
                continue
            (part,) = total
            about = {name for limit in reader.limits for names in limit.sum for name in names}
            if len(part) == 1 and about <= set(part):  # halves of two words are none of one
                found.add((part[0], number))
    return frozenset(found)


def _denied(condition: Bool) -> Iterator[tuple[BitVec, int]]:
    """Words with numbers that they are not: one of 64 bits is no number if one of its halves is not its part of it."""
    if condition.op is not Op.NOT:
        return
    inner = cast(Bool, condition.args[0])
    equal = [inner] if inner.op is Op.EQ else list(cast(tuple[Bool, ...], inner.args)) if inner.op is Op.CONJ else []
    if not 0 < len(equal) <= 2 or any(one.op is not Op.EQ or not isinstance(one.args[1], BitVec) for one in equal):
        return
    for each in permutations([cast(tuple[BitVec, BitVec], one.args) for one in equal]):
        number = value_of(concat(*(one for one, _ in each)))
        if number is not None:
            yield concat(*(word for _, word in each)), number
