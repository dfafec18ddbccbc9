"""What a fence is there for: whether it orders anything, and which other fence orders as much.

What a page says of a fence is not compared with what the page of another instruction says, nor with another device:
there one stands for the other where both name the same memory, and neither reach nor caches speak against it.  That is
taken to be so, and said.

Page FENCE names no reach.  Beside a barrier, in kernels without atomics, the reach of a group is as good as any:

    work items of two groups order what they do by atomics alone  ⇒  no fence orders what one does for the other

What is left is the order for the group's own threads.  That groups race otherwise is a premise (`groups-unordered`).
"""

from collections.abc import Sequence

from visaproof.decode.synchronisation import SIGNAL, Event, Fence, Form, Memory, Synchronised
from visaproof.isa.platform import Platform
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.refinement.effects.side import Side, surface_at
from visaproof.semantics.symbolic.accesses import Atomic, Store
from visaproof.smt import is_true

Moments = Sequence[tuple[int, Synchronised | None]]
"""How many messages that others see come before each barrier or fence, and each end of an iteration, which is None."""


def is_seen(side: Side, performed: Performed) -> bool:
    """Whether a message reaches what other threads may write, or read where it is written."""
    if side.surface(performed.surface) in side.unwritten:
        return False
    return not all(is_private(side.trace, performed, each) for each in performed.accesses)


def memory_of(side: Side, performed: Performed) -> Memory:
    """Which memory a message reaches."""
    if side.surface(performed.surface) == SHARED_LOCAL:
        return Memory.SHARED
    return Memory.TYPED if any(len(each.cell) > 1 for each in performed.accesses) else Memory.GLOBAL


def memories(side: Side) -> list[Memory]:
    """Of the messages that others see, in order, which memory they reach."""
    return [memory_of(side, one) for one in side.trace.performed if is_seen(side, one)]


def samples(side: Side) -> bool:
    """Whether it reads images through the sampler: such a read is no message, and may stand anywhere."""
    return any(one.origin is not None for one in side.trace.arbitrary)


# ---------------------------------------------------------------- needed or not


def orders_something(fence: Fence, seen: int, reached: Sequence[Memory], moments: Moments) -> bool:
    """Whether something is on both sides, and on one of them its memory; `seen` messages come before the fence.

    A barrier is something as well: other threads go on behind it.
    """
    barriers = [at for at, one in moments if one is None or not isinstance(one.event, Fence)]
    before, after = reached[:seen], reached[seen:]
    something = bool(before) or any(at <= seen for at in barriers), bool(after) or any(at >= seen for at in barriers)
    own = any(one in fence.memories for one in before), any(one in fence.memories for one in after)
    return (own[0] and something[1]) or (something[0] and own[1])


def is_for_the_compiler_alone(place: int, moments: Moments) -> bool:
    """Whether it emits nothing, and stands beside something that no access is moved over either."""
    seen, fence = moments[place]
    beside = any(at == seen for at, _ in (*moments[:place], *moments[place + 1 :]))
    return beside and fence is not None and isinstance(fence.event, Fence) and fence.event.form is Form.SOFTWARE


def is_covered(place: int, moments: Moments) -> bool:
    """Whether another fence beside it orders what it does.

    Nothing that others see stands between; and of another thread nothing is known in between that was not before.
    """
    seen, fence = moments[place]
    assert fence is not None
    assert isinstance(fence.event, Fence)
    for at, one in reversed(moments[:place]):
        if at != seen or one is None:
            return False
        if isinstance(one.event, Fence):
            always = is_true(one.guard) or one.guard is fence.guard
            if always and one.event.is_at_least(fence.event):
                return True
        elif one.event != SIGNAL:  # who waits has heard of others
            return False
    return False


# ---------------------------------------------------------------- stronger or not

_INVALIDATES = frozenset(("invalidate", "L1", "evict"))
_NEAR = frozenset(("group", "local"))
_SHARED = frozenset((Memory.SHARED,))


