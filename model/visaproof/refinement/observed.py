"""Registers of two kernels that are compared at the end: declared variables and predicates, by their names.

Each of their bytes stands as if it were stored to a surface where the source has defined it.  A byte of the source that
depends on uninitialised values may be anything, and the target may leave anything there.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

from msgspec import Struct

from visaproof.isa.errors import ReadError, in_option
from visaproof.isa.surface_keys import ObservedRegister, surface_key
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.stores import Stores, UnitStore
from visaproof.semantics.symbolic.literals import NONE, literals_of
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    conj,
    const,
    disj,
    eq,
    false,
    iff,
    is_false,
    ite,
    neg,
    substitute,
    symbols_of,
    true,
)
from visaproof.visaasm.naming import closest

OPTION = "--observe"


class RegisterPlace(Struct, frozen=True):
    """Where a variable is kept: from this byte of a root variable on; of a predicate, from this bit on."""

    variable: str
    first: int
    is_predicate: bool

    def at(self, index: int) -> str:
        """One of its bytes or bits, for a file."""
        return (
            f"{self.variable}[{self.first + index}]" if self.is_predicate else f"{self.variable}.{self.first + index}"
        )


class Observed(Struct, frozen=True):
    """A register of the source, and the one of the target that has to hold the same."""

    name: str
    target_name: str
    source: RegisterPlace
    target: RegisterPlace
    count: int
    """Bytes; bits of a predicate."""
    element_bytes: int
    """Of the source's variable."""

    @property
    def both(self) -> str:
        """Both names, for the reader."""
        return self.name if self.name == self.target_name else f"{self.name} ({self.target_name} in the target)"

    @property
    def surface(self) -> str:
        """A name for what it holds, beside those of the surfaces."""
        return str(ObservedRegister(self.name))

    def place(self, side: str) -> RegisterPlace:
        """Where the kernel of this side has it."""
        return self.source if side == "source" else self.target


def is_register(surface: str) -> bool:
    """Whether the name is that of a register, and not of a surface."""
    return isinstance(surface_key(surface), ObservedRegister)


def register_name(surface: str) -> str:
    """The register of which this is the name among surfaces."""
    key = surface_key(surface)
    return key.name if isinstance(key, ObservedRegister) else surface


def observed_as(observed: Iterable[Observed], surface: str) -> Observed:
    """The register that is observed under this name."""
    return next(one for one in observed if one.surface == surface)


def names_from(text: str) -> Iterator[tuple[str, str]]:
    """`V32,P1=P2`: names in the source, each with the name in the target.  Raises ReadError."""
    for part in text.split(","):
        name, equals, other = (one.strip() for one in part.partition("="))
        if not name or (equals and not other):
            raise _bad(f"{text!r} is not NAME[=NAME][,…]", "as in --observe V32,P1 or --observe V32=V40")
        yield name, other or name


def observed_registers(source: Kernel, target: Kernel, names: Iterable[tuple[str, str]]) -> tuple[Observed, ...]:
    """The registers of these names.  Raises ReadError."""
    found: dict[str, Observed] = {}
    for name, target_name in names:
        one, other = _declared(source, name), _declared(target, target_name)
        if one.place.is_predicate != other.place.is_predicate or one.count != other.count:
            said = f"{name} has {one} and {target_name} has {other}"
            raise _bad(f"{name} cannot be compared with {target_name}: {said}", "both need one size")
        if name in found and found[name].target_name != target_name:
            raise _bad(f"{name} is compared with {found[name].target_name} and with {target_name}", "")
        found[name] = Observed(name, target_name, one.place, other.place, one.count, one.element_bytes)
    return tuple(found.values())


class _Declared(Struct, frozen=True):
    """A register of one of the kernels."""

    place: RegisterPlace
    count: int
    """Bytes; bits of a predicate."""
    element_bytes: int

    def __str__(self) -> str:
        return f"{self.count} {'bits' if self.place.is_predicate else 'bytes'}"


