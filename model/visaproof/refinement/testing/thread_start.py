"""What a run of two kernels starts with beside its memory, and what it leaves there: modes, images and registers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.decode.sampler import LOAD
from visaproof.isa.errors import Position
from visaproof.isa.float_modes import CONTROL
from visaproof.isa.platform import THREAD_NUMBER_BYTE, THREAD_NUMBER_SINCE
from visaproof.launch.float_results import MODES_AT_START
from visaproof.launch.ids.work_items import Group
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.program.lower import lowered
from visaproof.program.statements import SamplerMessage
from visaproof.refinement.effects.question import Question
from visaproof.refinement.observed import RegisterPlace, is_register
from visaproof.refinement.testing.memory import Content, Memory, cell_at
from visaproof.refinement.testing.ran import Ran
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.thread_group import ThreadGroup
from visaproof.refinement.widths.wide_thread import number_symbol
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Texel
from visaproof.semantics.symbolic.names import extents_of
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.smt import BitVec, Term, const, symbol, symbols_of, value_of
from visaproof.smt.evaluate import evaluate_all

MODES = symbol(f"{CONTROL}.0", 32)
HANDED = symbol(f"%r0.{THREAD_NUMBER_BYTE}", 32)
"""The word of r0 whose lowest byte is the number of the thread, on devices that have it there."""


def as_started(group: Group, programs: Sequence[Runner], values: Mapping[Term, int]) -> dict[Term, int]:
    """The values as a launch has them, where launches that exist are asked about.

    Drivers start kernels that round to nearest even, in IEEE mode.  The number of a thread follows from its local ids,
    where these tell it: one kernel may read the number, and the other one the ids.
    """
    found = dict(values)
    if group.launched is None:
        return found
    if MODES in found:
        found[MODES] &= ~MODES_AT_START
    numbers = group.launched.numbers(found)
    for one in _numbers_of(programs) if numbers else ():
        digits = (1 << min(one.width, 8)) - 1
        before = found.get(one, 0)
        if all(before & digits != number & digits for number in numbers):
            found[one] = before & ~digits | numbers[0] & digits
    return found


def _numbers_of(programs: Sequence[Runner]) -> Iterator[BitVec]:
    """The words that hold the number of a thread; of a wide one with narrow ones beside it both may be read."""
    if any(one.platform >= THREAD_NUMBER_SINCE for one in programs):
        yield HANDED
    yield from (number_symbol(one.split) for one in programs if isinstance(one, ThreadGroup))


# ---------------------------------------------------------------- images that are read through the sampler

CHANNELS = range(4)

CORNER = (8, 8, 2)
"""The texels at the origin of an image that hold something where coordinates are floats, which terms do not know."""


def images_of(runners: Sequence[Runner]) -> dict[str, bool]:
    """The typed surfaces, and whether a kernel reads them in a way that is modelled of an image of 0 alone.

    Such are reads of other forms than of texels as they are, and those by a sampler of what a kernel also stores.
    """
    stored = {runner.surface(key): surface for runner in runners for key, surface in runner.trace.surfaces.items()}
    bytes_alone = {name for name, surface in stored.items() if isinstance(surface, SymbolicBuffer)}
    reads = {(name, one.instruction.position): (runner, one.instruction) for runner, name, one in _reads(runners)}
    zeros = {
        name
        for (name, _), (runner, instruction) in reads.items()
        if (name in stored and instruction.opcode != LOAD) or instruction.position not in _of_texels(runner)
    }
    return {name: name in zeros for runner in runners for name in runner.images if name not in bytes_alone}


def _of_texels(runner: Runner) -> set[Position]:
    """The reads that bring texels as they are."""
    statements = lowered(runner.kernel, runner.platform).statements
    return {one.position for one in statements if isinstance(one, SamplerMessage) and one.read.of_texels}


def fill_images(
    runners: Sequence[Runner], images: Mapping[str, bool], memory: Memory, values: Values, content: Content
) -> None:
    """Puts something into the texels that are read."""
    reads = [(name, one) for _, name, one in _reads(runners) if images.get(name) is False]
    for name in dict.fromkeys(name for name, one in reads if one.instruction.opcode != LOAD):
        extents = [values.get(term, 1) for term in extents_of(name, 0)]
        for u, v, r in product(*(range(min(size, most)) for size, most in zip(extents, CORNER, strict=True))):
            _fill(memory, name, (u, v, r, 0), content)
    loaded = [(name, _coordinates(one)) for name, one in reads if one.instruction.opcode == LOAD and one.operands]
    terms = list(dict.fromkeys(term for _, coordinates in loaded for term in coordinates))
    known = dict(zip(terms, evaluate_all(terms, values), strict=True))
    for name, coordinates in dict.fromkeys(loaded):
        u, v, r = (known[term] for term in coordinates)
        _fill(memory, name, (u, v, r, 0), content)


def _fill(memory: Memory, name: str, texel: Texel, content: Content) -> None:
    for channel in CHANNELS:
        cell = cell_at(texel, channel)
        memory[name][1].setdefault(cell, content(name, 4 * cell, 4))


def _reads(runners: Sequence[Runner]) -> Iterator[tuple[Runner, str, Uninterpreted]]:
    """Each value that a kernel reads through the sampler, and the common name of its image."""
    for runner in runners:
        for one in runner.trace.arbitrary:
            if one.origin is not None:
                yield runner, runner.surface(one.origin.surface), one


def _coordinates(read: Uninterpreted) -> tuple[BitVec, BitVec, BitVec]:
    """Where it reads: what is not given is 0."""
    given = [source.bits for source in read.operands or ()]
    u, v, r = (*given, *[const(0, 32)] * 3)[:3]
    return u, v, r


# ---------------------------------------------------------------- registers that are compared at the end


def with_registers(ran: Ran, runner: Runner, question: Question, values: Values) -> Ran:
    """The run with the bytes of the registers that the source defines, as if they were in memory."""
    memory = dict(ran.memory)
    for one in runner.observed:
        assert ran.state is not None
        stores = question.source.stores.get(one.surface, ())
        defined = evaluate_all([store.guard for store in stores], values)
        places = [value_of(store.cell) or 0 for store, counts in zip(stores, defined, strict=True) if counts]
        place = one.place(runner.name)
        memory[one.surface] = (one.count, {at: left_in(ran.state, place, at) for at in places})
    return replace(ran, memory=memory)


def at_the_end(ran: Ran, runner: Runner, question: Question, values: Values) -> Ran:
    """The run with the registers that are compared; what comes after a part of a program reads all of its memory."""
    ran = with_registers(ran, runner, question, values)
    if question.launched.premises is not None and SHARED_LOCAL in ran.memory:
        return replace(ran, local=(0, ran.memory[SHARED_LOCAL][1]))
    return ran


def deciding_lanes(question: Question, surface: str, index: int) -> tuple[int, ...]:
    """The lanes on which it depends whether the source defines a byte of a register."""
    if not is_register(surface):
        return ()
    stores = (store for store in question.source.stores.get(surface, ()) if value_of(store.cell) == index)
    terms = {one for store in stores for one in symbols_of(store.guard)}
    return tuple(lane for lane, one in enumerate(question.lanes) if one in terms)


def left_in(state: ConcreteState, place: RegisterPlace, index: int) -> int:
    """A byte of a general variable, or a bit of a predicate."""
    at = place.first + index
    if place.is_predicate:
        return state.predicates[place.variable].bits >> at & 1
    return state.registers[place.variable][at]
