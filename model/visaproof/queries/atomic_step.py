"""One lane's atomic step on a texel, at an arbitrary moment of an arbitrary serial order of lanes.

The lanes of a message act in an order that the machine chooses (D30).  The texel holds `found`, and the next lane has
its turn: what the footprint says of one lane says what it comes to.
"""

from msgspec import Struct

from visaproof.isa.atomics import AtomicOp, carried_out
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.query import Query, SerialLanes
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import returned, stored_at
from visaproof.smt import BitVec, Bool, const, symbol, true

_TEXEL = (const(0, 32),) * 4

Operands = tuple[BitVec, BitVec]
"""src0 and src1 of one lane."""


class AtomicStep(Struct, frozen=True):
    """One lane's atomic step on a texel: what it leaves there and what it returns."""

    operands: Operands
    left: BitVec
    returned: BitVec


def operands_of(lane: str, bits: int) -> Operands:
    """Arbitrary operands of a lane."""
    return symbol(f"{lane}.src0", bits), symbol(f"{lane}.src1", bits)


def atomic_step(
    op: AtomicOp, found: BitVec, operands: Operands, returns_new: bool | None = None, readings: Readings = DEFAULT
) -> AtomicStep:
    """What the footprint's accesses come to for one enabled lane inside the surface, where the texel holds `found`."""
    access = Atomic(
        guard=true(),
        lane=None,
        surface="",
        cell=_TEXEL,
        width=found.width // 8,
        inside=true(),
        defined=true(),
        op=carried_out(op, readings.float_atomics),
        src0=operands[0],
        src1=operands[1],
        returns_new=op is AtomicOp.PREDEC if returns_new is None else returns_new,
        destination=None,
        readings=readings.of_floats(),
    )
    return AtomicStep(operands, stored_at((access,), _TEXEL, found), returned(access, found))


def lemma(
    claim: str, scope: str, assumptions: tuple[Bool, ...], goal: Bool, about: SerialLanes, bits: int = 32
) -> Query:
    """What holds of the lanes of an atomic, for any number of them and in any order."""
    halves = "16 bits" if bits == 16 else ""
    where = ", ".join(part for part in (scope, halves) if part)
    return Query(f"typed_atomic/{claim}", where, assumptions, goal, about, readings=("atomic-order",))
