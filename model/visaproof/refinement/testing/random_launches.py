"""Launches at random, edge-biased, and what memory holds in them: inputs of runs that are to tell two kernels apart."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import product
from random import Random

from visaproof.checking.stages import Values
from visaproof.instructions.svm_gather import FLAT
from visaproof.program.lower import lowered
from visaproof.queries.kernels.surface_names import PRIVATE, itself
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.sharing import ALIGNMENT
from visaproof.refinement.inputs.samplers import chosen
from visaproof.refinement.testing.memory import LARGEST_EXTENT, Content, is_input, of_each_surface, word_value
from visaproof.refinement.testing.runner import Runner
from visaproof.semantics.symbolic.names import (
    LaneOn,
    SurfaceSize,
    buffer_base,
    extents_like,
    is_base,
    is_extent,
    surface_size,
)
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import Term, symbols_of

CUT_SIZE = 62
"""Bytes of a surface that ends inside a dword."""

EDGES = (2**32 - 1, 2**30 - 1, 2**28 - 1, 2**31 - 1, 2**29 - 1)
"""Numbers after whose multiples a 32-bit offset wraps: one input at a time is one of them in further runs."""

FLOATS = (0x3F80_0000, 0x4000_0000, 0xC040_0000)
"""1, 2 and -3: not all small integers are floats that every device treats alike."""

CORNERS = (0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 255, 256, 1 << 31, *EDGES)
SIZES = (*(1 << 32,) * 7, 1 << 31, 4096, 64, CUT_SIZE)
LAST_BASE = (1 << 32) // ALIGNMENT - 1
"""In units of `ALIGNMENT`: nearly all offsets from there carry into the high half of an address."""


def candidates(symbols: Sequence[Term], random: Random, floats: Collection[Term] | None = None) -> Iterator[Values]:
    for bits, size in product((3, 16, 2, 4, 8, 32), (1 << 32, 64)):
        for _ in range(2):
            yield {one: word_value(one, random.getrandbits(bits), random.getrandbits(1), size) for one in symbols}
    for _ in range(4):
        yield {one: word_value(one, random.choice(FLOATS), random.getrandbits(1), 1 << 32) for one in symbols}
    for _ in range(26):
        yield launches(symbols, random, floats)
    for word, size in product((0, 1, 2), (1 << 32, CUT_SIZE)):
        yield {one: word_value(one, word, 1, size) for one in symbols}
    while True:
        yield launches(symbols, random, floats)


def at_edges(symbols: Sequence[Term]) -> Iterator[Values]:
    """One input is large, all others are 0."""
    for edge in EDGES:
        for large in symbols:
            if large.width >= 32 and is_input(large) and not isinstance(large.payload, SurfaceSize):
                yield {one: word_value(one, edge if one is large else 0, 1, 1 << 32) for one in symbols}


def launches(symbols: Sequence[Term], random: Random, floats: Collection[Term] | None = None) -> Values:
    """A random launch, edge-biased: numbers of few bits or of many, corners among them, and few lanes or many."""
    bits, lanes = random.choice((2, 3, 4, 4, 6, 8, 8, 12, 16, 32)), _lanes(random)
    corners = random.choice((0, 0, 0.02, 0.1, 0.5))
    any_floats, size, carries = random.random() < 0.2, random.choice(SIZES), random.getrandbits(1)
    step = random.choice((1, 1, 4))
    roomy = any(map(is_extent, symbols)) and random.getrandbits(1)
    values: Values = {}
    for one in symbols:
        if random.random() < corners:
            word = random.choice(CORNERS)
        else:
            word = random.choice(FLOATS) if any_floats and random.getrandbits(1) else random.getrandbits(bits) * step
        if floats and one in floats:
            word = random.choice(FLOATS)
        if roomy and is_extent(one):
            word = LARGEST_EXTENT - 1
        if carries and is_base(one):
            last = LAST_BASE - random.getrandbits(5)
            word = last - last % step  # of all buffers alike: elements of 8 bytes want each at a multiple of that
        values[one] = word_value(one, word, lanes(one), size)
    return values


def _lanes(random: Random) -> Callable[[Term], int]:
    """Which truth values hold: each by itself, or of the lanes the first ones, or one alone."""
    share, kind, place = (
        random.choice((0.05, 0.2, 0.5, 0.9, 1)),
        random.randrange(8),
        random.choice((0, 1, 3, 7, 8, 15)),
    )

    def lane(one: Term) -> int:
        if kind > 1 or not isinstance(one.payload, LaneOn):
            return int(random.random() < share)
        return int(one.payload.lane <= place if kind else one.payload.lane == place)

    return lane


def contents(random: Random, floats: bool = False) -> Content:
    """What memory holds in a launch: each surface large numbers, small ones, multiples, floats, or indices."""
    return of_each_surface(lambda _: _style(random, 0.6 if floats else 0.3))


def _style(random: Random, floats: float) -> Content:
    bits, step, kind = random.choice((0, 2, 4, 8, 16, 64, 64)), random.choice((1, 1, 4, 16)), random.random()
    zeros = random.choice((0, 0, 0, 0.4))

    def word(surface: str, address: int, width: int) -> int:
        if (address % 4 and bits < 64) or (zeros and random.random() < zeros):  # the upper bytes of a dword
            return 0
        if kind < 0.1:
            return (1 << 8 * width) - 1 - random.getrandbits(1)
        if kind < floats and width == 4:
            return random.choice(FLOATS)
        number = address // 4 % 64 if kind < floats + 0.2 else random.getrandbits(bits)
        return number * step % (1 << 8 * width)

    return word


# ---------------------------------------------------------------- what a launch may choose


def unknowns(question: Question, runners: Sequence[Runner]) -> list[Term]:
    """The symbols that a launch chooses: inputs, lanes and sizes, and what it leaves in predicates.

    As the kernels have them, so that random launches do not depend on which terms this process made before.
    """
    words: dict[Term, None] = dict.fromkeys((*question.lanes, *_uninitialised_predicates(question, runners)))
    for runner in runners:
        words |= dict.fromkeys(runner.start_words())
        for surface in runner.trace.surfaces.values():
            if isinstance(surface, SymbolicBuffer):
                words |= {surface_size(name): None for name in map(itself, question.surfaces) if name != FLAT}
        for name, image in runner.images.items():
            for level, extents in enumerate(image.levels):
                words |= dict.fromkeys(extents_like(extents, name, level))
        words |= dict.fromkeys(chosen(lowered(runner.kernel, runner.platform).samplers, runner.samplers))
        if question.in_buffers or runner.lost or PRIVATE in runner.pointers.values():
            words |= {buffer_base(buffer): None for buffer in runner.pointers.values()}
        for buffer in question.sharing.alignments:
            words |= {buffer_base(buffer): None, surface_size(buffer): None}
    return list(dict.fromkeys(one for word in words for one in _by_name(symbols_of(word))))


def _by_name(symbols: Iterable[Term]) -> list[Term]:
    return sorted(symbols, key=lambda one: (str(one.payload), one.width))


def _uninitialised_predicates(question: Question, runners: Sequence[Runner]) -> Iterator[Term]:
    """The bits of predicates that decide on what a kernel does though they are uninitialised."""
    effects = question.source, question.target
    guards = [store.guard for side in effects for stores in side.stores.values() for store in stores]
    for one in _by_name(symbols_of(*guards, *(condition for side in effects for condition in side.undefined_alone))):
        if one.width == 0 and any(is_own(one, runner.name) for runner in runners):
            yield one
