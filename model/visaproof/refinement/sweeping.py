"""Terms that are equal for all inputs made one, from the inputs up: what is left of a question is small, or true.

Two versions of a kernel compute the same words in between.  Concrete values say which may be equal, a solver says
which are, and what uses them is then built from one of them, so that each question is about a few operations.  (In
hardware verification: SAT sweeping.)
"""

from collections.abc import Iterable, Mapping
from random import Random
from typing import cast

from msgspec import Struct, field

from visaproof.checking.stages import Values
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bool_symbol,
    const,
    eq,
    false,
    iff,
    is_true,
    neg,
    scale,
    substitute,
    symbol,
    true,
)
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.evaluate import Evaluation, outward, subterms
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import rebuild

SAMPLES = 24
"""Inputs by which terms are told apart at first."""

MOST_CANDIDATES = 4
"""Terms of one class that a term is compared with."""

EACH_MS = 100
"""For one pair of terms: words that are equal and near take a few milliseconds."""

MOST_ASKED = 400
"""Pairs of terms in one sweep of which a solver is asked."""

EDGES = (0, 1, 2, 3, 7, 31, 32, 255, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF)


def swept(goal: Bool, memory: SharedMemory) -> Bool:
    """A goal that holds wherever what memory holds is consistent iff this one does."""
    return cast(Bool, _Sweep(memory, MOST_ASKED).representative(goal))


MOST_CELLS_ASKED = 64
"""The same, of addresses: each of the lanes of two threads may have another one."""


def likened(cells: Iterable[BitVec], memory: SharedMemory) -> dict[BitVec, BitVec]:
    """Addresses for which one before them stands, since a solver shows that they are equal for all inputs."""
    terms = tuple(dict.fromkeys(cells))
    sweep = _Sweep(memory, MOST_CELLS_ASKED)
    sweep.look_at(terms)
    stand = ((term, cast(BitVec, sweep.one_before(term))) for term in terms)
    return {term: one for term, one in stand if one is not term}


class _Sweep(Struct):
    memory: SharedMemory
    most: int
    """Pairs of which a solver is asked: terms behind these stay as they are."""
    asked: int = 0
    order: list[Term] = field(default_factory=list[Term])
    """The subterms, behind their arguments; what is loaded behind its address, a named value behind what it is."""
    inputs: list[Evaluation] = field(default_factory=list[Evaluation])
    found: dict[Term, Term] = field(default_factory=dict[Term, Term])
    """The term that stands for each."""
    classes: dict[tuple[int, ...], list[tuple[Term, Term]]] = field(
        default_factory=dict[tuple[int, ...], list[tuple[Term, Term]]]
    )
    """By width and values: terms, and what stands for them."""
    cells: dict[tuple[str, Term], Term] = field(default_factory=dict[tuple[str, Term], Term])

    def look_at(self, terms: Iterable[Term]) -> None:
        self.order = list(outward(*terms, behind=self.memory.behind))
        self.inputs = [Evaluation(self._input(seed, {})) for seed in range(SAMPLES)]

    def representative(self, goal: Bool) -> Term:
        self.look_at((goal,))
        for term in self.order:
            self.found[term] = self._one_for(term)
        return self.found[goal]

    def _one_for(self, term: Term) -> Term:
        if (definition := self.memory.definitions.get(term)) is not None:
            return self.found[definition]
        if (place := self.memory.places.get(term)) is not None:
            surface, address = place
            return self.cells.setdefault((surface, self.found[address]), term)
        args = tuple(self.found[arg] for arg in term.args)
        new = term if args == term.args else rebuild(term, args)
        return new if new.op in (Op.CONST, Op.SYMBOL) else self._merged(term, new)

    def one_before(self, term: Term) -> Term:
        """What stands for a term by itself."""
        return self._merged(term, term)

    def _merged(self, term: Term, new: Term) -> Term:
        """What stands for a term: one that was there before it, if it is shown to be equal."""
        if self.asked >= self.most:
            return new
        values = tuple(one.of(term) for one in self.inputs[:SAMPLES])
        constant = _constant(values[0], term.width)
        if len(set(values)) == 1 and self._equal(new, constant):
            return constant
        group = self.classes.setdefault((term.width, *values), [])
        tried = 0
        for other, standing in group:
            if standing is new:
                return new
            if tried == MOST_CANDIDATES or any(one.of(term) != one.of(other) for one in self.inputs[SAMPLES:]):
                continue
            tried += 1
            if self._equal(new, standing):
                return standing
        group.append((term, new))
        return new

    def _equal(self, one: Term, other: Term) -> bool:
        """Whether they are, for all values of the largest terms that both have, of their sums, or of their symbols."""
        claim = _equation(one, other)
        for goal in dict.fromkeys((substitute(claim, _common(one, other)), substitute(claim, _sums(claim)), claim)):
            if is_true(goal):
                return True
            self.asked += 1
            answer = solve([neg(goal)], EACH_MS)
            if isinstance(answer, Unsatisfiable):
                return True
            if isinstance(answer, Satisfiable) and goal is claim:
                self.inputs.append(Evaluation(self._input(len(self.inputs), answer.values)))
        return False

    def _input(self, seed: int, given: Mapping[Term, int]) -> Values:
        """Values of all symbols in which one address holds one value; those that are given, where that allows it."""
        random, values, memory = Random(seed), Values(), dict[tuple[str, int], int]()
        evaluation = Evaluation(values)
        for term in self.order:
            if term.op is not Op.SYMBOL:
                continue
            if (definition := self.memory.definitions.get(term)) is not None:
                values[term] = evaluation.of(definition)
                continue
            values[term] = given.get(term, _word(random, term.width))
            if (place := self.memory.places.get(term)) is not None:
                surface, address = place
                values[term] = memory.setdefault((surface, evaluation.of(address)), values[term])
        return values


