"""Decides a rewrite rule: for each of its instances normal forms, then guesses, then a solver; a difference is a run.

check_rule(read_rule(text, "my.rule")) -> Proved | Refuted | Illegal | Unknown | Vacuous
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import cast

from visaproof.engine.ladder import NORMAL_FORM, Answer, Fails, GaveUp, Holds, Impossible, climb
from visaproof.engine.rewrite_search import Case, Cell, Search
from visaproof.engine.rewrite_verdicts import Illegal, Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.kernel import decode as messages
from visaproof.kernel import syntax
from visaproof.kernel.rewrite_instances import Instance, instances, rule_place
from visaproof.kernel.rewrite_reader import read_rule
from visaproof.kernel.rewrite_syntax import Condition, Expect, Rule
from visaproof.queries.rewrite import Comparison, Side, after, cases, compare, sides
from visaproof.queries.rewrite_atomics import Matched, has_open_order, match, orders, same_turn
from visaproof.queries.rewrite_conditions import Premise, premise
from visaproof.queries.rewrite_replacements import replacements
from visaproof.queries.rewrite_sameness import choices_in, open_undefined, same_observed, same_write, swaps
from visaproof.queries.rewrite_symbols import any_dword, lanes
from visaproof.semantics.symbolic.effects import updated
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    disj,
    eq,
    evaluate,
    implies,
    is_false,
    is_true,
    neg,
    substitute,
    symbol,
    symbols_of,
    zero_extend,
)
from visaproof.smt.evaluate import substitute_all

DEFAULT_TIMEOUT = 20.0
"""Seconds for one question to a solver."""


def check_rule(
    rule: Rule | str,
    timeout: float = DEFAULT_TIMEOUT,
    extra: Sequence[Condition] = (),
    when_right: bool = False,
    chosen: Callable[[Instance], bool] = lambda _: True,
) -> Verdict:
    """Whether the rule is right under its preconditions, and under the `extra` ones.

    `when_right` adds those of `right if`.  Raises ReadError and NotModelled.
    """
    found = read_rule(rule, "<rule>") if isinstance(rule, str) else rule
    conditions = [*found.pre, *(found.right_if if when_right else ()), *extra]
    rungs: dict[str, None] = {}
    unknown: Unknown | None = None
    vacuous, count = 0, 0
    for instance in instances(found):
        if not chosen(instance):
            continue
        count += 1
        match check_instance(instance, conditions, timeout):
            case Proved(names):
                rungs |= dict.fromkeys(names)
            case Unknown() as reason:
                unknown = unknown or Unknown(f"{instance.label}: {reason.reason}")
            case Vacuous():
                vacuous += 1
            case wrong:
                return wrong
    if unknown is not None:
        return unknown
    if vacuous == count:
        return Vacuous("the preconditions and a meaning of the source exclude each other")
    return Proved(tuple(rungs), count - vacuous)


def is_as_stated(rule: Rule, verdict: Verdict, when_right: Verdict | None) -> bool:
    """Whether the file says what was found."""
    if rule.expect is Expect.PROVED:
        return isinstance(verdict, Proved)
    right = isinstance(when_right, Proved) if rule.right_if else True
    return isinstance(verdict, Refuted | Illegal) and right


def check_instance(instance: Instance, conditions: Sequence[Condition], timeout: float) -> Verdict:
    """Whether one instance is right."""
    assumed = premise(conditions, instance)
    try:
        illegal = _illegal(instance)
        if illegal is not None:
            return illegal
        both = sides(instance)
        return _Check(instance, both, assumed, timeout).verdict()
    except (ReadError, NotModelled) as error:
        raise _in_rule(instance, error) from None


def _in_rule(instance: Instance, error: ReadError | NotModelled) -> ReadError | NotModelled:
    """The error with its place in the rule file."""
    position = error.position
    for kernel in (instance.source, instance.target):
        if position is not None and position.path == kernel.path:
            position = rule_place(instance, kernel, position)
    if position is None:
        position = instance.rule.position
    if isinstance(error, ReadError):
        return ReadError(error.message, position, error.hint)
    return NotModelled(error.what, position)


def _illegal(instance: Instance) -> Illegal | None:
    """The first message of the target that breaks its page."""
    for statement in instance.target.statements:
        assert isinstance(statement, syntax.Instruction)
        if statement.opcode in messages.OPCODES:
            try:
                messages.decode(statement, instance.target, instance.platform).validate(instance.platform)
            except IllegalInstruction as reason:
                return Illegal(instance, str(reason), rule_place(instance, instance.target, statement.position))
    return None


@dataclass(frozen=True, slots=True)
class _Goal:
    """Something that has to hold where the source has a meaning, and what it is about."""

    what: str
    goal: Bool


class _Check:
    """The ladder for one instance."""

    def __init__(self, instance: Instance, both: tuple[Side, Side], assumed: Premise, timeout: float) -> None:
        self._instance = instance
        self._both = both
        self._assumed = assumed
        self._timeout_ms = round(1000 * timeout)
        self._known = replacements(assumed.inputs)
        self._rungs: dict[str, None] = {}

    def verdict(self) -> Verdict:
        if is_false(conj(*self._assumed.inputs)):
            return Vacuous("the preconditions exclude each other")
        try:
            question = self._question()
        except NotModelled as reason:
            found = Search(self._instance, self._both, self._assumed, ()).guessed()
            if found is None:
                return Unknown(reason.what)
            return Refuted(Search(self._instance, self._both, self._assumed, ()).smaller(found))
        return self._decided(question)

    def _question(self) -> "_Question":
        source, target = self._both
        if has_open_order(source, target):
            try:
                return _of_atomics(match(self._instance, source, target, self._known), self._assumed)
            except NotModelled:
                pass
        return _of_stores(compare(self._instance, source, target, self._known), self._assumed)

    def _decided(self, question: "_Question") -> Verdict:
        search = Search(self._instance, self._both, self._assumed, question.cells)
        if not search.has_meaning():
            possible = self._possible(question)
            if not isinstance(possible, Holds):
                return possible
        goals = [one for one in question.goals if not is_true(one.goal)]
        if not goals:
            return Proved((NORMAL_FORM,), 1)
        found = search.guessed()
        if found is not None:
            return Refuted(search.smaller(found))
        return self._climbed(question, goals, search)

    def _possible(self, question: "_Question") -> Holds | Vacuous | Unknown:
        """That the preconditions hold for some input for which the source has a meaning."""
        match climb((), neg(conj(*question.premises)), self._timeout_ms):
            case Fails():
                return Holds("")
            case GaveUp(reason):
                return Unknown(f"whether the preconditions can hold: {reason}")
            case _:
                return Vacuous("the preconditions never hold where the source has a meaning")

    def _climbed(self, question: "_Question", goals: Sequence[_Goal], search: Search) -> Verdict:
        end = monotonic() + self._timeout_ms / 1000
        for one in goals:
            answer = self._one(question, one, end)
            match answer:
                case Holds(rung):
                    self._rungs[rung] = None
                case Impossible():
                    return Vacuous("the preconditions never hold where the source has a meaning")
                case GaveUp(reason):
                    return Unknown(f"{one.what}: {reason}")
                case Fails(values):
                    return self._confirmed(values, search, one)
        return Proved(tuple(self._rungs), 1)

    def _one(self, question: "_Question", one: _Goal, end: float) -> Answer:
        for easier in question.easier(one):
            if monotonic() < end and (found := self._all_hold(question, easier)) is not None:
                return found
        near = question.near(one.goal)
        if len(near) < len(question.premises) and (found := self._all_hold(question, (one.goal,))) is not None:
            return found
        return self._asked(question.premises_for(one.goal), one.goal)

    def _all_hold(self, question: "_Question", goals: Iterable[Bool]) -> Holds | None:
        """How each goal follows from the premises that are about the same inputs; None where one does not."""
        rung = NORMAL_FORM
        for goal in goals:
            answer = Holds(NORMAL_FORM) if is_true(goal) else self._asked(question.near(goal), goal)
            if not isinstance(answer, Holds):
                return None
            rung = answer.rung if rung == NORMAL_FORM else rung  # a solver, if one was asked
        return Holds(rung)

    def _asked(self, premises: Sequence[Bool], goal: Bool) -> Answer:
        """The answer where it is known already that the premises can hold."""
        known = replacements(premises)
        narrowed, *rest = substitute_all([goal, *premises], known)
        match climb((), implies(conj(*rest), narrowed), self._timeout_ms):
            case Fails(values):
                return Fails(_whole(values, known))
            case answer:
                return answer

    def _confirmed(self, values: dict[Term, int], search: Search, goal: _Goal) -> Verdict:
        """The solver's values, run on both sides."""
        whole = _whole(values, self._known)
        for filler in (0, 1, 0x8000_0001):
            found = search.difference(Case(whole, filler)) if search.admits(whole) else None
            if found is not None:
                return Refuted(search.smaller(found, filler))
        return Unknown(f"{goal.what}: both differ on terms, but a run of them does not confirm it")


