"""A question to the engine: does the goal hold wherever the assumptions do?"""

from typing import Any

from msgspec import Struct

from visaproof.isa.atomics import AtomicOp
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Cell
from visaproof.smt import BitVec, Bool, Term
from visaproof.smt.solvers import Preparation


class MemoryBefore(Struct, frozen=True):
    """What a query calls the content of one cell before the instruction."""

    surface: str
    cell: Cell
    content: BitVec


class TwoLanes(Struct, frozen=True):
    """Two lanes of a TYPED_ATOMIC with operands of their own on one texel, in either order."""

    op: AtomicOp
    before: BitVec
    first: tuple[BitVec, BitVec]
    """src0 and src1 of one lane."""
    second: tuple[BitVec, BitVec]
    """Those of the other."""
    winners: bool = False
    """Whether the question is who wins a compare-and-exchange, not what the order leaves."""


class OneLane(Struct, frozen=True):
    """One lane of a TYPED_ATOMIC, and what an operation is claimed to leave."""

    op: AtomicOp
    old: BitVec
    src0: BitVec
    src1: BitVec
    claimed: BitVec
    variant: str = ""


class SerialLanes(Struct, frozen=True):
    """Lanes of a TYPED_ATOMIC on one texel, one after another, and what is claimed that they leave and return."""

    op: AtomicOp
    before: BitVec
    operands: tuple[tuple[BitVec, BitVec], ...]
    """src0 and src1 of each lane, in the order of their turns."""
    final: BitVec
    """What the texel is claimed to hold then."""
    returned: tuple[BitVec, ...]
    """What each lane is claimed to return."""
    variant: str = ""


class Equation(Struct, frozen=True):
    """A term as it is written, and another that is claimed to have the same value."""

    written: Term
    other: Term
    other_is: str
    """What the other is, in words."""


class Identity(Struct, frozen=True):
    """A rule of the normal form: equations between terms that no rule has touched and terms that the rule has made.

    No stage of a decision may see the parts of the query, which say that the equations of a width hold: the rule would
    prove itself.
    """

    rule: str
    equations: tuple[tuple[Equation, ...], ...]
    """Those of each width."""
    not_as_stated: str = ""
    """Where the normal form makes something else of a term than the rule states: what it makes."""
    preparation: Preparation = Preparation.SIMPLIFIED
    """What a solver should do with the terms first: they are raw, so that simplifying them pays."""
    variant: str = ""


class OwnClaim(Struct, frozen=True, eq=False):
    """A formula in z3 arrays about steps of `checking.encode`, which the query is without the arrays."""

    expression: Any
    steps: tuple[Any, ...]
    raising: Any
    """What became of its constants, and which cells of memory it reads: `smt.raised.Raising`."""


class Query(Struct, frozen=True):
    """`assumptions ⇒ goal`, for all values of all symbols."""

    claim: str
    """The stable name of the property, as in `scatter4_scaled/out-of-bounds-write-is-dropped`."""
    scope: str
    """The shape that this query is about; everything else in it is arbitrary."""
    assumptions: tuple[Bool, ...]
    goal: Bool
    about: Subject | TwoLanes | OneLane | SerialLanes | Identity | OwnClaim
    """How to show a counterexample: the instruction and the state that the symbols stand for."""
    memory: tuple[MemoryBefore, ...] = ()
    readings: tuple[str, ...] = ()
    parts: tuple[Bool, ...] = ()
    """Statements that together imply the goal: where it is large they are decided first, each only once up to names."""

    def __repr__(self) -> str:
        return f"<Query {self.id}>"

    @property
    def id(self) -> str:
        return f"{self.claim}[{self.scope}]" if self.scope else self.claim


def about(
    subject: Subject, claim: str, assumptions: tuple[Bool, ...], goal: Bool, memory: tuple[MemoryBefore, ...] = ()
) -> Query:
    """A query on one instruction, under what makes its parameters legal."""
    return Query(
        claim=f"{subject.instruction.spec.name}/{claim}",
        scope=subject.scope,
        assumptions=(*subject.legal, *assumptions),
        goal=goal,
        about=subject,
        memory=memory,
        readings=subject.instruction.spec.readings,
    )
