"""A thread of a whole launch on which two kernels differ, as a run of both: it has the numbers that a host passes.

It counts only where it starts as the question has a thread start, and leaves what the launch left at that place.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from visaproof.checking.stages import Values
from visaproof.execution.arguments import prepare
from visaproof.execution.differing_launch import DifferingLaunch, Left
from visaproof.execution.payload import Payloads, Program
from visaproof.execution.shape import Shape, ThreadId
from visaproof.isa.errors import NotModelled
from visaproof.isa.surface_keys import argument_number
from visaproof.launch.ids.launched_words import THREAD, first_id_name, place_name, size_name
from visaproof.launch.ids.local_ids import XYZ
from visaproof.launch.input_meaning import LocalId
from visaproof.program.lower import Runnable
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.testing.memory import Content, word_value
from visaproof.refinement.testing.random_launches import unknowns
from visaproof.refinement.testing.random_testing import settled
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.verdicts import ByteDiffers, Difference
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.names import LaneOn, SurfaceSize
from visaproof.smt import Term, symbols_of
from visaproof.smt.evaluate import Evaluation

MOST_THREADS = 64
Held = Mapping[int, bytes]
"""What buffers hold before the launch, by the index of the argument."""


def thread_of(comparison: Comparison, launch: DifferingLaunch) -> Difference | None:
    """The first thread that leaves another element in both kernels; None where no single thread shows that.

    Threads that exchange something in a launch need not do so alone.
    """
    if comparison.split is not None or not isinstance(launch.left, Left):
        return None
    source = Program(comparison.source.kernel, comparison.source.launch, comparison.source.platform)
    buffers = launch.contents
    passed, memory = prepare(source, launch.shape, launch.arguments, buffers)
    payloads = Payloads(source, passed)
    held = {index: bytes(buffer.data) for index, buffer in memory.buffers.items()}
    for thread in islice(_threads(source, launch.shape), MOST_THREADS):
        values = _values(comparison, source, payloads.state(thread, 0, {}), thread, launch.shape, held)
        if values is None:
            return None
        try:
            found = difference(comparison, values, _content(held))
            found = found and settled(comparison, found)
        except NotModelled:
            continue
        if found is not None and _is_of(found, launch.left):
            return found
    return None


def _threads(program: Program, shape: Shape) -> Iterator[ThreadId]:
    for group in shape.groups():
        yield from (ThreadId(group, number) for number in range(program.threads(shape, group)))


def _is_of(found: Difference, left: Left) -> bool:
    """Whether it is about the element that differs in the launch."""
    match found.what:
        case ByteDiffers(surface, address):
            inside = left.element.first <= address < left.element.first + left.element.size
            return inside and argument_number(surface) == left.argument
        case _:
            return False


def _values(
    comparison: Comparison, source: Program, state: ConcreteState, thread: ThreadId, shape: Shape, held: Held
) -> Values | None:
    """What the thread has in the question's symbols; None where its registers are not those of the launch."""
    named = dict(_registers(source.kernel, state)) | {
        name: number.to_bytes(8, "little") for name, number in _in_group(source, thread, shape)
    }
    values: Values = {}
    for one in (*unknowns(comparison.question, comparison.runners), *_of_group(comparison)):
        match one.payload:
            case LaneOn(lane):
                values[one] = state.exec_mask >> lane & 1
            case SurfaceSize(surface):
                values[one] = len(held.get(_index(surface), b"")) or 1 << 32
            case _:
                content = named.get(str(one.payload), b"")[: -(-one.width // 8)]
                values[one] = word_value(one, int.from_bytes(content, "little"), 0, 0)
    return values if _is_so(comparison, source, thread, shape, named, values) else None


def _is_so(
    comparison: Comparison, source: Program, thread: ThreadId, shape: Shape, named: Mapping[str, bytes], values: Values
) -> bool:
    """Whether the question has the thread start like that: its lanes with their ids, and the words of the launch."""
    launched = comparison.question.launched.group.launched
    if launched is None:
        return False
    row = source.laid_out.layout(shape.size_of(thread.group))[thread.number]
    now = Evaluation(values)
    for item, ids, on in zip(row, launched.ids, launched.on, strict=False):
        if now.of(on) != (item is not None) or (item is not None and item != tuple(map(now.of, ids))):
            return False
    of_lanes = {one.variable for one in source.kernel.inputs
                if any(isinstance(piece.meaning, LocalId) for piece in source.launch.pieces(one.variable))}  # fmt: skip
    return all(
        now.of(term) == int.from_bytes(named.get(place_name(place), b"")[: term.width // 8], "little")
        for place, term in launched.words.items()
        if place[0] not in of_lanes
    )


def _of_group(comparison: Comparison) -> Collection[Term]:
    """The symbols that tell which thread of which group it is."""
    launched = comparison.question.launched.group.launched
    return (
        ()
        if launched is None
        else symbols_of(*launched.sizes, *launched.on, *(one for ids in launched.ids for one in ids))
    )


def _in_group(source: Program, thread: ThreadId, shape: Shape) -> Iterator[tuple[str, int]]:
    """The numbers by which a question tells which thread of which group it is."""
    size = shape.size_of(thread.group)
    first = source.laid_out.layout(size)[thread.number][0]
    yield THREAD, thread.number
    for dimension in XYZ:
        yield size_name(dimension), size[dimension]
        yield first_id_name(dimension), 0 if first is None else first[dimension]


def _registers(kernel: Runnable, state: ConcreteState) -> Iterator[tuple[str, bytes]]:
    """What the registers hold with which the thread starts, from each byte on, by the name of that place."""
    for one in kernel.registers.values():
        content = bytes(state.registers.get(one.owner, b""))[one.first : one.first + one.size]
        yield from ((place_name((one.name, start)), content[start:]) for start in range(len(content)))


def _content(held: Held) -> Content:
    """What the buffers hold before the launch; 0 behind them."""

    def content(surface: str, address: int, width: int) -> int:
        return int.from_bytes(held.get(_index(surface), b"")[address : address + width], "little")

    return content


def _index(surface: str) -> int:
    number = argument_number(surface)
    return -1 if number is None else number
