"""Shared local memory at the end of a kernel, which nobody can read: it ends with its group.

Other threads of the group may read what one stores only after it synchronises with them: by a barrier, a fence or an
atomic after the store.  What is stored after the last of these is not compared.
"""

from visaproof.kernel.concrete.run import is_barrier
from visaproof.kernel.matching import SHARED_LOCAL
from visaproof.kernel.syntax import Instruction, Kernel
from visaproof.queries.refinement.side import Side, epoch, surface_at
from visaproof.semantics.symbolic.accesses import Atomic

_SYNCHRONISING = ("barrier", "sbarrier", "nbarrier", "wait", "fence", "lsc_fence")


def synchronises(statement: Instruction) -> bool:
    """Whether other threads may read after it what was stored to shared local memory before."""
    return statement.opcode.startswith(_SYNCHRONISING) or "atomic" in statement.opcode


def fences_stand_at_barriers(kernel: Kernel) -> bool:
    """Whether the next statement after each fence that is none is a barrier: then fences order no more than those."""
    after_fence = False
    for statement in kernel.statements:
        is_fence = isinstance(statement, Instruction) and "fence" in statement.opcode
        if after_fence and not is_fence and not (isinstance(statement, Instruction) and _begins_barrier(statement)):
            return False
        after_fence = is_fence
    return not after_fence


def _begins_barrier(statement: Instruction) -> bool:
    return is_barrier(statement) or statement.opcode.startswith("sbarrier")


def unobserved(source: Side, target: Side) -> str | None:
    """What shared local memory is called after the last synchronisation of both; None where this is not known."""
    names = {_after_the_last(side) for side in (source, target)}
    return names.pop() if len(names) == 1 else None


def _after_the_last(side: Side) -> str | None:
    if not side.fences_at_barriers or side.turns or side.disturbed:
        return None
    end = len(side.trace.performed)
    last = max((*(before for before, _ in side.trace.barriers), *(one.behind for one in side.trace.rounds), 0))
    if any(isinstance(access, Atomic) for one in side.trace.performed[last:] for access in one.accesses):
        return None
    return surface_at(SHARED_LOCAL, epoch(side, end))
