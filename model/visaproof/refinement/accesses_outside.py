"""Differences that rest on an access of the source outside of a buffer, which is undefined in the source language."""

from dataclasses import replace

from visaproof.isa.errors import NotModelled
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.difference import Difference
from visaproof.refinement.effects.question import LARGEST_SURFACE
from visaproof.refinement.environment.environment_steps import Interference
from visaproof.refinement.testing.guesses import GUESSES, guessed, settled
from visaproof.refinement.testing.runs import again
from visaproof.refinement.testing.shrinking import smaller
from visaproof.semantics.symbolic.names import surface_size


def rather_inside(comparison: Comparison, found: Difference) -> Difference:
    """The difference, or one in which the source stays inside its buffers, if runs show one.

    These are runs with larger buffers, and the guesses.
    """
    if found.source_missed is None or isinstance(found.what, Interference):
        return found
    question = comparison.question
    inside = replace(question, forbidden=question.forbidden | {UndefinedKind.OUTSIDE})
    asked = replace(comparison, question=inside)
    other = _in_larger_buffers(asked, found) or guessed(asked, GUESSES)
    return found if other is None else smaller(asked, other)


def _in_larger_buffers(asked: Comparison, found: Difference) -> Difference | None:
    """The same launch with buffers as large as they may be."""
    sizes = {name: surface_size(name) for name in found.memory}
    larger = {name: (LARGEST_SURFACE, found.memory[name][1]) for name, size in sizes.items() if size in found.values}
    values = found.values | {sizes[name]: LARGEST_SURFACE for name in larger}
    start = replace(found, values=values, memory=found.memory | larger)
    try:
        shown = again(*asked.runners, asked.question, start)
        return shown and settled(asked, shown)
    except NotModelled:
        return None
