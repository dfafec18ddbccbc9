"""Whether a difference between two runs proves anything: the source might do something else for the same inputs."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import cast

from visaproof.checking.stages import Holds, decide_goal
from visaproof.isa.errors import NotModelled
from visaproof.launch.matching import SHARED_LOCAL, own_predicates
from visaproof.machine.symbolic.run import trace
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import after
from visaproof.queries.kernels.surface_names import AfterCuts, itself, moments_of
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.operands import OpenOperation, with_operands
from visaproof.refinement.effects.question import Question
from visaproof.refinement.fixed_memory import Alone, Contents, content_at, units_in
from visaproof.refinement.questions import of_the_source
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import Difference, OutsideBuffers, TargetUndefined
from visaproof.refinement.widths.thread_group import ThreadGroup
from visaproof.semantics.symbolic.alu import Source
from visaproof.semantics.symbolic.float_bits import LAYOUTS, is_nan
from visaproof.semantics.symbolic.float_meaning import arithmetic, mode_of
from visaproof.semantics.symbolic.value_names import Own, Unmatched, is_own
from visaproof.smt import BitVec, Bool, Op, Term, conj, const, disj, eq, false, implies, is_true, neg, symbols_of, true
from visaproof.smt.substitution import substitute_all


def _terms(question: Question, *sides: Effects) -> list[Term]:
    terms: list[Term] = []
    for effects in sides:
        terms += effects.undefined
        for stores in effects.stores.values():
            terms += [term for store in stores for term in (store.guard, store.cell, store.value)]
    terms += question.memory.definitions.values()
    return list(with_operands(question.memory, terms))


def source_choice(question: Question) -> str:
    """What the source depends on though uninitialised, or ""."""
    for term in _terms(question, question.source):
        if is_own(term, "source"):
            return f"the source depends on uninitialised values ({cast(Own, term.payload).place})"
    return ""


def unlike_threads(question: Question) -> str:
    """What a kernel depends on that threads of different width get unlike, or "": no run knows what both get."""
    for term in _terms(question, question.source, question.target):
        if isinstance(term.payload, Unmatched):
            return f"they depend on what threads of different width get unlike ({term.payload.what})"
    return ""


def is_undisturbed(question: Question) -> bool:
    """Whether the terms say what a run leaves: where others come at barriers or atomics they do not."""
    if question.source.barriers or question.target.barriers or question.disturbed:
        return False
    return all(itself(one) == one for one in question.surfaces)


def as_described(question: Question) -> Iterator[Bool]:
    """Where the source is defined, and the terms say what it does: its loops end in time, and inside its buffers."""
    source = question.source
    yield from (neg(condition) for condition in source.undefined)
    yield from source.ends
    yield from (reach.inside for reach in source.reaches)


def numbers(question: Question, found: Difference) -> dict[Term, Term]:
    """The numbers that the launch and the target chose."""
    known: dict[Term, Term] = {}
    memory = question.memory
    for term, value in found.values.items():
        internal = memory.behind(term) or term in memory.operations
        if not internal and not is_own(term, "source"):
            known[term] = const(value, term.width) if term.width else (true() if value & 1 else false())
    return known


# ---------------------------------------------------------------- longer runs than the terms describe

# The terms say what the source reads uninitialised as far as its loops were unrolled.  Of a longer run they say
# nothing: the source may choose there, too, unless no iteration of any number reads uninitialised values.


def may_choose_later(runner: Runner, lanes: Sequence[Bool]) -> bool:
    """Whether the source may depend on uninitialised values in some iteration of a loop that was not unrolled."""
    if isinstance(runner, ThreadGroup):
        parts = ((one, lanes[runner.split.lanes(number)]) for number, one in enumerate(runner.members))
        return any(may_choose_later(*part) for part in parts)
    return bool(runner.trace.bounded or runner.trace.loops) and _may_choose(runner, lanes)


def _may_choose(runner: Runner, lanes: Sequence[Bool]) -> bool:
    """Whether any iteration of any loop reads uninitialised values, or that is not known."""
    predicates = own_predicates(runner.owner)
    ran = trace(runner.kernel, runner.platform, runner.initial, lanes, predicates, unroll=0)
    if ran.stopped is not None or ran.bounded or any(one.operands is None for one in ran.arbitrary):
        return True
    words = (runner.initial(*place)[0] for place in ran.registers.initial_reads)
    return bool(ran.predicates.initial_reads) or any(is_own(one, "source") for one in words)


# ---------------------------------------------------------------- whether some choice leaves what the target left

_AT_ATOMICS = frozenset(("fence", "atomic"))

Apart = Mapping[str, Collection[int]]
"""Places in each surface."""

NOWHERE_APART: Apart = MappingProxyType({})

MEANT_MS, SAME_MS = 200, 1_000
"""For whether some choice leaves the source undefined, and whether some leaves the same."""

MOST_COMPUTED, COMPUTED_MS = 4, 500
"""Units that hold a sum or product of floats, of which it is asked whether arithmetic decides, and for each."""

MOST_COMPARED = 20_000
"""Stores compared with places, one by one."""


def ends_within_iterations(question: Question, found: Difference) -> bool:
    """Whether the loops of the source end within the iterations unrolled, whatever it chooses in a run."""
    known = numbers(question, found)
    alone = Alone(question.memory, known, {name: held for name, (_, held) in found.memory.items()})
    ends = list(question.source.ends)
    return all(map(is_true, alone.known(ends) if is_undisturbed(question) else substitute_all(ends, known)))


def no_choice_explains(comparison: Comparison, found: Difference) -> bool:
    """Whether the source leaves something else than the target did, and is defined, whatever it chooses."""
    left = None if isinstance(found.what, TargetUndefined | OutsideBuffers) else _left(comparison, found)
    apart = None if left is None else _apart_with_the_targets_choice(comparison, found, left)
    if apart is not None and not any(apart.values()):
        return False
    return no_choice_leaves(_of_a_run(comparison), found, left, apart or {})


def _is_at_atomics(surface: str) -> bool:
    """Whether others may have changed the surface at atomics or fences alone."""
    match moments_of(surface):
        case (*_, AfterCuts(kinds, _, 0)):
            return _AT_ATOMICS.issuperset(kinds)
        case _:
            return False


def _of_a_run(comparison: Comparison) -> Question:
    """A question whose terms say what a run of the source leaves, where others come at atomics and fences alone."""
    question = comparison.question
    others = [one for one in question.surfaces if itself(one) != one]
    if not others or not all(map(_is_at_atomics, others)) or question.source.barriers or question.disturbed:
        return question
    if question.atomic_steps or any(runner.threads for runner in comparison.runners):
        return question
    try:
        return of_the_source(comparison.runners, question.launched, question.forbidden, undisturbed=True)[1]
    except NotModelled:
        return question


def _apart_with_the_targets_choice(comparison: Comparison, found: Difference, left: Contents) -> Apart | None:
    """Where a run of the source leaves something else if it finds what the target has in the same registers."""
    targets = {one.payload: value for one, value in found.values.items()}
    own = {one: targets.get(cast(Own, one.payload).on("target"), 0) for one in found.values if is_own(one, "source")}
    try:
        ran = comparison.runners[0].run(found.memory, comparison.question.lanes, found.values | own)
    except NotModelled:  # then it is not known
        return None
    return {name: set(_differing_places(held, left[name])) for name, (_, held) in ran.memory.items() if name in left}


def no_choice_leaves(
    question: Question, found: Difference, left: Contents | None, apart: Apart = NOWHERE_APART
) -> bool:
    """Whether the source is defined and leaves something else than this, if anything, whatever it chooses.

    What is `apart` with one choice is asked of first.
    """
    if not is_undisturbed(question):
        return False
    alone = Alone(question.memory, numbers(question, found), {name: held for name, (_, held) in found.memory.items()})
    defined = conj(*alone.known(as_described(question)))
    if not isinstance(decide_goal((), defined, MEANT_MS), Holds):
        return False
    if left is None:
        return True
    first, rest = _differing(question, alone, left, apart)
    if any(isinstance(decide_goal((), disj(*some), SAME_MS), Holds) for some in (first, first + rest) if some):
        return True
    return _differ_by_arithmetic(question, alone, first + rest)


def _differ_by_arithmetic(question: Question, alone: Alone, differ: Sequence[Bool]) -> bool:
    """Whether a unit differs whatever floats the source computes with: a sum or product is not any number."""
    on_floats = ((one, tuple(float_facts(question.memory, alone, (one,)))) for one in differ)
    asked = islice(((one, facts) for one, facts in on_floats if facts), MOST_COMPUTED)
    return any(isinstance(decide_goal((), implies(conj(*facts), one), COMPUTED_MS), Holds) for one, facts in asked)


def _left(comparison: Comparison, found: Difference) -> Contents:
    """What the target left; nobody reads shared local memory at the end."""
    question, target = comparison.question, tuple(comparison.runners[1].orders())[found.order]
    ran = target.run(found.memory, question.lanes, found.values, backwards=found.backwards)
    return {name: held for name, (_, held) in ran.memory.items() if name != SHARED_LOCAL}


def _differing(question: Question, alone: Alone, left: Contents, apart: Apart) -> tuple[list[Bool], list[Bool]]:
    """For each unit of memory that may have changed, that the source leaves another one; of too many, some of them.

    Those that are apart with one choice stand by themselves: of the others some choice leaves what the target left.
    """
    first, found = list[Bool](), list[Bool]()
    room = MOST_COMPARED
    for surface in filter(left.__contains__, question.surfaces):
        unknown, unit = question.source.stores.get(surface, ()), question.memory.units[surface]
        if not unknown:
            found.append(true() if _differ(alone.contents[surface], left[surface]) else false())
            continue
        stores, width = alone.known_stores(unknown), unknown[0].cell.width
        before, then = alone.units(surface, width), units_in(left[surface], width, unit)
        likely = units_in(dict.fromkeys(apart.get(surface, ()), 1), width, unit)
        these = [(true(), const(place, width)) for place in sorted(likely)]
        others = [(true(), const(place, width)) for place in sorted((before.keys() | then.keys()) - likely.keys())]
        others += [(one.guard, one.cell) for one in stores if one.cell.op is not Op.CONST]
        for places, differ in ((these, first), (others, found)):
            for guard, cell in places[: room // max(1, len(stores))]:
                room -= len(stores)
                mine = after(stores, cell, alone.content(surface, cell))
                differ.append(conj(guard, neg(eq(mine, content_at(then, cell, unit)))))
    return first, found


def _differ(one: Mapping[int, int], other: Mapping[int, int]) -> bool:
    return any(True for _ in _differing_places(one, other))


def _differing_places(one: Mapping[int, int], other: Mapping[int, int]) -> Iterator[int]:
    return (place for place in one.keys() | other.keys() if one.get(place, 0) != other.get(place, 0))


# ---------------------------------------------------------------- arithmetic on floats

# What IEEE 754 says of sums and products, whatever their operands are: the arithmetic of the runs.  Of operands that
# are results themselves nothing is taken to be known, and a result that is NaN may be any NaN.  So more seems possible
# than is, and never less.

KNOWN = ("add", "mul")
"""Opcodes of which nothing is left to an implementation but which NaN it gives, and what it flushes."""


def float_facts(memory: SharedMemory, alone: Alone, terms: Iterable[Term]) -> Iterator[Bool]:
    """What the results in the terms can be."""
    for one in symbols_of(*terms):
        operation = memory.operations.get(one)
        if isinstance(operation, OpenOperation):
            yield from _fact(cast(BitVec, one), operation, alone)


def _fact(result: BitVec, operation: OpenOperation, alone: Alone) -> Iterator[Bool]:
    """At most one: nothing of what is no such operation, or has a rounding that is not known."""
    named, data_type, control = operation.named, operation.result, operation.control
    if len(named) != 1 or named[0] not in KNOWN or operation.origin is not None or control is None:
        return
    if data_type not in LAYOUTS:
        return
    register, *bits = alone.known([control, *(word for word, _, _ in operation.operands)])
    sources = [Source(word, *how[1:]) for word, how in zip(bits, operation.operands, strict=True)]
    mode = mode_of(register)
    meaning = None if mode is None else arithmetic(named[0], sources, data_type, mode)
    if meaning is not None:
        value, layout = cast(BitVec, meaning.value), LAYOUTS[data_type]
        yield disj(meaning.open, eq(result, value), conj(is_nan(value, layout), is_nan(result, layout)))
