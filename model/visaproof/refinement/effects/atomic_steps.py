"""Atomics of several threads beside those of the wide one that runs all their lanes: which happen in one turn.

Each message of the wide thread is a turn, in which each narrow thread takes its part.  Between turns others may change
what is there.  Of a message of several lanes each lane's atomic has to be the same in both: then every order of them is
open to both.  One of a single lane may be the sum of what the threads do one after another.

The order of the source's threads is open, so that it may be the one with these turns.  The target's threads may take
theirs in any order: it has to be one in which nobody sees that.  Two atomics of different threads that are in different
turns, that have to give one sum, or that iterations of a loop repeat, reach other cells, or bring nothing and commute.
Then they can be exchanged one by one, until they stand in the order of the turns.

A thread that does in several messages what another of its width does in one takes its parts of the turn in that order.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.trace import Performed
from visaproof.program.effects import lanes_of_message
from visaproof.queries.kernels.atomic_order import order_is_unseen
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.stores import Owner
from visaproof.refinement.effects.side import Side, Turn, epoch
from visaproof.semantics.symbolic.accesses import Atomic, Load


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


def in_turns(source: Side, target: Side, narrow: int) -> tuple[Side, Side]:
    """Both kernels with the turns of their atomics.  Raises NotModelled where there is no such order.

    `narrow` is the number of lanes of a thread of the kernel that has several.
    """
    if not any(_is_atomic(one) for side in (source, target) for one in side.trace.performed):
        return source, target
    for side in (source, target):
        _require_apart(side)
        _require_no_stores_before(side)
    _require_on_one_side(source, target)
    group, other = (source, target) if source.threads else (target, source)
    threads = list(_messages(group, narrow))
    turns: dict[int, Turn] = {}
    of_the_group: dict[int, Turn] = {}
    for number, message in enumerate(_messages(other, narrow)):
        parts = list(_taken(message, threads))
        if not parts:
            raise _no_order()
        turns[message.place] = Turn(number, message.lanes.start, message.is_single)
        for part in parts:
            of_the_group[part.place] = Turn(number, part.lanes.start, message.is_single)
            threads.remove(part)
    if threads:
        raise _no_order()
    if group is source:
        return replace(source, turns=of_the_group), replace(target, turns=turns)
    target = replace(target, turns=of_the_group)
    if target.threads:
        _require_unseen_order(target)
    return replace(source, turns=turns), target


def in_lane_turns(source: Side, target: Side) -> tuple[Side, Side]:
    """Two kernels of one width, with turns where the lanes of a message of the source are several of the target's.

    That is one of the orders in which these lanes may come, between which others may come as well.  Not so the other
    way round: of two messages the first comes first.
    """
    if sum(map(_is_atomic, target.trace.performed)) <= sum(map(_is_atomic, source.trace.performed)):
        return source, target
    try:
        return in_turns(source, target, narrow=0)
    except NotModelled:
        return source, target


def _require_unseen_order(target: Side) -> None:
    """Raises NotModelled where it may be seen in which order the threads do their atomics."""
    performed = target.trace.performed
    for one, other in combinations(target.turns, 2):
        mine, theirs = target.turns[one], target.turns[other]
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
        if not _is_atomic(performed):
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
        if _is_atomic(one):
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
        if not _is_atomic(one):
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
        (place, side.sharing.buffer(side.surface(one.surface)), epoch(side, place)[0], _is_atomic(one))
        for place, one in enumerate(side.trace.performed)
        if not side.threads or side.threads[place] == thread
    ]
    atomics = [(place, buffer, cuts) for place, buffer, cuts, is_atomic in own if is_atomic and buffer]
    for place, buffer, cuts, is_atomic in own:
        for other, modified, when in atomics:
            alike = is_atomic or not buffer or cuts != when or buffer == modified
            if not alike and not side.sharing.are_apart(Owner(buffer), Owner(modified)):
                yield (buffer, modified, cuts), place > other


def _is_atomic(performed: Performed) -> bool:
    return any(isinstance(access, Atomic) for access in performed.accesses)


def _no_order() -> NotModelled:
    return NotModelled("atomics of kernels of different SIMD widths that have no order in common")
