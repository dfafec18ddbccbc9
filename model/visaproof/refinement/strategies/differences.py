"""Differences, found on random and simple inputs or by a solver: each is a run of both programs, and shrunk."""

from collections.abc import Callable, Iterator
from itertools import islice

from msgspec.structs import replace

from visaproof.checking.clauses import Form, form_of
from visaproof.checking.stages import Fails, GaveUp, Values
from visaproof.isa.errors import NotModelled
from visaproof.queries.kernels.extents import MOST_LAYERS, MOST_TEXELS
from visaproof.queries.kernels.stores import same_store
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.choices import may_choose_later, source_choice
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.effects.question import LARGEST_SURFACE, Question
from visaproof.refinement.obligations import open_surfaces, stores_of
from visaproof.refinement.steps import uncut
from visaproof.refinement.strategies.strategy import Asked
from visaproof.refinement.testing.memory import IMAGE_SIZE, nothing
from visaproof.refinement.testing.random_testing import (
    AUDITS,
    LAST_RUNS,
    LAST_TESTS,
    TESTS,
    random_test,
    settled,
    smaller,
)
from visaproof.refinement.testing.runs import again, difference
from visaproof.refinement.verdicts import Difference
from visaproof.semantics.symbolic.names import BufferOffset, Extent, surface_size
from visaproof.smt import Bool, is_true

LONGER = 8
"""Times as many iterations, where loops are unrolled deeper."""


def runs(count: int, seed: int = 0, most: int | None = None) -> Callable[[Asked], Difference | None]:
    """So many runs of each kind, and at most so many in all."""

    def run(asked: Asked) -> Difference | None:
        found = random_test(asked.comparison, count, seed, most)
        return None if found is None else smaller(asked.comparison, found)

    return run


few = runs(AUDITS)
"""Where runs are dear and mostly agree: of loops, and of many threads."""
many = runs(TESTS)
"""Before a solver is asked."""
last = runs(LAST_TESTS, seed=1, most=LAST_RUNS)
"""Where no solver decided, or none can be asked."""


def before_a_solver(asked: Asked) -> Difference | None:
    """As many as a question of one thread is worth, of several threads a few."""
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
        found = random_test(longer, TESTS)
        if found is None:
            return None
        found = smaller(longer, found)
        shown = again(comparison, found)
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
    return _again(comparison, start)


def rather_inside(comparison: Comparison, found: Difference) -> Difference:
    """The difference, or one in which the source stays inside its buffers and images, if runs show one.

    An access outside is undefined in the source language.  The runs are those with larger ones, and the guesses.
    """
    if found.source_missed is None:
        return found
    question = comparison.question
    inside = replace(question, forbidden=question.forbidden | {UndefinedKind.OUTSIDE})
    asked = replace(comparison, question=inside)
    other = _in_larger_buffers(asked, found) or random_test(asked, TESTS)
    return found if other is None else smaller(asked, other)


def _in_larger_buffers(asked: Comparison, found: Difference) -> Difference | None:
    """The same launch with buffers and images as large as they may be."""
    sizes = {name: surface_size(name) for name, (size, _) in found.memory.items() if size != IMAGE_SIZE}
    larger = {name: (LARGEST_SURFACE, found.memory[name][1]) for name, size in sizes.items() if size in found.values}
    extents = ((term, term.payload) for term in found.values if isinstance(term.payload, Extent))
    texels = {term: MOST_LAYERS if extent.axis == "depth" else MOST_TEXELS for term, extent in extents}
    values = found.values | texels | {sizes[name]: LARGEST_SURFACE for name in larger}
    start = replace(found, values=values, memory=found.memory | larger)
    return _again(asked, start)


def _again(comparison: Comparison, start: Difference) -> Difference | None:
    """What a run from this start shows, if it is a difference whatever the source may choose."""
    try:
        shown = again(comparison, start)
        return shown and settled(comparison, shown)
    except NotModelled:
        return None


# ---------------------------------------------------------------- a solver in one store

# Differences that a solver finds in one store: a run of both kernels on its values decides.
#
#     ∃ inputs:  the target's n-th store to a memory is not the source's n-th, and all accesses are inside their buffers
#
# The question is about one lane, and not about what makes the source defined, for which there are as many conditions
# as pairs of lanes.  So the values prove nothing: if a run does not show a difference, the next store is asked about.
# What random inputs miss is found so, as a loop whose bound wraps for few of the numbers that memory may hold.


MOST_ASKED = 4
"""Stores that a solver is asked about: the others are mostly like one of these."""

EACH_MS = 3000
"""For one of them."""


def differing_store(asked: Asked) -> Difference | None:
    """A difference in one store that a run shows."""
    question = asked.question
    inside = [reach.inside for reach in (*question.source.reaches, *question.target.reaches)]
    for goal in islice(_goals(question), MOST_ASKED):
        assumed = (*question.launched.possible, *inside, *question.memory.facts((goal, *inside)))
        answer = uncut(assumed, goal, min(EACH_MS, asked.timeout_ms))
        if isinstance(answer, Fails) and (found := _shown(asked.comparison, answer.values)) is not None:
            return smaller(asked.comparison, found)
        if isinstance(answer, GaveUp):  # as of the stores after it
            break
    return None


def _goals(question: Question) -> Iterator[Bool]:
    """That stores in the same place of both kernels are the same; of lanes alike once."""
    asked: set[Form] = set()
    for surface in open_surfaces(question):
        for one, other in zip(*stores_of(question, surface), strict=False):
            goal = same_store(one, other, {})
            if not is_true(goal) and (form := form_of(goal)) not in asked:
                asked.add(form)
                yield goal


def _shown(comparison: Comparison, values: Values) -> Difference | None:
    """The difference that a run on these values shows, if it is one whatever the source may choose."""
    try:
        found = difference(comparison, values, nothing)
        return found and settled(comparison, found)
    except NotModelled:
        return None
