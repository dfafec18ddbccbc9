"""What an answer about two kernels rests on, in words."""

from collections.abc import Hashable, Iterator, Sequence

from visaproof.instructions.lsc.atomic import LscAtomic
from visaproof.instructions.lsc.load import LscLoad
from visaproof.instructions.lsc.store import LscStore
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SCRATCH
from visaproof.launch.assumptions import PRIVATE_APART, Start
from visaproof.launch.ids.work_items import BELOW_THE_SIZE
from visaproof.launch.input_meaning import LaunchValue
from visaproof.launch.matching import Matching
from visaproof.launch.overlap import multiples
from visaproof.launch.premises import Premise, premise
from visaproof.machine.symbolic.arbitrary_values import CORRECTED
from visaproof.queries.kernels.extents import EXTENTS
from visaproof.queries.kernels.surface_names import PRIVATE, itself
from visaproof.refinement.beside.functions import EXACT, divides_by_zero, is_function
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.sharing import ALIGNMENT
from visaproof.refinement.effects.touched import on_unlike_caches
from visaproof.refinement.observed import is_register
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.refinement.widths.wide_thread import THREAD_NUMBER
from visaproof.semantics.symbolic.value_names import Unmatched
from visaproof.smt import Bool, symbols_of

FUNCTIONS = premise("float-functions")
"""Of results of which nothing else is known."""

BY_ATOMICS = "by atomics what both kernels reach by atomics alone"
"""What another thread may write while a kernel runs."""


def lanes_on(lanes: Sequence[Bool], on: frozenset[Bool]) -> Premise:
    places = [str(place) for place, lane in enumerate(lanes) if lane in on]
    which = f"lane {places[0]} is" if len(places) == 1 else f"lanes {', '.join(places)} are"
    return premise("lanes-on", which=which)


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


def _on_devices(runners: Sequence[AnyRunner]) -> Iterator[Premise]:
    """The functions of both kernels that two devices may approximate in ways of their own."""
    source, target = runners
    if source.platform is not target.platform:
        one, other = ({each.operation for each in filter(is_function, runner.trace.arbitrary)} for runner in runners)
        if functions := sorted({operation[0] for operation in one & other} - EXACT):
            devices = f"{source.platform.name} and {target.platform.name}"
            yield premise("functions-alike", functions=", ".join(functions), devices=devices)


def _is_of_atomic(operation: Hashable) -> bool:
    return isinstance(operation, tuple) and operation[:1] in (("atomic",), ("lane's atomic",))


def _immediates(runner: AnyRunner) -> frozenset[int]:
    """What LSC messages add to offsets of 32 bits."""
    messages = [one.decoded for one in runner.trace.performed]
    sums = [one.addresses for one in messages if isinstance(one, LscLoad | LscStore | LscAtomic)]
    return frozenset(one.immediate for one in sums if one.bits == 32)


def assumptions(
    start: Start, question: Question, matching: Matching, runners: Sequence[AnyRunner]
) -> tuple[Premise, ...]:
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
    between = f" between two {' or '.join(f'{kind}s' for kind in question.cut)}" if question.cut else ""
    if runners[1].threads and atomics:  # in another order than the source, or in parts
        found.append(premise("atomics-alone", between=between))
        atomics = False
    but = f", but {BY_ATOMICS}" * atomics
    several = any(runner.threads for runner in runners)
    who = "what these read or write while they run" if several else "what this one reads or writes while it runs"
    found.append(premise("no-data-race", what=who, between=between, but=but))
    return tuple(found)


def _of_the_driver(runners: Sequence[AnyRunner]) -> Iterator[Premise]:
    """Where memory lies that the driver makes."""
    pointed = {buffer for one in runners for buffer in one.pointers.values()}
    if PRIVATE in pointed or any(SCRATCH in one.trace.surfaces for one in runners):
        yield PRIVATE_APART
    if LaunchValue.PRINTF_BUFFER.value in pointed:
        yield premise("printf-apart")
    if PRIVATE in pointed:
        yield premise("private-aligned", alignment=ALIGNMENT)


def _on_alignment(question: Question, runners: Sequence[AnyRunner]) -> Iterator[Premise]:
    """Where buffers begin that are reached by address."""
    reached = {itself(one.surface) for effects in (question.source, question.target) for one in effects.reaches}
    pointed = dict.fromkeys(buffer for one in runners for buffer in one.pointers.values() if buffer in reached)
    units = {buffer: question.sharing.unit(buffer) for buffer in pointed}
    if units:
        yield premise(
            "elements-aligned",
            align=multiples(ALIGNMENT, {name: own for name, own in units.items() if own != ALIGNMENT}),
        )


def _of_other_threads(question: Question, runners: Sequence[AnyRunner]) -> Iterator[Premise]:
    """What is assumed of how other threads see what fences, atomics and caches order."""
    source, target = question.source, question.target
    unwritten = runners[0].unwritten & runners[1].unwritten & set(map(itself, question.surfaces_touched))
    if unwritten and (question.cut or question.disturbed):
        yield premise("unwritten", surfaces=", ".join(sorted(unwritten)))
    if question.likened:
        yield premise("fences-alike")
    if question.relaxed:
        yield premise("atomics-relaxed")
    if question.turns:
        yield premise("lanes-interleaved")
    if on_unlike_caches(source.touched, target.touched, runners[0].platform is runners[1].platform):
        yield premise("caches-alike")


def _of_groups(runners: Sequence[AnyRunner]) -> Iterator[Premise]:
    """What is assumed where several threads of one kernel make up one of the other."""
    if not any(runner.threads for runner in runners):
        return
    yield premise("threads-in-any-order")
    names = [word.payload for word in symbols_of(*(each for one in runners for each in one.start_words()))]
    if THREAD_NUMBER in names:
        yield premise("thread-numbers")
    unlike = sorted({str(name.what) for name in names if isinstance(name, Unmatched)})
    if unlike:
        yield premise("threads-unlike", names=", ".join(unlike))
