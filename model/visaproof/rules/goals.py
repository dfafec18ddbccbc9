"""What is asked of an instance of a rewrite rule: goals, and what may be assumed for them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from visaproof.isa.errors import NotModelled
from visaproof.rules.language.instances import Instance
from visaproof.rules.questions.atomics import Matched, has_open_order, match, orders, same_turn
from visaproof.rules.questions.conditions import Premise
from visaproof.rules.questions.question import Comparison, Side, compare, surface_of
from visaproof.rules.questions.sameness import (
    choices_in,
    open_undefined,
    same_observed,
    same_write,
    swaps,
    where_nothing_was_stored,
)
from visaproof.rules.questions.symbols import any_dword, lanes
from visaproof.rules.questions.writes import after, cases
from visaproof.rules.search import Cell, Prepared
from visaproof.semantics.symbolic.effects import updated
from visaproof.semantics.symbolic.names import FoundInMemory, Probe
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    disj,
    eq,
    implies,
    neg,
    substitute,
    symbol,
    symbols_of,
    zero_extend,
)


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that has to hold where the source is defined, and what it is about."""

    what: str
    goal: Bool


class Question:
    """Goals, and what may be assumed for them."""

    def __init__(
        self,
        goals: Sequence[Goal],
        premises: Sequence[Bool],
        facts: Callable[[Sequence[Bool]], Iterator[Bool]],
        cells: Sequence[Cell],
        easier: Callable[[Goal], Iterator[list[Bool]]] = lambda _: iter(()),
        acts: Sequence[Bool] = (),
        apart: Sequence[Bool] = (),
    ) -> None:
        self.goals = goals
        self.premises = [part for one in premises for part in conjuncts_of(one)]
        self.cells = cells
        self.easier = easier
        self.acts = tuple(acts)
        """Where the source changes memory; nothing of a source that never does."""
        self.apart = tuple(apart)
        """That no two turns of atomics are at one cell: then there is one order to run."""
        self._facts = facts
        self._named: dict[Bool, list[Term]] = {}

    def premises_for(self, goal: Bool) -> list[Bool]:
        return [*self.premises, *self._facts((goal, *self.premises))]

    def near(self, goal: Bool) -> list[Bool]:
        """The premises that name nothing but what the goal names."""
        named = set(symbols_of(goal))
        facts = list(self._facts((goal,)))
        named |= set(symbols_of(*facts))
        return [*facts, *(one for one in self.premises if named.issuperset(self._symbols(one)))]

    def _symbols(self, premise: Bool) -> list[Term]:
        if premise not in self._named:
            self._named[premise] = symbols_of(premise)
        return self._named[premise]


def question_of(instance: Instance, both: tuple[Side, Side], assumed: Premise, known: dict[Term, Term]) -> "Question":
    """What has to be shown of the instance.  Raises NotModelled."""
    source, target = both
    if has_open_order(source, target):
        try:
            return _of_atomics(match(instance, source, target, known), assumed)
        except NotModelled:
            pass
    return _of_stores(compare(instance, source, target, known), assumed)


def conjuncts_of(premise: Bool) -> tuple[Bool, ...]:
    """What a conjunction joins."""
    return cast(tuple[Bool, ...], premise.args) if premise.op is Op.CONJ else (premise,)


