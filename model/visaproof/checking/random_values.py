"""Values that break a goal, found by guessing: where an example is likely, simple words often are one.  No solver."""

from collections.abc import Iterator, Sequence
from random import Random

from visaproof.smt import Bool, Term, symbols_of
from visaproof.smt.compiled import compiled

Values = dict[Term, int]

DRAWS = 120
"""How many are tried: each takes less than a thousandth of what a question to a solver does."""

_EDGES = (0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x7FC0_0000, 0x3F80_0000, 0xBF80_0000, 0xFFFF, 0x8000, 0x7E00, 0x3C00)
"""Where signed, unsigned and floating-point order differ, on 32 bits and on 16."""

_FIELD = 4
"""Words of so few bits are codes, as of execution masks and channels."""

_SIZE = 33
"""Words of so many bits are sizes of surfaces."""

_ROOM = 128
"""Bytes of a surface in which all small words are inside."""


def random_values(assumptions: Sequence[Bool], goal: Bool, seed: int = 0) -> Values | None:
    """Values for which every assumption holds and the goal does not."""
    symbols = symbols_of(*assumptions, goal)
    evaluate = compiled((*assumptions, goal), symbols)
    for words in _guesses(symbols, Random(seed)):
        *premises, conclusion = evaluate(words)
        if all(premises) and not conclusion:
            return dict(zip(symbols, words, strict=True))
    return None


def _guesses(symbols: Sequence[Term], random: Random) -> Iterator[list[int]]:
    """All, half or few truth values hold; words come from a few, so that some are equal."""
    for number in range(DRAWS):
        density = (1, 0.5, 0.1)[number % 3]
        words = _words(number, random)
        large = random.random() < 0.7
        yield [_value(symbol, words, density, large, random) for symbol in symbols]


def _words(number: int, random: Random) -> list[int]:
    zeros = [0] * (1 + number % 2)
    match number % 4:
        case 0:
            return [*zeros, 4 * random.randrange(16)]
        case 1:
            return [*zeros, random.randrange(8), random.randrange(64)]
        case 2:
            return [*zeros, random.choice(_EDGES), random.choice(_EDGES)]
        case _:
            return [*zeros, random.choice(_EDGES), random.randrange(16), 1]


def _value(symbol: Term, words: Sequence[int], density: float, large: bool, random: Random) -> int:
    if symbol.width == 0:
        return int(random.random() < density)
    if symbol.width <= _FIELD:
        return random.getrandbits(symbol.width)
    if symbol.width == _SIZE and large:
        return 1 << (_SIZE - 1) if max(words) > _ROOM else _ROOM
    return random.choice(words) & ((1 << symbol.width) - 1)
