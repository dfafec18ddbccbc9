"""Launches of a source that depends on uninitialised values, after which no choice of it leaves what the target left.

What memory holds is large in some surfaces, so that few numbers come of others by chance; what the target finds are
small dwords, so that it reaches cells that there are; and of a predicate the uninitialised bits are mostly alike.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from random import Random
from typing import cast

from visaproof.checking.ladder import Values
from visaproof.refinement.testing.memory import LARGEST_EXTENT, Content, word_value
from visaproof.semantics.symbolic.names import is_extent
from visaproof.semantics.symbolic.value_names import OfLoop, Own, PredicateBit, RegisterByte, place_of
from visaproof.smt import Term

CHOICE_GUESSES = 60


def choice_launches(symbols: Sequence[Term], lanes: Sequence[Term], seed: int) -> Iterator[tuple[Values, Content]]:
    """Seeded random ones, with what memory holds in each."""
    random = Random(seed + 4)
    for _ in range(CHOICE_GUESSES):
        on, bits = _lanes_on(random, lanes), random.choice((1, 3, 4, 32))
        predicates: dict[Hashable, float] = {}
        values: Values = {}
        for one in symbols:
            share = predicates.setdefault(_predicate(one), random.choice((0, 0.5, 1)))
            flag = on.get(one, int(random.random() < share))
            word = LARGEST_EXTENT - 1 if is_extent(one) else random.getrandbits(bits)
            if bits < 32 and _is_upper_byte(one):
                word = 0
            values[one] = word_value(one, word, flag, 1 << 32)
        yield values, _contents(random)


def _predicate(one: Term) -> Hashable:
    """What its bits share a probability with: those of one predicate; each other symbol alone."""
    match one.payload:
        case Own(owner, PredicateBit(variable)):
            return owner, variable
        case OfLoop(loop, PredicateBit(variable)):
            return loop, variable
        case PredicateBit(variable):
            return variable
        case name:
            return cast(Hashable, name)


def _is_upper_byte(one: Term) -> bool:
    """Whether it is a byte of a register that is not the lowest one of a dword: nothing writes registers in bytes."""
    place = place_of(one)
    return one.width == 8 and isinstance(place, RegisterByte) and place.byte % 4 != 0


def _lanes_on(random: Random, lanes: Sequence[Term]) -> dict[Term, int]:
    """All lanes, or all but one or the first half, or some of them or one alone."""
    kind, one = random.randrange(6), random.randrange(len(lanes))
    rules: Sequence[Callable[[int], bool]] = (
        lambda _: True,
        lambda lane: lane != one,
        lambda lane: lane > 0,
        lambda lane: lane >= len(lanes) // 2,
        lambda _: random.random() < 0.5,
        lambda lane: lane == one,
    )
    return {term: int(rules[kind](lane)) for lane, term in enumerate(lanes)}


def _contents(random: Random) -> Content:
    """Small numbers in dwords in some surfaces, and large ones in others."""
    bits: dict[str, int] = {}

    def content(surface: str, address: int, width: int) -> int:
        few = bits.setdefault(surface, random.choice((2, 4, 32, 32)))
        if few < 32 and address % 4:  # the upper bytes of a dword
            return 0
        return random.getrandbits(few) % (1 << 8 * width)

    return content
