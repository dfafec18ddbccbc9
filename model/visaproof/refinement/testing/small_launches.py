"""Small launches of two kernels: a few numbers are large, and memory holds floats where a kernel takes them for such.

A bound among the large numbers has all ids below it; what is loaded as an index, or as the iterations of a loop, is
small.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from struct import pack
from zlib import crc32

from msgspec import Struct

from visaproof.checking.stages import Values
from visaproof.refinement.inputs.samplers import is_sampler
from visaproof.refinement.testing.memory import (
    LARGEST_EXTENT,
    Content,
    nothing,
    of_each_surface,
    word_value,
)
from visaproof.refinement.testing.runner import Runner
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.names import Extent
from visaproof.smt import Op, Term, symbols_of

SMALL_LAUNCHES = 40

ZEROS = 0.2
"""Of the surfaces."""


def small_launches(
    runners: Sequence[Runner], symbols: Sequence[Term], seed: int, count: int = SMALL_LAUNCHES
) -> Iterator[tuple[Values, Content]]:
    """Seeded random ones, with what memory holds in each."""
    random, floats = Random(seed + 3), _Floats.of(runners)
    for _ in range(count):
        large, rounding = random.choice((0.1, 0.3)), bool(random.getrandbits(1))
        numbers = {key: FloatWords(size, 1, random.getrandbits(32), rounding) for key, size in floats.drawn(random)}
        values = _values(symbols, random, random.choice((0.2, 0.5, 1)), large, numbers)
        yield values, of_each_surface(partial(_numbers, random, numbers))


def _values(
    symbols: Sequence[Term], random: Random, lanes: float, large: float, floats: Mapping[str | Term, "FloatWords"]
) -> Values:
    """So many of the lanes, and so many large numbers among small ones; floats where a kernel computes with them.

    Some images are large, so that what is inside of one may be outside of another; of two samplers one may tell.
    """
    values: Values = {}
    roomy: dict[str, int] = {}
    for one in symbols:
        word = random.getrandbits(8 if random.random() < large else 1)
        if one in floats:
            word = floats[one].content("", 0, floats[one].size)
        share = 0.5 if is_sampler(one) else lanes
        if isinstance(one.payload, Extent) and roomy.setdefault(one.payload.surface, random.getrandbits(1)):
            word = LARGEST_EXTENT - 1
        values[one] = word_value(one, word, int(random.random() < share), 1 << 32)
    return values


class _Floats(Struct, frozen=True):
    """The surfaces and inputs that hold floats, and the bytes of such a float."""

    sizes: Mapping[str | Term, int]
    disputed: tuple[str | Term, ...]
    """Those that hold floats for one of the kernels alone: for the other they may hold indices."""

    @staticmethod
    def of(runners: Sequence[Runner]) -> "_Floats":
        each = [dict(_floats(runner)) for runner in runners]
        sizes = {name: size for one in each for name, size in one.items()}
        return _Floats(sizes, tuple(name for name in sizes if any(name not in one for one in each)))

    def drawn(self, random: Random) -> Iterator[tuple[str | Term, int]]:
        """Those that hold floats in a launch."""
        integers = {name for name in self.disputed if random.getrandbits(1)}
        return ((name, size) for name, size in self.sizes.items() if name not in integers)


def _floats(runner: Runner) -> Iterator[tuple[str | Term, int]]:
    """The surfaces from which the kernel loads operands of arithmetic on floats, the inputs that are such operands, and
    the bytes of such a float."""
    loaded = dict(_loaded(runner))
    for one in runner.trace.arbitrary:
        for source in filter(_is_float, one.operands or ()):
            for term in _chosen_among(source.bits):
                if term in loaded:
                    yield loaded[term], source.type.size
                elif term is source.bits:
                    yield term, source.type.size


def _chosen_among(word: Term) -> Iterator[Term]:
    """The symbols of which a word is made, without those that decide which of several it is."""
    stack, seen = [word], {word}
    while stack:
        term = stack.pop()
        if term.op is Op.SYMBOL:
            yield term
        parts = [one for one in (term.args[1:] if term.op is Op.ITE else term.args) if one not in seen]
        seen.update(parts)
        stack += parts


def _is_float(source: Source) -> bool:
    return source.type.floating and source.type.size in PATTERNS


def _loaded(runner: Runner) -> Iterator[tuple[Term, str]]:
    """The symbols of what the kernel loads, and the common name of the surface that each is from."""
    pointers: dict[Term, str] = dict(runner.pointers.items())
    for performed in runner.trace.performed:
        for access, value in performed.loaded:
            buffers = [pointers[one] for one in symbols_of(*access.cell) if one in pointers]
            yield value, buffers[0] if buffers else runner.surface(performed.surface)
    for one in runner.trace.arbitrary:
        if one.origin is not None:
            yield one.symbol, runner.surface(one.origin.surface)


def _numbers(random: Random, floats: Mapping[str | Term, "FloatWords"], surface: str) -> Content:
    """Numbers of one kind: in some surfaces only 0, with which loops that never end repeat what they do."""
    if random.random() < ZEROS:
        return nothing
    return floats[surface].content if surface in floats else _integers(random)


def _integers(random: Random) -> Content:
    """Small numbers in dwords: random ones, or such as grow."""
    bits, step, grow = random.choice((1, 2, 4)), random.choice((1, 1, 2, 4)), random.getrandbits(1)

    def content(surface: str, address: int, width: int) -> int:
        if address % 4:  # the upper bytes of a dword
            return 0
        number = address // 4 % 64 if grow else random.getrandbits(bits)
        return number * step % (1 << 8 * width)

    return content


# ---------------------------------------------------------------- floats

# Numbers for random testing that tell floats apart: sums that round, cancel or absorb, and zeros of both signs.

NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.1, 1 / 3, 1.5, 1025.0, -1025.0, 2.0**-12, 1e4, -1e4, 0.999)
"""In every format."""

WIDE = (2.0**24, -(2.0**24), 16777215.0, 1e30, 2.0**-30)
"""Beyond hf, and where f ends to hold integers."""

FORMATS = {2: "<e", 4: "<f", 8: "<d"}
"""By the bytes of a number."""

PATTERNS = {size: tuple(pack(form, number) for number in NUMBERS + WIDE * (size > 2)) for size, form in FORMATS.items()}
"""The bytes of each, by their count."""

CELL_BYTES = 24
"""Of the place of a texel."""


class FloatWords(Struct, frozen=True):
    """Floats of one size, at seeded random."""

    size: int
    """Bytes of a number."""
    density: float
    """Of floats among the inputs."""
    seed: int
    rounding: bool = False
    """Whether they lie between 1 and 2 with all bits of their significands in use, so that products of them round."""

    @staticmethod
    def drawn(random: Random) -> "FloatWords":
        return FloatWords(random.choice((4, 4, 4, 4, 2, 8)), random.choice((0.5, 0.95, 0.95)), random.getrandbits(32))

    def content(self, surface: str, address: int, width: int) -> int:
        """What memory holds: numbers side by side."""
        first, last = address // self.size, (address + width - 1) // self.size
        start = self.seed + crc32(surface.encode())
        numbers = b"".join(self._number(start + place) for place in range(first, last + 1))
        skipped = address - first * self.size
        return int.from_bytes(numbers[skipped : skipped + width], "little")

    def word(self, symbol: Term, random: Random) -> int:
        """For an input: a float, or a small integer."""
        if random.random() >= self.density:
            return random.getrandbits(3)
        variable, _, place = str(symbol.payload).rpartition(".")
        return self.content(variable, int(place) if place.isdecimal() else 0, max(1, symbol.width // 8))

    def _number(self, place: int) -> bytes:
        drawn = crc32(place.to_bytes(8 if place < 1 << 64 else CELL_BYTES, "little"))
        if self.rounding:
            return pack(FORMATS[self.size], 1 + drawn / 2**32)
        return PATTERNS[self.size][drawn % len(PATTERNS[self.size])]
