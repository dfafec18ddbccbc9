"""Sums of unknowns that are one number whatever these are, as the number of a thread less itself read another way.

Unoptimised code computes the number of its thread from fields of state registers before each access of private memory.
Bit by bit that is the number in which the slot begins, but no sum of the normal form; so a solver is asked once whether
these parts of an address cancel out, and not again for every lane and every variable in the slot.
"""

from collections.abc import Iterator
from random import Random
from typing import cast

from visaproof.smt import BitVec, Bool, Op, Term, const, eq, kept, linear_parts, neg, substitute, subterms, symbols_of
from visaproof.smt.answers import Unsatisfiable
from visaproof.smt.arithmetic import sum_of
from visaproof.smt.evaluate import Evaluation
from visaproof.smt.solvers import solve

SAMPLES = 6
"""Random values under which parts have to be one number before a solver is asked."""

QUICK_MS = 2_000
"""For that question."""

KEPT_ANSWERS = 1024
"""All lanes and variables of a kernel come to the same sums."""


def without_constant_sums(formula: Bool) -> tuple[Bool, str]:
    """The formula with numbers for such parts of its sums, and the solver that showed them; as it was where none is."""
    found: dict[Term, Term] = {}
    solvers: dict[str, None] = {}
    for term in subterms(formula):
        if term.op is Op.SUM and len(term.args) > 1:
            shorter, solver = _shortened(cast(BitVec, term))
            if solver:
                found[term], solvers[solver] = shorter, None
    return (substitute(formula, found), ", ".join(solvers)) if found else (formula, "")


def _shortened(term: BitVec) -> tuple[BitVec, str]:
    """The sum without the parts that are one number."""
    constant, parts = linear_parts(term)
    for unit, counts in _groups(parts, term.width):
        number, solver = _number_of(sum_of(0, counts, term.width))
        if solver:
            left = {one: factor for one, factor in parts.items() if one not in counts}
            return sum_of(constant + unit * number, left, term.width), solver
    return term, ""


def _groups(parts: dict[BitVec, int], width: int) -> Iterator[tuple[int, dict[BitVec, int]]]:
    """A unit, and how often it counts the parts that may cancel out: all that it divides, of either sign.

    Without the unit no solver has to multiply.
    """
    signed = {one: factor - (factor >> width - 1 << width) for one, factor in parts.items()}
    for unit in sorted({abs(factor) for factor in signed.values()}, reverse=True):
        counts = {one: factor // unit for one, factor in signed.items() if factor % unit == 0}
        if min(counts.values()) < 0 < max(counts.values()):
            yield unit, counts


@kept(KEPT_ANSWERS)
def _number_of(parts: BitVec) -> tuple[int, str]:
    """The number that the parts are for all values, and the solver that shows it; none if they are no number."""
    symbols = symbols_of(parts)
    random = Random(0)
    numbers = {
        Evaluation({one: random.getrandbits(max(1, one.width)) for one in symbols}).of(parts) for _ in range(SAMPLES)
    }
    if len(numbers) > 1:
        return 0, ""
    (number,) = numbers
    answer = solve([neg(eq(parts, const(number, parts.width)))], QUICK_MS)
    return (number, answer.solver) if isinstance(answer, Unsatisfiable) else (0, "")
