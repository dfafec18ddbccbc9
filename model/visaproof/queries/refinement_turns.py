"""Atomics of several threads beside those of the wide one that runs all their lanes: which happen in one turn.

The order of the source's threads is open, so that it may be the one in which the target's messages happen: each of
these is a turn, in which each thread of the source takes its part.  Between turns others may change what is there.
Of a message of several lanes each lane's atomic has to be the same in both: then every order of them is open to both.
One of a single lane may be the sum of what the threads do one after another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from visaproof.isa.errors import NotModelled
from visaproof.kernel.symbolic_machine import Performed
from visaproof.queries.refinement_places import is_private
from visaproof.queries.refinement_side import Side, Turn
from visaproof.semantics.symbolic.accesses import Atomic


@dataclass(frozen=True, slots=True)
class Message:
    """A message of atomics: where it stands in the run, and for which lanes of the wide thread it is."""

    place: int
    thread: int
    lanes: range

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
    if target.threads:
        raise NotModelled(
            "atomics of the target's threads happen in any order, between those of others: whether the source may do "
            "the same is not known"
        )
    for side in (source, target):
        _require_apart(side)
    wide, threads = list(_messages(target, narrow)), list(_messages(source, narrow))
    turns: tuple[dict[int, Turn], dict[int, Turn]] = ({}, {})
    for number, message in enumerate(wide):
        parts = list(_taken(message, threads))
        if not parts:
            raise _no_order()
        turns[1][message.place] = Turn(number, message.lanes.start, message.is_single)
        for part in parts:
            turns[0][part.place] = Turn(number, part.lanes.start, message.is_single)
            threads.remove(part)
    if threads:
        raise _no_order()
    return replace(source, turns=turns[0]), replace(target, turns=turns[1])


def _taken(message: Message, threads: Sequence[Message]) -> Iterator[Message]:
    """What each thread does next that belongs to a message of the wide thread."""
    done: set[int] = set()
    taken: set[int] = set()
    for one in threads:
        inside = one.lanes.start in message.lanes and one.lanes[-1] in message.lanes
        if one.thread in done or (message.is_single != one.is_single):
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
        execution = performed.instruction.execution
        if not _is_atomic(performed):
            continue
        if execution is None:
            raise _no_order()
        thread = side.threads[place] if side.threads else 0
        first = thread * narrow + execution.mask.lane_offset
        yield Message(place, thread, range(first, first + execution.size))


def _require_apart(side: Side) -> None:
    """Atomics alone reach their surfaces, and no barrier stands between them."""
    if side.trace.barriers:
        raise NotModelled("atomics beside barriers in kernels of different SIMD widths")
    atomic = {side.surface(one.surface) for one in side.trace.performed if _is_atomic(one)}
    for one in side.trace.performed:
        plain = [each for each in one.accesses if not is_private(side.trace, one, each)]
        if plain and not _is_atomic(one) and side.surface(one.surface) in atomic:
            raise NotModelled("atomics beside other accesses of one surface in kernels of different SIMD widths")


def _is_atomic(performed: Performed) -> bool:
    return any(isinstance(access, Atomic) for access in performed.accesses)


def _no_order() -> NotModelled:
    return NotModelled("atomics of kernels of different SIMD widths that have no order in common")
