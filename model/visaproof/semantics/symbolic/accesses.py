"""Effects as data: what an instruction reads and writes, and when.

A *cell* is what one access covers as a whole: for a buffer (byte address,), for a typed surface (u, v, r, lod), or
(u, v, r, lod, channel) where an instruction reaches channels one by one.
"""

from msgspec import Struct

from visaproof.isa.atomics import AtomicOp
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.smt import BitVec, Bool, Term, false

Cell = tuple[BitVec, ...]
NEVER = false()


class RegisterSlice(Struct, frozen=True):
    """`width` bytes of a variable from byte `start` on."""

    variable: str
    start: int
    width: int


class Store(Struct, frozen=True):
    """`width` bytes written to a cell, all or none of them."""

    guard: Bool
    lane: int | None
    surface: str
    cell: Cell
    width: int
    inside: Bool
    """The page's bounds: where it does not hold, the data is dropped."""
    defined: Bool
    """Undefined where the guard holds and this does not."""
    value: BitVec
    per_byte: bool = False
    """Whether `inside` speaks of the first byte only, and each byte beyond the end is dropped on its own (D11)."""
    yields: Bool = NEVER
    """Whether another lane's write to the same cell stays, where that comes before this one in the footprint (D14)."""
    unaligned: bool = False
    """Whether a defined address need not be a multiple of the width, so that two cells may share some bytes only."""


class Load(Struct, frozen=True):
    """`width` bytes read from a cell into a register; `outside` where it is not inside."""

    guard: Bool
    lane: int | None
    surface: str
    cell: Cell
    width: int
    inside: Bool
    defined: Bool
    destination: RegisterSlice
    outside: int = 0
    """What a read brings from outside: zeros, except in the alpha channel of a texel."""


class Atomic(Struct, frozen=True):
    """A read-modify-write of a cell; outside it returns 0 and writes nothing."""

    guard: Bool
    lane: int | None
    surface: str
    cell: Cell
    width: int
    inside: Bool
    defined: Bool
    op: AtomicOp
    src0: BitVec
    src1: BitVec
    returns_new: bool
    """Whether the new value is returned instead of the old one (predec)."""
    destination: RegisterSlice | None
    readings: Readings = DEFAULT
    """What the operation answers where the page is silent."""
    sign_extended: bool = False
    """Whether a destination wider than the cell gets copies of the sign bit; else zeros."""


Access = Store | Load | Atomic


def every_term(access: Access) -> tuple[Term, ...]:
    """Every term of an access, its guard first."""
    common = access.guard, access.inside, access.defined, *access.cell
    match access:
        case Store():
            return *common, access.value
        case Atomic():
            return *common, access.src0, access.src1
        case Load():
            return common
