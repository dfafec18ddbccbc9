"""Random launches of two kernels, many at once: one thread each, with registers and memory of its own.

Arrays only look for launches that may tell the kernels apart; whether one does is for the machine of single threads.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from visaproof.checking.stages import Values
from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.arrays.arrays import Bytes
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.run import run_threads
from visaproof.queries.kernels.surface_names import PRIVATE, itself
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.witness import Choices, witness
from visaproof.refinement.testing.memory import Content, bases_of
from visaproof.refinement.testing.random_launches import FLOATS, launches, unknowns
from visaproof.refinement.testing.random_testing import float_words
from visaproof.refinement.testing.runner import IN_LOOPS, Runner, bits_of
from visaproof.semantics.symbolic.names import buffer_base, surface_size
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import Op, Term, symbols_of
from visaproof.smt.compiled import compiled

AT_ONCE = 100
"""Launches with buffers of one size, at one place."""

SIZES = (*(1 << 14,) * 6, 1 << 16, 4096, 64, 62)
PRIVATE_BYTES = 1 << 14


def is_plain(choices: Choices) -> bool:
    """Whether each choice is one that the target has as well."""
    return all(is_own(value, "target") for one, value in choices.items() if one.op is Op.SYMBOL)


def as_values(choices: Choices, values: Mapping[Term, int]) -> dict[Term, int]:
    """The choices in a run in which the target's own words are these; 0 where the target computes them."""
    return {one: values.get(value, 0) for one, value in choices.items() if one.op is Op.SYMBOL}


class Launches(Struct, frozen=True):
    """What many launches start with."""

    values: tuple[Values, ...]
    before: Mapping[str, Bytes]
    """(launches, bytes) of each surface, by its common name."""

    @property
    def count(self) -> int:
        return len(self.values)

    def content(self, launch: int) -> Content:
        """What memory holds in one of them."""

        def content(surface: str, address: int, width: int) -> int:
            return int.from_bytes(self.before[surface][launch, address : address + width].tobytes(), "little")

        return content


class Found(Struct, frozen=True):
    """What the runs of both kernels showed."""

    telling: int
    """Launches in which the source is defined and changes memory."""
    suspects: tuple[int, ...]
    """Those in which the source is defined and the target does something else, or is undefined."""


def can_run(comparison: Comparison) -> bool:
    """Whether arrays can: they have no texels, and have to know where buffers lie."""
    images = any(one.images or any(each.origin for each in one.trace.arbitrary) for one in comparison.runners)
    alone = all(isinstance(one, Runner) for one in comparison.runners)
    return alone and not images and comparison.open is None and FLAT not in map(itself, comparison.question.surfaces)


def random_launches(comparison: Comparison, count: int, random: Random) -> Launches:
    """Edge-biased launches with buffers of one size, at one place.

    In uninitialised registers the source finds what the target does, as a proof that needs it has.
    """
    symbols = unknowns(comparison.question, comparison.runners)
    size, floats = random.choice(SIZES), float_words(comparison)
    chosen = witness(comparison.question)
    names = list(dict.fromkeys(map(itself, comparison.question.surfaces)))
    found = [launches(symbols, random, floats) for _ in range(count)]
    common = {one: value for one, value in found[0].items() if one in _bases(comparison)}
    common |= {surface_size(name): size for name in names}
    for values in found:
        values |= common
        values |= as_values(chosen, values)
        if not bits_of(comparison.question.lanes, values):
            values |= dict.fromkeys(comparison.question.lanes, 1)
    numbers = np.random.default_rng(random.getrandbits(32))
    return Launches(tuple(found), {name: _contents(count, size, floats is not None, random, numbers) for name in names})


def _bases(comparison: Comparison) -> set[Term]:
    return {buffer_base(buffer) for one in comparison.runners for buffer in one.pointers.values()}


