"""A rule instance as two programs to compare: what its registers hold before, its surfaces, and its conditions.

Both sides start with the same registers, predicates and surfaces, and a temporary register holds what each side finds.
Random inputs are seeded, and near the edges where rules fail.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import cast

from msgspec import Struct

from visaproof.instructions.svm_gather import FLAT
from visaproof.launch.assume import Assume
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Matching, Program
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.undefined import FORBIDDEN
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.question import Launched
from visaproof.refinement.effects.side import Premises
from visaproof.refinement.observed import Observed, RegisterPlace
from visaproof.refinement.questions import questions
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.memory import Content
from visaproof.refinement.testing.runner import Runner
from visaproof.rules.conditions import Premise
from visaproof.rules.language.instances import Instance, Register
from visaproof.rules.numbers import any_dword, element, lanes, predicate_bit
from visaproof.semantics.symbolic.names import is_size, surface_size
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import SymbolicImage
from visaproof.semantics.symbolic.value_names import Owner
from visaproof.smt import BitVec, Bool, Op, Term, add, conj, neg, sub, substitute, subterms, symbol, true, value_of

# ---------------------------------------------------------------- random inputs


Values = dict[Term, int]
INPUTS = 300


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


class RandomInputs:
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
        for index in range(INPUTS):
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
        """Values of the symbols; those that belong together are drawn together."""
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


# ---------------------------------------------------------------- programs


class Prepared(Struct, frozen=True):
    """An instance with both sides run symbolically."""

    instance: Instance
    runners: tuple[Runner, Runner]
    drawn: RandomInputs


def prepare(instance: Instance) -> Prepared:
    """Both sides, run symbolically.  Raises NotModelled and ReadError, with places in the kernels."""
    found: list[Runner] = []
    for name, kernel in (("source", instance.source), ("target", instance.target)):
        initial = _start(instance, name)
        ran = trace(kernel, instance.platform, initial, lanes(), predicate_bit)
        if ran.stopped is not None:
            raise ran.stopped
        found.append(Runner(
            Owner(name), kernel, instance.platform, ran, initial, partial(surface_name, instance),
            observed=tuple(_observed(instance)), given_predicates=predicate_bit,
        ))  # fmt: skip
    return Prepared(instance, (found[0], found[1]), RandomInputs(instance, (found[0].trace, found[1].trace)))


def comparison_of(ready: Prepared, assumed: Premise) -> Comparison:
    """The question whether the target refines the source under the conditions.  Raises NotModelled."""
    instance = ready.instance
    given = Premises(assumed.inputs, contents_of(assumed), replacements(assumed.inputs))
    launched = Launched(lanes(), limited=False, premises=given)
    exact, question = questions(ready.runners, launched, FORBIDDEN)
    source, target = (Program(one.kernel, NOTHING_KNOWN, instance.platform) for one in ready.runners)
    start = Start(ready.runners[0].initial, {}, (), ())
    return Comparison(
        source, target, Matching(False, (), {}, frozenset()), start, (), question, ready.runners, exact,
        Scope(Assume.of("none")), inputs=partial(ready.drawn.launches, given.hold),
    )  # fmt: skip


def contents_of(assumed: Premise) -> tuple[tuple[str, BitVec, Bool], ...]:
    """What the conditions say of each dword of a surface."""
    return tuple((name, any_dword(name), said) for name, said in assumed.contents)


def surface_name(instance: Instance, key: str) -> str:
    """The rule's name of a surface."""
    return instance.surfaces.get(key, key)


def surface_of(instance: Instance, performed: Performed) -> str:
    """The rule's name of the surface that a message reaches."""
    return surface_name(instance, performed.surface)


def _start(instance: Instance, side: str) -> Callable[[str, int], Byte]:
    """What the registers hold before: the same on both sides, but for temporary ones."""

    def initial(variable: str, byte: int) -> Byte:
        register = instance.registers.get(variable)
        if register is None:
            return symbol(f"{variable}.{byte - byte % 4}", 32), byte % 4
        size = register.type.bits // 8
        owner = side if register.temporary else ""
        return element(variable, byte // size, register.type.bits, owner), byte % size

    return initial


def observed_elements(instance: Instance, ran: Trace) -> Iterator[tuple[str, int, BitVec]]:
    """What the observed registers hold at the end, element by element."""
    for name, _ in instance.rule.observed:
        register = instance.registers[name]
        size = register.type.bits // 8
        for index in range(register.count):
            yield name, index, ran.registers.read(name, index * size, size)


def _observed(instance: Instance) -> Iterator[Observed]:
    for name, _ in instance.rule.observed:
        register, place = instance.registers[name], RegisterPlace(name, 0, is_predicate=False)
        size = register.type.bits // 8
        yield Observed(name, name, place, place, register.count * size, size)


def replacements(premises: Sequence[Bool]) -> dict[Term, Term]:
    """What may stand for what where the premises hold: equal words, and truth values."""
    known: dict[Term, Term] = {}
    whole = conj(*premises)
    for premise_ in whole.args if whole.op is Op.CONJ else (whole,):
        fact = substitute(premise_, known)
        found: tuple[Term, Term] | None = None
        if fact.op is Op.SYMBOL:
            found = fact, true()
        elif fact.op is Op.NOT and fact.args[0].op is Op.SYMBOL:
            found = fact.args[0], neg(true())
        elif fact.op is Op.EQ:
            found = _solved(cast(BitVec, fact.args[0]), cast(BitVec, fact.args[1]))
        if found is not None:
            known = {one: substitute(other, dict([found])) for one, other in known.items()} | dict([found])
    return known


def _solved(left: BitVec, right: BitVec) -> tuple[Term, Term] | None:
    """A symbol of an equation and what it equals."""
    difference = sub(left, right)
    for one in reversed([term for term in subterms(left, right) if term.op is Op.SYMBOL and term.width == left.width]):
        for other in (sub(cast(BitVec, one), difference), add(cast(BitVec, one), difference)):
            if one not in set(subterms(other)):
                return one, other
    return None
