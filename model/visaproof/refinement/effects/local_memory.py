"""Shared local memory at the end of a kernel, which nobody can read: it ends with its group.

Other threads of the group may read what one stores only after it synchronises with them: by a barrier, a fence or an
atomic after the store.  What is stored after the last of these is not compared.
"""

from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.trace import Performed
from visaproof.program.statements import MemoryMessage, Run, Synchronise
from visaproof.refinement.effects.side import Side, surface_at
from visaproof.semantics.symbolic.accesses import Atomic, Store


def synchronises(statement: Run) -> bool:
    """Whether other threads may read after it what was stored to shared local memory before."""
    return isinstance(statement, Synchronise) or (isinstance(statement, MemoryMessage) and statement.is_atomic)


def unobserved(source: Side, target: Side) -> str | None:
    """What shared local memory is called after the last synchronisation of both; None where this is not known."""
    names = {_after_the_last(side) for side in (source, target)}
    return names.pop() if len(names) == 1 else None


def _after_the_last(side: Side) -> str | None:
    if side.turns or side.disturbed:
        return None
    performed = side.trace.performed
    last = max((*side.matched.cuts, *(one.behind for one in side.trace.rounds), 0))
    seen = max((one.before for one in side.trace.events), default=0)
    if any(isinstance(access, Atomic) for one in performed[last:] for access in one.accesses):
        return None
    if any(_is_store(side, one) for one in performed[last:seen]):  # before a fence that has no counterpart
        return None
    return surface_at(SHARED_LOCAL, side, len(performed))


def _is_store(side: Side, performed: Performed) -> bool:
    """Whether it stores to shared local memory."""
    stores = any(isinstance(access, Store) for access in performed.accesses)
    return stores and side.surface(performed.surface) == SHARED_LOCAL