def stands_for(
    target: Fence,
    source: Fence,
    reached: frozenset[Memory],
    devices: tuple[Platform, Platform],
    for_group: bool = False,
) -> bool:
    """Whether the target's fence is at least as strong: by their page, or as far as two pages can be compared.

    `reached` is all memory that others see the source reach; `devices` are the source's and the target's; the source's
    fence may be there `for_group` alone.
    """
    if source.form is Form.SOFTWARE:
        return not target.discards
    if target.is_at_least(source):
        return True
    if not is_likened(target, source, devices):
        return False
    enough = not is_narrower(target, source) or source.memories & reached == _SHARED
    return (enough or (for_group and source.form is Form.LEGACY)) and _names_as_much(
        target, source, reached, devices[1]
    )


def is_for_group(fence: Synchronised, *sides: Side) -> bool:
    """Whether it stands beside a barrier of the first kernel, and none has atomics."""
    beside = any(one.before == fence.before and not isinstance(one.event, Fence) for one in sides[0].trace.events)
    return beside and not any(is_atomic(one) for side in sides for one in side.trace.performed)


def is_atomic(performed: Performed) -> bool:
    """Whether a message is of atomics."""
    return any(isinstance(access, Atomic) for access in performed.accesses)


def is_narrower(target: Fence, source: Fence) -> bool:
    """Whether it reaches a group alone, and the other one further, or of no reach that its page names."""
    return target.reach in _NEAR and source.reach not in _NEAR


def is_likened(target: Fence, source: Fence, devices: tuple[Platform, Platform]) -> bool:
    """Whether no page compares them: they are of two devices, or of the old messages and of the new ones."""
    return devices[0] is not devices[1] or {target.form, source.form} == {Form.LSC, Form.LEGACY}


def are_likened(source: Event, target: Event, devices: tuple[Platform, Platform]) -> bool:
    """Whether fences stand for each other that no page compares."""
    if not isinstance(source, Fence) or not isinstance(target, Fence) or source.form is Form.SOFTWARE:
        return False
    return is_likened(target, source, devices)


def are_narrowed(source: Event, target: Event) -> bool:
    """Whether fences of more than shared local memory stand for each other of which the target's reaches a group."""
    if not isinstance(source, Fence) or not isinstance(target, Fence) or source.memories == _SHARED:
        return False
    return is_narrower(target, source)


def _names_as_much(target: Fence, source: Fence, reached: frozenset[Memory], device: Platform) -> bool:
    asked = source.memories & reached
    if target.form is Form.SOFTWARE:  # page FENCE, bit 5: {ICLLP+}; before, shared local memory needs none
        return asked <= _SHARED and device < Platform.ICLLP
    if target.discards or Form.SAMPLER in (target.form, source.form) or not target.memories >= asked:
        return False
    has_old_caches = device < Platform.TGLLP
    return has_old_caches or not source.flushes & {"invalidate", "L1"} or bool(target.flushes & _INVALIDATES)


# ---------------------------------------------------------------- shared local memory that nobody reads any more

# It ends with its group.  Other threads of the group may read what one stores only after it synchronises with them: by
# a barrier, a fence or an atomic after the store.  What is stored after the last of these is not compared.


def unobserved(source: Side, target: Side) -> str | None:
    """What shared local memory is called after the last synchronisation of both; None where this is not known."""
    names = {_after_the_last(side) for side in (source, target)}
    return names.pop() if len(names) == 1 else None


def _after_the_last(side: Side) -> str | None:
    if side.atomic_steps or side.disturbed:
        return None
    performed = side.trace.performed
    last = max((*side.matched.cuts, *(one.behind for one in side.trace.loops), 0))
    seen = max((one.before for one in side.trace.events), default=0)
    if any(map(is_atomic, performed[last:])):
        return None
    if any(_is_store(side, one) for one in performed[last:seen]):  # before a fence that has no counterpart
        return None
    return surface_at(SHARED_LOCAL, side, len(performed))


def _is_store(side: Side, performed: Performed) -> bool:
    """Whether it stores to shared local memory."""
    stores = any(isinstance(access, Store) for access in performed.accesses)
    return stores and side.surface(performed.surface) == SHARED_LOCAL
