"""An atomic of the source language that two devices have in another number of messages: their lanes come in any order.

    a₁ … aₙ   messages of atomics of a thread, each of other lanes than the others
    nothing that others see stands between them, no barrier, no fence, and no iteration begins or ends
    they bring nothing, and commute with every atomic of both kernels that reaches their memory; none of these brings
    anything either

⇒  the lanes of all of them come in any order, as if they were one message.

Let what another thread does, o, stand between lanes x and y of them.  It reaches another cell than y, or is an atomic
that commutes with y and brings nothing.  Then o and y may be exchanged: all atomics leave and bring what they do
without that.  What is left are plain reads of the cell of y, and atomics of other kernels: that these do not see the
order of two work items is a premise (`atomics-unseen`).

This is asked of two devices alone.  On one device the order in which messages stand is kept.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from visaproof.decode.cache_options import caches_of
from visaproof.isa.atomics import commute
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.course import course
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.effects import lanes_of_message
from visaproof.queries.kernels.atomic_order import is_aligned
from visaproof.refinement.effects.fences import is_seen
from visaproof.refinement.effects.side import Side
from visaproof.semantics.symbolic.accesses import Access, Atomic
from visaproof.smt import kept


def with_whole_atomics(source: Side, target: Side) -> tuple[Side, Side]:
    """Both kernels with such messages as one, if they have as many messages of atomics then, and had not before."""
    if source.platform is target.platform or source.threads or target.threads or _count(source) == _count(target):
        return source, target
    free = _free_memories(source) & _free_memories(target)
    one, other = (_joined(side, free) for side in (source, target))
    return (one, other) if _count(one) == _count(other) else (source, target)


def _count(side: Side) -> int:
    return sum(map(_is_atomic, side.trace.performed))


def _is_atomic(performed: Performed) -> bool:
    return any(isinstance(access, Atomic) for access in performed.accesses)


def _memory(side: Side, performed: Performed) -> str:
    return side.sharing.memory(side.surface(performed.surface))


# ---------------------------------------------------------------- which may be exchanged


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


# ---------------------------------------------------------------- which are one


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
    if one.surface != other.surface or _memory(side, one) not in free or not all(map(_is_atomic, messages)):
        return False
    if any(each.short or lanes_of_message(each.decoded) is None for each in messages):
        return False
    if caches_of(one.instruction) != caches_of(other.instruction):
        return False
    return _lanes(one).isdisjoint(_lanes(other))


def _lanes(performed: Performed) -> set[int]:
    return {performed.instruction.first_lane + (access.lane or 0) for access in performed.accesses}
