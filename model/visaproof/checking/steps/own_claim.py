"""A claim in z3 arrays about instructions one after another, as a question to the engine."""

from collections.abc import Sequence

from visaproof.checking.encode import Step
from visaproof.queries.query import OwnClaim, Query
from visaproof.smt.z3_types import Z3Bool

UNNAMED = "claim"


def claim(expression: Z3Bool | bool, *steps: Step, name: str = "", even_undefined: bool = False) -> Query:
    """The question whether a z3 formula holds of these steps, for all values of all constants in it.

    Each step begins where the one before ends.  A state in which a page leaves one of them undefined is left out,
    unless `even_undefined`.  Arrays may be read, and compared where the claim says that they are equal; a place that
    `ForAll` ranges over is an arbitrary one.

    Raises ValueError for a formula that has no form without arrays, TypeError for what is no formula.
    """
    from visaproof.smt.raised import Raising, at_one_place
    from visaproof.smt.z3_arrays import is_truth

    if not steps:
        raise TypeError("a claim is about at least one step: claim(formula, encode(instruction, before))")
    if not is_truth(expression):
        raise TypeError(f"a claim is a z3 formula, not {expression!r:.60}")
    raising, formula = Raising(), at_one_place(expression)
    defined = () if even_undefined else tuple(raising.truth(_negated(step)) for step in steps)
    goal = raising.truth(formula)
    return Query(
        claim=f"{steps[0].instruction.spec.name}/{name or UNNAMED}",
        scope="",
        assumptions=(*defined, *raising.agreement()),
        goal=goal,
        about=OwnClaim(formula, steps, raising),
        readings=_readings(steps),
    )


def _negated(step: Step) -> Z3Bool:
    from visaproof.smt.z3_arrays import negated

    return negated(step.undefined)


def _readings(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reading for step in steps for reading in step.instruction.spec.readings))
