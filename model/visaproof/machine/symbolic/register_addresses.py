"""Symbolic address registers, and the elements that one may name.  Pages: 5_operands.md, ADDR_ADD.md."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from visaproof.isa.errors import NotModelled, Position
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of, missing
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    conj,
    const,
    disj,
    eq,
    extract,
    false,
    is_false,
    is_true,
    ite,
    neg,
    value_of,
)

MOST_PLACES = 64
"""An element at a symbolic address is a choice between at most this many places."""

AddressRegister = tuple[str, int]
"""The variable, and which of its elements."""


class AddressWrite(NamedTuple):
    """A byte of a root variable was named where `guard` held; otherwise the register is as `below` says."""

    guard: Literals
    root: str
    """Empty where it is not known what a loop left; NOWHERE where the register then names no variable."""
    address: BitVec
    """32 bits."""
    below: "AddressWrite | None"


NOWHERE = "%nowhere"
"""The root of a register that was cleared."""
_LEFT_BY_A_LOOP = AddressWrite(NONE, "", const(0, 32), None)


class Named(NamedTuple):
    """What an address register holds: a byte of a root variable, where `written` holds; else uninitialised.

    Of one that nothing ever wrote, the root is a name for it.
    """

    root: str
    address: BitVec
    written: Bool


class GuardedAddresses:
    """Address registers with the guarded writes that may still show."""

    def __init__(self) -> None:
        self._writes: dict[AddressRegister, AddressWrite] = {}

    def contents(self) -> dict[AddressRegister, AddressWrite]:
        """What `restore` brings back."""
        return dict(self._writes)

    def restore(self, contents: Mapping[AddressRegister, AddressWrite]) -> None:
        self._writes = dict(contents)

    def havoc(self, registers: Collection[AddressRegister]) -> None:
        """Leaves open what these hold."""
        self._writes |= dict.fromkeys(registers, _LEFT_BY_A_LOOP)

    def write(self, register: AddressRegister, root: str, address: BitVec, guard: Literals) -> None:
        before = self._writes.get(register)
        if before is not None and (before.root, before.address) == (root, address) and before.guard <= guard:
            return
        below = before if guard else None
        while below is not None and guard <= below.guard:
            below = below.below
        self._writes[register] = AddressWrite(guard, root, address, below)

    def read(self, register: AddressRegister, assumed: Literals, reader: Position) -> Named:
        """What the register holds wherever `assumed` does."""
        shown: list[tuple[Bool, AddressWrite]] = []
        uncleared: list[Bool] = []
        entry = self._writes.get(register)
        while entry is not None:
            condition = missing(entry.guard, assumed)
            if not is_false(condition):
                if entry.root == NOWHERE:
                    uncleared.append(neg(condition))
                else:
                    shown.append((conj(condition, *uncleared), entry))
                assumed = assumed | {neg(condition)}
            entry = None if is_true(condition) else entry.below
        name, element = register
        if not shown:
            return Named(f"{name}({element})", const(0, 32), false())
        roots = {one.root for _, one in shown}
        if "" in roots:
            raise NotModelled(f"address register {name}({element}), which a loop wrote", reader)
        if len(roots) > 1:
            raise NotModelled("an address register that may name either of two variables", reader)
        address = shown[-1][1].address
        for condition, one in reversed(shown[:-1]):
            address = ite(condition, one.address, address)
        return Named(roots.pop(), address, disj(*(condition for condition, _ in shown)))


class Place(NamedTuple):
    """An element that an operand may be."""

    start: int
    """Its first byte."""
    here: Literals
    """It is this element."""
    apart: Literals
    """It is this element, and none of the others."""


class Places(NamedTuple):
    """The elements of a root variable that an operand may be."""

    root: str
    elements: tuple[Place, ...]
    inside: Bool
    """It is one of them."""


def places_of(named: Named, distance: int, width: int, size: int, reader: Position) -> Places:
    """Where an element of `width` bytes may lie that begins `distance` behind the byte that is named.

    Page: "The behavior is undefined if an indirect operand attempts to access an out-of-bound address", and "if any of
    the address offset is not aligned to the type of the indirect operand".
    """
    address = add(named.address, const(distance, 32))
    possible = _possible(address)
    starts = [start for start in range(0, size - width + 1, width) if start in possible]
    if len(starts) > MOST_PLACES:
        raise NotModelled(f"a register address with {len(starts)} possible places, more than {MOST_PLACES}", reader)
    if len(starts) == len(possible) == 1:
        here = literals_of(named.written)
        return Places(named.root, (Place(starts[0], here, here),), named.written)
    conditions = [conj(named.written, eq(address, const(start, 32))) for start in starts]
    elsewhere = frozenset(neg(condition) for condition in conditions)
    elements = [
        Place(start, literals_of(condition), elsewhere - {neg(condition)} | literals_of(condition))
        for start, condition in zip(starts, conditions, strict=True)
    ]
    inside = named.written if len(starts) == len(possible) else disj(*conditions)
    return Places(named.root, tuple(elements), inside)


def _possible(address: BitVec) -> range:
    """What an address may be, by its bounds and by its lowest bits, as far as these are known: of each lane its own
    dword of a row, as   address ≡ 4·lane (mod 64)   where a word counts rows of 64 bytes.
    """
    unit, rest = 1, 0
    while unit < 1 << address.width and (known := value_of(extract(address, unit.bit_length() - 1, 0))) is not None:
        unit, rest = 2 * unit, known
    return range(address.low + (rest - address.low) % unit, address.high + 1, unit)
