"""Goals about two kernels that a solver is asked: at once, or store by store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.stages import NORMAL_FORM, Answer, Fails, GaveUp, Holds, decide_goal, literals
from visaproof.queries.kernels.stores import address_step, same_store
from visaproof.refinement.effects.question import Question
from visaproof.refinement.obligations import parts_undefined, premises, stores_of
from visaproof.refinement.sweeping import swept
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    disj,
    eq,
    implies,
    is_true,
    neg,
    substitute,
    subterms,
    symbol,
    symbols_of,
    true,
)
from visaproof.smt.arithmetic import PRODUCTS
from visaproof.smt.substitution import substitute_all

QUICK_MS = 300
"""For a question as it is: many are that simple, and for others there is more to do first."""

_Assumed = Callable[[Bool], tuple[Bool, ...]]
"""From a goal to what is assumed of what it is about."""

MOST_SWEPT = 24
"""Steps of one proof that may be asked in parts: the others are like one of them, or simple."""


def uncut(assumed: tuple[Bool, ...], goal: Bool, timeout_ms: int) -> Answer:
    """The answer of the stages, at first with each product or quotient of unknowns as an unknown of its own."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(*assumed, goal) if term.op in PRODUCTS
    }
    if cut:
        answer = decide_goal(tuple(substitute_all(assumed, cut)), substitute(goal, cut), timeout_ms)
        if isinstance(answer, Holds):
            return answer
    return decide_goal(assumed, goal, timeout_ms)


def one_by_one(question: Question, surfaces: Sequence[str], timeout_ms: int, steps: "Steps | None" = None) -> bool:
    """Whether each store of the target is the source's in the same place: many small questions, not a large one."""
    known: dict[Term, Term] = {}
    steps = steps or Steps(question, timeout_ms)
    for surface in surfaces:
        source, target = stores_of(question, surface)
        if len(source) != len(target):
            return False
        for one, other in zip(source, target, strict=True):
            step = address_step(one, other)
            if steps.swept > MOST_SWEPT:
                return False
            everywhere = steps.nearly_holds(step.goal)
            under_guard = question.launched.premises is not None and not everywhere
            if not everywhere and not (under_guard and steps.nearly_holds(implies(one.guard, step.goal))):
                return False
            if everywhere and step.target is not step.source:
                known[step.target] = step.source
            if not steps.nearly_holds(same_store(one, other, known)):
                return False
    return steps.target_defined()


class Steps:
    """Small questions under the premises of a large one, each asked once."""

    def __init__(self, question: Question, timeout_ms: int, in_parts: bool = True) -> None:
        """Those that a solver gives up are asked `in_parts`, which may take long."""
        self._in_parts = in_parts
        self._question = question
        self._timeout_ms = timeout_ms
        self._decided: dict[Form, Answer] = {}
        """The answers, by what was assumed and asked, up to the names of symbols."""
        self.by = ""
        """The solver that was needed, if one was."""
        self.swept = 0
        """How many were asked in parts."""
        self._premises: list[tuple[Bool, frozenset[Term]]] | None = None
        """What is assumed of every goal, in parts, with what each is about."""
        self._defined: bool | None = None
        self._of_parts = question.launched.premises is not None

    def target_defined(self) -> bool:
        """Whether the target is defined where the source is: each condition by itself, then all that is left."""
        if self._defined is None:
            left = list(parts_undefined(self._question))
            if self._of_parts:  # of programs there are too many
                left = [one for one in left if not self.nearly_holds(neg(one))]
            self._defined = self.with_all_premises(neg(disj(*left)))
        return self._defined

    def holds(self, goal: Bool) -> bool:
        """Whether it holds for every input for which the source is defined."""
        return self.nearly_holds(goal) or self.with_all_premises(goal)

    def with_all_premises(self, goal: Bool) -> bool:
        """The same, asked under all that is assumed at once."""
        return is_true(goal) or self._noted(uncut(premises(self._question, goal), goal, self._timeout_ms))

    def nearly_holds(self, goal: Bool) -> bool:
        """The same by what is assumed of the inputs that the goal is about; of lanes alike the first is asked.

        Lanes are alike under the premises only where these are: the source may be undefined in one lane alone.
        """
        if is_true(goal):
            return True
        if self._of_parts and self._by_parts(goal):
            return True
        answer = self._answered(lambda about: tuple(self._question.memory.facts((about,))), goal)
        if isinstance(answer, Fails):
            answer = self._answered(self._premises_within, goal)
        return self._noted(answer)

    def _noted(self, answer: Answer) -> bool:
        if isinstance(answer, Holds) and answer.by != NORMAL_FORM:
            self.by = self.by or answer.by
        return isinstance(answer, Holds)

    def _answered(self, assumed: _Assumed, goal: Bool) -> Answer:
        """Whether a goal holds where that is so which is assumed of it, if that was not asked before."""
        form, memory = form_of(*assumed(goal), goal), self._question.memory
        if form not in self._decided:
            answer = uncut(assumed(goal), goal, min(QUICK_MS, self._timeout_ms))
            if isinstance(answer, GaveUp) and self._in_parts:
                self.swept += 1
                smaller = swept(goal, memory)
                answer = uncut(assumed(smaller), smaller, self._timeout_ms)
                if not memory.facts_are_all((goal,)):  # the form does not say which cells are one
                    return answer
            self._decided[form] = answer
        return self._decided[form]

    def _by_parts(self, goal: Bool) -> bool:
        """Whether two loaded words are the same because nothing was stored there before."""
        parts = list(where_nothing_was_stored(goal, self._question.memory.definitions))
        return bool(parts) and all(map(self.nearly_holds, parts))

    def _premises_within(self, goal: Bool) -> tuple[Bool, ...]:
        """Those that are about nothing but what the goal is about: less than all, and so no more than they say."""
        facts = tuple(self._question.memory.facts((goal,)))
        if self._premises is None:
            parts = (part for premise in premises(self._question, true()) for part in literals(premise))
            self._premises = [(part, frozenset(symbols_of(part))) for part in dict.fromkeys(parts)]
        about = set(symbols_of(goal, *facts))
        return *facts, *(part for part, names in self._premises if about >= names)


def where_nothing_was_stored(goal: Bool, definitions: Mapping[Term, BitVec]) -> Iterator[Bool]:
    """That two loaded words are the same, in parts: no store before the loads met them, and memory held the same."""
    if goal.op is not Op.EQ or not any(one in definitions for one in symbols_of(goal)):
        return
    path, left, right = true(), *cast(tuple[BitVec, BitVec], goal.args)
    while True:
        if left.op is right.op is Op.EXTRACT and left.payload == right.payload:  # the same part of both
            left, right = cast(tuple[BitVec, BitVec], (left.args[0], right.args[0]))
        left, right = definitions.get(left, left), definitions.get(right, right)
        if not left.op is right.op is Op.ITE or left.args[::2] != right.args[::2]:
            break
        path = conj(path, cast(Bool, left.args[0]))  # the same lane, or both inside
        left, right = cast(tuple[BitVec, BitVec], (left.args[1], right.args[1]))
    before: list[BitVec] = []
    for word in (left, right):
        while word.op is Op.ITE:
            met, _, word = cast(tuple[Bool, BitVec, BitVec], word.args)
            yield neg(conj(path, met))
        before.append(word)
    yield implies(path, eq(*before))
