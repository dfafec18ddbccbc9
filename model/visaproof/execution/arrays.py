"""Runs a whole launch on arrays: many groups at once, in the order of the groups.

Where some thread is undefined or is not modelled, its group is run again thread after thread, on the memory that the
groups before it leave: what is told is then what the scalar machine tells, with the lane.
"""

import dataclasses
from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from visaproof.execution.inputs import require_known
from visaproof.execution.memory import Allocation
from visaproof.execution.payload import Payloads, Program, Values
from visaproof.execution.payload_arrays import GroupPayload
from visaproof.execution.races import OutsideAccess
from visaproof.execution.run import (
    MOST_STATEMENTS,
    SLM,
    Engine,
    Memory,
    Ran,
    StoppedLaunch,
    UndefinedAt,
    first_typed,
    run_launch,
    surface_keys,
    unknown_surface,
)
from visaproof.execution.shape import ThreadId, Triple
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.operands import SCRATCH, SLM_TAG
from visaproof.launch.input_meaning import LaunchValue
from visaproof.launch.local_memory import scratch_bytes
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.result import Result, Stop
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.concrete.run import MissingSurface
from visaproof.program.lower import lowered
from visaproof.semantics.concrete.choices import STRICT, Choices, PickedAt

MOST_BYTES = 1 << 27
"""Of registers and of memory of single groups, for the groups that run at once."""
FIRST_PRIVATE = 1 << 16
"""Bytes of private memory that a group gets at first."""
MORE_PRIVATE = 16
"""How many times more it gets where that was not enough."""


def run_on_arrays(
    program: Program, values: Values, memory: Memory, choices: Choices = STRICT, most: int = MOST_STATEMENTS
) -> Ran:
    """Runs all threads; the memory is changed in place.  Raises NotModelled."""
    if (typed := first_typed(program)) is not None:
        raise NotModelled(f"{typed.opcode} on arrays: texels are reached thread after thread", typed.position)
    if memory.images:
        raise NotModelled("images on arrays")
    require_known(program, Payloads(program, values))
    try:
        return _ArraysRun(program, values, memory, choices, most).run()
    except MissingSurface as missing:
        raise unknown_surface(program, missing) from None


