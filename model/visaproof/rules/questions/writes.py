"""What a side of a rewrite rule writes: guarded changes of units of memory, in order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from visaproof.isa.atomics import AtomicOp
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import updated
from visaproof.smt import BitVec, Bool, Op, Term, add, conj, const, eq, ite, neg, sub, substitute, true

SUMS = frozenset(op for op in AtomicOp if op.commuting_group is AtomicOp.ADD)
"""Operations that add something."""


@dataclass(frozen=True, slots=True)
class Write:
    """One unit of memory that is changed where the guard holds, which includes that it is inside its surface."""

    guard: Bool
    cell: BitVec
    value: BitVec | None
    """What is stored; None of an atomic."""
    atomic: tuple[AtomicOp, BitVec, BitVec] | None = None
    change: Atomic | None = field(default=None, compare=False)
    message: int = field(default=0, compare=False)
    lane: int | None = field(default=None, compare=False)

    def after(self, before: BitVec) -> BitVec:
        if self.value is not None:
            return self.value
        assert self.change is not None
        return updated(self.change, before)


def after(writes: Iterable[Write], cell: BitVec, before: BitVec) -> BitVec:
    """What a unit holds after the writes."""
    value = before
    for write in writes:
        here, new = conj(write.guard, eq(write.cell, cell)), write.after(value)
        if write.atomic is not None and write.atomic[0] in SUMS:  # a sum stays a sum: its order does not matter
            value = add(value, ite(here, sub(new, value), const(0, value.width)))
        else:
            value = ite(here, new, value)
    return value


def cases(goal: Bool, writes: Iterable[Write], cell: BitVec) -> Iterator[Bool]:
    """The goal where the first of these writes is at the cell, and in each way in which it is not."""
    first = next(iter(writes), None)
    if first is None:
        return
    hit = conj(first.guard, eq(first.cell, cell))
    known: dict[Term, Term] = {}
    for literal in hit.args if hit.op is Op.CONJ else (hit,):
        yield substitute(goal, {**known, literal: neg(true())})
        known[literal] = true()
    yield substitute(goal, known)
