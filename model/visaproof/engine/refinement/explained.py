"""Whether some choice of the source leaves all that the target left in a run: then that run shows no difference."""

from collections.abc import Iterator, Mapping

from visaproof.engine.ladder import Holds, climb
from visaproof.engine.refinement.alone import Alone, Contents, content_at, units_in
from visaproof.engine.refinement.choices import as_described, numbers
from visaproof.engine.refinement.comparison import Comparison
from visaproof.engine.refinement.registers import with_registers
from visaproof.engine.refinement.runs import Difference
from visaproof.queries.refinement.question import Question
from visaproof.queries.refinement.side import itself
from visaproof.queries.refinement.stores import after
from visaproof.smt import Bool, Op, conj, const, disj, eq, false, neg, true

ASKED_MS = 1_000


def no_choice_explains(comparison: Comparison, found: Difference) -> bool:
    """Whether the source leaves something else than the target did, and has a meaning, whatever it chooses."""
    question = comparison.question
    if question.source.barriers or question.disturbed or any(itself(one) != one for one in question.surfaces):
        return False
    left = {} if found.undefined or found.outside is not None else _left(comparison, found)
    alone = Alone(question.memory, numbers(question, found), {name: held for name, (_, held) in found.memory.items()})
    goal = _never_the_same(question, alone, left)
    return isinstance(climb((), goal, ASKED_MS), Holds)


def _left(comparison: Comparison, found: Difference) -> Contents:
    """What the target left."""
    question, target = comparison.question, tuple(comparison.runners[1].orders())[found.order]
    ran = target.run(found.memory, question.lanes, found.values, backwards=found.backwards)
    return {name: held for name, (_, held) in with_registers(ran, target, question, found.values).memory.items()}


def _never_the_same(question: Question, alone: Alone, left: Contents) -> Bool:
    """That the source has a meaning and leaves something else than this, if anything was left."""
    defined = conj(*alone.known(as_described(question)))
    return conj(defined, disj(*_differing(question, alone, left))) if left else defined


def _differing(question: Question, alone: Alone, left: Contents) -> Iterator[Bool]:
    """For each unit of memory that may have changed, that the source leaves another one."""
    memory = question.memory
    for surface in (one for one in question.surfaces if one in left and one in alone.contents):
        unknown, unit = question.source.stores.get(surface, ()), memory.units[surface]
        if not unknown:
            yield true() if _differ(alone.contents[surface], left[surface]) else false()
            continue
        stores, width = alone.known_stores(unknown), unknown[0].cell.width
        held = units_in(alone.contents[surface], width, unit), units_in(left[surface], width, unit)
        chosen = [one for one in stores if one.cell.op is not Op.CONST]
        places = (const(place, width) for place in sorted(held[0].keys() | held[1].keys()))
        for guard, cell in (*((true(), place) for place in places), *((one.guard, one.cell) for one in chosen)):
            mine = after(stores, cell, alone.content(surface, cell))
            yield conj(guard, neg(eq(mine, content_at(left[surface], cell, unit))))


def _differ(one: Mapping[int, int], other: Mapping[int, int]) -> bool:
    return any(one.get(place, 0) != other.get(place, 0) for place in one.keys() | other.keys())
