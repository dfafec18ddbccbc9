"""A difference with fewer lanes, more zeros and smaller numbers, which is easier to read."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from struct import pack
from zlib import crc32

from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.isa.errors import LimitReached, NotModelled
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.memory import IMAGE_SIZE, Content, is_input, nothing
from visaproof.refinement.testing.random_testing import settled
from visaproof.refinement.testing.runs import again, difference
from visaproof.refinement.verdicts import Difference, TargetUndefined
from visaproof.semantics.symbolic.names import LaneOn, is_base, is_size
from visaproof.smt import Term

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
