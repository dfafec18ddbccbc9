"""Messages that are one for the reader: a wide kernel has a message of a source line in two halves, or in four.

Whether one is a further part is a field of its record; text and page leave out what it says again.
"""

from collections.abc import Hashable
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.program.kernel import Kernel
from visaproof.program.source_places import source_place
from visaproof.program.statements import Origin
from visaproof.report.records.bounds import BoundsAnswer, Message, Refuted
from visaproof.report.records.common import LaunchExample
from visaproof.report.records.conflicts import Refuted as Conflict
from visaproof.report.records.conflicts import Scatter
from visaproof.report.records.conflicts import Unknown as OpenScatter

Record = TypeVar("Record", bound=Scatter | Message)


class Parts(Struct):
    """Takes the records of a kernel one after another, and notes which is a further part of the one before."""

    kernel: Kernel
    _before: tuple[Origin, Scatter | Message] | None = field(default=None)
    _first: int = 0

    def noted(self, instruction: Origin, record: Record) -> Record:
        """The record, with the line of the first part if it says the same of later lanes."""
        if self._before is None or not self._continues(*self._before, instruction, record):
            self._before, self._first = (instruction, record), instruction.position.line
            return record
        before = self._before[1]
        self._before = (instruction, record)
        if _said(before) != _said(record) or (_has_launch(record) and not _has_launch(before)):
            return record
        return replace(record, part_of=self._first)

    def _continues(self, last: Origin, before: Scatter | Message, now: Origin, record: Scatter | Message) -> bool:
        """Whether it is the same for later lanes, of one line of source."""
        same = (last.opcode, last.suffixes, before.binding) == (now.opcode, now.suffixes, record.binding)
        places = [source_place(self.kernel, one.position) for one in (last, now)]
        return same and last.first_lane < now.first_lane and places[0] == places[1]


def _said(record: Scatter | Message) -> Hashable:
    """What is the same of parts that say the same."""
    if isinstance(record, Message):
        return _kind(record.bounds), _kind(record.meaning), str(record.inside_if), record.only_after is None
    free_if = record.free_if if isinstance(record, Conflict | OpenScatter) else None
    return type(record), str(free_if and free_if.relations)


def _kind(answer: BoundsAnswer) -> Hashable:
    return type(answer), answer.kind if isinstance(answer, Refuted) else ""


def _has_launch(record: Scatter | Message) -> bool:
    launch: LaunchExample | None = record.launch if isinstance(record, Message | Conflict) else None
    return launch is not None and launch.found