@dataclasses.dataclass
class _ArraysRun:
    program: Program
    values: Values
    memory: Memory
    choices: Choices
    most: int
    ran: Ran = dataclasses.field(default_factory=lambda: Ran(engine=Engine.ARRAYS))

    def __post_init__(self) -> None:
        self._payload = GroupPayload(self.program, self.values)
        self._private = FIRST_PRIVATE if _takes_private(self.program) else 0
        self._reached = {key: self.memory.buffers[index] for key, index in surface_keys(self.program, self.memory)}
        self._reached[SLM] = self.memory.local
        self._outside: dict[tuple[str, Position | None], OutsideAccess] = {}
        self._scratch = scratch_bytes(self.program.kernel, self.program.launch)
        self._thread_bytes = sum(each.size for each in self.program.kernel.registers.values())

    def run(self) -> Ran:
        try:
            self._all_groups()
        except NotModelled as error:
            for one in error.outside if isinstance(error, StoppedLaunch) else ():
                self._leaves(one)
            raise StoppedLaunch(error, tuple(self._outside.values())) from error
        self.ran.outside = tuple(self._outside.values())
        return self.ran

    def _all_groups(self) -> None:
        start, total = 0, self.values.shape.group_total
        while start < total and self.ran.undefined is None:
            smaller = self._first_smaller(start, total)
            if smaller > start:
                start = self._chunk(start, smaller)
            else:
                self._scalar(start)
                start += 1

    def _first_smaller(self, start: int, total: int) -> int:
        """The first group from `start` on that is not whole; `total` if all are."""
        shape = self.values.shape
        if shape.is_uniform:
            return total
        found = (one for one in range(start, total) if shape.size_of(shape.group(one)) != shape.local_size)
        return next(found, total)

    def _chunk(self, start: int, total: int) -> int:
        """Runs groups from `start` on; the first one that is still to be run."""
        groups = range(start, min(total, start + self._at_once()))
        before = self._contents()
        result = self._together(groups)
        rows = [stop.thread for stop in (*result.undefined, *result.not_modelled)]
        if not rows:
            self._count(groups, result)
            return groups.stop
        self._restore(before)
        done = min(rows) // self._payload.threads
        if done:
            first = range(start, start + done)
            self._count(first, self._together(first))
        mine = range(done * self._payload.threads, (done + 1) * self._payload.threads)
        undefined, not_modelled = (
            [stop for stop in stops if stop.thread in mine] for stops in (result.undefined, result.not_modelled)
        )
        self._alone(start + done, undefined, not_modelled)
        return start + done + 1

    def _at_once(self) -> int:
        of_thread = self._thread_bytes + self._scratch
        of_group = self._payload.threads * of_thread + len(self.memory.local.data) + self._private
        return max(1, MOST_BYTES // max(of_group, 1))

    def _together(self, groups: range) -> Result:
        payload = self._payload.of(groups)
        self._picked = PickedAt()
        return run_threads(
            self.program.kernel,
            self.program.platform,
            payload.registers,
            payload.masks,
            self._memories(len(groups)),
            payload.groups,
            most=self.most,
            whole_groups=True,
            choices=replace(self.choices, picked=self._picked),
        )

    def _memories(self, groups: int) -> Memories:
        """The buffers behind surfaces and addresses, and zeros as the memory of each group."""
        whole = {each: _array(each.data) for each in self.memory.buffers.values() if each.part_of is None}
        buffers = {index: _bytes_in(each, whole) for index, each in self.memory.buffers.items()}
        surfaces = {key: buffers[index] for key, index in surface_keys(self.program, self.memory)}
        surfaces[SLM] = np.zeros((groups, len(self.memory.local.data)), np.uint8)
        if self._scratch:
            surfaces[SCRATCH] = np.zeros((groups * self._payload.threads, self._scratch), np.uint8)
        flat = [(each.base, buffers[index]) for index, each in self.memory.buffers.items() if each.part_of is None]
        if self._private:
            flat.append((self.memory.private.base, np.zeros((groups, self._private), np.uint8)))
        tags = lowered(self.program.kernel, self.program.platform).tags
        return Memories(surfaces, flat, only_flat=True, local_tag=SLM_TAG if tags else 0)

    def _contents(self) -> Mapping[int, bytes]:
        return {index: bytes(buffer.data) for index, buffer in self.memory.buffers.items()}

    def _restore(self, contents: Mapping[int, bytes]) -> None:
        for index, buffer in self.memory.buffers.items():
            buffer.data[:] = contents[index]

    def _count(self, groups: range, result: Result) -> None:
        """Takes note of what the last run of these groups did."""
        self.ran.threads += len(groups) * self._payload.threads
        self.ran.barriers += int(result.barriers[: len(groups)].sum())
        self.ran.statements = max(self.ran.statements, result.statements)
        for place, one in self._picked.items():
            assert isinstance(one.thread, int)
            group, number = divmod(one.thread, self._payload.threads)
            one.thread = ThreadId(self.values.shape.group(groups.start + group), number)
            first = self.choices.picked.setdefault(place, one)
            first.others |= one.others or first is not one
        for one in result.misses:
            group, number = divmod(one.thread, self._payload.threads)
            thread = ThreadId(self.values.shape.group(groups.start + group), number)
            memory = self._reached[one.key]
            self._leaves(OutsideAccess(memory.name, memory.size, one.address, thread, one.position, count=one.count))
        if self.choices.trail is not None:
            first_row = groups.start * self._payload.threads
            for position, digests in result.trail.items():
                known = self.choices.trail.digests.setdefault(position, {})
                known |= {first_row + int(row): int(digests[row]) for row in np.flatnonzero(digests)}

    def _leaves(self, access: OutsideAccess) -> None:
        """Groups come in their order, so that the first access is the one that was known first."""
        known = self._outside.setdefault((access.memory, access.position), access)
        if known is not access:
            known.count += access.count

    def _scalar(self, group: int) -> Triple:
        """Runs a group thread after thread."""
        ids = self.values.shape.group(group)
        alone = run_launch(self.program, self.values, self.memory, groups=[ids], choices=self.choices, most=self.most)
        self.ran.threads += alone.threads
        self.ran.barriers += alone.barriers
        self.ran.statements = max(self.ran.statements, alone.statements)
        self.ran.undefined = alone.undefined
        for one in alone.outside:
            self._leaves(one)
        return ids

    def _alone(self, group: int, undefined: list[Stop], not_modelled: list[Stop]) -> None:
        """Runs a group in which threads of the arrays stopped, thread after thread.  Raises NotModelled."""
        if not undefined and len({(stop.position, stop.message) for stop in not_modelled}) == 1:
            raise NotModelled(not_modelled[0].message, not_modelled[0].position)
        ids = self._scalar(group)
        if self.ran.undefined is not None:
            return
        if 0 < self._private < self.memory.private.room:  # it was too little; the scalar machine has run the group
            self._private = min(self._private * MORE_PRIVATE, self.memory.private.room)
        elif undefined:  # it depends on the order of the threads: one undefined order is enough
            stop = undefined[0]
            thread = ThreadId(ids, stop.thread % self._payload.threads)
            self.ran.undefined = UndefinedAt(stop.position, stop.message, thread, None)
        else:
            raise NotModelled(not_modelled[0].message, not_modelled[0].position)


def _array(content: bytearray | memoryview) -> NDArray[np.uint8]:
    return np.frombuffer(content, np.uint8) if content else np.zeros(0, np.uint8)


def _bytes_in(buffer: Allocation, whole: Mapping[Allocation, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The bytes of a buffer: its own, or the end of another one's."""
    if buffer.part_of is None:
        return whole[buffer]
    return whole[buffer.part_of][buffer.base - buffer.part_of.base :]


def _takes_private(program: Program) -> bool:
    """Whether the kernel is told where private memory is."""
    pieces = (piece for item in program.kernel.inputs for piece in program.launch.pieces(item.variable))
    return any(piece.meaning is LaunchValue.PRIVATE_BASE for piece in pieces)
