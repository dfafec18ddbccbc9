"""How far an access reaches, as sums of names."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.integers import Below, bare
from visaproof.isa.identity import Same
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.queries.kernels.bounds import BoundsQuestion, Doubt
from visaproof.smt import BitVec, const, known_trailing_zeros, linear_parts, signed_value, substitute


class Reached(Struct, frozen=True):
    """What one access reaches at most, where all limits hold."""

    end: Polynomial
    """Bytes up to behind the access."""
    limits: tuple[Below, ...]
    least: Mapping[str, int]
    """How large names are at least wherever the access is made."""
    signed: frozenset[str]
    """Names that have to be at least 0."""
    small: frozenset[str]
    """Names that have to be at most SMALL."""
    needed: Mapping[str, int] = field(default_factory=dict[str, int])
    """What names have to be at least."""
    unequal: frozenset[tuple[str, int]] = frozenset()
    """With numbers that they are not."""
    related: frozenset[tuple[str, str]] = frozenset()
    """Names of which the first has to be at most the second."""
    sums: tuple[Polynomial, ...] = ()
    """Of arguments, which have to be at least 0."""
    is_below: bool = False
    """Whether it ends by LARGEST, however large the sums are."""


NOT_MADE = Reached({}, (), {}, frozenset(), frozenset())
"""Of an access whose guard never holds."""


def either(one: Reached, other: Reached) -> Reached | None:
    """Of an access that reaches this far in one way, and in another; None where it reaches further in one of them."""
    if NOT_MADE in (one, other):
        return other if one == NOT_MADE else one
    if one.end != other.end:
        return None
    return Reached(
        one.end,
        (*one.limits, *(limit for limit in other.limits if limit not in one.limits)),
        {name: min(number, other.least[name]) for name, number in one.least.items() if name in other.least},
        one.signed | other.signed,
        one.small | other.small,
        larger_of_each((one.needed, other.needed)),
        one.unequal & other.unequal,
        one.related | other.related,
        (*one.sums, *(each for each in other.sums if each not in one.sums)),
        one.is_below and other.is_below,
    )


def larger_of_each(some: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """What several need: the larger number of each name."""
    found = dict[str, int]()
    for one in some:
        found |= {name: max(found.get(name, 0), number) for name, number in one.items()}
    return found


LARGEST = 1 << 32
"""Bytes that a 32-bit offset reaches."""


def ends_below(address: BitVec, width: int, zeros: Iterable[BitVec]) -> bool:
    """Whether what has so many bytes at an address ends by LARGEST: it begins at a multiple of its size below it.

    `zeros` are words that are 0.
    """
    if width & (width - 1) or address.high >= LARGEST:
        return False
    return 1 << known_trailing_zeros(substitute(address, {word: const(0, word.width) for word in zeros})) >= width


Accessed = tuple[BoundsQuestion, Doubt, BitVec]
"""A doubt with the address of its access."""


def outermost(accesses: Sequence[Accessed]) -> Iterator[Accessed]:
    """Of the accesses of one lane that are a constant apart, under one guard and of one width, the first and the last.

        e + a and e + c do not wrap,  a <= b <= c   =>   e + a <= e + b, which ends by e + c + width

    Numbers are signed, as they are where sums are read, so that e + c is c - a more than e + a as integers, too.
    """
    groups: dict[Hashable, list[tuple[int, Accessed]]] = {}
    for question, doubt, address in accesses:
        inner, access = bare(address), doubt.access
        constant, parts = linear_parts(inner)
        key = Same(question), access.lane, access.guard, access.width, address.width, inner.width, tuple(parts.items())
        groups.setdefault(key, []).append((signed_value(constant, inner.width), (question, doubt, address)))
    for group in groups.values():
        group.sort(key=lambda each: each[0])
        yield group[0][1]
        if len(group) > 1:
            yield group[-1][1]
