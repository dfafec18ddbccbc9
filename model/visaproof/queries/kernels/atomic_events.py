"""Atomics as events: a lane that leaves what is there, whatever that is, only reads.

Others may write between any two atomics of a thread, so that what each brings and leaves is arbitrary; but two kernels
that come to the same events in the same order may find the same.  A lane that changes nothing is no event: nobody sees
that it came.  What it brings is what was there, and that is arbitrary as well.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import cast

from visaproof.isa.atomics import AtomicOp
from visaproof.queries.closed_forms import CLOSED_FORMS
from visaproof.queries.kernels.stores import UnitStore
from visaproof.semantics.symbolic.accesses import Access, Atomic
from visaproof.semantics.symbolic.value_names import Own
from visaproof.smt import BitVec, Bool, Term, conj, const, eq, false, is_false, neg, symbols_of

Stores = Mapping[str, Sequence[UnitStore]]
"""What a thread has stored so far, by surface."""


class Parts(tuple[Hashable, ...]):
    """A long tuple that keeps its hash: it is part of the name of each lane's result."""

    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash


class AtomicEvents:
    """Names for what the atomics of a thread bring and leave: those of the same event are the same in both kernels."""

    def __init__(self) -> None:
        self._events = self._reads = 0

    def message(
        self, surface: str, accesses: Sequence[Access], seen: Sequence[Sequence[Term]], stores: Stores
    ) -> tuple[Hashable, ...]:
        """What names the results of a message: all of its events, and what this thread did before."""
        atomics = [one for one in accesses if isinstance(one, Atomic)]
        if not atomics:
            return ()
        guards = [where_it_changes(access, terms) for access, terms in zip(atomics, seen, strict=True)]
        if all(map(is_false, guards)):
            self._reads += 1
        else:
            self._events, self._reads = self._events + 1, 0
        kinds = Parts((one.op, one.returns_new, one.width) for one in atomics)
        lanes = Parts((guard, *terms[1:]) for guard, terms in zip(guards, seen, strict=True))
        before = Parts((name, Parts(those)) for name, those in sorted(stores.items()) if those)
        return ("atomic", (self._events, self._reads), surface, kinds, lanes, before)


def changes_nothing(op: AtomicOp, src0: BitVec, src1: BitVec) -> Bool:
    """Where an operation on integers leaves what is there, as far as its operands alone decide it."""
    if op is AtomicOp.CMPXCHG:
        return eq(src0, src1)
    if op not in CLOSED_FORMS or not op.sources:
        return false()
    return eq(src0, const(CLOSED_FORMS[op].neutral(src0.width), src0.width))


def where_it_changes(access: Atomic, seen: Sequence[Term]) -> Bool:
    """The guard of a lane's event.  Uninitialised values never decides whether it is one."""
    guard, src0, src1 = cast(Bool, seen[0]), cast(BitVec, seen[4]), cast(BitVec, seen[5])
    nothing = changes_nothing(access.op, src0, src1)
    return guard if _is_chosen(nothing) else conj(guard, neg(nothing))


def _is_chosen(term: Term) -> bool:
    return any(isinstance(one.payload, Own) for one in symbols_of(term))
