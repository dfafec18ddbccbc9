"""Whether nothing that a kernel does depends on uninitialised values, or on what lies beyond a variable: without a run.

Take two runs that differ in uninitialised values alone.  A(s, l) are places that hold the same in both whenever lane l
runs the statement s, and A(s, thread) whenever the thread is there, which it is with some lane.  A lane goes along
edges of the program, so with what each statement does to them

    A(s, l) = ⋂ over the edges p → s of  after(p, A(p, l))          A(start, l) = what the launch writes

by `lane_bytes`: a lane's result is the same in both runs if all that it reads is, its predicate included; under a
predicate, a place is the same that was so before, too.  If branches, messages and what binds surfaces read for l only
what is in A(s, l), both runs take the same path, with the same lanes, accesses and stores, by induction over the steps.

Where no lanes are apart (`places_apart`), all run s with which the thread has started, or none.  So for lanes K that it
has started with

    A(s, l) ⊇ A(s, k)   for k in K and every l

K is lane 0 at least, as devices launch threads; all lanes of a kernel that states no SIMD size.

Lanes wait only where blocks begin.  Meanwhile others run, and may write places of theirs with what is not the same: in
an element of another lane, or by a statement without mask, that was run for the lanes that are there.  So what is ever
written like that where lanes are apart is in no A(s, l) where s begins a block.

2D blocks are those of full sub-groups, if that is assumed: a thread that comes to one has all its lanes.  Then it is
enough that threads with all lanes agree, K being all, and that others agree on all else, K being lane 0.
"""

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.identity import Same
from visaproof.isa.operands import CHANGING
from visaproof.program.flow import Block, blocks, places_apart
from visaproof.program.program import Program
from visaproof.program.statements import Landing, MemoryMessage, Run, Statement
from visaproof.queries.kernels.full_sub_groups import is_of_full_sub_groups
from visaproof.queries.kernels.lane_bytes import LaneBytes
from visaproof.queries.kernels.lane_places import THREAD, Moved, NotFollowed, Variable, for_all, of_any
from visaproof.queries.kernels.message_bytes import message_bytes
from visaproof.queries.kernels.uninitialised import launched_variables

_Agreed = dict[Variable, int]
"""The places of each variable that hold the same in both runs; of one that is not there none."""


def nothing_undefined_matters(program: Program, full_sub_groups: bool = False) -> bool:
    """Whether nothing depends on it, and each statement reads what the launch or one further up may have written."""
    followed = _followed(Same(program))
    return followed is not None and followed.reads_what_was_written and nothing_depends(program, full_sub_groups)


def nothing_depends(program: Program, full_sub_groups: bool = False) -> bool:
    """Whether both runs behave the same; False, too, where a statement is not followed.

    `full_sub_groups` says that they are assumed for 2D blocks.
    """
    return _nothing_depends(Same(program), full_sub_groups)


class _Followed(Struct, frozen=True):
    """What the statements of a program read and write."""

    known: LaneBytes
    moved: tuple[Moved, ...]
    start: _Agreed

    @property
    def reads_what_was_written(self) -> bool:
        """Whether each place that is read is one that a statement further up writes for some lane."""
        known = self.known
        written = {variable: of_any(known.count(variable), places) for variable, places in self.start.items()}
        for one in self.moved:
            if any(of_any(known.count(of), places) & ~written.get(of, 0) for of, places in one.reads):
                return False
            for of, places in one.writes:
                written[of] = written.get(of, 0) | of_any(known.count(of), places)
        return True


@lru_cache(maxsize=4)
def _followed(same: Same[Program]) -> _Followed | None:
    program, known = same.it, LaneBytes(same.it)
    launched = launched_variables(program) | CHANGING
    given = [Variable(name) for name in program.storage if name in launched or name.startswith("&")]
    start = {one: for_all(known.count(one), (1 << known.count(one)) - 1) for one in given}
    try:
        moved = [Moved() if isinstance(one, Landing) else _moved(one, known) for one in program.statements]
    except NotFollowed:
        return None
    return _Followed(known, tuple(moved), start)


@lru_cache(maxsize=4)
def _nothing_depends(same: Same[Program], full_sub_groups: bool) -> bool:
    program, followed = same.it, _followed(same)
    if followed is None:
        return False
    every, first = range(program.lanes or THREAD_LANES), range(1)
    among = [(followed.moved, first if (program.work_items or 1) > 1 else every)]
    if full_sub_groups and any(map(_is_of_full_sub_groups, program.statements)):
        others = zip(followed.moved, program.statements, strict=True)
        of_others = (replace(one, is_checked=one.is_checked and not _is_of_full_sub_groups(by)) for one, by in others)
        among = [(followed.moved, every), (tuple(of_others), first)]
    parts, apart = blocks(program), places_apart(program)
    return all(_TwoRuns(moved, followed, started, apart).agree(parts) for moved, started in among)