def _whole(values: dict[Term, int], known: dict[Term, Term]) -> dict[Term, int]:
    """The values, with those of the symbols that others stand for."""
    return {**values, **{one: evaluate(other, values) for one, other in known.items()}}


# ---------------------------------------------------------------- what is asked


class _Question:
    """Goals, and what may be assumed for them."""

    def __init__(
        self,
        goals: Sequence[_Goal],
        premises: Sequence[Bool],
        facts: Callable[[Sequence[Bool]], Iterator[Bool]],
        cells: Sequence[Cell],
        easier: Callable[[_Goal], Iterator[list[Bool]]] = lambda _: iter(()),
    ) -> None:
        self.goals = goals
        self.premises = [part for one in premises for part in _conjuncts(one)]
        self.cells = cells
        self.easier = easier
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


def _conjuncts(premise: Bool) -> tuple[Bool, ...]:
    return cast(tuple[Bool, ...], premise.args) if premise.op is Op.CONJ else (premise,)


def _of_atomics(matched: Matched, assumed: Premise) -> _Question:
    premises = [*assumed.inputs, disj(*lanes()), *(neg(one) for one in matched.source_undefined)]
    goals = [_Goal("the target has a meaning", neg(one)) for one in matched.target_undefined]
    for index, ((source, target), found) in enumerate(zip(matched.pairs, matched.found, strict=True)):
        turn = f"turn {index}"
        holds = [_about(condition, name, found) for name, condition in assumed.contents if name == source.surface]
        goals.append(_Goal(turn, implies(conj(*holds), same_turn(source, target, found))))
        if holds:  # an invariant: each turn keeps it
            left = updated(source.access, found)
            kept = [_about(condition, name, left) for name, condition in assumed.contents if name == source.surface]
            goals.append(_Goal(turn, implies(conj(*holds, source.happens), conj(*kept))))
    goals += [_Goal("the order of turns", one) for one in orders(matched)]
    seen = [(left, right) for _, _, left, right in matched.observed]
    invariants = [
        _about(condition, name, found)
        for (source, _), found in zip(matched.pairs, matched.found, strict=True)
        for name, condition in assumed.contents
        if name == source.surface
    ]
    goals += [_Goal("a register", implies(conj(*invariants), one)) for one in same_observed(seen)]
    cells = [
        Cell(event.surface, event.cell, event.access.width, len(event.access.cell) > 1, found)
        for pair, found in zip(matched.pairs, matched.found, strict=True)
        for event in pair
    ]
    return _Question(goals, premises, lambda _: iter(()), cells)


