"""Atomics of several threads beside those of the wide one that runs all their lanes: which happen in one atomic step.

Each message of the wide thread is a step, in which each narrow thread takes its part.  Between steps others may change
what is there.  Of a message of several lanes each lane's atomic has to be the same in both: then every order of them is
open to both.  One of a single lane may be the sum of what the threads do one after another.

The order of the source's threads is open, so that it may be the one with these steps.  The target's threads may take
theirs in any order: it has to be one in which nobody sees that.  Two atomics of different threads that are in different
steps, that have to give one sum, or that iterations of a loop repeat, reach other cells, or bring nothing and commute.
Then they can be exchanged one by one, until they stand in the order of the steps.

A thread that does in several messages what another of its width does in one takes its parts of the turn in that order.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.cache_options import caches_of
from visaproof.isa.atomics import commute
from visaproof.isa.errors import NotModelled
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.course import course
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.effects import lanes_of_message
from visaproof.queries.kernels.atomic_order import is_aligned, order_is_unseen
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.stores import Owner
from visaproof.refinement.effects.fences import is_atomic, is_seen
from visaproof.refinement.effects.side import LinearisationPoint, Side, epoch
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load
from visaproof.smt import kept


class Message(Struct, frozen=True):
    """A message of atomics: where it stands in the run, and for which lanes of the wide thread it is."""

    place: int
    thread: int
    lanes: range
    epoch: tuple[int, int]
    """How many barriers and ends of iterations come before it."""

    @property
    def is_single(self) -> bool:
        """Whether one lane acts for all."""
        return len(self.lanes) == 1


def with_atomic_steps(source: Side, target: Side, narrow: int) -> tuple[Side, Side]:
    """Both kernels with the steps of their atomics.  Raises NotModelled where there is no such order.

    `narrow` is the number of lanes of a thread of the kernel that has several.
    """
    if not any(is_atomic(one) for side in (source, target) for one in side.trace.performed):
        return source, target
    for side in (source, target):
        _require_apart(side)
        _require_no_stores_before(side)
    _require_on_one_side(source, target)
    group, other = (source, target) if source.threads else (target, source)
    threads = list(_messages(group, narrow))
    steps: dict[int, LinearisationPoint] = {}
    of_the_group: dict[int, LinearisationPoint] = {}
    for number, message in enumerate(_messages(other, narrow)):
        parts = list(_taken(message, threads))
        if not parts:
            raise _no_order()
        steps[message.place] = LinearisationPoint(number, message.lanes.start, message.is_single)
        for part in parts:
            of_the_group[part.place] = LinearisationPoint(number, part.lanes.start, message.is_single)
            threads.remove(part)
    if threads:
        raise _no_order()
    if group is source:
        return replace(source, atomic_steps=of_the_group), replace(target, atomic_steps=steps)
    target = replace(target, atomic_steps=of_the_group)
    if target.threads:
        _require_unseen_order(target)
    return replace(source, atomic_steps=steps), target


def with_lane_steps(source: Side, target: Side) -> tuple[Side, Side]:
    """Two kernels of one width, with steps where the lanes of a message of the source are several of the target's.

    That is one of the orders in which these lanes may come, between which others may come as well.  Not so the other
    way round: of two messages the first comes first.
    """
    if _count(target) <= _count(source):
        return source, target
    try:
        return with_atomic_steps(source, target, narrow=0)
    except NotModelled:
        return source, target


def _require_unseen_order(target: Side) -> None:
    """Raises NotModelled where it may be seen in which order the threads do their atomics."""
    performed = target.trace.performed
    for one, other in combinations(target.atomic_steps, 2):
        mine, theirs = target.atomic_steps[one], target.atomic_steps[other]
        if target.threads[one] == target.threads[other] or epoch(target, one)[0] != epoch(target, other)[0]:
            continue
        repeated = performed[one].any_round or performed[other].any_round
        if mine.number == theirs.number and not mine.is_single and not repeated:
            continue
        same_surface = target.surface(performed[one].surface) == target.surface(performed[other].surface)
        if same_surface and not order_is_unseen(performed[one], performed[other]):
            raise NotModelled(
                "atomics of the target's threads happen in any order, between those of others: whether the source may "
                "do the same is not known",
                performed[other].instruction.position,
            )


def _taken(message: Message, threads: Sequence[Message]) -> Iterator[Message]:
    """What each thread does next that belongs to a message of the wide thread."""
    done: set[int] = set()
    taken: set[int] = set()
    for one in threads:
        inside = one.lanes.start in message.lanes and one.lanes[-1] in message.lanes
        if one.thread in done or one.epoch != message.epoch or message.is_single != one.is_single:
            done.add(one.thread)
        elif message.is_single:
            yield one
            done.add(one.thread)
        elif inside and taken.isdisjoint(one.lanes):
            yield one
            taken |= set(one.lanes)
        else:
            done.add(one.thread)


def _messages(side: Side, narrow: int) -> Iterator[Message]:
    for place, performed in enumerate(side.trace.performed):
        execution = lanes_of_message(performed.decoded)
        if not is_atomic(performed):
            continue
        if execution is None:
            raise _no_order()
        thread = side.threads[place] if side.threads else 0
        first = thread * narrow + performed.instruction.first_lane
        yield Message(place, thread, range(first, first + execution.size), epoch(side, place))


def _require_apart(side: Side) -> None:
    """Between two barriers atomics alone reach their surfaces."""
    atomic: set[tuple[str, int]] = set()
    plain: set[tuple[str, int]] = set()
    for place, one in enumerate(side.trace.performed):
        at = side.surface(one.surface), epoch(side, place)[0]
        if is_atomic(one):
            atomic.add(at)
        elif not all(is_private(side.trace, one, each) for each in one.accesses):
            plain.add(at)
    if not atomic.isdisjoint(plain):
        raise NotModelled("atomics beside other accesses of one surface in kernels of different SIMD widths")


def _require_no_stores_before(side: Side) -> None:
    """No thread stores plainly to a buffer that may overlap one of its later atomics: what these bring depends on it.

    Other threads do not, as work items do not race.
    """
    sharing, stored = side.sharing, dict[int, set[str]]()
    for place, one in enumerate(side.trace.performed):
        before = stored.setdefault(side.threads[place] if side.threads else 0, set())
        if not (buffer := sharing.buffer(side.surface(one.surface))):
            continue
        if not is_atomic(one):
            before |= {buffer for access in one.accesses if not isinstance(access, Load)}
        elif any(other != buffer and not sharing.are_apart(Owner(other), Owner(buffer)) for other in before):
            raise NotModelled("atomics after stores to buffers that may overlap, in turns", one.instruction.position)


def _require_on_one_side(source: Side, target: Side) -> None:
    """What may overlap the buffer of a thread's atomics is reached before all of them in both kernels, or after all.

    Turns do not say what an access after an atomic finds: so that has to be the same in both.
    """
    sides: dict[tuple[str, str, int], set[bool]] = {}
    for side in (source, target):
        for thread in set(side.threads) or {0}:
            for pair, is_after in _beside_atomics(side, thread):
                sides.setdefault(pair, set()).add(is_after)
    if any(len(found) > 1 for found in sides.values()):
        raise NotModelled("accesses before and after atomics of buffers that may overlap, in turns")


def _beside_atomics(side: Side, thread: int) -> Iterator[tuple[tuple[str, str, int], bool]]:
    """The buffers of a thread's plain accesses with those of its atomics, and which of the two comes later."""
    own = [
        (place, side.sharing.buffer(side.surface(one.surface)), epoch(side, place)[0], is_atomic(one))
        for place, one in enumerate(side.trace.performed)
        if not side.threads or side.threads[place] == thread
    ]
    atomics = [(place, buffer, cuts) for place, buffer, cuts, modifies in own if modifies and buffer]
    for place, buffer, cuts, modifies in own:
        for other, modified, when in atomics:
            alike = modifies or not buffer or cuts != when or buffer == modified
            if not alike and not side.sharing.are_apart(Owner(buffer), Owner(modified)):
                yield (buffer, modified, cuts), place > other


