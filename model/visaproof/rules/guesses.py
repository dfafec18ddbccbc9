"""Inputs of a rewrite rule, and guesses at them: seeded, and near the edges where rules fail."""

from collections.abc import Callable, Iterator
from random import Random

from msgspec import Struct

from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.symbolic.trace import Trace
from visaproof.refinement.testing.memory import Content
from visaproof.rules.language.instances import Instance, Register
from visaproof.rules.numbers import element, lanes, predicate_bit
from visaproof.semantics.symbolic.names import is_size, surface_size
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.smt import Term, value_of

Values = dict[Term, int]
GUESSES = 300


class Case(Struct, frozen=True):
    """Inputs, and what the cells hold that they say nothing of."""

    values: Values
    filler: int

    def content(self, surface: str, address: int, width: int) -> int:
        """What memory holds: another number in each place, unless it holds 0."""
        return (self.filler + address // width) % (1 << 8 * width) if self.filler else 0


def input_symbols(instance: Instance, sides: tuple[Trace, Trace]) -> Iterator[Term]:
    """The symbols that the state before consists of."""
    for register in instance.registers.values():
        for side in ("source", "target") if register.temporary else [""]:
            for k in range(register.count):
                yield element(register.name, k, register.type.bits, side)
    for name, count in instance.predicates.items():
        for lane in range(count):
            yield predicate_bit(name, lane)
    yield from lanes()
    seen: set[Term] = set()
    for side in sides:
        for key, surface in side.surfaces.items():
            if isinstance(surface, SymbolicImage):
                seen |= {part for level in surface.levels for part in level if value_of(part) is None}
            elif key != FLAT:
                seen.add(surface_size(instance.surfaces.get(key, key)))
    yield from sorted(seen, key=lambda one: one.serial)


class Guesses:
    """Seeded inputs of an instance, each made once, however often they are gone through."""

    def __init__(self, instance: Instance, sides: tuple[Trace, Trace]) -> None:
        self.symbols = tuple(input_symbols(instance, sides))
        """What the state before consists of."""
        self._random = Random(0)
        self._made: list[Case] = []
        known = set(self.symbols)
        by_side = ((one, side) for one in instance.registers.values() for side in ("", "source", "target"))
        each = ((one, [element(one.name, k, one.type.bits, side) for k in range(one.count)]) for one, side in by_side)
        self._registers = [(one, [word for word in words if word in known]) for one, words in each]
        self._predicates = [
            [predicate_bit(name, lane) for lane in range(count)] for name, count in instance.predicates.items()
        ]
        self._lanes = lanes()
        self._sizes = [one for one in self.symbols if is_size(one)]

    def __iter__(self) -> Iterator[Case]:
        for index in range(GUESSES):
            if index == len(self._made):
                filler = self._random.choice((0, 1, 0x7FFF_FFFF, 0x8000_0001, self._random.getrandbits(32)))
                self._made.append(Case(self._values(), filler))
            yield self._made[index]

    def launches(self, admits: Callable[[Values], bool]) -> Iterator[tuple[Values, Content]]:
        """Those with a lane on that are as the conditions say."""
        for case in self:
            if any(case.values[lane] for lane in self._lanes) and admits(case.values):
                yield case.values, case.content

    def _values(self) -> Values:
        """Values of the symbols; those that belong together are guessed together."""
        random, values = self._random, Values()
        for register, symbols in self._registers:
            if symbols:
                values |= zip(symbols, _words(register, random), strict=True)
        mode = random.randrange(5)
        on = set(random.sample(range(len(self._lanes)), random.randint(1, 3)))
        first = random.choice((0, 0, 8, 16))
        for k, lane in enumerate(self._lanes):
            near = first <= k < first + 3
            values[lane] = (1, random.getrandbits(1), int(k in on), int(near), int(k == first))[mode]
        for bits in self._predicates:
            kind = random.randrange(4)
            values |= {bit: (1, 0, random.getrandbits(1), random.getrandbits(1))[kind] for bit in bits}
        for one in self._sizes:
            likely = (1 << 32, 1 << 34, 64, 32, 100) if one.width > 32 else (1, 4, 1 << 14)
            values[one] = random.choice(likely)
        return values


def _words(register: Register, random: Random) -> list[int]:
    bits, count = register.type.bits, register.count
    limit = (1 << bits) - 1
    edges = (0, 1, 2, 4, 15, 16, limit, limit - 1, limit - 3, limit - 7, limit - 15, limit >> 1, (limit >> 1) + 1)
    start = 4 * random.randrange(16)
    match random.randrange(9):
        case 0 | 1:
            return [start + 4 * k for k in range(count)]
        case 2:
            return [start + 16 * k for k in range(count)]
        case 3:
            return [(limit - 4 * random.randrange(8) - 3 + 4 * k) & limit for k in range(count)]
        case 4:
            return [random.choice(edges)] * count
        case 5:
            return [random.choice(edges) for _ in range(count)]
        case 6:
            return [random.randrange(16) for _ in range(count)]
        case 7:
            return [8 * k for k in random.sample(range(max(count, 64)), count)]
        case _:
            return [random.getrandbits(bits) for _ in range(count)]