def _declared(kernel: Kernel, name: str) -> _Declared:
    if (bits := kernel.predicates.get(name)) is not None:
        return _Declared(RegisterPlace(name, 0, is_predicate=True), bits, 1)
    register = kernel.registers.get(name)
    if register is not None and not register.predefined:
        return _Declared(RegisterPlace(register.owner, register.first, False), register.size, register.type.size)
    known = [one.name for one in kernel.registers.values() if not one.predefined] + [*kernel.predicates]
    hint = closest(name, known, 0.4) or f"declared are {', '.join(known[:8])}{', …' if len(known) > 8 else ''}"
    raise _bad(f"{kernel.path} declares no general variable or predicate {name!r}", hint)


def _bad(message: str, hint: str) -> ReadError:
    return ReadError(message, in_option(OPTION), hint)


# ---------------------------------------------------------------- as stores

T = TypeVar("T", bound=Term)
Chosen = Callable[[Term], bool]
"""Whether a term depends on uninitialised values."""


class RegisterByte(Struct, frozen=True):
    """What a byte holds at the end (of a predicate, 0 or 1), and when that does not depend on uninitialised values."""

    value: BitVec
    defined: Bool


def raw_terms(trace: Trace, observed: Sequence[Observed], side: str) -> list[list[Term]]:
    """The bytes and bits of each register at the end of a run."""
    found: list[list[Term]] = []
    for one in observed:
        place = one.place(side)
        places = range(place.first, place.first + one.count)
        if place.is_predicate:
            found.append([trace.predicates.read_under(place.variable, at, NONE) for at in places])
        else:
            found.append([trace.registers.read_under(place.variable, at, 1, NONE) for at in places])
    return found


def register_byte(term: Term, side: str, chosen: Chosen) -> RegisterByte:
    """A byte or a bit under the names that both kernels share."""
    if isinstance(term, Bool):
        return RegisterByte(ite(term, const(1, 8), const(0, 8)), _defined_bit(term, side, chosen))
    value = cast(BitVec, term)
    return RegisterByte(value, _defined(value, side, chosen))


def _defined(value: BitVec, side: str, chosen: Chosen) -> Bool:
    if not chosen(value):
        return true()
    if value.op is Op.ITE and not chosen(value.args[0]):
        condition, then, otherwise = cast(Bool, value.args[0]), cast(BitVec, value.args[1]), cast(BitVec, value.args[2])
        return disj(
            conj(condition, _defined(then, side, chosen)), conj(neg(condition), _defined(otherwise, side, chosen))
        )
    own = _own(value, side)
    if not own or value in own or (value.op is Op.EXTRACT and value.args[0] in own):
        return false()
    low, high = (_with(value, own, ones) for ones in (False, True))
    return eq(low, high)  # rather too often than too seldom: what is compared in vain is no proof of a difference


def _defined_bit(bit: Bool, side: str, chosen: Chosen) -> Bool:
    if not chosen(bit):
        return true()
    own = _own(bit, side)
    if not own or bit in own:
        return false()
    for one in symbols_of(bit):
        if one in own or not isinstance(one, Bool):
            continue
        here, elsewhere = substitute(bit, {one: true()}), substitute(bit, {one: false()})
        if not chosen(here) and elsewhere in own:
            return one
    return iff(_with(bit, own, ones=False), _with(bit, own, ones=True))


def _own(term: Term, side: str) -> list[Term]:
    return [one for one in symbols_of(term) if is_own(one, side)]


def _with(term: T, own: list[Term], ones: bool) -> T:
    values: dict[Term, Term] = {}
    for one in own:
        filled = const((1 << one.width) - 1 if ones else 0, one.width) if one.width else true() if ones else false()
        values[one] = filled
    return substitute(term, values)


def register_stores(
    observed: Sequence[Observed], source: Sequence[Sequence[RegisterByte]], other: Sequence[Sequence[RegisterByte]]
) -> Iterator[tuple[str, Stores]]:
    """The registers of one side as stores to a surface each, where the source defines the bytes."""
    for one, defining, held in zip(observed, source, other, strict=True):
        stores: list[UnitStore] = []
        for at, (before, byte) in enumerate(zip(defining, held, strict=True)):
            if not is_false(before.defined):
                stores.append(UnitStore(before.defined, const(at, 32), _where(before.defined, byte.value)))
        yield one.surface, tuple(stores)


def _where(defined: Bool, value: BitVec) -> BitVec:
    """The value, simplified by what holds where it counts."""
    known: dict[Term, Term] = {}
    for literal in literals_of(defined):
        known |= {literal: true(), neg(literal): false()}
    return substitute(value, known)
