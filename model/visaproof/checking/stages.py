"""The stages of a question: normal form, one-bit data, solver.  Each answers or passes the question on."""

from collections.abc import Iterator
from itertools import product
from typing import cast

from msgspec import Struct

from visaproof.smt import Bool, Op, Term, conj, evaluate, false, is_false, is_true, neg, substitute, symbols_of, true
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.copies import one_bit
from visaproof.smt.solvers import solve

Values = dict[Term, int]

NORMAL_FORM = "normal form"
"""The stage that needs no solver."""


class Holds(Struct, frozen=True):
    """The goal follows from the assumptions."""

    by: str


class Fails(Struct, frozen=True):
    """The assumptions hold and the goal does not, for these values."""

    values: Values
    solver: str = ""
    """Who found them; empty where nobody had to search."""


class Impossible(Struct, frozen=True):
    """The assumptions cannot hold."""

    solver: str = ""


class GaveUp(Struct, frozen=True):
    """Undecided."""

    reason: str


Answer = Holds | Fails | Impossible | GaveUp


def decide_goal(assumptions: tuple[Bool, ...], goal: Bool, timeout_ms: int, seed: int = 0) -> Answer:
    """Whether the goal holds wherever the assumptions do, and whether they can hold at all."""
    premise = conj(*assumptions)
    answer = _failing(assumptions, premise, goal, timeout_ms, seed)
    if isinstance(answer, Holds):
        possible = _satisfiable(premise, timeout_ms, seed)
        return answer if isinstance(possible, Fails) else possible
    return answer


def _failing(assumptions: tuple[Bool, ...], premise: Bool, goal: Bool, timeout_ms: int, seed: int) -> Answer:
    """Whether the goal fails somewhere where the premise holds."""
    remaining = _under(premise, goal)
    if is_true(remaining):
        return Holds(NORMAL_FORM)
    narrowed = one_bit(assumptions, remaining)
    answer = _search(conj(premise, neg(narrowed.goal if narrowed else remaining)), timeout_ms, seed)
    if isinstance(answer, Impossible):
        return Holds(answer.solver or NORMAL_FORM)
    if isinstance(answer, Fails) and narrowed:
        return Fails(narrowed.widen(answer.values), answer.solver)
    return answer


def _satisfiable(premise: Bool, timeout_ms: int, seed: int) -> Answer:
    """Values under which the premise holds: simple ones are tried before a solver is asked."""
    symbols = symbols_of(premise)
    for flag, code in product((1, 0), (8, 0, 1)):
        guess = {symbol: _guess(symbol, flag, code) for symbol in symbols}
        if evaluate(premise, guess):
            return Fails(guess)
    return _search(premise, timeout_ms, seed)


def _guess(symbol: Term, flag: int, code: int) -> int:
    """`flag` for a truth value, `code` for a field, 0 for a word, and as large as can be for a size."""
    if symbol.width == 0:
        return flag
    if symbol.width <= 4:
        return code & ((1 << symbol.width) - 1)
    return 0 if symbol.width <= 32 else (1 << symbol.width) - 1


def _search(formula: Bool, timeout_ms: int, seed: int) -> Fails | Impossible | GaveUp:
    """Values under which the formula holds."""
    if is_true(formula):
        return Fails({})
    if is_false(formula):
        return Impossible()
    match solve([formula], timeout_ms, seed):
        case Satisfiable(values, solver):
            return Fails(values, solver)
        case Unsatisfiable(solver):
            return Impossible(solver)
        case undecided:
            return GaveUp(undecided.reason)


def _under(premise: Bool, goal: Bool) -> Bool:
    """The goal where the premise holds: what it asserts is true, what it denies is false, and equals are one."""
    facts: dict[Term, Term] = {}
    for literal in literals(premise):
        if literal.op is Op.NOT:
            facts[literal.args[0]] = false()
        elif literal.op is not Op.CONST:
            facts[literal] = true()
        if literal.op is Op.EQ:
            known, word = sorted(literal.args, key=_is_symbol)
            if _is_symbol(word):
                facts[word] = known
    return substitute(goal, facts) if facts else goal


def _is_symbol(term: Term) -> bool:
    return term.op is Op.SYMBOL


def literals(premise: Bool) -> Iterator[Bool]:
    """The conjuncts; a denied disjunction denies each of its parts."""
    for part in premise.args if premise.op is Op.CONJ else (premise,):
        if part.op is Op.NOT and part.args[0].op is Op.DISJ:
            yield from (neg(cast(Bool, inner)) for inner in part.args[0].args)
        yield cast(Bool, part)
