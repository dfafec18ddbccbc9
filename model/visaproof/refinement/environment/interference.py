"""A target that another thread tells from the source by coming between two of its atomics on one cell.

The other thread makes one atomic exchange.  It sees what it gets, and memory at the end is seen.  Behind one message of
the target it comes to something; if it comes to something else wherever it is made in a run of the source on the same
inputs, the target does what the source never does.  Both kernels reach the cell by atomics alone, so that it may be
made anywhere; but for lanes that meet in one message, a run of the source has no other freedom.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from visaproof.checking.ladder import Values
from visaproof.isa.identity import Same
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.refinement.effects.question import Question
from visaproof.refinement.environment.environment_steps import Came, Exchange, Interference, Visit, Writer
from visaproof.refinement.nondeterminism.choices import source_choice
from visaproof.refinement.testing.memory import Content, FlatContents, Memory
from visaproof.refinement.testing.ran import Prepared, Ran
from visaproof.refinement.testing.runner import Runner, bits_of
from visaproof.refinement.testing.runs import SLM_OUTSIDE, is_conditional, is_launch, is_undefined, launch_of
from visaproof.refinement.verdicts import Difference
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.refinement.widths.thread_runs import ThreadWatch
from visaproof.semantics.concrete.surface import Buffer, LaneWrite
from visaproof.semantics.symbolic.accesses import Atomic

MOST_CELLS = 4
"""Of one run: mostly each lane has one, and all are alike."""


class _Touch(Struct, frozen=True):
    """A lane of an atomic on a cell."""

    message: int
    surface: str
    address: int
    width: int
    writer: Writer
    left: int

    def meets(self, other: "_Touch") -> bool:
        """Whether both reach some byte."""
        apart = self.address + self.width <= other.address or other.address + other.width <= self.address
        return self.surface == other.surface and not apart


class _Run(Struct, frozen=True):
    """One run, and what the other thread got in it."""

    ran: Ran
    start: Prepared
    watch: ThreadWatch
    visit: Visit | None

    def touches(self) -> Iterator[_Touch]:
        """What its atomics did, in the order in which they did it."""
        names = {Same(one.contents): name for name, one in self.start.memory.items() if isinstance(one, Buffer)}
        for number, performed in enumerate(self.ran.outcome.performed):
            buffer = self.start.state.surfaces[performed.surface]
            for write in performed.changed:
                if isinstance(buffer, Buffer) and isinstance(write, LaneWrite):
                    holder, place = _holder(buffer, write.address)
                    if holder in names and write.address + write.width <= buffer.size:
                        writer = Writer(performed.instruction, write)
                        yield _Touch(number, names[holder], place, write.width, writer, write.value)

    def reaches_plainly(self, cell: Exchange) -> bool:
        """Whether anything but an atomic reaches a byte of the cell."""
        buffer = self.start.memory[cell.surface]
        assert isinstance(buffer, Buffer)
        places = range(cell.address, cell.address + cell.width)
        return any(self.watch.plainly(buffer.contents, place) for place in places)

    def came(self, behind: Sequence[_Touch]) -> Came:
        """What the exchange came to behind these atomics on its cell."""
        assert self.visit is not None
        last = behind[-1] if behind else None
        left = self.visit.exchange.held_in(self.visit.buffer)
        return Came(last.message + 1 if last else 0, last.writer if last else None, self.visit.brought, left)


def _holder(buffer: Buffer, address: int) -> tuple[Same[dict[int, int]], int]:
    """What holds this byte, and its place there."""
    contents = buffer.contents
    return contents.holder(address) if isinstance(contents, FlatContents) else (Same(contents), address)


def interfered(
    source: AnyRunner, target: AnyRunner, question: Question, values: Values, content: Content
) -> Difference | None:
    """A difference on these values that an exchange by another thread shows; None where none is found.

    Of kernels of which `may_interfere` holds.  Raises NotModelled.
    """
    assert isinstance(source, Runner)
    assert isinstance(target, Runner)
    return _Launch(source, target, question, *launch_of(source, target, question, values, content)).interfered()


def interfered_again(source: AnyRunner, target: AnyRunner, question: Question, found: Difference) -> Difference | None:
    """What an exchange shows in further runs from the same start."""
    assert isinstance(source, Runner)
    assert isinstance(target, Runner)
    return _Launch(source, target, question, found.values, found.memory).interfered()


def may_interfere(source: AnyRunner, target: AnyRunner, question: Question) -> bool:
    """Whether atomics of two messages of the target may reach one cell.

    Not asked of kernels that are several threads, nor where the source may choose.
    """
    if not (isinstance(source, Runner) and isinstance(target, Runner)) or question.disturbed or source_choice(question):
        return False
    seen: set[str] = set()
    for performed in target.trace.performed:
        if any(isinstance(access, Atomic) for access in performed.accesses):
            if performed.surface in seen:
                return True
            seen.add(performed.surface)
    return False


class _Launch(Struct, frozen=True):
    """Two kernels, and what both start with."""

    source: Runner
    target: Runner
    question: Question
    values: Values
    memory: Memory

    def interfered(self) -> Difference | None:
        """What `interfered` finds."""
        quiet = self._run(self.target) if is_launch(self.question, self.values) else None
        cells = list(_repeated(list(quiet.touches()))) if quiet else []
        plain = self._run(self.source) if cells else None
        if plain is None:
            return None
        touches = list(plain.touches())
        for cell in cells[:MOST_CELLS]:
            of_source = [one for one in touches if one.meets(cell[0])]
            if len({one.message for one in of_source}) == len(of_source):
                for value in self._told_apart_by(cell):
                    exchange = Exchange(cell[0].surface, cell[0].address, cell[0].width, value)
                    if (found := self._unexplained(exchange, cell, of_source)) is not None:
                        return self._shown(found)
        return None

    def _shown(self, found: Interference) -> Difference:
        """The difference that is no byte of one run, but what the other thread comes to."""
        mask = bits_of(self.question.lanes, self.values)
        return Difference(self.values, mask, self.memory, found)

    def _told_apart_by(self, cell: Sequence[_Touch]) -> tuple[int, ...]:
        """Values that operations treat unlike: neutral ones, the largest and smallest, and what the cell holds."""
        first, bits = cell[0], 8 * cell[0].width
        contents = self.memory[first.surface][1]
        held = sum(contents.get(first.address + k, 0) << 8 * k for k in range(first.width))
        left = (one.left for one in cell if one.width == first.width)
        corners = (0, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1)
        return tuple(dict.fromkeys((*corners, held, *left)))

    def _unexplained(
        self, exchange: Exchange, of_target: Sequence[_Touch], of_source: Sequence[_Touch]
    ) -> Interference | None:
        """The exchange between two atomics of the target, if nowhere in the source it comes to the same."""
        runs: list[tuple[_Run, Came]] = []
        for count in range(len(of_source) + 1):
            if (run := self._visited(self.source, exchange, of_source[:count])) is None:
                return None
            runs.append((run, run.came(of_source[:count])))
        for count in range(1, len(of_target)):
            run = self._visited(self.target, exchange, of_target[:count])
            if run is None:
                continue
            came = run.came(of_target[:count])
            found = [_unlike(one, other, run, came) for one, other in runs]
            if None not in found:
                return Interference(exchange, came, of_target[count].writer, tuple(filter(None, found)))
        return None

    def _visited(self, runner: Runner, exchange: Exchange, behind: Sequence[_Touch]) -> _Run | None:
        """The run in which the exchange is made behind the last of these; None where it shows nothing."""
        run = self._run(runner, exchange, behind[-1].message + 1 if behind else 0)
        return None if run is None or run.reaches_plainly(exchange) else run

    def _run(self, runner: Runner, exchange: Exchange | None = None, messages: int = 0) -> _Run | None:
        """A defined run, whose outcome nothing leaves open and which stays where it is taken to stay."""
        watch = ThreadWatch(forbidden=False)
        start = runner.prepared(self.memory, self.question.lanes, self.values, watch)
        visit = None
        if exchange is not None:
            buffer = start.memory[exchange.surface]
            assert isinstance(buffer, Buffer)
            visit = Visit(exchange, buffer, messages)
        ran = runner.run_from(start, self.memory, visit)
        missed = ran.shared_local_missed is not None and SLM_OUTSIDE in self.question.forbidden
        undefined = missed or ran.outcome.undefined is not None
        if runner is self.source:
            undefined |= is_undefined(ran, self.question, self.values) or ran.atomics_met
        return None if undefined or ran.leaves(is_conditional(self.question)) else _Run(ran, start, watch, visit)


def _repeated(touches: Sequence[_Touch]) -> Iterator[list[_Touch]]:
    """What reaches a cell that atomics of several messages reach; cells that the same messages reach are one."""
    patterns: set[tuple[int, ...]] = set()
    cells: set[tuple[str, int, int]] = set()
    for first in touches:
        if (first.surface, first.address, first.width) in cells:
            continue
        cells.add((first.surface, first.address, first.width))
        found = [one for one in touches if one.meets(first)]
        pattern = tuple(one.message for one in found)
        if all(one < other for one, other in pairwise(pattern)) and len(pattern) > 1 and pattern not in patterns:
            patterns.add(pattern)
            yield found


def _unlike(source: _Run, came: Came, target: _Run, in_target: Came) -> Came | None:
    """What the exchange came to in the source; None where it is the same as in the target."""
    if (came.brought, came.left) != (in_target.brought, in_target.left):
        return came
    for surface in (name for name in source.ran.memory if name != SHARED_LOCAL):  # which nobody reads at the end
        one, other = source.ran.memory[surface][1], target.ran.memory[surface][1]
        for address in sorted(one.keys() | other.keys()):
            if one.get(address, 0) != other.get(address, 0):
                return replace(came, elsewhere=(surface, address))
    return None
