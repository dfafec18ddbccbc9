"""Runs a kernel for many threads at once: always the lowest place that a thread has come to, for all that are there.

A thread keeps the place of each of its lanes; it is where the lowest of them is, and the lanes that are further wait
there for the others.  This is the order of GOTO's page: lanes that jump ahead are parked at their label.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from visaproof.isa.errors import NotModelled, UndefinedBehavior
from visaproof.isa.operands import Execution
from visaproof.isa.platform import Platform
from visaproof.machine.arrays.arena import Arena
from visaproof.machine.arrays.arrays import Bools, Bytes, Indices
from visaproof.machine.arrays.batch import Batch
from visaproof.machine.arrays.branches import Branches
from visaproof.machine.arrays.compile import Compiler
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.result import Result, Stop
from visaproof.machine.arrays.scalar_fallback import SingleThreads
from visaproof.machine.arrays.threads import ENDED, Threads
from visaproof.program.flow import leaders
from visaproof.program.lower import Runnable, lowered
from visaproof.program.statements import (
    BindState,
    Branch,
    End,
    Landing,
    Nothing,
    ReadState,
    Run,
    Statement,
    Synchronise,
)
from visaproof.semantics.concrete.choices import STRICT, Choices

MAX_STATEMENTS = 10_000_000
"""A thread that takes more steps than this is given up."""

DIVERGENT_BARRIER = "a barrier in divergent control flow: some lanes of the thread are elsewhere"
MISSED_BARRIER = "a barrier that not all threads of the group reach"


def run_threads(
    code: Runnable,
    platform: Platform,
    registers: Mapping[str, Bytes],
    exec_masks: NDArray[np.integer],
    memories: Memories,
    groups: NDArray[np.integer],
    *,
    predicates: Mapping[str, Bools] | None = None,
    most: int = MAX_STATEMENTS,
    whole_groups: bool = False,
    choices: Choices = STRICT,
) -> Result:
    """Runs a kernel or a program once for each thread, under the default readings; the memories are changed in place.

    `registers` are (threads, bytes) of root variables, `exec_masks` (threads,) with lane 0 in bit 0, `groups`
    (threads,) numbers from 0 on; `predicates` (threads, bits).  Variables that are not given hold 0.

    A thread that comes to something undefined or not modelled ends there, and the others go on.  What several threads
    do with one piece of memory in one statement happens thread by thread in the order of the rows, lane by lane.
    `choices` notes a thread by its row.
    With `whole_groups` a barrier that not all threads of a group reach, or not with all their lanes, is undefined.
    Raises MissingSurface for memory that is missing.
    """
    threads = Threads(lowered(code, platform), registers, exec_masks, groups, predicates or {}, choices)
    arena = Arena(memories)
    machine = _Machine(threads, arena, SingleThreads(threads, arena, dict(memories.images)), most, whole_groups)
    try:
        with np.errstate(all="ignore"):
            machine.run()
    finally:
        arena.write_back()
    return Result(
        machine.lane_instructions,
        tuple(machine.undefined),
        tuple(machine.not_modelled),
        {name: threads.register(name) for name in threads.registers},
        threads.predicates,
        machine.barriers,
        machine.statements,
        {} if threads.trail is None else threads.trail.digests,
        tuple(arena.misses.values()),
    )


class _Machine:
    def __init__(self, threads: Threads, arena: Arena, single: SingleThreads, most: int, strict: bool) -> None:
        self._statements: Sequence[Statement] = threads.program.statements
        self._threads = threads
        self._single = single
        self._most = most
        self._strict = strict
        self._leaders = leaders(threads.program)
        self._compiler = Compiler(threads, arena)
        self._branches = Branches(threads, single)
        self._taken: NDArray[np.int64] = np.zeros(threads.count, np.int64)
        """(threads,): the statements that each has come through."""
        self._barriers: dict[int, Synchronise] = {}
        """Where each thread waits."""
        self.barriers: NDArray[np.int64] = np.zeros(int(threads.groups.max(initial=-1)) + 1, np.int64)
        self.lane_instructions = 0
        self.undefined: list[Stop] = []
        self.not_modelled: list[Stop] = []

    @property
    def statements(self) -> int:
        """The most that one thread came through."""
        return int(self._taken.max(initial=0))

    def run(self) -> None:
        threads = self._threads
        while True:
            places = np.where(threads.waiting, ENDED, threads.places)
            lowest = int(places.min(initial=ENDED))
            if lowest < ENDED:
                there = places == lowest
                self._block(lowest, None if there.all() else np.flatnonzero(there))
            elif threads.waiting.any():
                self._release()  # every thread of every group has come to its barrier, or ended
            else:
                return

    def _block(self, start: int, rows: Indices | None) -> None:
        """Runs threads from a place on to the first where others may join them or where they may part."""
        lane_places = self._threads.lane_places if rows is None else self._threads.lane_places[rows]
        batch = Batch(self._threads, rows, lane_places == start)
        place = start
        while batch.count:
            if place == len(self._statements):
                self._threads.end(batch.indices)
                return
            statement = self._statements[place]
            place += 1
            match statement:
                case Landing():
                    pass
                case Branch():
                    self._count(batch, None)
                    batch = self._branch(batch, statement, place)
                    break
                case End():
                    self._end(batch, statement)
                    return
                case _:
                    batch = self._statement(batch, statement, place)
            if place in self._leaders:
                self._advance(batch, place)
                break
        self._limit(batch, place - start, place)

    def _statement(self, batch: Batch, statement: Run, place: int) -> Batch:
        """Runs a statement that is no branch; the batch of the threads that are after it."""
        match statement:
            case Nothing():
                pass
            case Synchronise(waits=True):
                return self._wait(batch, statement)
            case Synchronise(of_some=False):
                pass
            case BindState() | ReadState():
                return self._bind(batch, statement)
            case _:
                return self._run(batch, statement, place - 1)
        self._count(batch, None)
        return batch

    def _bind(self, batch: Batch, movs: BindState | ReadState) -> Batch:
        self._count(batch, None)
        try:
            left = self._compiler.bind(movs, batch)
        except NotModelled as reason:
            position = reason.position or movs.position
            self.not_modelled += [Stop(position, int(thread), reason.what) for thread in batch.indices]
            return self._staying(batch, np.zeros(batch.count, np.bool_))
        return batch if left is None else self._one_by_one(batch, movs, left)

    def _wait(self, batch: Batch, barrier: Synchronise) -> Batch:
        """The threads of the batch come to a barrier.  Page BARRIER: undefined in divergent control flow."""
        self._count(batch, None)
        if self._strict:
            elsewhere: Bools = np.any((batch.pick(self._threads.lane_places) < ENDED) & ~batch.active, axis=1)
            for thread in batch.indices[elsewhere]:
                self.undefined.append(Stop(barrier.position, int(thread), DIVERGENT_BARRIER))
            batch = self._staying(batch, ~elsewhere)
            self._barriers |= dict.fromkeys(batch.indices.tolist(), barrier)
        self._threads.waiting[batch.indices] = True
        return batch

    def _release(self) -> None:
        """The groups whose threads wait at a barrier go on."""
        threads, group = self._threads, self._threads.groups[:, 0]
        if self._strict:
            ended = np.isin(group, group[~threads.waiting]) & threads.waiting
            for thread in np.flatnonzero(ended).tolist():
                self.undefined.append(Stop(self._barriers[thread].position, thread, MISSED_BARRIER))
            threads.waiting[ended] = False
            threads.end(np.flatnonzero(ended))
        self.barriers[np.unique(group[threads.waiting])] += 1
        threads.waiting[:] = False

    def _run(self, batch: Batch, statement: Run, place: int) -> Batch:
        step = self._compiler.step(statement, place)
        if step is None:
            self._count(batch, None)
            return self._one_by_one(batch, statement, np.ones(batch.count, np.bool_))
        execution = step.execution or Execution(1)
        enabled = batch.masked(execution) if step.execution is None else batch.enabled(execution)
        self.lane_instructions += batch.count if step.execution is None else int(np.count_nonzero(enabled.lanes))
        left = step.run(batch, enabled)
        return batch if left is None else self._one_by_one(batch, statement, left)

    def _one_by_one(self, batch: Batch, statement: Run, left: Bools) -> Batch:
        """Runs a statement for these threads (threads of the batch,) by the machine for single threads."""
        staying = np.ones(batch.count, np.bool_)
        indices = batch.indices
        for k in np.flatnonzero(left):
            thread = int(indices[k])
            try:
                self._single.step(statement, thread, batch.active[k])
            except UndefinedBehavior as reason:
                self.undefined.append(Stop(statement.position, thread, str(reason)))
                staying[k] = False
            except NotModelled as reason:
                self.not_modelled.append(Stop(reason.position or statement.position, thread, reason.what))
                staying[k] = False
        return self._staying(batch, staying)

    def _staying(self, batch: Batch, staying: Bools) -> Batch:
        if staying.all():
            return batch
        self._threads.end(batch.indices[~staying])
        return batch.keep(staying)

    def _branch(self, batch: Batch, statement: Branch, place: int) -> Batch:
        staying = np.ones(batch.count, np.bool_)
        for k, message in self._branches.undefined(batch, statement):
            self.undefined.append(Stop(statement.position, int(batch.indices[k]), message))
            staying[k] = False
        batch = self._staying(batch, staying)
        if batch.count:
            self._branches.jump(batch, statement, place)
        return batch

    def _end(self, batch: Batch, statement: End) -> None:
        self._count(batch, None)
        places = batch.pick(self._threads.lane_places)
        divergent: Bools = np.any((places < ENDED) & ~batch.active, axis=1)
        if statement.predicated:
            divergent[:] = True
        for thread in batch.indices[divergent]:
            what = f"opcode {statement.origin.opcode} in divergent control flow"
            self.not_modelled.append(Stop(statement.position, int(thread), what))
        self._threads.end(batch.indices)

    def _advance(self, batch: Batch, place: int) -> None:
        """The lanes that are active come to `place`."""
        if batch.count:
            there = np.where(batch.active, np.int32(place), batch.pick(self._threads.lane_places))
            self._threads.move(batch.rows, there)

    def _limit(self, batch: Batch, statements: int, place: int) -> None:
        indices = batch.indices
        self._taken[indices] += statements
        for thread in indices[self._taken[indices] > self._most]:
            position = self._statements[place - 1].position
            self.not_modelled.append(Stop(position, int(thread), f"a run of more than {self._most} statements"))
            self._threads.end(np.array([thread]))

    def _count(self, batch: Batch, enabled: Bools | None) -> None:
        self.lane_instructions += int(np.count_nonzero(batch.active if enabled is None else enabled))
