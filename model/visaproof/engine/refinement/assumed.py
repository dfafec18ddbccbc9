"""What an answer about two kernels rests on, in words."""

from collections.abc import Hashable, Iterator, Sequence

from visaproof.engine.refinement.memory import PRIVATE
from visaproof.engine.refinement.thread_group import AnyRunner
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.kernel.assumptions import PRIVATE_APART, Start
from visaproof.kernel.matching import SHARED_LOCAL, Matching
from visaproof.kernel.observed import is_register
from visaproof.kernel.thread_group import THREAD_NUMBER, UNMATCHED
from visaproof.kernel.work_items import BELOW_THE_SIZE
from visaproof.queries.refinement.places import ALIGNMENT
from visaproof.queries.refinement.question import Question
from visaproof.queries.refinement.side import itself
from visaproof.smt import Bool, symbols_of

FUNCTIONS = "a result on floats depends on the operands, their types and %cr0 alone"
"""Of results of which nothing else is known."""

BY_ATOMICS = "by atomics what both kernels reach by atomics alone"
"""What another thread may write while a kernel runs."""


def lanes_on(lanes: Sequence[Bool], on: frozenset[Bool]) -> str:
    places = [str(place) for place, lane in enumerate(lanes) if lane in on]
    which = f"lane {places[0]} is" if len(places) == 1 else f"lanes {', '.join(places)} are"
    return f"{which} on, as else the source may leave buffers of at most 2 GiB: its address is what nothing wrote"


def _on_functions(question: Question) -> bool:
    """Whether what is stored hangs on results of which nothing is known but what they are functions of."""
    operations, used = question.memory.operations, list[Hashable]()
    for effects in (question.source, question.target):
        for stores in effects.stores.values():
            terms = [term for store in stores for term in (store.guard, store.cell, store.value)]
            used += [operations[one] for one in symbols_of(*terms) if one in operations]
    if any(map(_is_of_atomic, used)):
        used += operations.values()
    return not all(map(_is_of_atomic, used))


def _is_of_atomic(operation: Hashable) -> bool:
    return isinstance(operation, tuple) and operation[:1] in (("atomic",), ("lane's atomic",))


def assumptions(start: Start, question: Question, matching: Matching, runners: Sequence[AnyRunner]) -> tuple[str, ...]:
    found = list(start.assumed)
    if start.group.local_ids:
        found.append(BELOW_THE_SIZE)
    private = [PRIVATE in one.pointers.values() or SCRATCH in one.trace.surfaces for one in runners]
    if PRIVATE_APART not in found and any(private):
        found.append(PRIVATE_APART)
    if any(PRIVATE in one.pointers.values() for one in runners):
        found.append(f"private memory begins at a multiple of {ALIGNMENT}")
    surfaces = [name for name in dict.fromkeys(map(itself, question.surfaces)) if _is_memory(name)]
    if len(surfaces) > 1:
        found.append(f"the surfaces {', '.join(surfaces)} share no byte")
    if any(itself(surface) != FLAT and not is_register(surface) for surface in question.surfaces):
        found.append("surfaces have at most 4 GiB")
    if matching.extra:
        found.append("inputs that only the target gets may hold anything")
    if _on_functions(question):
        found.append(FUNCTIONS)
    if any(one.origin is not None for runner in runners for one in runner.trace.arbitrary):
        found.append("a read through the sampler depends on the image, the sampler and the coordinates alone")
    effects = question.source, question.target
    found += _of_groups(runners)
    atomics, barriers = any(one.atomics for one in effects), any(one.barriers for one in effects)
    if question.disturbed:
        found.append("every thread of the group gets to the barriers that only the target has")
        found.append("other threads may write, between any two messages, what this one reads or writes")
        return tuple(found)
    if runners[1].threads and atomics:  # in another order than the source, or in parts
        found.append("no other thread reaches what the atomics of these reach" + " between two barriers" * barriers)
        atomics = False
    between = " between two barriers" * barriers
    but = f", but {BY_ATOMICS}" * atomics
    several = any(runner.threads for runner in runners)
    who = "what these read or write while they run" if several else "what this one reads or writes while it runs"
    found.append(f"no other thread writes {who}{between}{but}")
    return tuple(found)


def _is_memory(surface: str) -> bool:
    """Whether it is neither shared local memory nor a register."""
    return surface != SHARED_LOCAL and not is_register(surface)


def _of_groups(runners: Sequence[AnyRunner]) -> Iterator[str]:
    """What is assumed where several threads of one kernel make up one of the other."""
    if not any(runner.threads for runner in runners):
        return
    yield "a thread of which no lane is on is not launched; the others may run in any order, and at once"
    words = [str(word.payload) for word in symbols_of(*(each for one in runners for each in one.start_words()))]
    if THREAD_NUMBER in words:
        yield "the threads of a group are numbered in the order of their lanes"
    unlike = sorted({word.rpartition(":")[2] for word in words if word.startswith(UNMATCHED)})
    if unlike:
        yield f"each thread may find anything in {', '.join(unlike)}, whatever the others do"
