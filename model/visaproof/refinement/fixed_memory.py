"""What a kernel finds and leaves on a memory of numbers, with no other thread in between, by what it may choose.

The lanes of an atomic take their turns in any order.  Where that order shows, what a lane brings or leaves is open:
then more seems possible than is, and never less.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.atomics import FLOAT_OPS, AtomicOp
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.stores import UnitStore, after
from visaproof.queries.kernels.surface_names import itself
from visaproof.semantics.symbolic.effects import new_value
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.smt import BitVec, Bool, Op, Term, conj, const, disj, eq, is_false, ite, symbol, symbols_of
from visaproof.smt.substitution import substitute_all

T = TypeVar("T", bound=Term)

Contents = Mapping[str, Mapping[int, int]]
"""What each surface holds: bytes by address, channels by texel and channel; 0 elsewhere."""

TEXEL_BITS = 130
"""Of a place in a typed surface: a texel and a channel."""


def units_in(contents: Mapping[int, int], width: int, unit: int) -> dict[int, int]:
    """What is at each cell of so many bits, of which some part is named."""
    if width > FLAT_BITS:
        apart = 1 << TEXEL_BITS - width
        return {place // apart: value for place, value in contents.items() if place % apart == 0}
    found: dict[int, int] = {}
    for address, value in contents.items():
        found[address // unit] = found.get(address // unit, 0) | value << 8 * (address % unit)
    return {number * unit: value for number, value in found.items()}


def content_at(units: Mapping[int, int], cell: BitVec, unit: int) -> BitVec:
    """What is at a cell, which may depend on choices."""
    if cell.op is Op.CONST:
        return const(units.get(cast(int, cell.payload), 0), 8 * unit)
    found = const(0, 8 * unit)
    for place, value in units.items():
        found = ite(eq(cell, const(place, cell.width)), const(value, 8 * unit), found) if value else found
    return found


class _Lane(Struct, frozen=True):
    """One lane of an atomic."""

    happens: Bool
    cell: BitVec
    src0: BitVec
    src1: BitVec


class _Message(Struct, frozen=True):
    """A message of atomics, with all that is known of it."""

    surface: str
    kinds: Sequence[tuple[AtomicOp, bool, int]]
    lanes: Sequence[_Lane]
    before: Sequence[UnitStore]
    """What the kernel has stored there before."""


class Alone:
    """A kernel on a memory of numbers: what its names stand for, each in terms of what is open."""

    def __init__(self, memory: SharedMemory, known: Mapping[Term, Term], contents: Contents) -> None:
        self._memory = memory
        self._known = dict(known)
        self.contents = contents
        self._units: dict[tuple[str, int], dict[int, int]] = {}
        self._messages: dict[tuple[Any, ...], _Message] = {}

    def known(self, terms: Iterable[T]) -> list[T]:
        """The terms with all that is known in place of its names."""
        wanted = list(terms)
        stack = symbols_of(*wanted)
        while stack:
            name = stack[-1]
            behind = () if name in self._known else self._behind(name)
            ahead = [one for one in symbols_of(*behind) if one not in self._known and self._is_name(one)]
            stack += ahead
            if not ahead:
                stack.pop()
                if behind:
                    self._known[name] = self._defined(name)
        return substitute_all(wanted, self._known)

    def known_stores(self, stores: Sequence[UnitStore]) -> list[UnitStore]:
        """The stores with all that is known, without those that never happen."""
        terms = self.known([term for one in stores for term in _terms(one)])
        return [one for one in _as_stores(stores, terms) if not is_false(one.guard)]

    def content(self, surface: str, cell: BitVec) -> BitVec:
        """What was at a cell before the run."""
        return content_at(self.units(surface, cell.width), cell, self._memory.units[surface])

    def units(self, surface: str, width: int) -> dict[int, int]:
        """What was at each cell of so many bits."""
        if (surface, width) not in self._units:
            unit = self._memory.units[surface]
            self._units[surface, width] = units_in(self.contents[itself(surface)], width, unit)
        return self._units[surface, width]

    def _is_name(self, one: Term) -> bool:
        return bool(self._memory.behind(one)) or self._atomic(one) is not None

    def _behind(self, name: Term) -> tuple[Term, ...]:
        """What a name depends on; nothing for what is open."""
        if (operation := self._atomic(name)) is None:
            return self._memory.behind(name)
        _, _, surface, _, lanes, before, _, _ = operation
        stores = dict(before).get(surface, ())
        return (*(term for lane in lanes for term in lane), *(term for one in stores for term in _terms(one)))

    def _atomic(self, name: Term) -> tuple[Any, ...] | None:
        """The operation of which a name is the result, if that is an atomic."""
        operation = self._memory.operations.get(name)
        is_atomic = isinstance(operation, tuple) and operation[:1] == ("atomic",)
        return cast(tuple[Any, ...], operation) if is_atomic else None

    def _defined(self, name: Term) -> BitVec:
        """What a name stands for, with what is known of what it depends on."""
        if (operation := self._atomic(name)) is not None:
            *message, lane, which = operation
            return self._result(name, self._message(tuple(message)), lane, which)
        (found,) = substitute_all(self._memory.behind(name), self._known)
        place = self._memory.places.get(name)
        return found if place is None else self.content(place[0], found)

    def _message(self, message: tuple[Any, ...]) -> _Message:
        if message not in self._messages:
            _, _, surface, kinds, lanes, before = message
            found = (substitute_all(one, self._known) for one in lanes)
            earlier = dict(before).get(surface, ())
            stores = [term for one in earlier for term in _terms(one)]
            self._messages[message] = _Message(
                surface, kinds,
                [_Lane(conj(guard, inside), *operands) for guard, inside, _, *operands in found],
                list(_as_stores(earlier, substitute_all(stores, self._known))),
            )  # fmt: skip
        return self._messages[message]

    def _result(self, name: Term, message: _Message, place: int, which: str) -> BitVec:
        """What a lane of an atomic brings, or what all lanes of its message leave in its cell."""
        op, returns_new, width = message.kinds[place]
        unknown = symbol(f"open.{name.payload}", name.width)
        if op in FLOAT_OPS or width != self._memory.units[message.surface] or len(set(message.kinds)) > 1:
            return unknown
        own = message.lanes[place]
        start = after(message.before, own.cell, self.content(message.surface, own.cell))
        if which == "after" and op.commuting_group is not None:
            return _left_in_any_order(op, start, own, message.lanes)
        met = disj(*(_meet(own, other) for number, other in enumerate(message.lanes) if number != place))
        new = ite(own.happens, new_value(op, start, own.src0, own.src1), start)
        return ite(met, unknown, new if which == "after" or returns_new else start)


def _terms(store: UnitStore) -> tuple[Term, ...]:
    return store.guard, store.cell, store.value


def _as_stores(stores: Iterable[UnitStore], terms: Iterable[Term]) -> Iterator[UnitStore]:
    """The stores with these terms, three of each."""
    remaining = iter(cast(Iterable[Any], terms))
    for one, guard, cell, value in zip(stores, remaining, remaining, remaining, strict=True):
        yield replace(one, guard=guard, cell=cell, value=value)


def _meet(own: _Lane, other: _Lane) -> Bool:
    return conj(other.happens, eq(own.cell, other.cell))


def _left_in_any_order(op: AtomicOp, start: BitVec, own: _Lane, lanes: Sequence[_Lane]) -> BitVec:
    """What lanes whose order is unseen leave in the cell of one of them."""
    for other in lanes:
        start = ite(_meet(own, other), new_value(op, start, other.src0, other.src1), start)
    return start
