"""Looks for a run of a kernel in which something happens: simple values, then a solver; only a run can confirm it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Generic, TypeVar

from visaproof.engine.thread_states import Asked, Values, loads_agree
from visaproof.kernel.symbolic_machine import Performed
from visaproof.smt import Bool, Op, Term, conj, disj, is_true, substitute, subterms, symbol, symbols_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.compiled import compiled
from visaproof.smt.evaluate import evaluate_all
from visaproof.smt.solvers import solve

REPAIRS = 4
"""How often a model is asked again because two loads from one place disagreed in it."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Never:
    """None of the conditions can hold."""

    rung: str


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """What a run has confirmed."""

    what: T


@dataclass(frozen=True, slots=True)
class Open:
    """Neither was shown."""

    reason: str


@dataclass(frozen=True, slots=True)
class Search(Generic[T]):
    """Whether one of the conditions can hold when a kernel comes to the message `until`."""

    conditions: Sequence[Bool]
    premise: Bool
    earlier: tuple[Bool, ...]
    """That no earlier message was undefined: asked of the solver only where its first model is not confirmed."""
    until: Performed
    subject: str
    verb: str
    """With the subject, what the conditions say, as in "the lanes" "meet"."""
    confirm: Callable[[int, Values], T | None]
    """Runs the kernel on values under which the premise and the condition of this index hold."""
    guessed_size: int
    """Bytes of the surfaces, and extents, of which nothing is known, in the simple values."""

    def run(self, asked: Asked) -> Never | Found[T] | Open:
        """Guesses first: they cost nothing where the answer is obvious."""
        guess = self._guessed()
        if guess is not None:
            found = self.confirm(*guess)
            if found is not None:
                return Found(found)
        return self._solved(asked)

    def _guessed(self) -> tuple[int, Values] | None:
        """Simple inputs, then seeded random ones, under which a condition holds."""
        symbols = symbols_of(self.premise, *self.conditions)
        run_all = compiled((self.premise, *self.conditions), symbols)
        for values in _candidates(symbols, self.guessed_size):
            holds, *met = run_all(values)
            if holds and any(met):
                return met.index(1), dict(zip(symbols, values, strict=True))
        return None

    def _solved(self, asked: Asked) -> Never | Found[T] | Open:
        formula = conj(self.premise, disj(*self.conditions))
        abstract = solve([_without_products(formula)], asked.timeout_ms)
        if isinstance(abstract, Unsatisfiable):
            return Never(abstract.solver)
        later = [conj(*self.earlier)]
        for _ in range(REPAIRS):
            match solve([formula], asked.timeout_ms):
                case Unsatisfiable(solver):
                    return Never(solver)
                case Satisfiable(values, _):
                    met = evaluate_all(self.conditions, values)
                    found = self.confirm(met.index(1), values)
                    if found is not None:
                        return Found(found)
                    repairs = conj(*loads_agree(asked.trace, self.until, values), *later)
                    if is_true(repairs):
                        return Open(self._not_confirmed())
                    formula, later = conj(formula, repairs), []
                case undecided:
                    return Open(undecided.reason)
        return Open(f"{self.subject} {self.verb} only where loads from one place disagree")

    def _not_confirmed(self) -> str:
        if self.until.any_round:
            later = "in a later round of the loop than those that were unrolled: try a larger --unroll"
            return f"{self.subject} may {self.verb} {later}"
        return f"{self.subject} {self.verb} on terms, but the run of the kernel does not confirm it"


def _candidates(symbols: Sequence[Term], size: int) -> Iterator[list[int]]:
    for word, flag in product((0, 1, 2), (1, 0)):
        yield [_simple(one, word, flag, size) for one in symbols]
    random = Random(0)
    for bits in (3, 8, 16, 32):
        for _ in range(8):
            yield [_random(one, bits, random, size) for one in symbols]


def _is_size(one: Term) -> bool:
    return str(one.payload).startswith(("size.", "width.", "height.", "depth."))


def _simple(one: Term, word: int, flag: int, size: int) -> int:
    if _is_size(one):
        return min(1 << (one.width - 1), size)
    return flag if one.width == 0 else word


def _random(one: Term, bits: int, random: Random, size: int) -> int:
    if _is_size(one):
        return min(1 << (one.width - 1), size)
    return random.getrandbits(1 if one.width == 0 else min(bits, one.width))


def _without_products(formula: Bool) -> Bool:
    """Each product of unknowns replaced by one unknown: what cannot hold then cannot hold at all."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op is Op.MUL
    }
    return substitute(formula, cut) if cut else formula