def _contents(count: int, size: int, floats: bool, random: Random, numbers: np.random.Generator) -> Bytes:
    """Large numbers, small ones, multiples, floats, or indices, for each launch its own."""
    words = -(-size // 4)
    bits, step = random.choice((2, 4, 8, 16, 32, 32)), random.choice((1, 1, 4, 16))
    match random.randrange(10):
        case 0:
            found = 0xFFFF_FFFF - numbers.integers(0, 2, (count, words), np.uint32)
        case kind if kind < (6 if floats else 3):
            found = numbers.choice(np.array(FLOATS, np.uint32), (count, words))
        case 7 | 8:
            found = np.tile(np.arange(words, dtype=np.uint32) % 64 * step, (count, 1))
        case _:
            found = numbers.integers(0, 1 << bits, (count, words), np.uint32) * np.uint32(step)
    return np.ascontiguousarray(found.view(np.uint8)[:, :size])


def compared(comparison: Comparison, start: Launches) -> Found:
    """Runs both kernels."""
    source, target = comparison.runners
    assert isinstance(source, Runner)
    assert isinstance(target, Runner)
    after, ended = _run(source, comparison, start)
    other, stopped = _run(target, comparison, start)
    written, differ = np.zeros(start.count, np.bool_), stopped.copy()
    for name, before in start.before.items():
        written |= np.any(after[name] != before, axis=1)
        differ |= np.any(after[name] != other[name], axis=1)
    return Found(int(np.count_nonzero(written & ~ended)), tuple(np.flatnonzero(differ & ~ended).tolist()))


def _run(runner: Runner, comparison: Comparison, start: Launches) -> tuple[dict[str, Bytes], NDArray[np.bool_]]:
    """The memory after the runs, and which of them came to no end, or to none in time."""
    after = {name: before.copy() for name, before in start.before.items()}
    bases = bases_of(runner.pointers.values(), start.values[0])
    own = {buffer: np.zeros((start.count, PRIVATE_BYTES), np.uint8) for buffer in bases if buffer == PRIVATE}
    held = after | own
    unknown = np.zeros((start.count, 0), np.uint8)
    surfaces = {key: held.get(runner.surface(key), unknown) for key in runner.trace.surfaces if key != FLAT}
    flat = [(base, held[buffer]) for buffer, base in bases.items() if buffer in held]
    masks = np.array([bits_of(comparison.question.lanes, values) for values in start.values], np.int64)
    result = run_threads(
        runner.kernel, runner.platform, dict(_registers(runner, bases, start.values)), masks,
        Memories(surfaces, flat, only_flat=True), np.arange(start.count),
        most=len(runner.kernel.statements) + IN_LOOPS,
    )  # fmt: skip
    ended = np.zeros(start.count, np.bool_)
    ended[[stop.thread for stop in (*result.undefined, *result.not_modelled)]] = True
    return after, ended


def _registers(runner: Runner, bases: Mapping[str, int], launched: Sequence[Values]) -> Iterator[tuple[str, Bytes]]:
    """What the kernel may read before anything writes it, by variable; nothing depends on the rest."""
    known: dict[Term, int] = {pointer: bases[buffer] for pointer, buffer in runner.pointers.items()}
    places = [(place, runner.initial(*place)) for place in runner.trace.registers.initial_reads]
    words = list(dict.fromkeys(term for _, (term, _) in places))
    symbols = symbols_of(*words)
    evaluated = compiled(words, symbols)
    rows = [evaluated([known[one] if one in known else values.get(one, 0) for one in symbols]) for values in launched]
    columns = dict(zip(words, np.array(rows, np.uint64).reshape(len(launched), -1).T, strict=True))
    sizes = {name: one.size for name, one in runner.kernel.registers.items()}
    found: dict[str, Bytes] = {}
    for (variable, byte), (term, index) in places:
        if variable not in found:
            found[variable] = np.zeros((len(launched), sizes[variable]), np.uint8)
        found[variable][:, byte] = columns[term] >> np.uint64(8 * index) & np.uint64(0xFF)
    yield from found.items()
