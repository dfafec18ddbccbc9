"""Goals about two kernels that a solver is asked: at once, or store by store."""

from collections.abc import Callable, Sequence
from time import monotonic

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.ladder import Answer, Fails, GaveUp, Holds, climb, literals
from visaproof.queries.kernels.stores import address_step, same_store
from visaproof.refinement.effects.question import Question
from visaproof.refinement.obligations import premises, stores_of
from visaproof.refinement.sweeping import swept
from visaproof.refinement.widths.items_apart import left_undefined
from visaproof.smt import Bool, Term, is_true, neg, substitute, subterms, symbol, symbols_of
from visaproof.smt.arithmetic import PRODUCTS
from visaproof.smt.evaluate import substitute_all

QUICK_MS = 300
"""For a question as it is: many are that simple, and for others there is more to do first."""

_Assumed = Callable[[Bool], tuple[Bool, ...]]
"""From a goal to what is assumed of what it is about."""

_Decided = dict[Form, Answer]
"""The answers, by what was assumed and asked, up to the names of symbols."""

STORES = 4
"""How many may take as long as a question may: the others are like one of them, or simple."""


def uncut(assumed: tuple[Bool, ...], goal: Bool, timeout_ms: int) -> Answer:
    """The answer of the ladder, at first with each product or quotient of unknowns as an unknown of its own."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(*assumed, goal) if term.op in PRODUCTS
    }
    if cut:
        answer = climb(tuple(substitute_all(assumed, cut)), substitute(goal, cut), timeout_ms)
        if isinstance(answer, Holds):
            return answer
    return climb(assumed, goal, timeout_ms)


def one_by_one(question: Question, surfaces: Sequence[str], timeout_ms: int) -> bool:
    """Whether each store of the target is the source's in the same place: many small questions, not a large one."""
    known: dict[Term, Term] = {}
    decided: _Decided = {}
    end = monotonic() + STORES * timeout_ms / 1000
    for surface in surfaces:
        source, target = stores_of(question, surface)
        if len(source) != len(target):
            return False
        for one, other in zip(source, target, strict=True):
            step = address_step(one, other)
            if monotonic() > end:
                return False
            if not _holds(question, step.goal, decided, timeout_ms):
                return False
            if step.target is not step.source:
                known[step.target] = step.source
            if not _holds(question, same_store(one, other, known), decided, timeout_ms):
                return False
    goal = neg(left_undefined(question))
    return isinstance(uncut(premises(question, goal), goal, timeout_ms), Holds)


def _holds(question: Question, goal: Bool, decided: _Decided, timeout_ms: int) -> bool:
    """Whether it holds for every input for which the source is defined; of lanes alike the first is asked.

    Lanes are alike under the premises only where these are: the source may be undefined in one lane alone.
    """
    if is_true(goal):
        return True
    answer = _answered(decided, lambda about: tuple(question.memory.facts((about,))), question, goal, timeout_ms)
    if isinstance(answer, Fails):
        answer = _answered(decided, lambda about: _premises_within(question, about), question, goal, timeout_ms)
    return isinstance(answer, Holds)


def _answered(decided: _Decided, assumed: _Assumed, question: Question, goal: Bool, timeout_ms: int) -> Answer:
    """Whether a goal holds where that is so which is assumed of it, if that was not asked before."""
    form = form_of(*assumed(goal), goal)
    if form not in decided:
        answer = uncut(assumed(goal), goal, min(QUICK_MS, timeout_ms))
        if isinstance(answer, GaveUp):
            smaller = swept(goal, question.memory, timeout_ms / 1000)
            answer = uncut(assumed(smaller), smaller, timeout_ms)
            if not question.memory.facts_are_all((goal,)):  # the form does not say which cells are one
                return answer
        decided[form] = answer
    return decided[form]


def _premises_within(question: Question, goal: Bool) -> tuple[Bool, ...]:
    """Those that are about nothing but what the goal is about: less than all, and so no more than they say."""
    about = set(symbols_of(goal, *question.memory.facts((goal,))))
    parts = (part for premise in premises(question, goal) for part in literals(premise))
    return tuple(part for part in parts if about.issuperset(symbols_of(part)))