def _no_order() -> NotModelled:
    return NotModelled("atomics of kernels of different SIMD widths that have no order in common")


# ---------------------------------------------------------------- messages that two devices split

# An atomic of the source language that two devices have in another number of messages: their lanes come in any order.
#
#     a₁ … aₙ   messages of atomics of a thread, each of other lanes than the others
#     nothing that others see stands between them, no barrier, no fence, and no iteration begins or ends
#     they bring nothing, and commute with every atomic of both kernels that reaches their memory; none of these brings
#     anything either
#
# ⇒  the lanes of all of them come in any order, as if they were one message.
#
# Let what another thread does, o, stand between lanes x and y of them.  It reaches another cell than y, or is an atomic
# that commutes with y and brings nothing.  Then o and y may be exchanged: all atomics leave and bring what they do
# without that.  What is left are plain reads of the cell of y, and atomics of other kernels: that these do not see the
# order of two work items is a premise (`atomics-unseen`).
#
# This is asked of two devices alone.  On one device the order in which messages stand is kept.


def with_whole_atomics(source: Side, target: Side) -> tuple[Side, Side]:
    """Both kernels with such messages as one, if they have as many messages of atomics then, and had not before."""
    if source.platform is target.platform or source.threads or target.threads or _count(source) == _count(target):
        return source, target
    free = _free_memories(source) & _free_memories(target)
    one, other = (_joined(side, free) for side in (source, target))
    return (one, other) if _count(one) == _count(other) else (source, target)


