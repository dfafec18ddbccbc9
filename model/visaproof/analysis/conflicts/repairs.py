"""What a model gets wrong that a concrete run knows: of memory, and of comparisons of floats.

    s is the result of `cmp.lt a b`;   a, b no denormals   ⟹   s = (a < b)

as IEEE 754 compares them, in every mode; a symbolic run leaves it open.  A model that says otherwise is asked again
with that, of operands that are no denormals: others are not looked for.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from visaproof.analysis.conflicts.thread_states import Repair, Values, loads_agree
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.semantics.symbolic.float_axioms import ALL_MODES
from visaproof.semantics.symbolic.float_meaning import Meaning, compared
from visaproof.smt import Bool, conj, evaluate, iff, neg, symbols_of

COMPARISON = "cmp"
FLOATS_DISAGREE = "floats compare as no run compares them"
FLUSHING = ALL_MODES[0]
"""Nothing is known here of denormals, and the rounding is no matter."""


def repairs_of(trace: Trace, until: Performed, formula: Bool, values: Values) -> Iterator[Repair]:
    """What to ask for in addition, where these values make the formula hold and a run does not confirm it."""
    yield from loads_agree(trace, until, values)
    yield from comparisons_agree(trace.arbitrary, formula, values)


def comparisons_agree(left_open: Iterable[Uninterpreted], formula: Bool, values: Values) -> Iterator[Repair]:
    """For each comparison that the formula depends on, and that the values get wrong, what it is."""
    used = set(symbols_of(formula))
    for one in left_open:
        if one.symbol in used and (meaning := meaning_of_comparison(one)) is not None:
            agrees = conj(neg(meaning.open), iff(cast(Bool, one.symbol), cast(Bool, meaning.value)))
            if not evaluate(agrees, values):
                yield Repair(agrees, False, FLOATS_DISAGREE)


def meaning_of_comparison(one: Uninterpreted) -> Meaning | None:
    """What a comparison of floats is, left open for denormals; None of another value."""
    if one.operands is None or one.operation[:1] != (COMPARISON,):
        return None
    return compared(one.operation[1], one.operands[0], one.operands[1], FLUSHING)