def _moved(statement: Run, known: LaneBytes) -> Moved:
    return message_bytes(statement, known) if isinstance(statement, MemoryMessage) else known.of(statement)


def _is_of_full_sub_groups(statement: Statement) -> bool:
    return isinstance(statement, MemoryMessage) and is_of_full_sub_groups(statement.message)


class _Differ(Exception):
    """More than registers depends on what may not be the same."""


class _TwoRuns:
    """Two runs of a program, as far as they have gone from one statement to the next."""

    def __init__(self, moved: Sequence[Moved], of: _Followed, started: range, apart: frozenset[int]) -> None:
        self._moved = moved
        self._known = of.known
        self._start = of.start
        self._started = started
        """Lanes that the thread has started with."""
        self._apart = apart
        self._spoiled: _Agreed = {}
        """What others may have written meanwhile with what is not the same, where a block begins."""

    def agree(self, program: Sequence[Block]) -> bool:
        """Whether they read the same wherever more than registers depends on it."""
        try:
            while True:
                spoiled = dict(self._spoiled)
                self._go_on(program)
                if self._spoiled == spoiled:
                    return True
        except _Differ:
            return False

    def _go_on(self, program: Sequence[Block]) -> None:
        """Goes through blocks until less is the same where none of them begins: through each so at last."""
        by_place = {block.first: block for block in program}
        before, left = {0: self._start}, {0}
        while left:
            first = min(left)
            left.remove(first)
            after = self._go(by_place[first], before[first])
            for following in by_place[first].follow:
                if following in by_place:
                    met = _both(before[following], after) if following in before else after
                    if met != before.get(following):
                        before[following] = met
                        left.add(following)

    def _go(self, block: Block, before: _Agreed) -> _Agreed:
        """What is the same after a block.  Raises _Differ: with less that is the same before, it would again."""
        together = block.first not in self._apart
        now = {variable: places & ~self._spoiled.get(variable, 0) for variable, places in before.items()}
        if together:
            now = {variable: self._of_started(variable, places) for variable, places in now.items()}
        for one in self._moved[block.first : block.end]:
            if not any(places & ~now.get(variable, 0) for variable, places in one.reads):
                for variable, places in one.writes if one.certain else ():
                    now[variable] = now.get(variable, 0) | places
            elif one.is_checked:
                raise _Differ
            else:
                self._write_by_lanes(one, now, together)
            for variable, _ in one.writes if together and (one.cover.masked or not one.certain) else ():
                now[variable] = self._of_started(variable, now.get(variable, 0))
        return now

    def _of_started(self, variable: Variable, places: int) -> int:
        """Where no lanes are apart: what is the same for a lane that the thread has started with is for all."""
        count, of_one = self._known.count(variable), 0
        for lane in self._started:
            of_one |= places >> lane * count
        return places | for_all(count, of_one & ((1 << count) - 1))

    def _write_by_lanes(self, one: Moved, now: _Agreed, together: bool) -> None:
        """What is written is the same for those lanes, or the thread, for which all is that it depends on."""
        cover, everyone = one.cover, range(THREAD + 1)
        whose = [(cover.first + lane,) if cover.masked else everyone for lane in range(cover.size)]
        same = [
            {owner for owner in owners if self._reads_same(one, lane, owner, now)} for lane, owners in enumerate(whose)
        ]
        for lane, owners in enumerate(whose):
            for variable, spans in one.targets:
                count, (start, end) = self._known.count(variable), spans[lane]
                places = (1 << end) - (1 << start)
                held, all_ = now.get(variable, 0), for_all(count, places)
                if cover.masked and not same[lane]:
                    held &= ~all_
                    spoiled = all_ & ~(places << owners[0] * count)
                elif not cover.masked and THREAD not in same[lane]:
                    spoiled = all_
                else:
                    spoiled = 0
                if spoiled and not together:  # else no lane waits
                    self._spoil(variable, spoiled)
                for owner in owners:
                    if owner not in same[lane]:
                        held &= ~(places << owner * count)
                    elif one.certain:
                        held |= places << owner * count
                now[variable] = held

    def _reads_same(self, one: Moved, lane: int, owner: int, now: _Agreed) -> bool:
        for variable, spans in one.sources:
            start, end = spans[lane]
            places = ((1 << end) - (1 << start)) << owner * self._known.count(variable)
            if places & ~now.get(variable, 0):
                return False
        return True

    def _spoil(self, variable: Variable, places: int) -> None:
        self._spoiled[variable] = self._spoiled.get(variable, 0) | places


def _both(one: _Agreed, other: _Agreed) -> _Agreed:
    """What is the same on both ways."""
    both = {variable: places & other.get(variable, 0) for variable, places in one.items()}
    return {variable: places for variable, places in both.items() if places}
