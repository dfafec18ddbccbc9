"""Whether a difference between two runs proves anything: the source might do something else for the same inputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from visaproof.checking.ladder import Holds, climb
from visaproof.launch.matching import own_predicates
from visaproof.machine.symbolic.run import trace
from visaproof.queries.kernels.stores import after
from visaproof.queries.kernels.surface_names import itself
from visaproof.refinement.effects.effects import Effects
from visaproof.refinement.effects.operands import with_operands
from visaproof.refinement.effects.question import Question
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import Difference
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.symbolic.names import OpenResult
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.semantics.symbolic.value_names import Own, Unmatched, is_own
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    const,
    eq,
    extract,
    false,
    is_false,
    is_true,
    neg,
    substitute,
    symbols_of,
    true,
)
from visaproof.smt.substitution import substitute_all

MOST_ASKED = 4
"""Differences of one run of which a solver is asked whether a choice of the source takes them away."""

ASKED_MS = 500


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


def first_certain(question: Question, found: Sequence[Difference]) -> Difference | None:
    """The first difference of a run that is one, and where the source is defined, whatever it reads unwritten."""
    if not found or unlike_threads(question):
        return None
    if not source_choice(question):
        return found[0]
    if not is_undisturbed(question):
        return None
    known = numbers_known(question, found[0])
    defined = conj(*(substitute(one, known) for one in as_described(question)))
    if is_false(defined):
        return None
    differ = ((one, conj(defined, _differs(question, one, known))) for one in found)
    open_ones: list[tuple[Difference, Bool]] = []
    for one, certain in differ:
        if is_true(certain):
            return one
        if len(open_ones) < MOST_ASKED and not is_false(certain) and not _depends_on_results(certain):
            open_ones.append((one, certain))
    return next((one for one, certain in open_ones if isinstance(climb((), certain, ASKED_MS), Holds)), None)


def is_undisturbed(question: Question) -> bool:
    """Whether the terms say what a run leaves: where others come at barriers, atomics or in turns they do not."""
    if question.source.barriers or question.target.barriers or question.disturbed:
        return False
    return all(itself(one) == one for one in question.surfaces)


def as_described(question: Question) -> Iterator[Bool]:
    """Where the source is defined, and the terms say what it does: its loops end in time, and inside its buffers."""
    source = question.source
    yield from (neg(condition) for condition in source.undefined)
    yield from source.ends
    yield from (reach.inside for reach in source.reaches)


def _depends_on_results(certain: Bool) -> bool:
    """Whether results that are not known decide it: they may be anything."""
    return any(isinstance(one.payload, OpenResult) for one in symbols_of(certain))


def _differs(question: Question, found: Difference, known: dict[Term, Term]) -> Bool:
    """Whether the source leaves something else there than the target did, by what is known; else it may choose."""
    byte = found.byte
    stores = () if byte is None else question.source.stores.get(byte.surface, ())
    if byte is None or not stores:
        return true()
    unit, width = question.memory.units[byte.surface], stores[0].cell.width
    of_texels = width > FLAT_BITS
    cell = const(byte.address >> 130 - width if of_texels else byte.address // unit * unit, width)
    before = _content(found, byte.surface, cell, unit)
    left = substitute(after(stores, cell, const(before, 8 * unit)), known)
    low, size = (0, 8 * unit) if of_texels else (8 * (byte.address % unit), 8)
    return neg(eq(extract(left, low + size - 1, low), const(byte.target, size)))


def numbers(question: Question, found: Difference) -> dict[Term, Term]:
    """The numbers that the launch and the target chose."""
    known: dict[Term, Term] = {}
    memory = question.memory
    for term, value in found.values.items():
        internal = memory.behind(term) or term in memory.operations
        if not internal and not is_own(term, "source"):
            known[term] = const(value, term.width) if term.width else (true() if value & 1 else false())
    return known


def numbers_known(question: Question, found: Difference) -> dict[Term, Term]:
    """The numbers of the run, without those that follow from what the source chose."""
    known = numbers(question, found)
    memory = question.memory
    cells: dict[Term, BitVec] = {value: cell for (_, cell), value in memory.cells.items()}

    for name in memory.order:
        if name in memory.definitions:
            known[name] = substitute(memory.definitions[name], known)
        elif substitute(cells[name], known).op is Op.CONST and name in found.values:
            known[name] = const(found.values[name], name.width)
    return known


def _content(found: Difference, surface: str, cell: BitVec, width: int) -> int:
    """What was at a cell that is a number before the runs."""
    place = cast(int, cell.payload)
    contents = found.memory[itself(surface)][1]
    if cell.width > FLAT_BITS:  # of a typed surface
        return contents.get(place << 130 - cell.width, 0)
    return sum(contents.get(place + k, 0) << 8 * k for k in range(width))


# ---------------------------------------------------------------- longer runs than the terms describe

# The terms say what the source reads unwritten as far as its loops were unrolled.  Of a run that takes longer they say
# nothing: the source may choose there, too, unless no iteration of any number reads uninitialised values.


def is_within_rounds(question: Question, known: Mapping[Term, Term]) -> bool:
    """Whether the loops of the source end within the iterations unrolled, in a run of which these numbers are known."""
    return all(map(is_true, substitute_all(list(question.source.ends), known)))


def may_choose_later(runner: AnyRunner, lanes: Sequence[Bool]) -> bool:
    """Whether the source may depend on uninitialised values in some iteration of a loop that was not unrolled."""
    if isinstance(runner, Runner):
        return bool(runner.trace.bounded) and _may_choose(runner, lanes)
    return any(may_choose_later(one, lanes[runner.split.lanes(number)]) for number, one in enumerate(runner.members))


def _may_choose(runner: Runner, lanes: Sequence[Bool]) -> bool:
    """Whether any iteration of any loop reads uninitialised values, or that is not known."""
    predicates = own_predicates(runner.owner)
    ran = trace(runner.kernel, runner.platform, runner.initial, lanes, predicates, unroll=0)
    if ran.stopped is not None or ran.bounded or any(one.operands is None for one in ran.arbitrary):
        return True
    words = (runner.initial(*place)[0] for place in ran.registers.initial_reads)
    return bool(ran.predicates.initial_reads) or any(is_own(one, "source") for one in words)
