"""Differences guessed before a solver is asked: runs of both kernels on random and simple inputs, then smaller ones."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from random import Random
from time import process_time

from visaproof.engine.ladder import Values
from visaproof.engine.refinement.choice_guesses import choice_launches
from visaproof.engine.refinement.choices import first_certain, source_choice, unlike_threads
from visaproof.engine.refinement.comparison import Comparison
from visaproof.engine.refinement.explained import no_choice_explains
from visaproof.engine.refinement.float_guesses import FloatWords
from visaproof.engine.refinement.memory import Content
from visaproof.engine.refinement.runs import Difference, all_again, difference, unknowns
from visaproof.engine.refinement.small import small_launches, usual_launches
from visaproof.engine.refinement.thread_group import AnyRunner
from visaproof.engine.refinement.words import LARGEST_EXTENT, is_extent, is_input, word_value
from visaproof.isa.errors import NotModelled
from visaproof.isa.types import DataType
from visaproof.kernel.thread_group import Split
from visaproof.queries.refinement.question import Question
from visaproof.smt import Term

CUT_SIZE = 62
"""Bytes of a surface that ends inside a dword."""

GUESSES = 60
"""Runs on random and simple inputs before a solver is asked."""

LAST_GUESSES = 600
"""Runs where neither these nor a solver decided."""

EDGES = (2**32 - 1, 2**30 - 1, 2**28 - 1, 2**31 - 1, 2**29 - 1)
"""Numbers after whose multiples a 32-bit offset wraps: one input at a time is one of them in further runs."""

FLOAT_TYPES = (DataType.F, DataType.HF, DataType.DF)

FLOATS = (0x3F80_0000, 0x4000_0000, 0xC040_0000)
"""1, 2 and -3: not all small integers are floats that every device treats alike."""

FLOAT_GUESSES = 24
"""Runs on floats, of kernels that compute with them."""

FEW_LANES = 40
"""Runs of few lanes, where the source depends on what nothing wrote."""

AUDITS = 6
"""Runs of kernels that are equal in normal form."""

MOST_EXPLAINED = 100
"""Runs of which it is asked whether a choice of the source leaves all that the target left."""

GIVEN_UP = 20
"""So many runs of kernels with loops of unknown length that come to no end show that most inputs are of no use."""

Ask = Callable[[AnyRunner, AnyRunner, Question, Values, Content], Difference | None]
"""What a run of both kernels on given values shows."""


def guessed(
    comparison: Comparison, count: int, seed: int = 0, most_seconds: float | None = None, ask: Ask = difference
) -> Difference | None:
    """A difference for seeded random inputs, or for simple ones; no longer looked for than asked for."""
    ends = None if most_seconds is None else process_time() + most_seconds
    search = _Search(comparison, ask)
    for found in _in_turn([search.shown(launched) for launched in _kinds(comparison, count, seed)]):
        if found is not None or (ends is not None and process_time() > ends):
            return found
    return None


def _kinds(comparison: Comparison, count: int, seed: int) -> Iterator[Iterator[tuple[Values, Content]]]:
    """Launches of each kind, with what memory holds in them."""
    symbols = unknowns(comparison.question, comparison.runners)
    random, floats = Random(seed), float_words(comparison)
    edges = _at_edges(symbols) if count > AUDITS else ()
    spread = () if comparison.split is None else _one_lane_each(comparison.split, comparison.question, symbols)
    choices = count > AUDITS and source_choice(comparison.question)
    few = _first_lanes(comparison.question, symbols, seed, floats) if choices else ()
    guesses = chain(spread, few, islice(candidates(symbols, random, floats), count), edges)
    if choices:
        yield choice_launches(symbols, comparison.question.lanes, seed)
    if count > AUDITS:
        yield _usual(comparison, symbols, seed)
    yield ((values, contents(random, floats is not None)) for values in guesses)
    if count > AUDITS:
        yield small_launches(comparison.runners, symbols, seed, count)
    if count > AUDITS and comparison.on_floats:
        yield _on_floats(symbols, seed)


def _in_turn(searches: list[Iterator[Difference | None]]) -> Iterator[Difference | None]:
    """One of each search, then the next of each."""
    while searches:
        for one in tuple(searches):
            try:
                yield next(one)
            except StopIteration:
                searches.remove(one)


@dataclass(slots=True)
class _Search:
    """What launches of several kinds show."""

    comparison: Comparison
    ask: Ask
    explained: int = 0
    """Differences of which it was asked whether a choice of the source leaves the same."""

    def shown(self, launched: Iterator[tuple[Values, Content]]) -> Iterator[Difference | None]:
        """Of each launch the difference that is certain, while launches of this kind come to an end."""
        given_up = 0
        for values, content in launched:
            try:
                found = self.ask(*self.comparison.runners, self.comparison.question, values, content)
                sure = found and settled(self.comparison, found, jointly=self.explained < MOST_EXPLAINED)
                self.explained += found is not None
            except NotModelled:  # for these inputs, as floats that are not numbers
                given_up += 1
                if self.comparison.question.bounded and given_up == GIVEN_UP:
                    return
                sure = None
            yield sure


def _usual(comparison: Comparison, symbols: Sequence[Term], seed: int) -> Iterator[tuple[Values, Content]]:
    """Launches in which loops whose length depends on the launch take a few rounds."""
    if any(one.trace.bounded for one in comparison.runners):
        yield from usual_launches(comparison.runners, symbols, comparison.start.sizes, seed)


def settled(comparison: Comparison, found: Difference, jointly: bool = True) -> Difference | None:
    """The difference, or another one of the same runs, if the source leaves another memory whatever it may choose.

    On request all that the target left is looked at, and not byte by byte alone.  Raises NotModelled.
    """
    if comparison.split is not None and unlike_threads(comparison.question):
        return None
    if not source_choice(comparison.question):
        return found
    shown: tuple[Difference, ...] = all_again(*comparison.runners, comparison.question, found)
    for choice in (0, 1, 0xA7):
        shown = tuple(_staying(comparison, shown, choice))
    sure = first_certain(comparison.question, shown)
    if sure is None and jointly and no_choice_explains(comparison, found):
        sure = found
    return sure and replace(sure, whatever_found=True)


def _staying(comparison: Comparison, shown: Sequence[Difference], choice: int) -> Iterator[Difference]:
    """Those that there are as well if the source finds `choice` in whatever nothing wrote."""
    if not shown:
        return
    own = {one: choice & (1 << max(one.width, 1)) - 1 for one in shown[0].values if _is_chosen(one)}
    start = replace(shown[0], values=shown[0].values | own)
    others = {(one.surface, one.address): one for one in all_again(*comparison.runners, comparison.question, start)}
    for one in shown:
        other = others.get((one.surface, one.address))
        if other is not None and (other.undefined is None) == (one.undefined is None):
            yield one


def _is_chosen(one: Term) -> bool:
    return str(one.payload).startswith("source:")


def float_words(comparison: Comparison) -> Collection[Term] | None:
    """The inputs that are operands of arithmetic on floats; None where there is no such arithmetic."""
    used = (one for runner in comparison.runners for one in runner.trace.arbitrary if one.origin is None)
    operands = [source for one in used for source in one.operands or () if source.type in FLOAT_TYPES]
    return {source.bits for source in operands} if operands else None


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


def _on_floats(symbols: Sequence[Term], seed: int) -> Iterator[tuple[Values, Content]]:
    """Floats in memory, and in at least half of the inputs."""
    random = Random(seed + 1)
    for _ in range(FLOAT_GUESSES):
        words, lanes = FloatWords.drawn(random), random.choice((0.2, 1, 1))
        flags = [int(random.random() < lanes) for _ in symbols]
        values = {
            one: word_value(one, words.word(one, random), flag, 1 << 32)
            for one, flag in zip(symbols, flags, strict=True)
        }
        yield values, words.content


def _one_lane_each(split: Split, question: Question, symbols: Sequence[Term]) -> Iterator[Values]:
    """Small launches with one lane on in each of the narrow threads: lanes of one thread that meet have no meaning."""
    random = Random(1)
    for bits in (0, 1, 2, 0, 1, 2):
        values = {
            one: word_value(one, random.getrandbits(1) and random.getrandbits(bits + 1), 0, 1 << 32) for one in symbols
        }
        for thread in range(split.threads):
            values[random.choice(question.lanes[split.lanes(thread)])] = 1
        yield values


def _first_lanes(
    question: Question, symbols: Sequence[Term], seed: int, floats: Collection[Term] | None
) -> Iterator[Values]:
    """Launches of a few lanes from the first on: what other lanes or none would write, nothing wrote."""
    random = Random(seed + 2)
    for _ in range(FEW_LANES):
        last = random.choice((0, 1, 3, 7))
        values = launches(symbols, random, floats)
        yield {**values, **{lane: int(number <= last) for number, lane in enumerate(question.lanes)}}


def _at_edges(symbols: Sequence[Term]) -> Iterator[Values]:
    """One input is large, all others are 0."""
    for edge in EDGES:
        for large in symbols:
            if large.width >= 32 and is_input(large) and not str(large.payload).startswith("size."):
                yield {one: word_value(one, edge if one is large else 0, 1, 1 << 32) for one in symbols}


CORNERS = (0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 255, 256, 1 << 31, *EDGES)
SIZES = (*(1 << 32,) * 7, 1 << 31, 4096, 64, CUT_SIZE)
LAST_BASE = (1 << 28) - 1
"""In units of 16 bytes: nearly all offsets from there carry into the high half of an address."""


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
        if carries and str(one.payload).startswith("base."):
            word = LAST_BASE - random.getrandbits(3)
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
        name, _, number = str(one.payload).rpartition(".")
        if kind > 1 or name != "em":
            return int(random.random() < share)
        return int(int(number) <= place if kind else int(number) == place)

    return lane


def contents(random: Random, floats: bool = False) -> Content:
    """What memory holds in a launch: each surface large numbers, small ones, multiples, floats, or indices."""
    styles: dict[str, Callable[[int, int], int]] = {}

    def content(surface: str, address: int, width: int) -> int:
        if surface not in styles:
            styles[surface] = _style(random, 0.6 if floats else 0.3)
        return styles[surface](address, width)

    return content


def _style(random: Random, floats: float) -> Callable[[int, int], int]:
    bits, step, kind = random.choice((0, 2, 4, 8, 16, 64, 64)), random.choice((1, 1, 4, 16)), random.random()
    zeros = random.choice((0, 0, 0, 0.4))

    def word(address: int, width: int) -> int:
        if (address % 4 and bits < 64) or (zeros and random.random() < zeros):  # the upper bytes of a dword
            return 0
        if kind < 0.1:
            return (1 << 8 * width) - 1 - random.getrandbits(1)
        if kind < floats and width == 4:
            return random.choice(FLOATS)
        number = address // 4 % 64 if kind < floats + 0.2 else random.getrandbits(bits)
        return number * step % (1 << 8 * width)

    return word
