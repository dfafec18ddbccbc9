"""A counterexample as a launch that a host makes: the command that runs it, and what happens in it."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from visaproof.analysis.conflicts.launches.collisions import colliding
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.loaded_elements import written
from visaproof.analysis.surface_sizes import argument_of, bytes_at, pieces
from visaproof.execution.elements import element_at
from visaproof.execution.example_launch import Event, ExampleLaunch, NoLaunch, find_launch
from visaproof.execution.payload import Program
from visaproof.execution.shape import Shape, Triple
from visaproof.execution.too_small import TooSmall
from visaproof.execution.usual_launches import MOST_BUFFER, MOST_ITEMS, Example, Held, Stated
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS, Argument, BufferAddress
from visaproof.launch.launch import BufferOffset
from visaproof.launch.overlap import NOTHING_SAID, ArgumentInfo
from visaproof.launch.relations.element_names import elements_named
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.expressions import Disjoint, Expression, Relation, names_in, value_in
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.launch.relations.stated_relations import as_signed
from visaproof.launch.relations.vector_names import names_of
from visaproof.report.one_kernel.kernel_records import write_record
from visaproof.report.one_kernel.kernel_runs import AskedKernel, ShownRun, loads_that_decide
from visaproof.report.one_kernel.statements import counted_bytes
from visaproof.report.records.common import Access, LaunchExample
from visaproof.semantics.concrete.surface import Buffer, LaneWrite, TexelWrite, Write
from visaproof.smt import evaluate
from visaproof.smt.evaluate import evaluate_all


def launch_of(
    answers: AskedKernel,
    shown: ShownRun,
    position: Position,
    event: Event,
    where: Sequence[Relation | Disjoint] = (),
    sizes: Sequence[tuple[str, Expression]] = (),
    global_size: Sequence[Expression] = (),
) -> ExampleLaunch | NoLaunch:
    """A launch with the event of a counterexample; with small numbers in buffers first, where it depends on data."""
    stated = _stated(answers, where, sizes, global_size, launch_in(answers, shown))
    if any(loads_that_decide(answers, shown)):
        stated = replace(stated, contents=("small", "counting", "zeros"))
    found = find_launch(_program(answers), position, event, stated)
    sizes_of = sizes_in(answers, shown.values)
    negative = next((d for d, size in zip(DIMENSIONS, sizes_of.global_size, strict=True) if size > SIGNED_IDS), None)
    if isinstance(found, NoLaunch) and negative is not None:
        relation = f"global_size_{negative} <= {SIGNED_IDS}"
        return NoLaunch(f"the ids that show it are negative as `int`; --where '{relation}' leaves them out")
    return found


SIGNED_IDS = 1 << 31
"""Of more work items, some have ids that are negative as `int`."""
MOST_HELD = 512
"""Bytes that a command names."""


def too_small_in(
    answers: AskedKernel,
    where: Sequence[Relation | Disjoint] = (),
    sizes: Sequence[tuple[str, Expression]] = (),
    global_size: Sequence[Expression] = (),
) -> TooSmall:
    """Finds launches in which a buffer is too small."""
    return TooSmall(_program(answers), _stated(answers, where, sizes, global_size, None))


def _program(answers: AskedKernel) -> Program:
    return Program(answers.kernel, answers.launch, answers.platform)


def _stated(
    answers: AskedKernel,
    where: Sequence[Relation | Disjoint],
    sizes: Sequence[tuple[str, Expression]],
    global_size: Sequence[Expression],
    example: Example | None,
) -> Stated:
    """`sizes` are bytes of buffers by name, `global_size` work items by dimension, as the user states them."""
    by_name = dict(sizes)

    def stated_size(index: int, numbers: Mapping[str, int]) -> int | None:
        names = (answers.launch.arg_names.get(index, ""), f"arg{index}", str(index))
        amount = next((by_name[name] for name in names if name in by_name), None)
        if amount is None:
            return None
        try:
            return value_in(amount, numbers)
        except KeyError:  # of something that no host passes
            return -1

    def allows(numbers: Mapping[str, int]) -> bool:
        try:
            stated = zip(global_size, DIMENSIONS, strict=False)
            sized = all(value_in(size, numbers) == numbers[f"global_size_{dimension}"] for size, dimension in stated)
            return sized and all(one.holds(numbers) for one in where if isinstance(one, Relation))
        except KeyError:
            return False

    elements = _elements(answers, where, sizes)
    return Stated(stated_size, allows, _constant(global_size), example, elements=elements)


def _elements(
    answers: AskedKernel, where: Sequence[Relation | Disjoint], sizes: Sequence[tuple[str, Expression]]
) -> frozenset[int]:
    """The arguments of which something is stated of elements, if a launch has none but those that it is given."""
    relations = (name for one in where if isinstance(one, Relation) for name in one.names())
    named = elements_named(
        (*relations, *(name for _, one in sizes for name in names_in(one))), answers.kernel, answers.launch
    )
    stores = written(answers.kernel, answers.launch, answers.start, answers.asked.trace) if named else frozenset[int]()
    return frozenset() if stores is None else named - stores


def _constant(global_size: Sequence[Expression]) -> Triple | None:
    """The global size that is stated, if it is one of numbers."""
    try:
        x, y, z = (*(value_in(size, {}) for size in global_size), 1, 1, 1)[:3]
    except KeyError:
        return None
    return (x, y, z) if global_size and min(x, y, z) > 0 else None


def launch_in(answers: AskedKernel, shown: ShownRun) -> Example | None:
    """The launch that the values of a run describe, or one group of it where that is too large to be run; or None."""
    values = shown.values
    names, shape = LaunchNames(answers.kernel, answers.launch, answers.start), sizes_in(answers, values)
    if shape.group_items > MOST_GROUP_ITEMS:
        return None
    if shape.items > MOST_ITEMS:
        shape = Shape(shape.local_size, shape.local_size)
    numbers: dict[int, tuple[int, ...]] = {}
    for argument in names.arguments():
        named = [names.number(one) for one in names_of(argument, answers.launch)]
        if any(named):  # components that the kernel does not get may be anything
            numbers[argument.index] = tuple(_number(one.word, values) if one is not None else 0 for one in named)
    return Example(shape, numbers, _held(answers, shown))


def _held(answers: AskedKernel, shown: ShownRun) -> Held:
    """What the buffers of arguments hold before the run: surfaces from their buffer offset on, others by address."""
    places = dict[type[BufferAddress | BufferOffset], dict[int, int]]()
    for item, piece in pieces(answers.kernel, answers.launch):
        match piece.meaning:
            case BufferAddress(argument) | BufferOffset(argument):
                word = bytes_at(answers.start, item.variable, piece.offset, piece.size)
                places.setdefault(type(piece.meaning), {})[argument.index] = evaluate(word, shown.values)
            case _:
                pass
    addresses, offsets = (places.get(kind, {}) for kind in (BufferAddress, BufferOffset))
    found: dict[int, dict[int, int]] = {}
    for key, memory in shown.state.surfaces.items():
        own = argument_of(answers.kernel, answers.launch, key)
        if not isinstance(memory, Buffer) or (own is None and key != FLAT):
            continue
        for place, byte in memory.contents.items():
            if own is not None:
                index, offset = own.index, place - offsets.get(own.index, 0)
            else:
                base, index = max(((at, one) for one, at in addresses.items() if at <= place), default=(0, -1))
                offset = place - base
            if byte and index >= 0 and 0 <= offset < MOST_BUFFER:
                found.setdefault(index, {})[offset] = byte
    return found if sum(map(len, found.values())) <= MOST_HELD else {}


def _number(word: Word, values: Values) -> int:
    value = evaluate(word.term, values)
    return as_signed(value, word.term.width) if word.signed else value


def sizes_in(answers: AskedKernel, values: Values) -> Shape:
    """The least launch that has a thread with these values."""
    names = LaunchNames(answers.kernel, answers.launch, answers.start)
    found = ((names.number(f"local_size_{d}"), names.number(names.own_size(k))) for k, d in enumerate(DIMENSIONS))
    words = ([one.word.term for one in each if one is not None] for each in found)
    x, y, z = (max(1, *evaluate_all(each, values)) for each in words)
    local = answers.launch.group_size or (x, y, z)
    gx, gy, gz = (evaluate(word, values) + 1 for word in GROUP_IDS)
    return Shape((gx * local[0], gy * local[1], gz * local[2]), local)


class ShownLaunch(Struct, frozen=True):
    """What was found, and how to run it."""

    found: ExampleLaunch | NoLaunch
    command: tuple[str, ...]
    """`visaproof run` with the kernel and its launch information."""
    simd: int
    """Work items of a thread."""
    like: Position | None = None
    """The message that has a launch in which the same surface is too small in the same way."""

    @property
    def is_another(self) -> bool:
        """Whether a launch is shown that is not the one of which the example of the analysis is a thread."""
        return isinstance(self.found, ExampleLaunch) and not self.found.like_the_example

    def what(
        self,
        buffer: str = "",
        argument: Argument | None = None,
        first_lane: int = 0,
        info: ArgumentInfo = NOTHING_SAID,
    ) -> str:
        """What happens in it, in elements of the `buffer` where that is known: `work item 2 writes out[2], bytes …`.

        What is said of the argument tells its elements; where nothing is, they are as long as the access.
        """
        one, missed = self.found, self.missed(argument)
        if not isinstance(one, ExampleLaunch):
            return ""
        if not buffer or missed is None or missed[0] % missed[1]:
            return one.what
        start, width = missed
        items, first = self._items(one, first_lane), start if one.place else start % (1 << 32)
        lanes = [
            write.lane for write in one.message.writes if _place(write) == (first, width) and write.lane is not None
        ]
        item = items.get(first_lane + lanes[0]) if lanes else None
        who = "an access reaches" if item is None else f"work item {item} writes"
        element = element_at(info, buffer, start)
        place = element.place if element.scalar else f"{buffer}[{start // width}]"
        return f"{who} {place}, bytes {first:#x}..{first + width - 1:#x}"

    def missed(self, argument: Argument | None = None) -> tuple[int, int] | None:
        """Where the first access outside of the buffer of an argument begins, and its bytes.

        An offset has 32 bits, and the buffers of a launch that is run are small: from 2^31 on it is a negative one.
        """
        if not isinstance(self.found, ExampleLaunch):
            return None
        if self.found.message.surface == FLAT:
            known = self.found.allocated.get(argument.index) if argument is not None else None
            place = self.found.place
            return None if known is None or place is None else (place[0] - known[0], place[1])
        misses = self.found.message.misses
        if not misses or not misses[0].width or self.found.event is not Event.OUTSIDE:
            return None
        return as_signed(misses[0].cell[0], 32), misses[0].width

    def bytes_of(self, argument: Argument | None) -> str:
        """How large the buffer of an argument is in it, for the reader; empty where that is not known."""
        text = self.found.buffers.get(argument.index, "") if isinstance(self.found, ExampleLaunch) and argument else ""
        _, _, size = text.partition(":")
        return counted_bytes(int(size)) if size.isdecimal() else ""

    @property
    def is_shown(self) -> bool:
        """Whether one was found."""
        return isinstance(self.found, ExampleLaunch)

    @property
    def writes(self) -> tuple[Write, ...]:
        """Of the lanes of the message in the launch."""
        return self.found.message.writes if isinstance(self.found, ExampleLaunch) else ()

    def lines(self, what: str = "") -> Iterator[str]:
        """What happens in the launch, in other words if they are given, and the command that shows it."""
        match self.found:
            case NoLaunch(reason):
                yield f"no launch is shown: {reason}"
            case ExampleLaunch() as one:
                yield f"launch: {_counted(one)}: {what or one.what} ({one.thread})"
                yield f"  {shlex.join(self._command(one))}"

    def record(self, first_lane: int = 0, what: str = "") -> LaunchExample:
        """The same for programs, in other words if they are given; lanes count from the first one of the statement."""
        match self.found:
            case NoLaunch(reason):
                return LaunchExample(found=False, reason=reason)
            case ExampleLaunch() as one:
                return LaunchExample(
                    found=True,
                    global_size=one.shape.global_size,
                    local_size=one.shape.local_size,
                    arguments={one.takes.shown(index): value for index, value in one.arguments.items()},
                    buffers={one.takes.shown(index): value for index, value in one.buffers.items()},
                    images={one.takes.shown(index): value for index, value in one.images.items()},
                    group=one.thread.group,
                    thread=one.thread.number,
                    what=what or one.what,
                    command=self._command(one),
                    writes=[write_record(write, first_lane) for write in one.message.writes],
                    accesses=list(_accesses(one, first_lane)),
                    colliding_lanes=_colliding(one, first_lane),
                    items=self._items(one, first_lane),
                    **_buffer_at_fault(one),
                )

    def _items(self, one: ExampleLaunch, first_lane: int) -> dict[int, int]:
        """The work item of each lane that writes; of launches with one dimension, where lanes take them in order."""
        if max(*one.shape.global_size[1:], *one.shape.local_size[1:]) > 1:
            return {}
        first = one.thread.group[0] * one.shape.local_size[0] + one.thread.number * self.simd
        lanes = (write.lane for write in one.message.writes if write.lane is not None)
        return {first_lane + lane: first + first_lane + lane for lane in lanes}

    def _command(self, one: ExampleLaunch) -> list[str]:
        return [*self.command, *(word for pair in one.options() for word in pair)]


def _place(write: Write) -> tuple[int, int]:
    """Its first byte and how many it has; of a texel what no access to bytes has."""
    return (write.address, write.width) if isinstance(write, LaneWrite) else (-1, 0)


def _colliding(one: ExampleLaunch, first_lane: int) -> tuple[int, int] | UnsetType:
    met = colliding(one.message.writes)
    return UNSET if met is None else (first_lane + (met[0].lane or 0), first_lane + (met[1].lane or 0))


def _counted(found: ExampleLaunch) -> str:
    items, groups = found.shape.items, found.shape.group_total
    text = f"{items} work item{'s' * (items > 1)}" + (f" in {groups} groups" if groups > 1 else "")
    arguments = ", ".join(f"{found.takes.shown(index)} = {value}" for index, value in found.arguments.items())
    return f"{text} with {arguments}" if arguments else text


def _buffer_at_fault(one: ExampleLaunch) -> dict[str, Any]:
    """The argument whose buffer the first write is in, of a message to 64-bit addresses."""
    addresses = [write.address for write in one.message.writes if isinstance(write, LaneWrite)]
    if one.message.surface != FLAT or not addresses:
        return {}
    for index, (base, size) in one.allocated.items():
        if base <= addresses[0] < base + size:
            return {"surface": one.takes.shown(index), "argument": index, "base": base}
    return {}


def _accesses(one: ExampleLaunch, first_lane: int) -> Iterator[Access]:
    """What lies outside, and every write; of a read nobody notes the lane."""
    misses = {(miss.cell, miss.width) for miss in one.message.misses}
    written: set[tuple[tuple[int, ...], int]] = set()
    for write in one.message.writes if misses else ():
        lane = None if write.lane is None else first_lane + write.lane
        access = (write.texel, 0) if isinstance(write, TexelWrite) else ((write.address,), write.width)
        written.add(access)
        yield Access(lane=lane, cell=list(access[0]), bytes=access[1], outside=access in misses)
    for cell, width in sorted(misses - written):
        yield Access(lane=None, cell=list(cell), bytes=width, outside=True)