def _common(one: Term, other: Term) -> dict[Term, Term]:
    """The largest terms that both have, each as a symbol of its own."""
    shared = set(subterms(one)) & set(subterms(other))
    cut: dict[Term, Term] = {}
    seen: set[Term] = set()
    stack = [one, other]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term not in shared:
            stack += term.args
        elif term.args:
            name = f"swept.{term.serial}"
            cut[term] = symbol(name, term.width) if term.width else bool_symbol(name)
    return cut


def _sums(claim: Bool) -> dict[Term, Term]:
    """Sums of unknowns that differ by their sign and a constant, by one symbol:  x + y + 31 = s + 31,  -x - y = -s."""
    alike: dict[tuple[tuple[Term, int], ...], list[tuple[Term, int, int]]] = {}
    for term in subterms(claim):
        if term.op is Op.SUM and len(term.args) > 1:
            constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
            full = (1 << term.width) - 1
            sign = 1 if factors[0] <= full >> 1 else -1
            parts = tuple((arg, sign * factor & full) for arg, factor in zip(term.args, factors, strict=True))
            alike.setdefault(parts, []).append((term, sign, constant))
    cut: dict[Term, Term] = {}
    for number, several in enumerate(alike.values()):
        for term, sign, constant in several if len(several) > 1 else ():
            one = symbol(f"swept.sum.{number}", term.width)
            cut[term] = add(const(constant, term.width), scale(one, sign))
    return cut


def _equation(one: Term, other: Term) -> Bool:
    if one.width:
        return eq(cast(BitVec, one), cast(BitVec, other))
    return iff(cast(Bool, one), cast(Bool, other))


def _constant(value: int, width: int) -> Term:
    return const(value, width) if width else true() if value else false()


def _word(random: Random, width: int) -> int:
    """A truth value, or a word that is at an edge, small, nearly -1, or any."""
    mask = (1 << width) - 1 if width else 1
    edge, near = random.choice(EDGES), random.getrandbits(5)
    return random.choice((edge, near, -1 - near, random.getrandbits(max(width, 1)))) & mask
