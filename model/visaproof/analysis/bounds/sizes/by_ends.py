"""A size and relations from what each access reaches at most: enough by arithmetic on integers alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.bounds.sizes.global_ids import SMALL
from visaproof.analysis.bounds.sizes.integers import Below
from visaproof.analysis.bounds.sizes.launch_integers import QUICK_MS
from visaproof.analysis.bounds.sizes.reached import LARGEST, NOT_MADE, Reached, larger_of_each
from visaproof.analysis.bounds.sizes.sums import above, added_and_subtracted, is_natural
from visaproof.isa.identity import Same
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.expressions import Name, Number, Relation
from visaproof.launch.relations.launch_names import GLOBAL, LOCAL, LaunchNames
from visaproof.launch.relations.named_words import SIZES_OF_LAUNCH
from visaproof.launch.relations.polynomials import Polynomial, difference, expression, plus, times
from visaproof.launch.relations.relations import stated_relation
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicBuffer, SymbolicSurface
from visaproof.smt import BitVec, Bool, add, conj, const, kept, neg, symbol, ule, zero_extend
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.integers.products import with_integer_products
from visaproof.smt.solvers import solve_sums

STAGE = "ids at their largest"
NEVER_MADE = "no guard of an access ever holds"
MOST_BYTES = (1 << ADDRESS_BITS) - 1
"""Of any size: a larger one counts as this, and of a buffer at 64-bit addresses there is none."""
KEPT_ANSWERS = 256
KEPT_ACCESSES = 1 << 13
"""A message is asked about several times, with each of its accesses."""
LOCAL_SIZES, GLOBAL_SIZES = ([f"{value}_{dimension}" for dimension in DIMENSIONS] for value in (LOCAL, GLOBAL))


class Sufficient(Struct, frozen=True):
    """So many bytes are enough where all relations hold."""

    amount: Polynomial
    relations: tuple[Relation, ...]
    is_nothing: bool = False
    """Whether no access is ever made; no bytes may be enough under relations as well."""


def room_of(accesses: Sequence[tuple[BoundsQuestion, Doubt, BitVec]]) -> tuple[int, bool]:
    """The bits of the widest address, and whether all are in buffers that are reached by 64-bit addresses."""
    bits = max((address.width for _, _, address in accesses), default=0)
    return bits, all(Same(doubt.access) in question.places for question, doubt, _ in accesses)


def sufficient(
    reached: Sequence[Reached],
    names: LaunchNames,
    stated: Polynomial | None = None,
    whole: bool = True,
    bits: int = 32,
    at_pointers: bool = False,
) -> Sufficient | None:
    """For all of these accesses, the amount that is `stated` or one of theirs; None where that is not enough.

    What is less than a multiple of its names is made a `whole` one.  `bits` are those of the widest address.  That the
    amount is at most LARGEST need not be said where every access ends by LARGEST: it is inside of a larger amount.
    Nor need it be said that it is at most MOST_BYTES of what is reached `at_pointers`: no such buffer has more
    (premise buffers-below).
    """
    largest = LARGEST if bits <= 32 else MOST_BYTES
    if stated is None and reached and all(one is NOT_MADE for one in reached):
        return Sufficient({}, (), is_nothing=True)
    reached = list(_with_what_all_need(reached))
    amount = _amount(reached) if stated is None else stated
    if amount is None or not all(is_at_least(amount, one.end, one.least) for one in reached):
        return None
    if stated is None and whole and amount.get((), 0) < 0:  # hosts count whole elements
        amount = {**amount, (): 0}
    most = largest if _largest(amount, names, {}) > largest else None
    counted = most_of_each(amount, largest)
    fits: list[Below] = []
    for one in reached:
        for limit in one.limits:
            if _largest(limit.sum, names, one.least, counted) < 1 << limit.bits:
                continue
            factor = next(_factors(amount, limit.sum, one.least), None)
            if factor is None:
                fits.append(limit)
            else:
                most = min(most or largest, factor << limit.bits)
    needed = larger_of_each(dict(sorted(one.needed.items())) for one in reached)
    signed = dict.fromkeys(name for one in reached for name in sorted(one.signed) if name not in needed)
    above = [Relation(">=", Name(name), Number(number)) for name, number in needed.items()]
    above += [Relation(">=", Name(name), Number(0)) for name in signed]
    below_any = most == LARGEST and all(one.is_below for one in reached)
    in_any = below_any or (at_pointers and most == MOST_BYTES)
    limits = [] if most is None or in_any else [(amount, most)]
    limits += [(plus(one.sum, {(): 1}), 1 << one.bits) for one in fits]
    below = (Relation("<=", difference(one), Number(largest)) for one, largest in _widest(limits))
    sizes = dict.fromkeys(name for one in reached for name in one.small) if names.most_items > SMALL else ()
    few = (Relation("<=", Name(name), Number(SMALL)) for name in sizes)
    pairs = dict.fromkeys(pair for one in reached for pair in sorted(one.related))
    related = (Relation("<=", Name(one), Name(other)) for one, other in pairs)
    sums = (_at_least_zero(each) for one in reached for each in one.sums)
    return Sufficient(amount, tuple(dict.fromkeys((*below, *few, *related, *sums, *above))))


def _at_least_zero(one: Polynomial) -> Relation:
    """What is added up is no less than what is subtracted."""
    added, subtracted = added_and_subtracted(one)
    return Relation(">=", expression(added), expression(subtracted))


def _with_what_all_need(reached: Sequence[Reached]) -> Iterator[Reached]:
    """What one access needs is so for all: it is stated once."""
    needed = larger_of_each(one.needed for one in reached)
    for one in reached:
        least = larger_of_each((needed, one.least))
        more = {name: number + 1 for name, number in one.unequal if least.get(name) == number}
        yield replace(one, least={**least, **more})


def readable(enough: Sufficient | None, stated: Callable[[Polynomial], Sufficient | None]) -> Sufficient | None:
    """Without what is subtracted from one product of arguments: 4*w*h and not 4*w*h - 4*w."""
    added = {} if enough is None else {part: count for part, count in enough.amount.items() if count > 0}
    is_product = len(added) == 1 and SIZES_OF_LAUNCH.isdisjoint(name for part in added for name in part)
    return stated(added) or enough if is_product else enough


def is_usual(enough: Sufficient) -> bool:
    """Whether it is a product of arguments that are at least 0, and only has to be no larger than addresses are."""
    parts = [part for part, count in enough.amount.items() if count]
    if len(parts) != 1 or not SIZES_OF_LAUNCH.isdisjoint(*parts):
        return False
    limits = [one for one in enough.relations if one.sign != ">="]
    return not limits or (len(parts[0]) > 1 and all(one.left == difference(enough.amount) for one in limits))


def _widest(limits: Sequence[tuple[Polynomial, int]]) -> Iterator[tuple[Polynomial, int]]:
    """Sums with what they are at most, without those that follow from another one."""
    found = list({(tuple(sorted(one.items())), most): (one, most) for one, most in limits}.values())
    for one in reversed(found):
        if any(follows(*one, *other) for other in found if other is not one):
            found = [other for other in found if other is not one]
    yield from found


def follows(one: Polynomial, most: int, other: Polynomial, least: int) -> bool:
    """Whether one ≤ most wherever other ≤ least: k·one = f·other − rest, of which only the constant may be below 0."""
    shared = [(count, other[part]) for part, count in one.items() if part and count > 0 and other.get(part, 0) > 0]
    fewer = [(1, -(-own // its)) for own, its in shared]
    more = [(its // own, 1) for own, its in shared]
    for scale, factor in {(1, 1), *fewer, *more}:
        rest = plus(times(other, {(): factor}), times(one, {(): -scale}))
        is_less = factor * scale > 0 and all(count >= 0 for part, count in rest.items() if part)
        if is_less and factor * least - rest.get((), 0) <= scale * most:
            return True
    return False


def _amount(reached: Sequence[Reached]) -> Polynomial | None:
    """The largest end, or what is above all of them."""
    ends = [one.end for one in reached]
    for candidate in (*{tuple(sorted(end.items())): end for end in ends}.values(), _ceiling(ends)):
        if all(is_at_least(candidate, one.end, one.least) for one in reached):
            return candidate
    return None


def _ceiling(ends: Iterable[Polynomial]) -> Polynomial:
    found: dict[tuple[str, ...], int] = {}
    for end in ends:
        for part, count in end.items():
            found[part] = max(found.get(part, 0), count)
    return found


def _factors(amount: Polynomial, one: Polynomial, least: Mapping[str, int]) -> Iterator[int]:
    """How often one more than this sum is in the amount: the largest first."""
    quotients = {amount.get(part, 0) // count for part, count in one.items() if part and count > 0}
    for factor in sorted({1, *quotients} - {0}, reverse=True):
        if is_at_least(amount, times(plus(one, {(): 1}), {(): factor}), least):
            yield factor


def is_at_least(one: Polynomial, other: Polynomial, least: Mapping[str, int]) -> bool:
    """Whether it is by its coefficients, once what names are at least is taken from them; all are at least 0."""
    return is_natural(plus(one, times(other, {(): -1})), least)


def most_of_each(amount: Polynomial, largest: int) -> dict[str, int]:
    """What names are at most where the amount is no larger than `largest`: of 4·n + m each is so."""
    if any(count < 0 for count in amount.values()):
        return {}
    return {part[0]: largest // count for part, count in amount.items() if len(part) == 1 and count}


def _largest(
    one: Polynomial, names: LaunchNames, least: Mapping[str, int], most: Mapping[str, int] = MappingProxyType({})
) -> int:
    """What it is at most by the widths of the words, and what some names are at most."""
    parts = above(one, least).items()
    return sum(count * prod(_high(name, names, most) - least.get(name, 0) for name in part)
               for part, count in parts if count > 0 or not part)  # fmt: skip


def _high(name: str, names: LaunchNames, most: Mapping[str, int]) -> int:
    high, launched = names.found(name).word.range.high, names.start.group.launched
    high = min(high, most.get(name, high))
    if name in GLOBAL_SIZES:
        return min(high, names.most_items)
    return min(high, launched.most) if name in LOCAL_SIZES and launched is not None else high


def is_inside(question: BoundsQuestion, access: Access, surface: SymbolicSurface | None) -> bool:
    """Whether it is inside wherever what it reaches at most is no more than the size, by itself."""
    if Same(access) in question.places:  # so is *inside* defined
        return True
    return isinstance(surface, SymbolicBuffer) and _is_inside(Same(access), Same(surface))


@kept(KEPT_ACCESSES)
def _is_inside(access: Same[Access], surface: Same[SymbolicBuffer]) -> bool:
    address, width = access.it.cell[0], access.it.width
    is_own = access.it.inside is surface.it.contains(address, width)
    return is_own and _has_what_ends_in_it(surface, address.width, width)


@kept(KEPT_ANSWERS)
def _has_what_ends_in_it(surface: Same[SymbolicBuffer], bits: int, width: int) -> bool:
    """Whether all that ends at its last byte or before is inside, of so many bytes."""
    own, size, wide = symbol("any_address", bits), surface.it.size, 1 + max(bits, surface.it.size.width)
    end = add(zero_extend(own, wide), const(width, wide))
    return _never(conj(ule(end, zero_extend(size, wide)), neg(surface.it.contains(own, width))))


@kept(KEPT_ANSWERS)
def _never(formula: Bool) -> bool:
    return isinstance(solve_sums(formula, QUICK_MS), Unsatisfiable)


def weakest(relations: Sequence[Relation], names: LaunchNames) -> tuple[Relation, ...]:
    """Without those that follow from the others."""
    left = list(dict.fromkeys(relations))
    for one in reversed(left):
        others = [other for other in left if other != one]
        known = [fact for other in others for fact in _terms(other, names)]
        if others and _denied(conj(*known, *stated_relation(names, one).facts), one, names):
            left = others
    return tuple(left)


def _terms(relation: Relation, names: LaunchNames) -> Iterator[Bool]:
    own = stated_relation(names, relation)
    yield from own.facts
    yield own.term


def _denied(known: Bool, relation: Relation, names: LaunchNames) -> bool:
    """Whether it cannot be false where this is known."""
    formula = conj(known, neg(stated_relation(names, relation).term))
    return _never(with_integer_products(formula) or formula)


def are_stated(relations: Iterable[Relation], names: LaunchNames, sizes: Iterable[Polynomial] = ()) -> bool:
    """Whether they hold in each launch that is as the user states, and in which no stated size is negative."""
    where = [fact for one in names.start.where for fact in (*one.facts, one.term)]
    signs = [fact for size in sizes for fact in _terms(Relation(">=", difference(size), Number(0)), names)]
    ways = (where, [*where, *signs]) if signs else (where,)  # sizes are products: first without them
    return all(
        any(_denied(conj(*facts, *stated_relation(names, one).facts), one, names) for facts in ways)
        for one in relations
    )
