"""Looks for a run of a kernel in which something happens: simple values, then a solver; only a run can confirm it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeVar

from visaproof.engine.clauses import Form, form_of
from visaproof.engine.kernel_guesses import classes_of_guesses
from visaproof.engine.ladder import NORMAL_FORM
from visaproof.engine.lane_conditions import OfLanes, excluded_by, lanes_of
from visaproof.engine.thread_states import Asked, Values, loads_agree
from visaproof.kernel.symbolic_machine import Performed
from visaproof.smt import Bool, Op, Term, conj, is_false, is_true, substitute, subterms, symbol, symbols_of
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.compiled import compiled
from visaproof.smt.solvers import solve

REPAIRS = 4
"""How often a model is asked again because two loads from one place disagreed in it."""

SAMPLE = 4
"""Of how many conditions simple values are tried: mostly they say the same of other lanes."""

UNDEFINED_BEFORE = "undefined before"
"""The rung of a message before which every run meets one without a meaning."""

PATIENCE = 3
"""How many times the time for one question all conditions together may take."""

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
    """That no earlier message was undefined: asked of the solver as far as it is about the same lanes, and as a whole
    only where its first model is not confirmed."""
    until: Performed
    subject: str
    verb: str
    """With the subject, what the conditions say, as in "the lanes" "meet"."""
    confirm: Callable[[int, Values], T | None]
    """Runs the kernel on values under which the premise and the condition of this index hold."""
    guessed_size: int
    """Bytes of the surfaces, and extents, of which nothing is known, in the simple values."""

    def run(self, asked: Asked) -> Never | Found[T] | Open:
        """Guesses before the solver: they cost nothing where the answer is obvious."""
        if any(is_false(condition) for condition in self.earlier):
            return Never(UNDEFINED_BEFORE)
        excluded = excluded_by(self.earlier)
        left = [index for index, condition in enumerate(self.conditions) if not excluded.excludes(condition)]
        if not left:
            return Never(NORMAL_FORM)
        found = self._guessed(left[:SAMPLE])
        return self._solved(asked, left) if found is None else Found(found)

    def _guessed(self, indices: Sequence[int]) -> T | None:
        """What simple values show: of each kind the first under which one of these conditions holds."""
        conditions = [self.conditions[index] for index in indices]
        symbols = symbols_of(self.premise, *conditions)
        run_all = compiled((self.premise, *conditions), symbols)
        for guesses in classes_of_guesses(symbols, self.guessed_size, self.until.surface):
            for values in guesses:
                holds, *met = run_all(values)
                if holds and any(met):
                    found = self.confirm(indices[met.index(1)], dict(zip(symbols, values, strict=True)))
                    if found is not None:
                        return found
                    break
        return None

    def _solved(self, asked: Asked, left: Sequence[int]) -> Never | Found[T] | Open:
        """Condition by condition: those that differ only in the names of their symbols are asked once."""
        earlier, lanes = OfLanes.of(self.earlier), lanes_of(self.conditions)
        never: set[Form] = set()
        rungs: dict[str, None] = {}
        unsolved: Open | None = None
        end = perf_counter() + PATIENCE * asked.timeout_ms / 1000
        for index in left:
            condition = self.conditions[index]
            near = earlier.within(lanes[condition])
            form = form_of(self.premise, condition, *near)
            if form in never:
                continue
            match self._solved_one(asked, index, near):
                case Never(rung):
                    never.add(form)
                    rungs[rung] = None
                case Found() as found:
                    return found
                case undecided:
                    unsolved = unsolved or undecided
                    never.add(form)
            if perf_counter() > end:
                return unsolved or Open(f"{self.subject} have too many different reasons not to {self.verb}")
        return unsolved or Never(", ".join(rungs))

    def _solved_one(self, asked: Asked, index: int, near: tuple[Bool, ...]) -> Never | Found[T] | Open:
        """Whether this condition can hold; `near` are the earlier conditions on the same lanes."""
        formula, later, possible = conj(self.premise, self.conditions[index], *near), [*self.earlier], False
        abstract = _without_products(formula)
        if abstract is not formula:
            answer = solve([abstract], asked.timeout_ms)
            if isinstance(answer, Unsatisfiable):
                return Never(answer.solver)
        for _ in range(REPAIRS):
            match solve([formula], asked.timeout_ms):
                case Unsatisfiable(solver):
                    return self._in_vain() if possible else Never(solver)
                case Satisfiable(values, _):
                    found = self.confirm(index, values)
                    if found is not None:
                        return Found(found)
                    loads = tuple(loads_agree(asked.trace, self.until, values))
                    repairs = conj(*(repair.condition for repair in loads), *later)
                    if is_true(repairs):
                        return Open(self._not_confirmed())
                    possible = possible or not all(repair.certain for repair in loads)
                    formula, later = conj(formula, repairs), []
                case undecided:
                    return Open(undecided.reason)
        return self._in_vain()

    def _in_vain(self) -> Open:
        return Open(f"{self.subject} {self.verb} only where loads from one place disagree")

    def _not_confirmed(self) -> str:
        if self.until.any_round:
            later = "in a later round of the loop than those that were unrolled: try a larger --unroll"
            return f"{self.subject} may {self.verb} {later}"
        return f"{self.subject} {self.verb} on terms, but the run of the kernel does not confirm it"


def _without_products(formula: Bool) -> Bool:
    """Each product of unknowns replaced by one unknown: what cannot hold then cannot hold at all."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op is Op.MUL
    }
    return substitute(formula, cut) if cut else formula
