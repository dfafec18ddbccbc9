"""What an answer about two kernels rests on, in words, and what they have beside their texts that may differ."""

from collections.abc import Hashable, Iterator, Sequence

from visaproof.analysis.tables import may_be_written
from visaproof.decode.synchronisation import Barrier
from visaproof.instructions.lsc.atomic import LscAtomic
from visaproof.instructions.lsc.load import LscLoad
from visaproof.instructions.lsc.store import LscStore
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.launch.assumptions import PRIVATE_APART, Start
from visaproof.launch.ids.work_items import BELOW_THE_SIZE
from visaproof.launch.input_meaning import LaunchValue
from visaproof.launch.local_memory import local_memory, passes_local_memory, scratch_bytes
from visaproof.launch.matching import SHARED_LOCAL, Matching, Program
from visaproof.launch.overlap import multiples
from visaproof.launch.premises import Premise, premise
from visaproof.machine.symbolic.uninterpreted_results import CORRECTED
from visaproof.queries.kernels.extents import EXTENTS
from visaproof.queries.kernels.local_size import without_tags
from visaproof.queries.kernels.surface_names import PRIVATE, itself
from visaproof.refinement.effects.operands import EXACT, divides_by_zero, is_function
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.sharing import ALIGNMENT
from visaproof.refinement.effects.touched import on_unlike_caches
from visaproof.refinement.inputs.samplers import said_of_samplers
from visaproof.refinement.observed import is_register
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.wide_thread import THREAD_NUMBER
from visaproof.semantics.symbolic.float_axioms import COMMUTES
from visaproof.semantics.symbolic.names import BufferOffset
from visaproof.semantics.symbolic.value_names import Unmatched
from visaproof.smt import is_true, symbols_of

FUNCTIONS = premise("float-functions")
"""Of results of which nothing else is known."""

BY_ATOMICS = "by atomics what both kernels reach by atomics alone"
"""What another thread may write while a kernel runs."""


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


def _on_devices(runners: Sequence[Runner]) -> Iterator[Premise]:
    """The functions of both kernels that two devices may approximate in ways of their own."""
    source, target = runners
    if source.platform is not target.platform:
        one, other = ({each.operation for each in filter(is_function, runner.trace.arbitrary)} for runner in runners)
        if functions := sorted({operation[0] for operation in one & other} - EXACT):
            devices = f"{source.platform.name} and {target.platform.name}"
            yield premise("functions-alike", functions=", ".join(functions), devices=devices)


def _adds(runner: Runner) -> bool:
    """Whether it has sums or products of floats of which nothing is known but what they are functions of."""
    return any(one.operation[0] in COMMUTES for one in runner.trace.arbitrary if one.operands)


def _is_of_atomic(operation: Hashable) -> bool:
    return isinstance(operation, tuple) and operation[:1] in (("atomic",), ("lane's atomic",))


def _immediates(runner: Runner) -> frozenset[int]:
    """What LSC messages add to offsets of 32 bits."""
    messages = [one.decoded for one in runner.trace.performed]
    sums = [one.addresses for one in messages if isinstance(one, LscLoad | LscStore | LscAtomic)]
    return frozenset(one.immediate for one in sums if one.bits == 32)