def _count(side: Side) -> int:
    """How many messages of atomics it has."""
    return sum(map(is_atomic, side.trace.performed))


def _memory(side: Side, performed: Performed) -> str:
    return side.sharing.memory(side.surface(performed.surface))


def _free_memories(side: Side) -> set[str]:
    """The memories of which all atomics bring nothing and commute."""
    reached: dict[str, list[Atomic]] = {}
    for performed in side.trace.performed:
        memory = _memory(side, performed)
        atomics = [access for access in performed.accesses if isinstance(access, Atomic)]
        for each in (memory, *side.sharing.others(memory)):
            reached.setdefault(each, []).extend(atomics)
    return {memory for memory, atomics in reached.items() if _are_exchanged(atomics)}


def _are_exchanged(atomics: Sequence[Atomic]) -> bool:
    """Whether the order of any two shows nowhere: they reach the same unit of memory, or none of it in common."""
    return all(
        one.destination is None and is_aligned(one) and one.width == atomics[0].width and commute(one.op, atomics[0].op)
        for one in atomics
    )


def _joined(side: Side, free: set[str]) -> Side:
    """The side with each run of messages as the last of them; the others access nothing."""
    runs = tuple(_runs(side, free))
    trace = _with_runs(Same(side.trace), runs)
    offsets = dict(side.offsets)
    for run in runs:
        apart = [Same(access) for place in run for access in side.trace.performed[place].accesses]
        whole = [Same(access) for access in trace.performed[run[-1]].accesses]
        offsets |= {new: offsets[old] for old, new in zip(apart, whole, strict=True) if old in offsets}
    return replace(side, trace=trace, offsets=offsets, whole_atomics=True)


@kept(4)
def _with_runs(ran: Same[Trace], runs: tuple[tuple[int, ...], ...]) -> Trace:
    """What is asked of a run often asks of the same one."""
    performed = list(ran.it.performed)
    for run in runs:
        first, last = performed[run[0]], performed[run[-1]]
        accesses: list[Access] = []
        for place in run:
            shift = performed[place].instruction.first_lane - first.instruction.first_lane
            accesses += (replace(one, lane=(one.lane or 0) + shift) for one in performed[place].accesses)
            performed[place] = replace(performed[place], accesses=())
        performed[run[-1]] = replace(last, instruction=first.instruction, accesses=tuple(accesses))
    return replace(ran.it, performed=tuple(performed))


def _runs(side: Side, free: set[str]) -> Iterator[tuple[int, ...]]:
    """The places of messages that are one, in order: two or more each time."""
    seen = [place for place, one in enumerate(side.trace.performed) if one.accesses and is_seen(side, one)]
    marks = [mark.before for mark in course(side.trace)]
    run = seen[:1]
    for before, place in pairwise(seen):
        apart = any(before < mark <= place for mark in marks)
        if not apart and all(_go_together(side, side.trace.performed[one], place, free) for one in run):
            run.append(place)
            continue
        if len(run) > 1:
            yield tuple(run)
        run = [place]
    if len(run) > 1:
        yield tuple(run)


def _go_together(side: Side, one: Performed, place: int, free: set[str]) -> bool:
    """Whether both are atomics that may be exchanged, of other work items."""
    other = side.trace.performed[place]
    messages = one, other
    if one.surface != other.surface or _memory(side, one) not in free or not all(map(is_atomic, messages)):
        return False
    if any(each.short or lanes_of_message(each.decoded) is None for each in messages):
        return False
    if caches_of(one.instruction) != caches_of(other.instruction):
        return False
    return _lanes(one).isdisjoint(_lanes(other))


def _lanes(performed: Performed) -> set[int]:
    return {performed.instruction.first_lane + (access.lane or 0) for access in performed.accesses}
