"""Random testing, before a solver is asked: runs of both kernels on random and simple inputs, then smaller ones."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from random import Random
from struct import pack
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.isa.errors import LimitReached, NotModelled
from visaproof.isa.types import DataType
from visaproof.refinement.choices import (
    ends_within_iterations,
    may_choose_later,
    no_choice_explains,
    source_choice,
    unlike_threads,
)
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.memory import IMAGE_SIZE, Content, is_input, nothing, word_value
from visaproof.refinement.testing.random_launches import at_edges, candidates, contents, unknowns
from visaproof.refinement.testing.runs import again, difference
from visaproof.refinement.testing.small_launches import FloatWords, small_launches
from visaproof.refinement.verdicts import Difference, TargetUndefined
from visaproof.semantics.symbolic.names import LaneOn, is_base, is_size
from visaproof.smt import Term

TESTS = 60
"""Runs on random and simple inputs before a solver is asked."""

LAST_TESTS = 600
"""Runs of each kind where neither these nor a solver decided."""

LAST_RUNS = 600
"""Of these in all, whatever kind of launch they are of."""

FLOAT_TYPES = (DataType.F, DataType.HF, DataType.DF)

FLOAT_GUESSES = 24
"""Runs on floats, of kernels that compute with them."""

AUDITS = 6
"""Runs of kernels that are equal in normal form."""

MOST_EXPLAINED = 100
"""Runs of which it is asked whether a choice of the source leaves all that the target left."""

GIVEN_UP = 20
"""So many runs of kernels with loops of unknown length that come to no end show that most inputs are of no use."""


def random_test(comparison: Comparison, count: int, seed: int = 0, most: int | None = None) -> Difference | None:
    """A difference for seeded random inputs, or for simple ones: so many runs of each kind, and at most so many in all.

    Runs are counted and not timed, so that the answer is the same on each machine.
    """
    search = _Search(comparison)
    made = _in_turn([search.shown(launched) for launched in _kinds(comparison, count, seed)])
    return next((found for found in islice(made, most) if found is not None), None)


def _kinds(comparison: Comparison, count: int, seed: int) -> Iterator[Iterator[tuple[Values, Content]]]:
    """Launches of each kind, with what memory holds in them."""
    if comparison.inputs is not None:
        yield islice(comparison.inputs(), count)
        return
    symbols = unknowns(comparison.question, comparison.runners)
    random, floats = Random(seed), float_words(comparison)
    edges = at_edges(symbols) if count > AUDITS else ()
    inputs = chain(islice(candidates(symbols, random, floats), count), edges)
    yield ((values, contents(random, floats is not None)) for values in inputs)
    if count > AUDITS or comparison.on_floats:
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


class _Search(Struct):
    """What launches of several kinds show."""

    comparison: Comparison
    explained: int = 0
    """Differences of which it was asked whether a choice of the source leaves the same."""

    def shown(self, launched: Iterator[tuple[Values, Content]]) -> Iterator[Difference | None]:
        """Of each launch the difference that is certain, while launches of this kind come to an end."""
        given_up = 0
        for values, content in launched:
            try:
                found = difference(self.comparison, values, content)
                sure = found and settled(self.comparison, found, explained=self.explained < MOST_EXPLAINED)
                self.explained += found is not None
            except NotModelled:  # for these inputs, as floats that are not numbers
                given_up += 1
                if self.comparison.question.bounded and given_up == GIVEN_UP:
                    return
                sure = None
            yield sure


def settled(comparison: Comparison, found: Difference, explained: bool = True) -> Difference | None:
    """The difference, if the source leaves another memory whatever it may choose; where it chooses, a solver is asked
    on request alone.  Raises NotModelled."""
    if comparison.split is not None and unlike_threads(comparison.question):
        return None
    if comparison.in_step:  # the terms say what one iteration leaves, with what the source chooses
        return None if may_choose_later(comparison.runners[0], comparison.question.lanes) else found
    if not source_choice(comparison.question):
        return found if _is_without_choice(comparison, found) else None
    return replace(found, whatever_found=True) if explained and no_choice_explains(comparison, found) else None


def _is_without_choice(comparison: Comparison, found: Difference) -> bool:
    """Whether the source chooses nothing in a run, where it chooses nothing in the iterations that were unrolled."""
    question = comparison.question
    if not question.source.ends or ends_within_iterations(question, found):
        return True
    return not may_choose_later(comparison.runners[0], question.lanes)


def float_words(comparison: Comparison) -> Collection[Term] | None:
    """The inputs that are operands of arithmetic on floats; None where there is no such arithmetic."""
    used = (one for runner in comparison.runners for one in runner.trace.arbitrary if one.origin is None)
    operands = [source for one in used for source in one.operands or () if source.type in FLOAT_TYPES]
    return {source.bits for source in operands} if operands else None


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


# ---------------------------------------------------------------- smaller differences

# With fewer lanes, more zeros and smaller numbers, a difference is easier to read.


FRIENDLY, MOST_FRIENDLY = (1, 2, 3, 4, 8, 16, 32, 64), 8
"""Numbers that a difference had rather have than larger ones, best first, and for how many inputs they are tried."""

MOST_TRIES = 300
"""Of pairs of runs: what is found by then stands."""

MANY = 64
"""Inputs that are not made smaller one by one from the start."""


def smaller(comparison: Comparison, found: Difference) -> Difference:
    """The same with fewer lanes, more zeros and smaller numbers, as far as so many runs confirm it."""
    best = found
    with suppress(LimitReached):  # what a run has shown stays shown
        for one in _ever_smaller(_Tries(comparison), found):
            best = one
    return best


def _ever_smaller(tries: "_Tries", found: Difference) -> Iterator[Difference]:
    comparison = tries.comparison
    if comparison.split is not None or len(_reducible(found)) > MANY:
        yield (found := _coarsely_smaller(tries, found))
    lanes: list[Term] = [one for one in comparison.question.lanes if one in found.values]
    yield (found := tries.changed(found, dict.fromkeys(lanes, 0) | dict.fromkeys(lanes[:1], 1)) or found)
    for one in sorted(_reducible(found), key=_last_lane_first):  # one lane cannot collide
        yield (found := tries.changed(found, {one: 0}) or found)
    if comparison.inputs is not None:  # lanes may differ only now that words are 0
        for one in sorted(_reducible(found), key=_last_lane_first):
            yield (found := tries.changed(found, {one: 0}) or found)
    words = [term for term in _reducible(found) if term.width and not is_base(term)]
    for one in words[:MOST_FRIENDLY]:
        friendly = (value for value in FRIENDLY if value < found.values[one])
        yield (found := next(filter(None, (tries.changed(found, {one: value}) for value in friendly)), found))
    for name, (size, _) in found.memory.items():
        if size == IMAGE_SIZE:
            yield (found := _fewer_texels(tries, found, name))


@dataclass(slots=True)
class _Tries:
    """Runs of both kernels on other inputs."""

    comparison: Comparison
    left: int = field(init=False, default=MOST_TRIES)

    def changed(self, found: Difference, changed: Values) -> Difference | None:
        """A difference in the same respect in which some inputs have other values."""
        values = _inputs(found.values) | changed
        contents = (_ones, _counted, _counted_floats) if self.comparison.on_floats else (_ones, _counted)
        contents = (nothing, *contents) if self.comparison.inputs is not None else contents
        return next(filter(None, (self.alike(found, values, content) for content in contents)), None)

    def alike(self, found: Difference, values: Values, content: Content) -> Difference | None:
        """A difference for these values in the same respect: in memory, or in what the target leaves undefined."""
        return self._confirmed(found, lambda: difference(self.comparison, values, content))

    def zeroed(self, found: Difference, name: str, cells: list[int]) -> Difference | None:
        """A difference in the same respect in which an image has 0 in these channels of texels."""
        memory = found.memory | {name: (IMAGE_SIZE, found.memory[name][1] | dict.fromkeys(cells, 0))}
        return self._confirmed(found, lambda: again(self.comparison, replace(found, memory=memory)))

    def _confirmed(self, found: Difference, run: Callable[[], Difference | None]) -> Difference | None:
        """What the runs show, if it is a difference in the same respect."""
        if not self.left:
            return None
        self.left -= 1
        try:
            other = run()
            if other is None or _is_undefined(other) is not _is_undefined(found):
                return None
            return settled(self.comparison, other)
        except NotModelled:
            return None


def _is_undefined(found: Difference) -> bool:
    return isinstance(found.what, TargetUndefined)


def _last_lane_first(term: Term) -> tuple[bool, int]:
    """Lanes before words, so that of lanes alike the first one stays."""
    return term.width > 0, -term.payload.lane if isinstance(term.payload, LaneOn) else 0


def _reducible(found: Difference) -> list[Term]:
    return [term for term, value in found.values.items() if value and is_input(term) and not is_size(term)]


def _coarsely_smaller(tries: _Tries, found: Difference) -> Difference:
    """The same with many zeros at once: what wide threads and groups of them start with is much, and runs take long."""
    for parts in (1, 2, 4, 8):
        reducible = _reducible(found)
        size = -(-len(reducible) // parts)
        for first in range(0, len(reducible), max(size, 4)):
            zeros = dict.fromkeys(reducible[first : first + max(size, 4)], 0)
            found = tries.alike(found, _inputs(found.values) | zeros, _counted) or found
    return found


def _fewer_texels(tries: _Tries, found: Difference, name: str) -> Difference:
    """The same with 0 in as many channels of an image as may be."""
    count = len(_filled(found, name))
    while count := count // 2:
        cells = _filled(found, name)
        for first in range(0, len(cells), count):
            found = tries.zeroed(found, name, cells[first : first + count]) or found
    return found


def _filled(found: Difference, name: str) -> list[int]:
    return sorted(cell for cell, word in found.memory[name][1].items() if word)


def _ones(surface: str, address: int, width: int) -> int:
    return 0x0101_0101_0101_0101 % (1 << 8 * width)


def _counted(surface: str, address: int, width: int) -> int:
    """Small numbers, other ones in other places."""
    return (address // width + crc32(surface.encode())) % 251 + 1 if address % 4 == 0 else 0


def _counted_floats(surface: str, address: int, width: int) -> int:
    """The same as floats of 32 bits."""
    return int.from_bytes(pack("<f", _counted(surface, address, width)), "little") % (1 << 8 * width)


def _inputs(values: Values) -> Values:
    return {term: value for term, value in values.items() if is_input(term)}
