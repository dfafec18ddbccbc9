"""A launch that shows a counterexample, for the reader: the command that runs it, and what happens in it."""

import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from visaproof.analysis.conflicts.launches.collisions import colliding
from visaproof.execution.elements import element_at
from visaproof.execution.example_launch import Event, ExampleLaunch, NoLaunch
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import Position
from visaproof.launch.input_meaning import Argument
from visaproof.launch.overlap import NOTHING_SAID, ArgumentInfo
from visaproof.report.one_kernel.kernel_records import write_record
from visaproof.report.one_kernel.statements import counted_bytes
from visaproof.report.records.common import Access, LaunchExample
from visaproof.semantics.concrete.surface import LaneWrite, TexelWrite, Write
from visaproof.smt import signed_value


class ShownLaunch(Struct, frozen=True):
    """What was found, and how to run it."""

    found: ExampleLaunch | NoLaunch
    command: tuple[str, ...]
    """`visaproof run` with the kernel and its launch information."""
    simd: int
    """Work items of a thread."""
    like: Position | None = None
    """An earlier message that has one in which the same surface is too small in the same way."""

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
        return signed_value(misses[0].cell[0], 32), misses[0].width

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