def assumptions(start: Start, question: Question, matching: Matching, runners: Sequence[Runner]) -> tuple[Premise, ...]:
    found = list(start.assumed)
    if start.group.local_ids:
        found.append(BELOW_THE_SIZE)
    found += (one for one in _of_the_driver(runners) if one not in found)
    found += _on_alignment(question, runners)
    if any(itself(surface) != FLAT and not is_register(surface) for surface in question.surfaces):
        found.append(premise("surfaces-4gib"))
    if question.limits:
        found.append(EXTENTS)
    if _immediates(runners[0]) != _immediates(runners[1]):
        found.append(premise("lsc-immediate"))
    if matching.extra - matching.tables:
        found.append(premise("target-inputs"))
    if _on_functions(question):
        found.append(FUNCTIONS)
        found += _on_devices(runners)
        found += [premise("either-order")] if question.launched.either_order and all(map(_adds, runners)) else []
    if divides_by_zero(runners[0].trace, runners[1].trace):
        found.append(premise("quotient-by-zero"))
    if any(one.reason == CORRECTED for runner in runners for one in runner.trace.arbitrary):
        found.append(premise("float-mode"))
        found.append(premise("integer-division"))
    if any(one.origin is not None for runner in runners for one in runner.trace.arbitrary):
        found.append(premise("sampler-function"))
    effects = question.source, question.target
    found += _of_groups(runners)
    found += _of_other_threads(question, runners)
    atomics = any(one.atomics for one in effects)
    if question.disturbed:
        found.append(premise("barriers-reached"))
        found.append(premise("others-write"))
        return tuple(found)
    kinds = " or ".join(f"{kind}s" for kind in question.matched.kinds)
    between = f" between two {kinds}" if kinds else ""
    if runners[1].threads and atomics:  # in another order than the source, or in parts
        found.append(premise("atomics-alone", between=between))
        atomics = False
    but = f", but {BY_ATOMICS}" * atomics
    several = any(runner.threads for runner in runners)
    who = "what these read or write while they run" if several else "what this one reads or writes while it runs"
    found.append(premise("no-data-race", what=who, between=between, but=but))
    return tuple(found)


def _of_the_driver(runners: Sequence[Runner]) -> Iterator[Premise]:
    """Where memory lies that the driver makes."""
    pointed = {buffer for one in runners for buffer in one.pointers.values()}
    if PRIVATE in pointed or any(SCRATCH in one.trace.surfaces for one in runners):
        yield PRIVATE_APART
    if LaunchValue.PRINTF_BUFFER.value in pointed:
        yield premise("printf-apart")
    if PRIVATE in pointed:
        yield premise("private-aligned", alignment=ALIGNMENT)


def _on_alignment(question: Question, runners: Sequence[Runner]) -> Iterator[Premise]:
    """Where buffers begin that are reached by address, or at an offset that a kernel reads."""
    reached = {itself(one.surface) for effects in (question.source, question.target) for one in effects.reaches}
    pointed = dict.fromkeys(buffer for one in runners for buffer in one.pointers.values() if buffer in reached)
    units = {buffer: question.sharing.unit(buffer) for buffer in pointed}
    words = (one.payload for runner in runners for one in symbols_of(*runner.start_words()))
    units |= {one.buffer: one.unit for one in words if isinstance(one, BufferOffset)}
    if units:
        yield premise(
            "elements-aligned",
            align=multiples(ALIGNMENT, {name: own for name, own in units.items() if own != ALIGNMENT}),
        )


def _of_other_threads(question: Question, runners: Sequence[Runner]) -> Iterator[Premise]:
    """What is assumed of how other threads see what fences, atomics and caches order."""
    source, target = question.source, question.target
    unwritten = runners[0].unwritten & runners[1].unwritten & set(map(itself, question.surfaces_touched))
    if unwritten and (question.matched.kinds or question.disturbed):
        yield premise("unwritten", surfaces=", ".join(sorted(unwritten)))
    if question.matched.likened:
        yield premise("fences-alike")
    if question.matched.narrowed:
        yield premise("groups-unordered")
    if (source.atomics or target.atomics) and not question.matched.atomics:  # plain loads may be moved over them
        yield premise("atomics-relaxed")
    if question.atomic_steps:
        yield premise("lanes-interleaved")
    if question.whole_atomics:
        yield premise("atomics-unseen")
    if on_unlike_caches(source.touched, target.touched, runners[0].platform is runners[1].platform):
        yield premise("caches-alike")


def _of_groups(runners: Sequence[Runner]) -> Iterator[Premise]:
    """What is assumed where several threads of one kernel make up one of the other."""
    if not any(runner.threads for runner in runners):
        return
    yield premise("threads-in-any-order")
    barriers = (one for one in runners[0].trace.events if isinstance(one.event, Barrier))
    if runners[0].threads and not all(is_true(one.guard) for one in barriers):
        yield premise("barriers-together")
    names = [word.payload for word in symbols_of(*(each for one in runners for each in one.start_words()))]
    if THREAD_NUMBER in names:
        yield premise("thread-numbers")
    unlike = sorted({str(name.what) for name in names if isinstance(name, Unmatched)})
    if unlike:
        yield premise("threads-unlike", names=", ".join(unlike))


