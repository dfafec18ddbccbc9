"""Launches in which accesses of a message are made: a size that is too small for one of them needs no solver.

offset + width > size   in one launch that is as is assumed, and obeys the relations
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random

from msgspec import Struct, field

from visaproof.analysis.bounds.sizes.elements import address_of
from visaproof.analysis.conflicts.launches.simple_values import SURFACE_BYTES, likely_size
from visaproof.analysis.conflicts.launches.usual_launches import SIMPLE, high_dwords, widest_first
from visaproof.analysis.conflicts.thread_states import Asked, Values
from visaproof.isa.identity import Same
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.launch_names import COUNT, GLOBAL, LOCAL, LaunchNames
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.smt import BitVec, Bool, Op, Term, conj, symbols_of
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import evaluate, evaluate_all

MOST_ACCESSES = 8
"""Of a message: mostly the others reach as far."""
MOST_SAMPLES = 24
GROUPS = (2, 0)
"""In the launch, of each dimension one of these."""
SMALL_BITS = 4
RANDOM = 4
"""Assignments of random words to each launch."""


class Sample(Struct, frozen=True):
    """A launch, and how many bytes an access of it needs."""

    values: Mapping[Term, int]
    end: int


class Samples(Struct):
    """Of one message; the one that was of use last stands first."""

    left: list[Sample]

    def exclude(self, size: BitVec, conditions: Sequence[Bool]) -> bool:
        """Whether in one of them the conditions hold, and the size is not enough."""
        for place, one in enumerate(self.left):
            bytes_of, *hold = evaluate_all((size, *conditions), one.values)
            if bytes_of < one.end and all(hold):
                self.left.insert(0, self.left.pop(place))
                return True
        return False


class SamplesOfKernel(Struct):
    """Those of the messages that were asked about."""

    names: LaunchNames
    asked: Asked
    kept: dict[Same[BoundsQuestion], Samples] = field(default_factory=dict[Same[BoundsQuestion], Samples])
    """By the first question about a message."""

    def of(self, rounds: Sequence[BoundsQuestion], zeros: Sequence[BitVec]) -> Samples:
        """Those that are found among usual launches; `zeros` are words that are 0."""
        if (key := Same(rounds[0])) not in self.kept:
            found: list[Sample] = []
            for question in rounds:
                own = _samples(question, self.names, self.asked, zeros)
                found += islice(own, MOST_SAMPLES - len(found))
            self.kept[key] = Samples(found)
        return self.kept[key]


def _samples(question: BoundsQuestion, names: LaunchNames, asked: Asked, zeros: Sequence[BitVec]) -> Iterator[Sample]:
    doubts = question.outside[:: -max(1, len(question.outside) // MOST_ACCESSES)]
    made = [conj(one.access.guard, one.access.defined) for one in doubts]
    addresses = [address_of(question, one.access) for one in doubts]
    premise = conj(*question.premises)
    symbols = symbols_of(premise, *made, *addresses)
    of_all = compiled((premise, *made, *addresses), symbols)
    for values in _assignments(symbols, names, asked, zeros):
        holds, *of_accesses = of_all([values[one] for one in symbols])
        if holds:
            reached = zip(doubts, of_accesses, of_accesses[len(doubts) :], strict=False)
            ends = [address + one.access.width for one, is_made, address in reached if is_made]
            if ends:
                yield Sample(values, max(ends))


def _assignments(
    symbols: Sequence[Term], names: LaunchNames, asked: Asked, zeros: Sequence[BitVec]
) -> Iterator[Values]:
    """Usual launches, with small words that differ, and with words that are all alike."""
    random = Random(0)
    sizes = {one: size for one in symbols if (size := likely_size(one, SURFACE_BYTES)) is not None}
    known = {**dict.fromkeys((*high_dwords(asked), *zeros), 0), **sizes}
    launches = [_in_group(launch, group, names) for launch in widest_first(asked) for group in GROUPS]
    for launch in launches:
        for _ in range(RANDOM):
            words = {one: random.getrandbits(min(SMALL_BITS, one.width)) + 1 if one.width else 1 for one in symbols}
            yield {**words, **known, **launch}
        for word in SIMPLE:
            yield {**{one: word if one.width else 1 for one in symbols}, **known, **launch}


def _in_group(launch: Mapping[Term, int], group: int, names: LaunchNames) -> Values:
    """The last group of such a launch, of the same number in each dimension."""
    launched, values = names.start.group.launched, {**launch, **dict.fromkeys(GROUP_IDS, group)}
    for dimension, name in enumerate(DIMENSIONS) if launched is not None else ():
        assert launched is not None
        size = evaluate(launched.sizes[dimension], values)
        for value, number in ((LOCAL, size), (COUNT, group + 1), (GLOBAL, (group + 1) * size)):
            word = names.found(f"{value}_{name}").word.term
            if word.op is Op.SYMBOL:
                values[word] = number
    return values
