"""The way of a symbolic run through the statements of a kernel: branches, and loops that one iteration stands for."""

from collections.abc import Callable
from itertools import count

from msgspec.structs import replace

from visaproof.decode.synchronisation import Moment
from visaproof.isa.errors import LimitReached, NotModelled, Position
from visaproof.isa.execution import THREAD_LANES
from visaproof.machine.symbolic.loops.came_back import NOTHING, LaterIteration
from visaproof.machine.symbolic.loops.exit_values import LoopExit
from visaproof.machine.symbolic.loops.held_words import LoopWords
from visaproof.machine.symbolic.loops.iteration import (
    QWORD,
    Held,
    LoopIteration,
    LoopWrites,
    ending,
    exits_of,
    in_round,
    keep_changes,
    owners,
    round_writes,
    shifts,
)
from visaproof.machine.symbolic.loops.iterations import Iterations
from visaproof.machine.symbolic.loops.lane_elements import LaneElements
from visaproof.machine.symbolic.loops.last_iteration import LastIterations
from visaproof.machine.symbolic.loops.used_symbols import used_symbols
from visaproof.machine.symbolic.machine import Contents, Machine
from visaproof.machine.symbolic.trace import Branch as TakenBranch
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.flow import may_run_from
from visaproof.program.loop_shape import Loop, is_left, shape
from visaproof.program.statements import Branch, End, Landing, Nothing, Run
from visaproof.semantics.symbolic.literals import NONE, Literals
from visaproof.smt import Bool, Term, conj, neg, true
from visaproof.smt.limit import NO_LIMIT, Limit

RUN_SHARE = 0.7
"""Of the time for a file: the rest is for the questions, of which there are none where the run comes to no message."""
MAX_STEPS = 20_000
"""Statements of one trace; more are given up."""
FIXED_STEPS = 4000
"""Statements of one trace until loops of a fixed length are generalised, too."""


