"""Whether a difference between two runs proves anything: the source might do something else for the same inputs."""

from visaproof.engine.refinement_runs import Difference
from visaproof.engine.thread_group import AnyRunner
from visaproof.kernel.thread_group import UNMATCHED
from visaproof.queries.refinement import Question
from visaproof.queries.refinement_effects import Effects
from visaproof.queries.refinement_stores import after
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.smt import BitVec, Op, Term, const, false, is_false, substitute, subterms, true


def open_order(source: AnyRunner) -> str:
    """Why no run of the source proves anything, or ""."""
    for performed in source.trace.performed:
        if any(isinstance(access, Atomic) and len(access.cell) > 1 for access in performed.accesses):
            return "the order of the source's atomics on texels is left open"
    return ""


def _terms(question: Question, *sides: Effects) -> list[Term]:
    terms: list[Term] = []
    for effects in sides:
        terms += effects.undefined
        for stores in effects.stores.values():
            terms += [term for store in stores for term in (store.guard, store.cell, store.value)]
    terms += question.memory.definitions.values()
    return subterms(*terms)


def source_choice(question: Question) -> str:
    """What the source depends on though nothing wrote it, or ""."""
    for term in _terms(question, question.source):
        if isinstance(term.payload, str) and term.payload.startswith("source:"):
            return f"the source depends on what nothing wrote ({term.payload.removeprefix('source:')})"
    return ""


def unlike_threads(question: Question) -> str:
    """What a kernel depends on that threads of different width get unlike, or "": no run knows what both get."""
    for term in _terms(question, question.source, question.target):
        if isinstance(term.payload, str) and term.payload.startswith(UNMATCHED):
            return f"they depend on what threads of different width get unlike ({term.payload.rpartition(':')[2]})"
    return ""


def is_certain(question: Question, found: Difference) -> bool:
    """Whether the source does the same at the difference, and has a meaning, whatever it reads that nothing wrote."""
    if unlike_threads(question):
        return False
    if not source_choice(question):
        return True
    if question.source.barriers:
        return False
    known = _known(question, found)
    if not all(is_false(substitute(condition, known)) for condition in question.source.undefined):
        return False
    if not found.surface:
        return True
    stores = question.source.stores.get(found.surface, ())
    if not stores:
        return True
    unit, width = question.memory.units[found.surface], stores[0].cell.width
    cell = found.address >> 130 - width if width > 64 else found.address // unit * unit
    before = sum(found.memory[found.surface][1].get(cell + k, 0) << 8 * k for k in range(unit))
    left = substitute(after(stores, const(cell, width), const(before, 8 * unit)), known)
    return left.op is Op.CONST


def _known(question: Question, found: Difference) -> dict[Term, Term]:
    """The numbers of the run, without those that follow from what the source chose."""
    known: dict[Term, Term] = {}
    memory = question.memory
    cells: dict[Term, BitVec] = {value: cell for (_, cell), value in memory.cells.items()}
    for term, value in found.values.items():
        internal = term in memory.definitions or term in cells
        if not internal and not str(term.payload).startswith("source:"):
            known[term] = const(value, term.width) if term.width else (true() if value & 1 else false())
    for name in memory.order:
        if name in memory.definitions:
            known[name] = substitute(memory.definitions[name], known)
        elif substitute(cells[name], known).op is Op.CONST and name in found.values:
            known[name] = const(found.values[name], name.width)
    return known