def _of_atomics(matched: Matched, assumed: Premise) -> Question:
    premises = [*assumed.inputs, disj(*lanes()), *(neg(one) for one in matched.source_undefined)]
    goals = [Goal("the target is defined", neg(one)) for one in matched.target_undefined]
    for index, ((source, target), found) in enumerate(zip(matched.pairs, matched.found, strict=True)):
        turn = f"turn {index}"
        holds = [about_word(condition, name, found) for name, condition in assumed.contents if name == source.surface]
        goals.append(Goal(turn, implies(conj(*holds), same_turn(source, target, found))))
        if holds:  # an invariant: each turn keeps it
            left = updated(source.access, found)
            kept = [about_word(condition, name, left) for name, condition in assumed.contents if name == source.surface]
            goals.append(Goal(turn, implies(conj(*holds, source.happens), conj(*kept))))
    goals += [Goal("the order of turns", one) for one in orders(matched)]
    seen = [(left, right) for _, _, left, right in matched.observed]
    invariants = [
        about_word(condition, name, found)
        for (source, _), found in zip(matched.pairs, matched.found, strict=True)
        for name, condition in assumed.contents
        if name == source.surface
    ]
    goals += [Goal("a register", implies(conj(*invariants), one)) for one in same_observed(seen)]
    cells = [
        Cell(event.surface, event.cell, event.access.width, len(event.access.cell) > 1, found)
        for pair, found in zip(matched.pairs, matched.found, strict=True)
        for event in pair
    ]
    turns = [source for source, _ in matched.pairs]
    apart = [
        neg(conj(one.happens, other.happens, eq(one.cell, other.cell)))
        for one, other in combinations(turns, 2)
        if one.surface == other.surface
    ]
    return Question(goals, premises, lambda _: iter(()), cells, acts=[one.happens for one in turns], apart=apart)


def accessed_widths(ready: Prepared, surface: str) -> set[int]:
    """Bytes of the words that both sides access, at most a dword."""
    return {
        min(access.width, 4)
        for side in ready.both
        for performed in side.trace.performed
        if surface_of(ready.instance, performed) == surface
        for access in performed.accesses
    }


def about_word(condition: Bool, surface: str, word: BitVec) -> Bool:
    """The condition on each dword of a surface, for this one."""
    wide = zero_extend(word, 32) if word.width < 32 else word
    return substitute(condition, {any_dword(surface): wide})


def _of_stores(comparison: Comparison, assumed: Premise) -> Question:
    source, target = comparison.source, comparison.target
    if assumed.contents:
        raise NotModelled("a condition on memory, here")
    told = [term for writes in source.writes.values() for one in writes for term in (one.guard, one.cell)]
    if choices_in([*told, *source.undefined, *comparison.memory.definitions.values()], "source"):
        raise NotModelled("a source that depends on what it may choose")
    premises = [*assumed.inputs, disj(*lanes()), *(neg(one) for one in source.undefined)]
    goals = [Goal("the target is defined", neg(one)) for one in open_undefined(source, target)]
    easier: dict[Bool, str] = {}
    for surface in comparison.surfaces:
        left, right = source.writes.get(surface, ()), target.writes.get(surface, ())
        swapped = swaps(left, right)
        if swapped == []:
            continue
        width = (left or right)[0].cell.width
        probe = symbol(Probe(surface), width)
        before = comparison.memory.initial(surface, probe)
        goal = eq(after(left, probe, before), after(right, probe, before))
        goals.append(Goal(surface, goal))
        easier[goal] = surface
    seen = [(left, right) for (_, _, left), (_, _, right) in zip(source.observed, target.observed, strict=True)]
    goals += [Goal("a register", one) for one in same_observed(seen)]
    cells = [
        Cell(surface, cell, comparison.memory.units[surface], cell.width == 128, value)
        for (surface, cell), value in comparison.memory.cells.items()
    ]

    def in_pairs(one: Goal) -> Iterator[list[Bool]]:
        surface = easier.get(one.goal)
        if surface is None:
            if parts := list(where_nothing_was_stored(one.goal, comparison.memory.definitions)):
                yield parts
            return
        left, right = source.writes.get(surface, ()), target.writes.get(surface, ())
        swapped = swaps(left, right)
        if swapped is not None:
            yield swapped
        elif len(left) == len(right):
            memory = symbol(FoundInMemory("there"), 8 * comparison.memory.units[surface])
            yield [same_write(a, b, memory) for a, b in zip(left, right, strict=True)]
        elif right:
            yield list(cases(one.goal, right, symbol(Probe(surface), right[0].cell.width)))

    acts = [one.guard for writes in source.writes.values() for one in writes]
    return Question(goals, premises, comparison.memory.facts, cells, in_pairs, acts)
