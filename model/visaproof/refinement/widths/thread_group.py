"""The narrow threads that run what one wide thread of another kernel runs, compared with it as if they were one.

On terms their messages stand one thread behind the other, from barrier to barrier and from round to round.  Where no
two threads race, every other order leaves the same.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import asdict, replace

from visaproof.checking.stages import Holds, Values, decide_goal
from visaproof.isa.errors import Position
from visaproof.isa.identity import Same
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.machine.concrete.run import MAX_STATEMENTS, Code, Observer, Outcome, PerformedMessage, Thread, Undefined
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.lower import Runnable
from visaproof.program.statements import Run
from visaproof.refinement.effects.fences import is_atomic
from visaproof.refinement.testing.memory import Memory
from visaproof.refinement.testing.ran import ObserverOf, Prepared, Ran, ran_of
from visaproof.refinement.testing.runner import Runner, bits_of
from visaproof.refinement.testing.watch import Watch
from visaproof.refinement.widths.thread_phases import merged
from visaproof.refinement.widths.wide_thread import Split
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.literals import Literals, alternatives, literals_of
from visaproof.smt import BitVec, Bool, Op, Term, bool_symbol, conj, disj, implies, is_true, true
from visaproof.smt.substitution import substitute_all


class ThreadGroup(Runner, frozen=True, kw_only=True):
    """One of two kernels, as several threads: all that is said of inputs and surfaces is the same in all of them."""

    members: tuple[Runner, ...]
    split: Split
    finders: tuple[int, ...]
    """The thread of each value that is left open: the threads have none of these in common."""
    races_forbidden: bool
    last_first: bool = False
    """Whether the last thread runs first."""

    def start_words(self) -> Iterator[BitVec]:
        """What the registers of the threads hold before they start, as far as they read that."""
        for member in self.members:
            yield from member.start_words()

    def orders(self) -> "tuple[ThreadGroup, ...]":
        """The kernel with each order of its threads that is tried: one, where the order cannot show."""
        atomics = any(map(is_atomic, self.trace.performed))
        return (self, replace(self, last_first=True)) if atomics else (self,)

    def other_ways(self, ran: Ran) -> Iterator[tuple[bool, Readings]]:
        """What else the threads may do on the same inputs in one order of theirs."""
        if ran.atomics_met:
            yield True, DEFAULT

    def run(
        self,
        memory: Memory,
        lanes: Sequence[Bool],
        values: Values,
        backwards: bool = False,
        observer_of: ObserverOf | None = None,
        readings: Readings = DEFAULT,
        picks: bool = False,
    ) -> Ran:
        """The run, and the memory after it; on request the last lane of an atomic first, and with a result that is
        picked where pages allow several.  Raises NotModelled."""
        start = self.prepared(memory, lanes, values)
        states = [(number, one.state) for number, one in start.threads]
        for _, state in states:
            state.backwards, state.readings = backwards, readings
            state.choices = Choices(0) if picks else STRICT
        observers = {Same(state): observer_of(number, state) for number, state in states} if observer_of else {}

        def observe(statement: Run, state: ConcreteState) -> None:
            if (observer := observers.get(Same(state))) is not None:
                observer(statement, state)

        found = run_group(
            self.kernel, states, start.watch, start.observed(observe), self.most_statements,
            together=self.name == "source",
        )  # fmt: skip
        left = next((one for _, one in start.threads if one.flat.left is not None), start)
        return replace(ran_of(found.outcome, memory, replace(start, flat=left.flat)), threads=found.threads)

    def prepared(self, memory: Memory, lanes: Sequence[Bool], values: Values) -> Prepared:
        """What the run starts from: the threads that have a lane on, in the order in which they run."""
        watch = Watch(several=True, forbidden=self.races_forbidden)
        after = self.members[0].surfaces(memory, values, watch)
        threads: list[tuple[int, Prepared]] = []
        for number, member in enumerate(self.members):
            own = lanes[self.split.lanes(number)]
            if bits_of(own, values):
                threads.append((number, member.beside(after, own, values, watch)))
        if self.last_first:
            threads.reverse()
        return replace(threads[0][1], threads=tuple(threads))


def _common_name(members: Sequence[Runner], key: str) -> str:
    """The common name of a surface: a thread that stops early does not come to all that the others reach."""
    for one in members[:-1]:
        with suppress(KeyError):
            return one.surface(key)
    return members[-1].surface(key)


# ---------------------------------------------------------------- on terms


def group_of(
    members: Sequence[Runner], lanes: Sequence[Bool], split: Split, races_forbidden: bool, timeout_ms: int
) -> ThreadGroup:
    """The group of these threads.  Raises NotModelled where they do not come to the same barriers and loops."""
    own = [lanes[split.lanes(number)] for number in range(len(members))]
    traces = [
        _where_launched(with_plain_events(one.trace, on, timeout_ms), on) for one, on in zip(members, own, strict=True)
    ]
    comes = [[_if_launched(each.guard, on) for each in one.events] for one, on in zip(traces, own, strict=True)]
    run = merged(traces, split, comes, conditional=races_forbidden and members[0].name == "source")
    common: dict[str, Any] = asdict(members[0])
    common |= {"trace": run.trace, "threads": run.threads, "surface": partial(_common_name, members)}
    return ThreadGroup(
        **common, members=tuple(members), split=split, finders=run.finders, races_forbidden=races_forbidden
    )


def _where_launched(trace: Trace, lanes: Sequence[Bool]) -> Trace:
    """The run of a thread that only starts if one of its lanes is on."""
    launched = disj(*lanes)
    performed: list[Performed] = []
    for one in trace.performed:
        places: dict[Same[Access], Access] = {}
        for access in one.accesses:
            known = not literals_of(access.guard).isdisjoint(lanes)
            places[Same(access)] = access if known else replace(access, guard=conj(access.guard, launched))
        loaded = tuple((places[Same(access)], value) for access, value in one.loaded)
        performed.append(replace(one, accesses=tuple(places.values()), loaded=loaded))
    conditions = tuple((implies(launched, condition), position) for condition, position in trace.conditions)
    return replace(trace, performed=tuple(performed), conditions=conditions)


def _if_launched(guard: Bool, lanes: Sequence[Bool]) -> Bool:
    """What is said of a thread, and that it is launched."""
    return guard if _says_launched(guard, frozenset(lanes)) else conj(disj(*lanes), guard)


def _says_launched(guard: Bool, lanes: Literals) -> bool:
    """Whether the guard says by its form that a lane is on."""
    ways = alternatives(guard)
    if len(ways) > 1:
        return all(_says_launched(one, lanes) for one in ways)
    return any(one in lanes or (one.op is Op.DISJ and _says_launched(one, lanes)) for one in literals_of(guard))


def with_plain_events(trace: Trace, lanes: Sequence[Bool], timeout_ms: int) -> Trace:
    """The run in which an event stands under no condition where every run of a thread of these lanes comes to it, and
    else under what has to hold beside that a lane is on.

    Nothing is asked of runs in which a loop goes on.
    """
    ends = tuple(condition for condition, _ in trace.bounded)
    reached = {
        guard: _is_reached(guard, lanes, ends, timeout_ms) for guard in dict.fromkeys(one.guard for one in trace.events)
    }
    runs = literals_of(disj(*lanes))
    events = (replace(one, guard=true() if reached[one.guard] else under(one.guard, runs)) for one in trace.events)
    return replace(trace, events=tuple(events))


def _is_reached(guard: Bool, lanes: Sequence[Bool], ends: tuple[Bool, ...], timeout_ms: int) -> bool:
    """Whether a run with a lane on comes to it, at first with each relation of words as a truth value of its own.

    Mostly it does since each lane leaves the loops before it: what the relations say is of no matter then.
    """
    launched = disj(*lanes)
    if is_true(guard) or guard is launched:
        return True
    cut: dict[Term, Term] = {one: bool_symbol(f"relation.{one.serial}") for one in _relations((launched, *ends, guard))}
    *facts, goal = substitute_all([launched, *ends, guard], cut)
    return any(
        isinstance(decide_goal(tuple(known), reached, timeout_ms), Holds)
        for known, reached in ((facts, goal), ((launched, *ends), guard))
    )


_JUNCTIONS = (Op.CONJ, Op.DISJ, Op.NOT)


def _relations(terms: Sequence[Bool]) -> Iterator[Bool]:
    """The truth values that are no junctions of others, in these junctions."""
    seen, stack = set[Bool](), list(terms)
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op in _JUNCTIONS:
            stack += cast(tuple[Bool, ...], one.args)
        elif one.args:
            yield one


# ---------------------------------------------------------------- concretely, from barrier to barrier


class GroupOutcome(Struct, frozen=True):
    """What the threads performed, in the order in which they ran, and of which of them each message is."""

    outcome: Outcome
    threads: tuple[int, ...]


def run_group(
    kernel: Runnable,
    states: Sequence[tuple[int, ConcreteState]],
    watch: Watch,
    observer: Observer | None = None,
    most: int = MAX_STATEMENTS,
    *,
    together: bool = False,
) -> GroupOutcome:
    """Runs each thread to its next barrier, in the order given, until all have ended.

    The states share their surfaces, which tell `watch` what is accessed.  The first undefined thing ends it: on request
    also a barrier to which not all come `together`, at which the others wait for ever.
    Raises NotModelled, also where a thread takes more than `most` statements.
    """
    if not states:
        return GroupOutcome(Outcome((), None), ())
    code = Code(kernel, states[0][1].platform)
    running = [(number, Thread(code, state, observer, most=most)) for number, state in states]
    performed: list[PerformedMessage] = []
    threads: list[int] = []
    known = dict.fromkeys((number for number, _ in running), 0)
    undefined: Undefined | None = None
    while running and undefined is None:
        waiting: list[tuple[int, Thread]] = []
        barrier: Position | None = None
        for number, thread in running:
            watch.thread = number
            stop = thread.resume()
            done = thread.performed[known[number] :]
            known[number] += len(done)
            performed += done
            threads += [number] * len(done)
            if not isinstance(stop, Outcome):
                waiting.append((number, thread))
                barrier = stop.barrier.position
            elif stop.undefined is not None:
                undefined = stop.undefined
                break
        if together and undefined is None and barrier is not None and len(waiting) < len(states):
            undefined = Undefined(barrier, "a barrier that not all threads of the group come to")
        watch.barrier()
        running = waiting
    return GroupOutcome(Outcome(tuple(performed), undefined), tuple(threads))
