"""Runs two kernels on the same numbers: one launch, one memory.  A difference that is seen here is one."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.instructions.svm_gather import FLAT
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.concrete.run import Undefined
from visaproof.queries.kernels.surface_names import itself
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, kind_at
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import Reach
from visaproof.refinement.effects.question import LARGEST_SURFACE, Question
from visaproof.refinement.effects.sharing import SHARED, Pair, Sharing
from visaproof.refinement.inputs.buffer_offsets import without_distances
from visaproof.refinement.observed import is_register
from visaproof.refinement.testing.memory import (
    IMAGE_SIZE,
    Content,
    Memory,
    bases_of,
    cell_at,
    elsewhere,
    follows,
    is_input,
    memory_of,
)
from visaproof.refinement.testing.ran import Ran, Writer
from visaproof.refinement.testing.runner import Runner, bits_of
from visaproof.refinement.testing.thread_start import as_started, at_the_end, deciding_lanes, fill_images, images_of
from visaproof.refinement.testing.watch import FLAT_SIZE
from visaproof.refinement.verdicts import ByteDiffers, Difference, OutsideBuffers, RegisterDiffers, TargetUndefined
from visaproof.semantics.concrete.surface import TexelWrite, Write
from visaproof.semantics.symbolic.names import buffer_base, surface_size
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.semantics.symbolic.value_names import OnlyHanded
from visaproof.smt import Term, symbols_of
from visaproof.smt.evaluate import evaluate_all

MOST_DIFFERENCES = 256
"""Bytes that differ in one run: one that does not depend on what the source may choose is mostly among them."""

OUTSIDE, SLM_OUTSIDE, UNINITIALISED = UndefinedKind.OUTSIDE, UndefinedKind.SLM_OUTSIDE, UndefinedKind.UNINITIALISED

LOCAL_SIZE = surface_size(SHARED_LOCAL)

HANDLE_STEP = 1 << 16
"""Between the handles of two surfaces of a run, which are no other numbers of usual launches."""


def difference(comparison: Comparison, values: Values, content: Content) -> Difference | None:
    """What a run on these values shows, if it shows anything.  Raises NotModelled."""
    found = trial(comparison, values, content)
    return found[0] if found else None


def trial(comparison: Comparison, values: Values, content: Content) -> list[Difference] | None:
    """What differs after a run of both on these values; None where it shows nothing.  Raises NotModelled.

    It shows nothing where the source is undefined, or another outcome as well, and where the question is about places
    in buffers and the source leaves them; or the target does, at an address that moves with one of them.
    """
    if not _as_given(comparison.question, values):
        return None
    values, memory = launch_of(comparison, values, content)
    return _both(comparison, values, memory) if is_launch(comparison.question, values) else None


def _as_given(question: Question, values: Values) -> bool:
    """Whether inputs are as the conditions say of a part of a program."""
    given = question.launched.premises
    return given is None or given.hold(values)


def is_launch(question: Question, values: Values) -> bool:
    """Whether there are launches with these values, with a lane on."""
    if any(_overlap(question.sharing, pair, values) for pair in question.sharing.apart):
        return False
    return bool(bits_of(question.lanes, values)) and question.launched.group.has_room(question.lanes, values)


def _overlap(sharing: Sharing, pair: Pair, values: Values) -> bool:
    """Whether two buffers share a byte."""
    (base, size), (other, other_size) = (
        (base, values.get(surface_size(name), LARGEST_SURFACE))
        for name, base in bases_of(pair, values, sharing).items()
    )
    return base < other + other_size and other < base + size


def has_meaning(comparison: Comparison, values: Values, content: Content) -> bool:
    """Whether the source is defined on these values, and stays inside its buffers where that is assumed.

    A result that pages leave open, as that of `inv`, is one that they allow: one behaviour that is defined is enough.
    Raises NotModelled.
    """
    question = comparison.question
    if not _as_given(question, values):
        return False
    values, memory = launch_of(comparison, values, content)
    given = question.launched.premises
    if not is_launch(question, values) or (given is not None and not given.admit(memory, IMAGE_SIZE)):
        return False
    ran = comparison.runners[0].run(memory, question.lanes, values, picks=True)
    return not is_undefined(ran, question, values) and not ran.leaves(question.in_buffers)


def launch_of(comparison: Comparison, values: Values, content: Content) -> tuple[Values, Memory]:
    """The values with the places of the buffers, and what memory holds."""
    runners, question = comparison.runners, comparison.question
    values = without_distances(runners, values)
    buffers = sorted({buffer for one in runners for buffer in one.pointers.values()})
    apart = [buffer for buffer in buffers if buffer not in question.sharing.alignments]
    group = question.launched.group
    values = as_started(group, runners, group.with_room(question.lanes, values)) | {
        buffer_base(buffer): base // question.sharing.unit(buffer)
        for buffer, base in bases_of(apart, values, question.sharing).items()
    }
    values |= _handles_apart(runners)
    if any(itself(surface) == SHARED_LOCAL for surface in question.surfaces):
        local = question.launched.local
        values[LOCAL_SIZE] = local.within(values.get(LOCAL_SIZE, local.most))
    images = images_of(runners)
    memory = memory_of(question, images, values, content)
    fill_images(runners, images, memory, values, content)
    return values, memory


def _handles_apart(runners: tuple[Runner, Runner]) -> Values:
    """A handle of its own for each surface, where a run may have to find surfaces by them."""
    words = {word: one.surface(key) for one in runners for key, word in one.handle_words.items()}
    numbers = {name: HANDLE_STEP * number for number, name in enumerate(sorted(set(words.values())), 1)}
    return {symbol: numbers[name] for word, name in words.items() for symbol in symbols_of(word)}


def again(comparison: Comparison, found: Difference) -> Difference | None:
    """What a second run from the same start shows: the same, if it shows that."""
    ran = _both(comparison, found.values, found.memory)
    return next((one for one in ran if one.place == found.place), ran[0]) if ran else None


def _both(comparison: Comparison, values: Values, memory: Memory) -> list[Difference] | None:
    source, question = comparison.runners[0], comparison.question
    if SHARED in memory and not all(
        _stay_inside(each.reaches, values) for each in (question.source, question.target)
    ):  # an address behind one buffer is in another: no run would notice that it leaves the first
        return None
    given = question.launched.premises
    if given is not None and not given.admit(memory, IMAGE_SIZE):
        return None
    ran = source.run(memory, question.lanes, values)
    if is_undefined(ran, question, values) or ran.atomics_met or ran.leaves(question.in_buffers):
        return None
    ran = at_the_end(ran, source, question, values)
    found: list[Difference] | None = None
    for order, target in enumerate(comparison.runners[1].orders()):
        found = _beside(comparison, target, values, memory, ran, order)
        if found:
            return [replace(one, source_missed=ran.missed) for one in found]
    return found


def _stay_inside(reaches: Iterable[Reach], values: Values) -> bool:
    """Whether every access is inside of the buffer that it is meant for, in the terms of both kernels.

    It is not known to be where the place depends on the result of an atomic, which only a run has.
    """
    reaches = tuple(reaches)
    sizes: dict[Term, int] = {surface_size(one.surface): LARGEST_SURFACE for one in reaches}
    known, inside = sizes | dict(values), [one.inside for one in reaches]
    if not all(one in known or is_input(one) for one in symbols_of(*inside)):
        return False
    return all(evaluate_all(inside, known))


def _beside(
    comparison: Comparison, target: Runner, values: Values, memory: Memory, ran: Ran, order: int
) -> list[Difference] | None:
    """What a run of the target, in one order of its threads, shows beside that of the source."""
    source, question = comparison.runners[0], comparison.question
    mask = bits_of(question.lanes, values)
    observed = target.run(memory, question.lanes, values)
    if not observed.leaves(question.in_buffers):
        if observed.shared_local_missed and SLM_OUTSIDE in question.forbidden:
            missed = Undefined(observed.shared_local_missed, SLM_OUTSIDE.what)
            return [Difference(values, mask, memory, TargetUndefined(missed, SLM_OUTSIDE), order)]
        if observed.outcome.undefined is not None:
            kind = UndefinedKind.RACE if observed.raced else kind_at(question.target.undefined, values)
            if kind is None and not question.forbidden >= FORBIDDEN:  # it may be of a kind that is defined here
                return None
            return [Difference(values, mask, memory, TargetUndefined(observed.outcome.undefined, kind), order)]
        start = Difference(values, mask, memory, OutsideBuffers(0), order)
        found = _differences(comparison, target, start, ran, observed)
        for backwards, readings in target.other_ways(observed):
            if found:
                break
            other = target.run(memory, question.lanes, values, backwards=backwards, readings=readings)
            if other.outcome.undefined is None and not other.leaves(question.in_buffers):
                way = replace(start, backwards=backwards, readings=readings)
                found = _differences(comparison, target, way, ran, other)
        return found
    if observed.left is None or not observed.left_flat or SHARED in memory:
        return None
    buffers = sorted({buffer for one in (source, target) for buffer in one.pointers.values()})
    bases = bases_of(buffers, values, question.sharing)
    moved = elsewhere(bases)
    there = values | {buffer_base(buffer): base // question.sharing.unit(buffer) for buffer, base in moved.items()}
    if source.run(memory, question.lanes, there).left is None:
        other = target.run(memory, question.lanes, there).left
        if not follows(observed.left, other, bases, moved) and not _gets_other_addresses(target, values):
            return [Difference(values, mask, memory, OutsideBuffers(observed.left), order)]
    return None


def is_undefined(ran: Ran, question: Question, values: Values) -> bool:
    """Whether a run of the source is undefined, or one that the machine does not know."""
    if ran.outcome.undefined is not None or (ran.shared_local_missed and SLM_OUTSIDE in question.forbidden):
        return True
    if ran.missed is not None and OUTSIDE in question.forbidden:
        return True
    uninitialised = {one: kind for one, kind in question.source.undefined_alone.items() if kind is UNINITIALISED}
    return kind_at(uninitialised, values) is not None


def _gets_other_addresses(target: Runner, values: Values) -> bool:
    """Whether the target gets addresses that the source does not: they are in no buffer, and may be right."""
    words = (term for term in values if term.width == FLAT_BITS and term not in target.pointers)
    return any(isinstance(term.payload, OnlyHanded) and term.payload.side == "target" for term in words)


def _differences(
    comparison: Comparison, target: Runner, start: Difference, ran: Ran, observed: Ran
) -> list[Difference]:
    """The bytes that differ, up to so many, after runs with this start."""
    found: list[Difference] = []
    source, question, values = comparison.runners[0], comparison.question, start.values
    observed = at_the_end(observed, target, question, values)
    for surface, (size, contents) in start.memory.items():
        one, other = ran.memory[surface][1], observed.memory[surface][1]
        bases = bases_of(source.sharing.alignments if surface == SHARED else (surface,), values, source.sharing)
        for address in sorted(one.keys() | other.keys()):
            if one.get(address, 0) != other.get(address, 0) and _is_seen(surface, address, ran, observed):
                if len(found) == MOST_DIFFERENCES:
                    return found
                after = one.get(address, 0), other.get(address, 0)
                if is_register(surface):
                    what = RegisterDiffers(surface, address, *after, deciding_lanes(question, surface, address))
                else:
                    writers = (
                        _writer(*of, surface, address, size, bases) for of in ((source, ran), (target, observed))
                    )
                    what = ByteDiffers(surface, address, contents.get(address, 0), *after, *writers)
                found.append(replace(start, what=what))
    return found


def _is_seen(surface: str, address: int, ran: Ran, observed: Ran) -> bool:
    """Whether another thread may have read the byte: in shared local memory, when one synchronised last."""
    (times, seen), (others, other) = ran.local, observed.local
    return surface != SHARED_LOCAL or (times == others and seen.get(address, 0) != other.get(address, 0))


def _writer(runner: Runner, ran: Ran, surface: str, address: int, size: int, bases: Mapping[str, int]) -> Writer | None:
    """The last write that put something at this byte; `bases` has where buffers begin that are reached by address, or
    that share memory."""
    base = bases.get(surface, 0)
    for index, performed in reversed(list(enumerate(ran.outcome.performed))):
        by_address = performed.surface == FLAT != surface
        own = None if by_address else runner.surface(performed.surface)
        shared = surface == SHARED and own in bases
        if by_address or own == surface or shared:
            place = address - bases[own] if own is not None and shared else address + base if by_address else address
            end = FLAT_SIZE if by_address else size
            for write in reversed((*performed.writes, *performed.changed)):
                if _puts(write, place, end):
                    return Writer(performed.instruction, write, ran.threads[index] if ran.threads else None)
    return None


def _puts(write: Write, place: int, end: int) -> bool:
    """Whether it puts a byte, or a channel, at this place; of a buffer it is wholly below its end."""
    if isinstance(write, TexelWrite):
        return cell_at(write.texel, write.channel) == place
    return write.address <= place < write.address + write.width <= end
