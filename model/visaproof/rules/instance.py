"""Decides one instance of a rewrite rule: normal forms, then guesses, then a solver; a difference is a run."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from time import monotonic

from visaproof.checking.ladder import NORMAL_FORM, Answer, Fails, GaveUp, Holds, Impossible, climb
from visaproof.decode import message as messages
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.isa.operands import SCRATCH
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.arbitrary_values import dependence
from visaproof.rules.goals import Goal, Question, about_word, accessed_widths, question_of
from visaproof.rules.guesses import Case, Guesses
from visaproof.rules.language.instances import Instance, rule_place
from visaproof.rules.language.syntax import Condition
from visaproof.rules.questions.conditions import Premise, place_of, premise
from visaproof.rules.questions.question import own_name, sides, surface_of
from visaproof.rules.questions.replacements import replacements
from visaproof.rules.search import Prepared, Search
from visaproof.rules.shrinking import smaller
from visaproof.rules.verdicts import Counterexample, Illegal, Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.semantics.symbolic.accesses import Load
from visaproof.smt import Bool, Term, conj, evaluate, implies, is_false, is_true, neg, symbol, symbols_of
from visaproof.smt.evaluate import substitute_all
from visaproof.visaasm import syntax


def prepared(instance: Instance) -> Prepared | Illegal:
    """The instance, ready to be asked about under any conditions.  Raises ReadError and NotModelled."""
    try:
        illegal = _illegal(instance)
        if illegal is not None:
            return illegal
        both = sides(instance)
        return Prepared(instance, both, Guesses(instance, both))
    except (ReadError, NotModelled) as error:
        raise _in_rule(instance, error) from None


def check_prepared(ready: Prepared, conditions: Sequence[Condition], timeout: float, quick: bool = False) -> Verdict:
    """Whether one instance is right under the conditions; `quick` leaves out guesses and smaller counterexamples.

    Raises ReadError and NotModelled.
    """
    for condition in conditions:
        _require_known(premise([condition], ready.instance), ready, condition)
    assumed = premise(conditions, ready.instance)
    try:
        verdict = _Check(ready, assumed, timeout, quick).verdict()
        if isinstance(verdict, Proved) and (pair := _may_overlap(ready, assumed)) is not None:
            return _on_one_surface(ready, pair, conditions, timeout, quick)
        return verdict
    except (ReadError, NotModelled) as error:
        raise _in_rule(ready.instance, error) from None


def _may_overlap(ready: Prepared, assumed: Premise) -> tuple[str, str] | None:
    """Two surfaces that a proof takes to share no byte, and of which nothing says so."""
    written: dict[str, bool] = {}
    typed: dict[str, bool] = {}
    for performed in (each for side in ready.both for each in side.trace.performed):
        name = surface_of(ready.instance, performed)
        typed[name] = any(len(access.cell) > 1 for access in performed.accesses)
        written[name] = written.get(name, False) or not all(isinstance(access, Load) for access in performed.accesses)
    for one, other in combinations([name for name in written if name not in (SHARED_LOCAL, SCRATCH)], 2):
        may_meet = (written[one] or written[other]) and typed[one] == typed[other]
        if may_meet and frozenset((one, other)) not in assumed.apart:
            return one, other
    return None


def _on_one_surface(
    ready: Prepared, pair: tuple[str, str], conditions: Sequence[Condition], timeout: float, quick: bool
) -> Refuted | Unknown:
    """What a run shows where both names are of one surface; else it is not known what holds where they overlap."""
    one, other = pair
    names = {key: one if name == other else name for key, name in ready.instance.surfaces.items()}
    unknown = Unknown(f"right if {one} and {other} share no byte, which `pre: apart({one}, {other})` states")
    try:
        merged = prepared(replace(ready.instance, surfaces=names))
        if isinstance(merged, Illegal):
            return unknown
        verdict = check_prepared(merged, conditions, timeout, quick)
    except (ReadError, NotModelled):  # as of a condition on the surface that has another name now
        return unknown
    return verdict if isinstance(verdict, Refuted) else unknown


def _require_known(said: Premise, ready: Prepared, condition: Condition) -> None:
    """Raises ReadError for the size of a surface that no message reaches, or that has texels and not bytes."""
    if not set(symbols_of(*said.inputs)).issubset(ready.guesses.symbols):
        raise ReadError(
            "the size of a surface that no message reaches by bytes", place_of(condition), "texels have no byte size"
        )


@dataclass(frozen=True, slots=True)
class SourceMeaning:
    """Where the source is defined, and where it then changes memory."""

    premises: tuple[Bool, ...]
    acts: tuple[Bool, ...]


def source_meaning(ready: Prepared, pre: Sequence[Condition]) -> SourceMeaning:
    """What is known of the source under its preconditions; less where that is not modelled."""
    assumed = premise(pre, ready.instance)
    try:
        question = question_of(ready.instance, ready.both, assumed, {})
    except NotModelled:
        return SourceMeaning(assumed.inputs, ())
    return SourceMeaning(tuple(question.premises), question.acts)


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


SOON_MS = 1_000
"""For all goals together."""


class _Check:
    """The ladder for one instance."""

    def __init__(self, ready: Prepared, assumed: Premise, timeout: float, quick: bool) -> None:
        self._ready = ready
        self._quick = quick
        self._assumed = assumed
        self._timeout_ms = round(1000 * timeout)
        self._known = replacements(assumed.inputs)
        self._rungs: dict[str, None] = {}

    def verdict(self) -> Verdict:
        if is_false(conj(*self._assumed.inputs)) or not self._may_hold_something():
            return Vacuous("the preconditions exclude each other")
        try:
            question = question_of(self._ready.instance, self._ready.both, self._assumed, self._known)
        except NotModelled as reason:
            search = Search(self._ready, self._assumed, ())
            found = search.guessed()
            if found is None:
                return Unknown(reason.what)
            return self._refuted(search, found)
        return self._decided(question)

    def _may_hold_something(self) -> bool:
        """Whether some word is as the preconditions want those of each surface, as wide as it is accessed."""
        by_surface: dict[str, list[Bool]] = {}
        for name, condition in self._assumed.contents:
            by_surface.setdefault(name, []).append(condition)
        for name, conditions in by_surface.items():
            for width in accessed_widths(self._ready, name):
                said = about_word(conj(*conditions), name, symbol("word", 8 * width))
                if not isinstance(climb((), neg(said), self._timeout_ms), Fails | GaveUp):
                    return False
        return True

    def _refuted(self, search: Search, found: Counterexample, filler: int = 0) -> Refuted:
        return Refuted(found if self._quick else smaller(search, found, filler))

    def _decided(self, question: Question) -> Verdict:
        search = Search(self._ready, self._assumed, question.cells)
        if not search.has_meaning():
            possible = self._possible(question)
            if not isinstance(possible, Holds):
                return possible
        goals = [one for one in question.goals if not is_true(one.goal)]
        if not goals:
            return Proved((NORMAL_FORM,), 1)
        found = self._at_once(question, goals, search) if self._quick else search.guessed()
        if found is not None:
            return self._refuted(search, found)
        return self._climbed(question, goals, search)

    def _at_once(self, question: Question, goals: Sequence[Goal], search: Search) -> Counterexample | None:
        """A counterexample to all goals together, if a solver has one soon."""
        goal = conj(*(one.goal for one in goals))
        match climb((), implies(conj(*question.premises_for(goal)), goal), SOON_MS):
            case Fails(values):
                return self._run(_whole(values, self._known), search)[0]
            case _:
                return None

    def _possible(self, question: Question) -> Holds | Vacuous | Unknown:
        """That the preconditions hold for some input for which the source is defined."""
        match climb((), neg(conj(*question.premises)), self._timeout_ms):
            case Fails():
                return Holds("")
            case GaveUp(reason):
                return Unknown(f"whether the preconditions can hold: {reason}")
            case _:
                return Vacuous("the preconditions never hold where the source is defined")

    def _climbed(self, question: Question, goals: Sequence[Goal], search: Search) -> Verdict:
        end = monotonic() + self._timeout_ms / 1000
        for one in goals:
            answer = self._one(question, one, end)
            match answer:
                case Holds(rung):
                    self._rungs[rung] = None
                case Impossible():
                    return Vacuous("the preconditions never hold where the source is defined")
                case GaveUp(reason):
                    return Unknown(f"{one.what}: {reason}")
                case Fails(values):
                    return self._confirmed(question, values, search, one)
        return Proved(tuple(self._rungs), 1)

    def _one(self, question: Question, one: Goal, end: float) -> Answer:
        for easier in question.easier(one):
            if monotonic() < end and (found := self._all_hold(question, easier)) is not None:
                return found
        near = question.near(one.goal)
        if len(near) < len(question.premises) and (found := self._all_hold(question, (one.goal,))) is not None:
            return found
        return self._asked(question.premises_for(one.goal), one.goal)

    def _all_hold(self, question: Question, goals: Iterable[Bool]) -> Holds | None:
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

    def _confirmed(self, question: Question, values: dict[Term, int], search: Search, goal: Goal) -> Verdict:
        """The solver's values, run on both sides; those of another question if there are too many orders to run."""
        found, filler = self._run(_whole(values, self._known), search)
        if found is None and question.apart:
            match self._asked([*question.premises_for(goal.goal), *question.apart], goal.goal):
                case Fails(others):
                    found, filler = self._run(_whole(others, self._known), search)
                case _:
                    pass
        if found is not None:
            return self._refuted(search, found, filler)
        reason = f"{goal.what}: both differ symbolically, but a run of them does not confirm it"
        depends = dependence(self._uninterpreted(goal.goal))
        return Unknown(f"{reason}: the difference {depends}" if depends else reason)

    def _uninterpreted(self, goal: Bool) -> Iterator[str]:
        """The operations that the goal depends on, each with its line in the rule."""
        instance, used = self._ready.instance, set(symbols_of(goal))
        for side, kernel in zip(self._ready.both, (instance.source, instance.target), strict=True):
            for one in side.trace.arbitrary:
                if own_name(side, one.symbol) in used:
                    place = rule_place(instance, kernel, one.instruction.position)
                    yield one.described(f"line {place.line}")

    @staticmethod
    def _run(values: dict[Term, int], search: Search) -> tuple[Counterexample | None, int]:
        """What the inputs show, and what the memory holds then of which they say nothing."""
        for filler in (0, 1, 0x8000_0001) if search.admits(values) else ():
            found = search.difference(Case(values, filler))
            if found is not None:
                return found, filler
        return None, 0


def _whole(values: dict[Term, int], known: dict[Term, Term]) -> dict[Term, int]:
    """The values, with those of the symbols that others stand for."""
    return {**values, **{one: evaluate(other, values) for one, other in known.items()}}