class Walk:
    """The way of a machine through the statements of its kernel."""

    def __init__(
        self, machine: Machine, step: Callable[[Run], None], unroll: int, general: bool, compared_as: str, fixed: bool
    ) -> None:
        """`step` runs a statement on the machine; loops of a `fixed` length run to their end, however few unroll."""
        self._step_machine, self._compared_as, self._fixed = step, compared_as, fixed
        self._machine, self._lanes = machine, machine.lanes
        self._iterations = Iterations(machine.program.statements, unroll, several=not general)
        self._generalise = general
        self._place: int = 0
        self._exact = set[int]()
        """The places behind loops of a fixed length of which no iteration stands for the others."""
        self._came: dict[int, tuple[Bool, ...]] = {}
        """Those that ran at each place last."""
        self._bounded: list[tuple[Bool, Position]] = []
        self._loops = 0
        """How many loops were generalised, also in vain."""
        self._steps = 0
        """How many statements were run."""
        self._moments = count(1)
        """How often what iterations write was looked at."""
        self._heads: list[int] = []
        """Where the loops begin whose general iteration this is."""
        self._turned: dict[int, int] = {}
        """By the place behind a loop that one iteration of is run, and begins behind its test: where it begins."""
        self._wide = frozenset(name for name, one in self._machine.program.storage.items() if one.type.size == QWORD)
        self._last = LastIterations(machine.thread, self._wide, looks=general and not compared_as)
        self._general: list[tuple[LoopIteration, LoopWords]] = []
        self._branches: list[TakenBranch] = []
        self._known: dict[int, dict[int, tuple[Loop, LoopWrites]]] = {}
        """By where a loop begins and the place behind it: those that one iteration stood for, and what it wrote."""
        self._within: int | None = None
        """The place behind the loop of which an iteration begins now."""
        self._sure: tuple[Contents, int] | None = None
        """What there was before the outermost loop whose general iteration is not finished, and the bounded loops."""

    def run(self, limit: Limit) -> tuple[Trace, list[LoopWords]]:
        """What the kernel does, and of each loop what iterations write of registers and predicates."""
        stopped: NotModelled | LimitReached | None = None
        try:
            with limit.within(RUN_SHARE):
                self._walk(len(self._machine.program.statements))
        except (NotModelled, LimitReached) as reason:
            if isinstance(reason, LimitReached) and limit is NO_LIMIT:  # that of what the run is a part of
                raise
            stopped = reason
        machine, beyond = self._machine, self._machine.beyond
        sure, bounded = self._sure or (None, None)  # an unfinished iteration shows nothing of other iterations
        found = beyond.found[: sure and sure.beyond]
        undefined = () if beyond.nondeterministic else tuple((neg(one.guard), one.position) for one in found)
        ran = Trace(
            tuple(machine.performed[: sure and sure.performed]), machine.surfaces,
            tuple(machine.arithmetic.arbitrary[: sure and sure.arbitrary]),
            (*machine.operands.conditions[: sure and sure.conditions], *undefined),
            machine.thread.registers, machine.thread.predicates, tuple(self._bounded[:bounded]), stopped,
            frozenset() if stopped is None else may_run_from(machine.program, self._place - 1), machine.private,
            tuple(machine.events[: sure and sure.events]), tuple(one for one, _ in self._general),
            tuple(beyond.found) if beyond.nondeterministic else (), tuple(self._branches), tuple(machine.counted),
        )  # fmt: skip
        return ran, [words for _, words in self._general]

    def _walk(self, end: int) -> None:
        """Runs the statements from `_place` on, up to the place `end`."""
        statements = self._machine.program.statements
        while True:
            self._lanes.arrive(self._place)
            self._came[self._place] = self._lanes.running
            if self._place == end:
                break
            if self._place in self._known and not self._lanes.nowhere and self._again():
                continue
            self._within = None
            statement = statements[self._place]
            self._place += 1
            if isinstance(statement, Landing | Nothing) or self._lanes.nowhere:
                self._place = self._turned.get(self._place, self._place)
                continue
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise NotModelled(f"loops that take more than {MAX_STEPS} statements", statement.position)
            if not self._step_at(statement):
                if self._heads:
                    raise NotModelled("the end of a kernel in a loop", statement.position)
                break

    def _step_at(self, statement: Run) -> bool:
        thread, position = self._machine.thread, statement.position
        thread.registers.reader = thread.predicates.reader = thread.beyond.position = position
        try:
            return self._step(statement)
        except NotModelled as reason:
            if reason.position is not None:
                raise
            raise NotModelled(reason.what, position) from None
        except LimitReached as reached:
            reached.position = reached.position or position
            raise

    def _step(self, statement: Run) -> bool:
        """Runs one statement; False ends the program."""
        match statement:
            case Branch():
                self._branch(statement)
            case End():
                if statement.predicated or self._lanes.diverged:
                    what = f"opcode {statement.origin.opcode} in divergent control flow"
                    raise NotModelled(what, statement.position)
                return False
            case _:
                self._step_machine(statement)
        return True

    def _branch(self, branch: Branch) -> None:
        target, execution = branch.target, branch.lanes
        uniform, jumping = execution.size == 1, self._machine.thread.jumping(execution)
        if execution.predicate is not None:
            taken = (conj(*self._lanes.facts, *both) for both in zip(self._lanes.running, jumping, strict=True))
            self._branches.append(TakenBranch(branch.position, tuple(taken)))
        if target >= self._place:
            self._lanes.jump(target, jumping, uniform)
        else:
            self._go_back(branch, jumping, uniform)

    def _go_back(self, branch: Branch, jumping: list[Bool], uniform: bool) -> None:
        """The next iteration of a loop: lanes that have left it wait behind the branch."""
        if self._place in self._turned:
            self._place = branch.target
            return
        self._lanes.jump(self._place, [neg(jumps) for jumps in jumping], uniform)
        if self._lanes.nowhere:
            return
        place, running = self._place, self._lanes.running
        # As many lanes as an iteration ago, or at its begin: then it is certain that they go on.
        fixed = self._fixed and self._steps < FIXED_STEPS and self._came.get(branch.target) == running
        certain = fixed or self._iterations.turn(place, running)
        too_many = self._iterations.are_too_many(branch, place)
        if too_many or (certain and self._takes_long(branch, place)):
            loop = shape(branch, place, self._machine.program.statements, bool(self._compared_as))
            if self._generalise and self._generalised(loop, self._last.writes(place, branch.target), back=True):
                return
            self._exact.add(place)
            if too_many:
                self._bounded.append((neg(self._lanes.here), branch.position))
                self._lanes.halt()
                return
        self._iterations.drop(branch.target, place)
        self._last.begin(place)
        self._place, self._within = branch.target, place

    def _takes_long(self, branch: Branch, place: int) -> bool:
        """Whether one iteration is to stand for what is left of a loop of a fixed length.

        Kernels that are compared would go through different iterations, and of what never ends nothing is said.
        """
        if not self._generalise or self._compared_as or self._steps <= FIXED_STEPS or place in self._exact:
            return False
        return is_left(branch, place, self._machine.program.statements)

    def _again(self) -> bool:
        """Whether all iterations of a loop that begins here were run as one: at once, as when a run came here before.

        Else the work for loops in loops would grow with the product of their iterations.
        """
        first, loops = self._place, self._known[self._place]
        for behind in sorted(loops, reverse=True):
            within = behind if behind in self._turned else self._within
            if (within is not None and behind >= within) or self._lanes.wait_between(first, behind):
                continue
            self._place, (loop, known) = behind, loops[behind]
            if self._generalised(loop, known.copy()):
                return True
            self._place = first
            del loops[behind]
        return False

    def _generalised(self, loop: Loop, known: LoopWrites, *, back: bool = False) -> bool:
        """Whether all iterations of a loop from here on were run as one; `known` are writes that it will have.

        Whether the lanes have come `back` by the branch, or for the first time.
        """
        if self._heads and loop.head < self._heads[-1]:
            return False
        before, place, heads, bounds = self._machine.contents(), self._place, len(self._heads), len(self._bounded)
        general, branches = len(self._general), len(self._branches)
        outermost, self._sure = self._sure, self._sure or (before, bounds)
        try:
            if loop.is_turned:
                self._test(loop)
            if not self._lanes.nowhere:
                self._general_round(loop, known, back=back)
            self._place = loop.behind
        except NotModelled:
            del self._heads[heads:], self._bounded[bounds:], self._general[general:], self._branches[branches:]
            self._machine.restore(before)
            self._place, self._sure = place, outermost
            return False
        self._sure = outermost
        self._known.setdefault(loop.head, {})[place] = loop, known
        return True

    def _test(self, loop: Loop) -> None:
        """Goes from the head of a loop to behind its test: lanes that it sends on wait behind the loop."""
        self._place, self._within = loop.head, loop.behind
        self._walk(loop.end)
        if self._lanes.wait_between(loop.end, loop.behind):
            raise NotModelled("lanes that come into a loop behind its test", loop.branch.position)
        self._place = loop.first
        if not self._lanes.nowhere:
            self._step_at(loop.branch)

    def _general_round(self, loop: Loop, known: LoopWrites, *, back: bool) -> None:
        """Runs one iteration after any number of others, until what it writes was arbitrary before it."""
        machine, behind, bounds, inner = self._machine, loop.left_at, len(self._bounded), len(self._general)
        before, running = machine.contents(), self._lanes.running
        reached, branches = self._lanes.facts, len(self._branches)
        facts = reached if self._compared_as else NONE
        while True:
            self._loops += 1
            name = f"loop{self._compared_as and f'.{self._compared_as}.'}{self._loops}"
            in_it = in_round(name, running)
            elements = LaneElements(machine.thread, known, running if self._compared_as else ())
            entered = self._held(known, running, facts) + elements.held(running, facts)
            held = machine.havoc(name, known, running)
            elements.havoc(name, in_it)
            during = self._held(known, running, facts) + elements.held(in_it, facts)
            self._lanes.only(in_it)
            here = self._lanes.facts
            written, shifted = self._round(name, loop, before.performed), set[str]()
            keep_changes(written, here, machine.thread.registers, before.registers)
            if not self._compared_as:
                shifted = shifts(held, self._lanes.running, self._lanes.facts, machine.thread.registers)
            if not known.improve(written, shifted):
                break
            del self._bounded[bounds:], self._general[inner:], self._branches[branches:]
            machine.restore(before)
        ended = self._held(known, in_it, here) + elements.held(in_it, here)
        going = (in_it, here) if self._lanes.nowhere else (self._lanes.running, self._lanes.facts)
        after = ended if self._lanes.nowhere else self._held(known, *going) + elements.held(*going)
        last = machine.thread.registers.contents(), machine.thread.predicates.contents()
        goes_on = list(map(neg if loop.is_turned else conj, machine.thread.jumping(loop.branch.lanes)))
        again, told, fixed = list(map(conj, self._lanes.running, goes_on)), NOTHING, frozenset[Term]()
        if not self._compared_as:
            fixed, used = machine.fixed(before.performed), used_symbols(machine, before, again)
            one = LaterIteration(name, known, held, in_it, again, here | self._lanes.facts, reached, fixed, used, back)
            told = one.known(machine.thread.registers, before.registers)
        exits = self._lanes.reached_since(before.lanes, loop.behind)
        only_at_end = not exits
        if loop.branch.lanes.predicate is not None:
            exits = ending(exits, behind, map(conj, self._lanes.running, map(neg, goes_on)))
        machine.keep_messages_since(before, told)
        machine.havoc(f"{name}.left", replace(known, shifts=set()), running, facts)  # by lanes in different iterations
        if only_at_end and told.counted.counters:
            at_end = LoopExit(name, held, list(map(neg, goes_on)), running, fixed)
            at_end.write(told.counted.counters, known, reached, machine.thread.registers, before.registers)
        if self._compared_as:
            left = self._held(known, running, facts) + elements.left(name)
            words = map(Held, entered, during, after, ended, left, owners(known) + elements.lanes)
            runs = in_round(name, (true(),) * THREAD_LANES)
            lanes = map(Held, running, runs, again, again, runs, range(THREAD_LANES))
            about = Moment(before.performed, before.events), machine.moment, tuple(words), tuple(lanes)
            held_when = (before.registers, before.predicates, running, facts), (*last, in_it, here), (*last, *going)
            general = LoopIteration(loop.branch.position, *about, exits_of(name, exits), inner)
            self._general.append((general, LoopWords(name, known, *held_when)))
        self._lanes.leave(name, exits, running)

    def _held(self, known: LoopWrites, running: tuple[Bool, ...], facts: Literals) -> list[Term]:
        """What is held here by what iterations may write, if iterations are to be compared."""
        if not self._compared_as:
            return []
        return self._machine.held(f"moment.{self._compared_as}.{next(self._moments)}", known, running, facts)

    def _round(self, name: str, loop: Loop, messages: int) -> LoopWrites:
        """Runs an iteration, and says what was written; so many `messages` came before."""
        machine, registers, predicates = self._machine, self._machine.thread.registers, self._machine.thread.predicates
        bound, addresses = machine.bindings.contents(), machine.operands.addresses.contents()
        stores, moves = len(machine.private.contents()), machine.bindings.logged
        outer, registers.log, predicates.log = (registers.log, predicates.log), [], []
        self._iterations.drop(loop.head, loop.behind - 1)
        self._place, self._within = loop.first, loop.behind
        self._heads.append(loop.head)
        self._turned |= {loop.behind: loop.head} if loop.is_turned else {}
        try:
            self._walk(loop.end)
        finally:  # no more than this: a limit may end many iterations, one in the other
            self._turned.pop(loop.behind, None)
            own = registers.log, predicates.log
            outer[0].extend(own[0])
            outer[1].extend(own[1])
            registers.log, predicates.log = outer
        written = round_writes(name, *own, machine.private.since(stores), machine.fixed(messages))
        self._heads.pop()
        if machine.bindings.changed_since(bound):
            raise NotModelled("an index of a surface that changes between the iterations of a loop")
        written.bound = machine.bindings.bound_since(bound, moves)
        now = machine.operands.addresses.contents()
        written.addresses = {key for key, held in now.items() if addresses.get(key) is not held}
        return written