# ---------------------------------------------------------------- what lies beside the texts


Programs = tuple[Program, Program]


def unlike(programs: Programs) -> Iterator[str]:
    """Why the target is no refinement whatever its text does, or why that cannot be known."""
    source, target = programs
    if (size := target.launch.group_size) is not None and size != source.launch.group_size:
        yield f"the target requires groups of {_triple(size)}, and the source {_required(source)}"
    for name in may_be_written(source, target):
        yield f"{name.removeprefix('&')}, which kernels may write to, begins with something else in the target"
    both = all(passes_local_memory(one.kernel, one.launch) for one in programs)
    sizes = [one.launch.slm_bytes for one in programs]
    if both and sizes[0] != sizes[1]:
        own = f"{sizes[0]} bytes of the source's own shared memory, and {sizes[1]} of the target's"
        yield f"`local` arguments begin after {own}"


def _required(program: Program) -> str:
    size = program.launch.group_size
    return "none of a certain size" if size is None else f"groups of {_triple(size)}"


def _triple(size: tuple[int, int, int]) -> str:
    return "×".join(map(str, size))


def differences(programs: Programs) -> Iterator[str]:
    """What differs beside the texts and may be why the kernels differ, for the reader."""
    source, target = programs
    for number in sorted(source.samplers.keys() & target.samplers.keys()):
        one, other = source.samplers[number], target.samplers[number]
        if one != other:
            yield f"sampler {number} is {one} in the source and {other} in the target"
    if source.local_bytes is not None and target.local_bytes is not None:
        sizes = f"{source.local_bytes:,} bytes of shared memory in the source, {target.local_bytes:,} in the target"
        yield f"a group has {sizes}"
    yield from (f"{name.removeprefix('&')} holds something else in the target" for name in sorted(target.own_tables))


def beside(programs: Programs, runners: Sequence[Runner], matching: Matching) -> Iterator[Premise]:
    """The premises on what lies beside the texts."""
    if not matching.by_meaning:
        yield premise("launched-alike")
    if any(SHARED_LOCAL in runner.trace.surfaces for runner in runners):
        yield from _on_local_memory(programs)
        yield from dict.fromkeys(one for runner in runners for one in without_tags(runner.trace))
    private = [one.launch.private_bytes for one in programs]
    if any(PRIVATE in runner.pointers.values() for runner in runners) and private[0] != private[1]:
        source, target = (f"{size:,}" if size else "not known how many" for size in private)
        yield premise("private-sizes", source=source, target=target)
    scratch = [scratch_bytes(one.kernel, one.launch) for one in programs]
    if any(SCRATCH in runner.trace.surfaces for runner in runners) and scratch[0] != scratch[1]:
        source, target = (f"{size:,}" if size else "not known how many" for size in scratch)
        yield premise("scratch-sizes", source=source, target=target)
    if programs[1].launch.uniform and programs[0].launch.uniform is False:
        yield premise("whole-groups", size="of the launch")  # the target refuses others
    used = sorted({number for one in programs for number in one.sampler_numbers})
    if used and not any(said_of_samplers(*programs)):
        yield premise("samplers-alike", numbers=", ".join(map(str, used)))
    registers = [one.launch.registers for one in programs]
    if None not in registers and registers[0] != registers[1]:
        yield premise("groups-fit", source=registers[0], target=registers[1])


def _on_local_memory(programs: Programs) -> Iterator[Premise]:
    said = [local_memory(one.kernel, one.launch) for one in programs]
    own = [one.local_bytes for one in programs]
    if own[0] is not None and own[1] is not None:
        yield premise("slm-sizes", source=f"{own[0]:,}", target=f"{own[1]:,}")
        return
    known = next((one for one in said if one.said), said[0])
    yield premise("slm-size", size=known) if known.said else premise("slm-limit", most=f"{known.most:,}")
    if not all(one.said for one in said):
        yield premise("slm-alike")