def _about(condition: Bool, surface: str, word: BitVec) -> Bool:
    """The condition on each dword of a surface, for this one."""
    wide = zero_extend(word, 32) if word.width < 32 else word
    return substitute(condition, {any_dword(surface): wide})


def _of_stores(comparison: Comparison, assumed: Premise) -> _Question:
    source, target = comparison.source, comparison.target
    if assumed.contents:
        raise NotModelled("a condition on memory, here")
    told = [term for writes in source.writes.values() for one in writes for term in (one.guard, one.cell)]
    if choices_in([*told, *source.undefined, *comparison.memory.definitions.values()], "source"):
        raise NotModelled("a source that depends on what it may choose")
    premises = [*assumed.inputs, disj(*lanes()), *(neg(one) for one in source.undefined)]
    goals = [_Goal("the target has a meaning", neg(one)) for one in open_undefined(source, target)]
    easier: dict[Bool, str] = {}
    for surface in comparison.surfaces:
        left, right = source.writes.get(surface, ()), target.writes.get(surface, ())
        swapped = swaps(left, right)
        if swapped == []:
            continue
        width = (left or right)[0].cell.width
        probe = symbol(f"probe.{surface}", width)
        before = comparison.memory.initial(surface, probe)
        goal = eq(after(left, probe, before), after(right, probe, before))
        goals.append(_Goal(surface, goal))
        easier[goal] = surface
    seen = [(left, right) for (_, _, left), (_, _, right) in zip(source.observed, target.observed, strict=True)]
    goals += [_Goal("a register", one) for one in same_observed(seen)]
    cells = [
        Cell(surface, cell, comparison.memory.units[surface], cell.width == 128, value)
        for (surface, cell), value in comparison.memory.cells.items()
    ]

    def in_pairs(one: _Goal) -> Iterator[list[Bool]]:
        surface = easier.get(one.goal)
        if surface is None:
            return
        left, right = source.writes.get(surface, ()), target.writes.get(surface, ())
        swapped = swaps(left, right)
        if swapped is not None:
            yield swapped
        elif len(left) == len(right):
            memory = symbol("found.there", 8 * comparison.memory.units[surface])
            yield [same_write(a, b, memory) for a, b in zip(left, right, strict=True)]
        elif right:
            yield list(cases(one.goal, right, symbol(f"probe.{surface}", right[0].cell.width)))

    return _Question(goals, premises, comparison.memory.facts, cells, in_pairs)
