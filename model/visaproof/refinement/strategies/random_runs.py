"""Differences found by running both programs on random and simple inputs: each is a run, and shrunk to a small one."""

from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.queries.kernels.extents import MOST_LAYERS, MOST_TEXELS
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.choices import may_choose_later, source_choice
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.effects.question import LARGEST_SURFACE
from visaproof.refinement.strategies.strategy import Asked
from visaproof.refinement.testing.guesses import AUDITS, GUESSES, LAST_GUESSES, LAST_RUNS, guessed, settled
from visaproof.refinement.testing.memory import IMAGE_SIZE
from visaproof.refinement.testing.runs import again
from visaproof.refinement.testing.shrinking import smaller
from visaproof.refinement.verdicts import Difference
from visaproof.semantics.symbolic.names import BufferOffset, Extent, surface_size

LONGER = 8
"""Times as many iterations, where loops are unrolled deeper."""


def _shrunk(asked: Asked, found: Difference | None) -> Difference | None:
    return None if found is None else smaller(asked.comparison, found)


def few(asked: Asked) -> Difference | None:
    """A handful of runs, where they are dear and mostly agree: of loops, and of many threads."""
    return _shrunk(asked, guessed(asked.comparison, AUDITS))


def many(asked: Asked) -> Difference | None:
    """Runs before a solver is asked."""
    return _shrunk(asked, guessed(asked.comparison, GUESSES))


def long(asked: Asked) -> Difference | None:
    """Runs where no solver decided, or none can be asked."""
    return _shrunk(asked, guessed(asked.comparison, LAST_GUESSES, seed=1, most=LAST_RUNS))


def before_a_solver(asked: Asked) -> Difference | None:
    """As many as a question of one thread is worth, of several threads a few: these are dear and mostly agree."""
    return many(asked) if asked.comparison.split is None else few(asked)


def unrolled_deeper(asked: Asked) -> Difference | None:
    """Runs of more iterations than were unrolled, where the source may choose in them.

    Of a run whose loops take longer, the terms do not say what the source might have left with another choice.
    """
    comparison, question = asked.comparison, asked.question
    if not source_choice(question) and not may_choose_later(comparison.runners[0], question.lanes):
        return None
    scope = replace(comparison.scope, unroll=LONGER * comparison.scope.unroll)
    try:
        longer = compare(comparison.source, comparison.target, scope)
        found = guessed(longer, GUESSES)
        if found is None:
            return None
        found = smaller(longer, found)
        shown = again(*comparison.runners, question, found)
    except NotModelled:
        return None
    return shown and replace(shown, whatever_found=found.whatever_found)


def rather_usual(comparison: Comparison, found: Difference) -> Difference:
    """The difference, or one of a launch that hosts make: buffers begin where memory does, and the source stays inside.

    A host that hands over a buffer offset is rare.
    """
    return rather_inside(comparison, _at_offset_0(comparison, found) or found)


def _at_offset_0(comparison: Comparison, found: Difference) -> Difference | None:
    """The same launch, once every buffer begins at offset 0; None where that shows nothing."""
    offsets = {term for term, value in found.values.items() if value and isinstance(term.payload, BufferOffset)}
    if not offsets:
        return None
    start = replace(found, values=found.values | dict.fromkeys(offsets, 0))
    try:
        shown = again(*comparison.runners, comparison.question, start)
        return shown and settled(comparison, shown)
    except NotModelled:
        return None


def rather_inside(comparison: Comparison, found: Difference) -> Difference:
    """The difference, or one in which the source stays inside its buffers and images, if runs show one.

    An access outside is undefined in the source language.  The runs are those with larger ones, and the guesses.
    """
    if found.source_missed is None:
        return found
    question = comparison.question
    inside = replace(question, forbidden=question.forbidden | {UndefinedKind.OUTSIDE})
    asked = replace(comparison, question=inside)
    other = _in_larger_buffers(asked, found) or guessed(asked, GUESSES)
    return found if other is None else smaller(asked, other)


def _in_larger_buffers(asked: Comparison, found: Difference) -> Difference | None:
    """The same launch with buffers and images as large as they may be."""
    sizes = {name: surface_size(name) for name, (size, _) in found.memory.items() if size != IMAGE_SIZE}
    larger = {name: (LARGEST_SURFACE, found.memory[name][1]) for name, size in sizes.items() if size in found.values}
    extents = ((term, term.payload) for term in found.values if isinstance(term.payload, Extent))
    texels = {term: MOST_LAYERS if extent.axis == "depth" else MOST_TEXELS for term, extent in extents}
    values = found.values | texels | {sizes[name]: LARGEST_SURFACE for name in larger}
    start = replace(found, values=values, memory=found.memory | larger)
    try:
        shown = again(*asked.runners, asked.question, start)
        return shown and settled(asked, shown)
    except NotModelled:
        return None
