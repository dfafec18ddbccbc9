"""A launch as people read it: what ran, what it wrote, and where it is undefined."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import IO

from msgspec import Struct

from visaproof.execution.choices import Nondeterminism
from visaproof.execution.memory import Allocation
from visaproof.execution.payload import Payloads, Program, Values
from visaproof.execution.races import OutsideAccess, Race
from visaproof.execution.run import Engine, Memory, Ran, StoppedLaunch, UndefinedAt
from visaproof.execution.shape import ThreadId
from visaproof.execution.trace import Step, Traced, Tracer
from visaproof.execution.watching import WatcherOf
from visaproof.isa.errors import NotModelled
from visaproof.launch.ids.local_ids import Host
from visaproof.launch.premises import Premise
from visaproof.report.execution import run_choices
from visaproof.report.execution.run_premises import of_ending, of_launch
from visaproof.report.execution.run_records import (
    BufferRecord,
    NotModelledRecord,
    OutsideRecord,
    RaceRecord,
    RunDocument,
    StepRecord,
    UndefinedRecord,
    UninitialisedRecord,
)
from visaproof.report.kernels.premises import premise_lines, premise_record
from visaproof.report.text.documents import encode, shown_path
from visaproof.report.text.excerpt import excerpt, lines_of, printable
from visaproof.report.text.kernel_name import readable_name
from visaproof.semantics.concrete.state import ConcreteState

ROWS = 4
"""Rows of 16 bytes that are shown of a buffer."""
MOST_STATEMENTS = 8
"""Statements that are shown of those that leave one buffer."""
MOST_FILE = 1 << 24
MOST_STEPS = 1_000_000
"""Steps of a trace in JSON."""


class RunReport:
    """Writes a launch to `out`, as text while it runs or as one JSON object at its end."""

    def __init__(self, out: IO[str], program: Program, values: Values, *, as_text: bool) -> None:
        self._out = out
        self._program = program
        self._values = values
        self._as_text = as_text
        self._steps: list[StepRecord] = []
        self._premises = [*of_launch(program, values)]
        self._unknown = [
            f"{item.variable}.{piece.offset}: {piece}" for item, piece in Payloads(program, values).unknown()
        ]

    def _say(self, line: str = "") -> None:
        if self._as_text:
            print(line, file=self._out)

    def header(self) -> None:
        program, shape = self._program, self._values.shape
        count = sum(1 for _ in program.kernel.instructions())
        name, device = readable_name(program.kernel.name), program.platform.name
        self._say(f"{program.kernel.path}: kernel {name}, {count} instructions, {device}")
        self._say(f"  launch: {program.launch.source}")
        groups = shape.group_total
        threads, lanes = _counted(program.threads(shape), "thread"), _counted(program.simd, "lane")
        smaller = "" if shape.is_uniform else "; the last groups are smaller"
        self._say(
            f"  runs: {shape.items:,} work items in {_counted(groups, 'group')} of {threads}, {lanes} each{smaller}"
        )
        self._hosts()
        for line in premise_lines(self._premises) if self._premises else ():
            self._say(line)
        for text in self._unknown:
            self._say(f"  input {text}: not known; the kernel does not read it")

    def _hosts(self) -> None:
        """Which layout of the local ids was taken, where it depends on the host."""
        program, size = self._program, self._values.shape.local_size
        layouts = {host: program.laid_out_by(host).described(size) for host in Host}
        if len(set(layouts.values())) > 1:
            shown = ", ".join(f"{layout} with --host {host.value}" for host, layout in layouts.items())
            self._say(f"  local ids: {program.laid_out.described(size)} ({shown})")

    def tracer(self, traced: Traced) -> WatcherOf:
        """Traces the one thread."""

        def of_thread(thread: ThreadId, start: ConcreteState) -> Tracer | None:
            return Tracer(traced.lane, self._step, start) if thread == traced.thread else None

        return of_thread

    def _step(self, step: Step) -> None:
        place = step.statement.position
        self._say(f"  {place.line:>5} | {printable(step.statement.origin.text)}")
        for change in step.changes:
            self._say(f"        {change.place} ← {change.value}")
        if not self._as_text and len(self._steps) < MOST_STEPS:
            changes = {change.place: change.value for change in step.changes}
            self._steps.append(StepRecord(place.line, step.statement.origin.text, f"{step.lanes:#x}", changes))

    def stopped(self, error: NotModelled, engine: Engine, code: int) -> None:
        """The launch met what has no semantics here."""
        before = error.outside if isinstance(error, StoppedLaunch) else None
        self._notes(before or ())
        if not self._as_text:
            place = error.position
            record = NotModelledRecord(error.what, place.line if place else None, place.column if place else None)
            self._print_json(Ran(engine=engine, outside=before or ()), [], code, record, ended=before is not None)

    def finish(
        self,
        ran: Ran,
        memory: Memory,
        before: Mapping[int, bytes],
        files: Mapping[int, Path],
        code: int,
        unstated: Nondeterminism | None = None,
    ) -> None:
        """What became of the launch."""
        if not self._as_text:
            records = [
                _buffer_record(self._program, index, buffer, before[index], files.get(index))
                for index, buffer in (memory.buffers.items() if ran.undefined is None else ())
            ]
            self._premises += of_ending(self._program, self._values, ran, memory, unstated)
            self._print_json(ran, records, code, None, unstated)
            return
        if ran.undefined is not None:
            for line in _undefined_lines(ran.undefined):
                self._say(line)
            if "beyond its variable" in ran.undefined.message and not self._values.pad:
                self._say("        `--pad` takes what lies behind a variable in its last register as 0")
            self._notes(ran.outside)
            return
        for index, buffer in memory.buffers.items():
            self._say()
            for line in _buffer_lines(buffer, before[index]):
                self._say(f"  {line}")
            if index in files:
                self._say(f"    written to {shown_path(files[index])}")
        for line in () if unstated is None else run_choices.lines(unstated, self._program, memory):
            self._say(line)
        if memory.images:
            self._say()
            self._say("  note: races on the texels of images were not looked for")
        self._footer(ran, list(of_ending(self._program, self._values, ran, memory, unstated)))

    def _footer(self, ran: Ran, premises: Sequence[Premise]) -> None:
        for race in ran.races:
            self._say()
            self._say(f"  note: {race.what}: {_of_race(race)}")
            self._say("        nothing orders them, so that another run may end with other bytes")
        for read in ran.uninitialised:
            more = f" and {read.count - 1:,} more bytes" if read.count > 1 else ""
            self._say()
            self._say(
                f"  note: byte {read.offset:#x}{more} of {read.memory} read before it was written, by {read.thread}"
            )
            self._say("        it is 0 here, and may be anything on a device")
        self._notes(ran.outside)
        if ran.engine is Engine.ARRAYS:
            self._say()
            self._say("  note: not looked for: races, reads of uninitialised memory")
            self._say("        `--engine scalar` looks for them, and runs thread after thread")
        self._say()
        for line in premise_lines(premises) if premises else ():
            self._say(line)
        barriers = f", {_counted(ran.barriers, 'barrier')} passed" if ran.barriers else ""
        self._say(f"  ran to the end: {_counted(ran.threads, 'thread')}{barriers}")

    def _notes(self, accesses: Sequence[OutsideAccess]) -> None:
        for line in outside_lines(accesses):
            self._say(line)

    def _print_json(
        self,
        ran: Ran,
        buffers: list[BufferRecord],
        code: int,
        not_modelled: NotModelledRecord | None,
        unstated: Nondeterminism | None = None,
        *,
        ended: bool = True,
    ) -> None:
        program, shape = self._program, self._values.shape
        watched = ran.engine is Engine.SCALAR and ran.undefined is None and not_modelled is None
        document = RunDocument(
            command="run",
            exit_code=code,
            file=shown_path(program.kernel.path),
            kernel=program.kernel.name,
            platform=program.platform.name,
            launch=shown_path(program.launch.source),
            simd=program.simd,
            global_size=shape.global_size,
            local_size=shape.local_size,
            local_ids=program.laid_out.described(shape.local_size),
            threads=ran.threads,
            barriers=ran.barriers,
            unknown_inputs=self._unknown,
            undefined=None if ran.undefined is None else _undefined_record(ran.undefined),
            not_modelled=not_modelled,
            engine=ran.engine.value,
            races=_race_records(ran) if watched else None,
            unwritten_reads=_uninitialised_records(ran) if watched else None,
            outside=list(_outside_records(ran)) if ended else None,
            buffers=buffers,
            trace=self._steps,
            nondeterminism=None if unstated is None else run_choices.record(unstated, program),
            premises=[premise_record(one) for one in self._premises],
        )
        print(encode(document), file=self._out)


def outside_lines(accesses: Sequence[OutsideAccess]) -> Iterator[str]:
    """A note for each buffer, with the statements that leave it."""
    for memory, group in groupby(sorted(accesses, key=lambda one: one.memory), lambda one: one.memory):
        found = list(group)
        yield ""
        size = f"{found[0].size:,} bytes"
        yield f"  note: {memory} has {size}; outside of it reads give 0 and writes are dropped:"
        for one in found[:MOST_STATEMENTS]:
            line = f"line {one.position.line}: " if one.position else ""
            place = f"texel {one.texel}" if one.address is None else f"byte {one.address:#x}"
            more = f", and {one.count - 1:,} more" if one.count > 1 else ""
            yield f"        {line}{place}, by {one.thread}{more}"
        if rest := found[MOST_STATEMENTS:]:
            lines = sorted({one.position.line for one in rest if one.position is not None})
            yield f"        … and {_counted(len(rest), 'statement')} more, on the lines {', '.join(map(str, lines))}"


def _undefined_lines(found: UndefinedAt) -> Iterator[str]:
    lane = "" if found.lane is None else f", lane {found.lane}"
    yield ""
    yield f"  UNDEFINED: {found.position}: {found.message}"
    yield from (f"  {line}" for line in excerpt(lines_of(Path(found.position.path), MOST_FILE), found.position))
    yield f"        {found.thread}{lane}; nothing behind it was run, and no buffer is written"


def _undefined_record(found: UndefinedAt) -> UndefinedRecord:
    lines = lines_of(Path(found.position.path), MOST_FILE)
    place = found.position
    text = lines[place.line - 1].strip() if 1 <= place.line <= len(lines) else ""
    path = shown_path(place.path)
    group, number = found.thread.group, found.thread.number
    return UndefinedRecord(path, place.line, place.column, text, found.message, group, number, found.lane)


def _race_records(ran: Ran) -> list[RaceRecord]:
    return [
        RaceRecord(race.memory, race.what, race.offset, race.count, [str(race.first), str(race.second)])
        for race in ran.races
    ]


def _uninitialised_records(ran: Ran) -> list[UninitialisedRecord]:
    return [UninitialisedRecord(read.memory, read.offset, read.count, str(read.thread)) for read in ran.uninitialised]


def _outside_records(ran: Ran) -> Iterator[OutsideRecord]:
    for one in ran.outside:
        line, texel = one.position and one.position.line, None if one.texel is None else list(one.texel)
        yield OutsideRecord(one.memory, one.size, one.address, one.count, str(one.thread), line, texel)


def _of_race(race: Race) -> str:
    """Which bytes and threads."""
    more = f" and {race.count - 1:,} more accesses" if race.count > 1 else ""
    return f"byte {race.offset:#x}{more} of {race.memory}, by {race.first} and {race.second}"


class _Changes(Struct, frozen=True):
    """Which bytes of a buffer are others than before."""

    bits: bytes
    """A byte is 0 where it did not change."""

    @property
    def count(self) -> int:
        return len(self.bits) - self.bits.count(0)

    @property
    def first(self) -> int:
        return len(self.bits) - len(self.bits.lstrip(b"\0"))

    @property
    def last(self) -> int:
        return len(self.bits.rstrip(b"\0")) - 1

    def rows(self) -> list[int]:
        """The rows of 16 bytes with a change."""
        starts = range(self.first // 16 * 16, self.last + 1, 16)
        return [start // 16 for start in starts if any(self.bits[start : start + 16])]


def _changes(buffer: Allocation, before: bytes) -> _Changes | None:
    """None where nothing changed."""
    if bytes(buffer.data) == before:
        return None
    old, new = int.from_bytes(before, "little"), int.from_bytes(buffer.data, "little")
    return _Changes((old ^ new).to_bytes(len(before), "little"))


def _buffer_lines(buffer: Allocation, before: bytes) -> Iterator[str]:
    """How many bytes changed, and the first rows in which some did."""
    changes = _changes(buffer, before)
    if changes is None:
        yield f"{buffer.name}: {len(before):,} bytes, none changed"
        return
    span = f"{changes.first:#x}..{changes.last:#x}"
    yield f"{buffer.name}: {changes.count:,} of {len(before):,} bytes changed, {span}"
    rows = changes.rows()
    for row in rows[:ROWS]:
        content = bytes(buffer.data[16 * row : 16 * row + 16])
        words = [content[k : k + 4][::-1].hex() for k in range(0, len(content), 4)]
        yield f"  {16 * row:#06x}  {' '.join(words)}"
    if len(rows) > ROWS:
        yield f"  … {len(rows) - ROWS:,} more rows (dwords, the lowest byte last)"


def _buffer_record(program: Program, index: int, buffer: Allocation, before: bytes, path: Path | None) -> BufferRecord:
    changes = _changes(buffer, before)
    first, last, changed = (None, None, 0) if changes is None else (changes.first, changes.last, changes.count)
    name = program.launch.arg_names.get(index)
    digest = sha256(buffer.data).hexdigest()
    written = None if path is None else shown_path(path)
    return BufferRecord(index, name, len(before), changed, first, last, digest, written)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
