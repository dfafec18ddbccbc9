"""Atomics of two threads whose order nobody sees: they reach other cells, or bring nothing and commute.

Then a run in which one stands directly before the other leaves what the run with both exchanged leaves, and every
atomic brings the same.
"""

from visaproof.instructions import TypedAtomic
from visaproof.instructions.dword_atomic import DwordAtomic
from visaproof.instructions.instruction import Instruction
from visaproof.instructions.lsc.atomic import LscAtomic
from visaproof.instructions.svm_atomic import SvmAtomic
from visaproof.isa.atomics import commute
from visaproof.isa.operands import NULL
from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.conflict import lanes_collide
from visaproof.queries.kernels.lane_accesses import accesses_by_lane
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.smt import is_false, known_trailing_zeros


def lanes_commute(message: Instruction) -> bool:
    """Whether it shows nowhere in which order lanes of an atomic come that meet on one cell: they bring nothing."""
    atomic = isinstance(message, DwordAtomic | SvmAtomic | LscAtomic | TypedAtomic)
    return atomic and message.dst == NULL and message.op.commuting_group is not None


def order_is_unseen(one: Performed, other: Performed) -> bool:
    """Whether no two atomics of these messages, which reach one surface, show which of both came first."""
    return all(
        _unseen(one, mine, other, theirs)
        for mine in one.accesses
        for theirs in other.accesses
        if isinstance(mine, Atomic) and isinstance(theirs, Atomic)
    )


def _unseen(one: Performed, mine: Atomic, other: Performed, theirs: Atomic) -> bool:
    if mine.destination is None and theirs.destination is None and _commute(mine, theirs):
        return True
    (first,), (second,) = accesses_by_lane(one, [mine]), accesses_by_lane(other, [theirs])
    return is_false(lanes_collide(first, second))


def _commute(one: Atomic, other: Atomic) -> bool:
    """Whether they do on a cell of both; they share no part of one alone."""
    return commute(one.op, other.op) and one.width == other.width and is_aligned(one) and is_aligned(other)


def is_aligned(access: Atomic) -> bool:
    """Whether its cell is known to begin at a multiple of its width."""
    return len(access.cell) == 1 and 1 << known_trailing_zeros(access.cell[0]) >= access.width
