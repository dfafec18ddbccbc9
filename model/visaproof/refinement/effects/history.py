"""What a kernel has stored so far, with its loads and results under the names that both kernels share."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from typing import TypeVar, cast

from msgspec.structs import replace

from visaproof.isa.errors import Position
from visaproof.isa.identity import Same
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.machine.symbolic.loops.iteration import Held, LoopIteration
from visaproof.machine.symbolic.trace import Performed
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted, is_by_zero
from visaproof.queries.extremes import in_one_form
from visaproof.queries.kernels.atomic_events import AtomicEvents, where_it_changes
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.shared_memory import SharedMemory, joined
from visaproof.queries.kernels.stores import Change, Owner, Stores, UnitStore
from visaproof.queries.kernels.surface_names import AfterImageStores, itself, surface_after
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.effects.common_form import Renaming, Walk
from visaproof.refinement.effects.events import AtomicEvent, change_memory, event_of, terms_of, with_operands
from visaproof.refinement.effects.operands import OpenOperation
from visaproof.refinement.effects.places import Reach, is_texel_read, kind_of, may_be_of_two_kinds, where_aligned
from visaproof.refinement.effects.side import LinearisationPoint, Side, surface_names
from visaproof.refinement.effects.touched import Touched
from visaproof.refinement.observed import RegisterByte, raw_terms, register_byte
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.effects import new_value, updated
from visaproof.semantics.symbolic.float_axioms import as_function, of_constants
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.semantics.symbolic.value_names import is_own, owned
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    bit_not,
    concat,
    conj,
    const,
    extract,
    false,
    is_false,
    ite,
    neg,
    sign_extend,
    substitute,
    value_of,
    zero_extend,
)

T = TypeVar("T", bound=Term)

How = tuple[Hashable, ...] | LinearisationPoint | None
"""What names the results of an atomic, or when it has its turn; None of one that changes what it finds."""

_Done = tuple[Bool, BitVec | None, BitVec | None, Change | None]


class History:
    """What a kernel has stored so far, with its loads and results under the names that both kernels share."""

    def __init__(self, side: Side, memory: SharedMemory, expand: bool, other_texels: bool = False) -> None:
        self._side = side
        self._other_texels = other_texels
        """Whether a read outside of an image brings other bits than those of the page, all of them."""
        self._chosen: set[Term] = set()
        """Results of operations on uninitialised values, and terms that depend on it."""
        self._settled: set[Term] = set()
        """Terms that do not."""
        self._memory = memory
        self._arbitrary = side.trace.arbitrary
        self._places: dict[Term, int] = {one.symbol: place for place, one in enumerate(side.trace.arbitrary)}
        self._resolved, self._sharing = 0, side.sharing
        names: dict[Term, Term] = dict(surface_names(side))
        names |= {pointer: self._sharing.base(buffer) for pointer, buffer in side.pointers.items()}
        names |= side.choices
        if side.premises is not None:
            known = side.premises.known
            names = {one: substitute(other, known) for one, other in names.items()} | dict(known)
        self._renamed = Renaming(names, expand, memory.alike)
        self._walk, self._events = Walk(), AtomicEvents()
        changing = (one for one in side.trace.performed if any(not isinstance(each, Load) for each in one.accesses))
        self._written = {side.surface(one.surface) for one in changing}
        self._stored: set[tuple[str, int]] = set()
        """Surfaces, and threads that have stored there."""
        self._count = Counter[str]()  # how many messages stored to each memory
        self.stores: dict[str, list[UnitStore]] = {}
        self.undefined: list[tuple[Bool, UndefinedKind]] = []
        self.unclear: Position | None = None
        """An access of which it is not known whether it is misaligned or beyond a variable."""
        self.reaches, self.touched = list[Reach](), list[Touched]()
        self.events: list[AtomicEvent] = []
        self._messages = 0
        self._seen = dict[object, Stores]()  # by the memory and whose a load is, the stores that it may see

    def common(self, terms: list[T]) -> list[T]:
        """The terms under the shared names."""
        self._resolve(terms)
        return self._renamed(terms)

    def round(self, one: LoopIteration) -> LoopIteration:
        """An iteration with what is held before and after it under the shared names."""
        return one.changed(self._held)

    def _held(self, held: tuple[Held, ...]) -> tuple[Held, ...]:
        before, after = self.common([each.before for each in held]), self.common([each.after for each in held])
        found = zip(held, before, after, self.common([each.ended for each in held]), strict=True)
        return tuple(one._replace(before=b, after=a, ended=e) for one, b, a, e in found)

    def registers(self, side: Side) -> Iterator[tuple[RegisterByte, ...]]:
        """What the observed registers hold at the end."""
        for raw in raw_terms(side.trace, side.observed, side.name):
            self._resolve(raw)
            yield tuple(register_byte(term, side.name, self.is_chosen) for term in self._renamed(raw))

    def is_chosen(self, term: Term) -> bool:
        """Whether a term under the shared names depends on a choice that only this kernel has."""
        if term in self._chosen:
            return True
        if term in self._settled:
            return False
        seen, stack = {term}, [term]
        while stack:
            one = stack.pop()
            if one.op is Op.SYMBOL and self._is_choice(one):
                self._chosen.add(term)
                return True
            ahead = [arg for arg in one.args if arg not in seen and arg not in self._settled]
            seen.update(ahead)
            stack += ahead
        self._settled |= seen
        return False

    def _is_choice(self, one: Term) -> bool:
        definition = self._memory.definitions.get(one)
        own = one in self._chosen or is_own(one, self._side.name)
        return own or (definition is not None and self.is_chosen(definition))

    def add(
        self, performed: Performed, surface: str, step: LinearisationPoint | None, thread: int, item_thread: int = 0
    ) -> None:
        """Takes in a message of a thread to a surface; `item_thread` is the number of the thread among several."""
        values = {Same(access): value for access, value in performed.loaded}
        if itself(surface) in self._written:  # what was read through the sampler before is what was there before
            self._resolve_first(performed.left_open)
        accesses = list(self._visible(performed))
        own = [terms_of(access) for access in accesses]
        renamed = iter(self.common([term for terms in own for term in terms]))
        seen = [list(islice(renamed, len(terms))) for terms in own]
        for access, terms in zip(accesses, seen, strict=True):
            self._note_place(performed, surface, access, cast(tuple[Bool, Bool, BitVec], (*terms[:2], terms[3])))
            terms[3] = self._sharing.address(surface, cast(BitVec, terms[3]))
        memory = self._sharing.memory(surface)
        changes = change_memory(self._side, self._memory.units.get(memory), accesses)
        named = step is None and not changes and not self._side.by_events
        atomic = self._events.message(memory, accesses, seen, self.stores) if named else ()
        self._messages += 1
        stores: list[UnitStore] = []
        names: dict[Term, Term] = {}
        for index, (access, terms) in enumerate(zip(accesses, seen, strict=True)):
            guard, inside, defined, cell = cast(tuple[Bool, Bool, Bool, BitVec], tuple(terms[:4]))
            defined = where_aligned(defined, cell) if memory in self._memory.aligned else defined
            self._note_undefined(performed, access, conj(guard, neg(defined)))
            self.touched.append(Touched(surface, type(access).__name__.lower(), cell, performed.instruction))
            owner = self._side.owner(performed, surface, access, item_thread, self._messages)
            brought, change = None, None
            if isinstance(access, Atomic):
                how = (*atomic, index) if named else step
                happens, value, brought, change = self._atomic(access, surface, owner, terms, how)
            else:
                happens, value = conj(guard, inside), cast(BitVec, terms[4]) if isinstance(access, Store) else None
                if Same(access) in values:
                    brought = self._loaded(surface, owner, cell, access.width, literals_of(happens))
            if value is not None and not is_false(happens):
                units = self._units(memory, owner, happens, cell, value, access.width)
                stores += units if change is None else [UnitStore(happens, cell, value, owner, change)]
            if Same(access) in values and brought is not None:
                wide = values[Same(access)].width
                plain = (step is not None and step.is_single) or self._side.by_events
                names[values[Same(access)]] = self._brought(access, inside, brought, wide, plain)
        self._renamed.add(names)
        if accesses:
            self._take(memory, stores, step)
        if stores:
            self._seen.clear()
            self._stored.add((itself(surface), thread))
        if any(not isinstance(access, Load) for access in accesses):
            self._count[self._sharing.memory(itself(surface))] += 1

    def _visible(self, performed: Performed) -> Iterator[Access]:
        """The accesses that others see; of those to private memory what is undefined is taken in."""
        for one in performed.accesses:
            if is_private(self._side.trace, performed, one):
                (condition,) = self.common([conj(one.guard, neg(one.defined))])
                self._note_undefined(performed, one, condition)
            else:
                yield one

    def _note_undefined(self, performed: Performed, access: Access, condition: Bool) -> None:
        """Takes in where an access is undefined; one that never has any may be wrong in either way, or in both."""
        self.undefined.append((condition, kind_of(access)))
        if not is_false(condition) and may_be_of_two_kinds(performed, access):
            self.unclear = performed.instruction.position

    def _take(self, surface: str, stores: list[UnitStore], step: LinearisationPoint | None) -> None:
        before = self.stores.setdefault(surface, [])
        if step is not None and step.is_single:  # what the same step has left there is gone
            gone = {(store.guard, store.cell) for store in stores}
            before[:] = [store for store in before if (store.guard, store.cell) not in gone]
        before.extend(stores)

    def _note_place(self, performed: Performed, surface: str, access: Access, seen: tuple[Bool, Bool, BitVec]) -> None:
        """Takes in where an access is: outside of shared local memory or of a buffer, or at an offset in a buffer."""
        guard, inside, cell = seen
        if len(access.cell) == 1 or not isinstance(access, Load):  # of a read of a texel, see `of_unstated_texels`
            kind = UndefinedKind.SLM_OUTSIDE if performed.surface == SHARED_LOCAL else UndefinedKind.OUTSIDE
            self.undefined.append((conj(guard, neg(inside)), kind))
        if Same(access) in self._side.offsets:
            (offset,) = self._renamed([self._side.offsets[Same(access)]])
            self.reaches.append(Reach(guard, surface, cell, offset, access.width))

    def _units(
        self, memory: str, owner: Owner, happens: Bool, cell: BitVec, value: BitVec, width: int
    ) -> Iterator[UnitStore]:
        for byte, place in self._memory.pieces(memory, cell, width):
            unit = extract(value, 8 * (byte + self._memory.units[memory]) - 1, 8 * byte)
            yield UnitStore(happens, place, unit, owner)

    def _brought(self, access: Access, inside: Bool, value: BitVec, width: int, plain: bool) -> BitVec:
        """What a load gives to a register of this width; `plain` without a name for it."""
        outside = const(access.outside if isinstance(access, Load) else 0, value.width)
        if self._other_texels and is_texel_read(access):
            outside = bit_not(outside)
        named = ite(inside, value, outside) if plain else self._memory.named(ite(inside, value, outside))
        signed = isinstance(access, Atomic) and access.sign_extended
        return sign_extend(named, width) if signed else zero_extend(named, width)

    def _atomic(self, access: Atomic, surface: str, owner: Owner, seen: list[Term], how: How) -> _Done:
        """When a lane of an atomic changes memory, what it stores there, what it brings, and how it changes it."""
        guard, inside, cell = cast(Bool, seen[0]), cast(Bool, seen[1]), cast(BitVec, seen[3])
        if self._side.by_events:
            event = event_of(len(self.events), self._messages, surface, access, seen, self.stores)
            self.events.append(event)
            return false(), None, event.left if access.returns_new else event.found, None
        if isinstance(how, tuple):
            results = (self._memory.result((*how, which), 8 * access.width) for which in ("after", "brought"))
            written, brought = (cast(BitVec, result) for result in results)
            return conj(where_it_changes(access, seen), inside), written, brought, None
        if isinstance(how, LinearisationPoint):
            written, brought, always = self._in_step(how, surface, owner, access, seen)
            return inside if always else conj(guard, inside), written, brought, None
        brought = None if access.destination is None else self._loaded(surface, owner, cell, access.width)
        if brought is not None and access.returns_new:
            brought = updated(with_operands(access, seen), brought)
        return conj(guard, inside), concat(*cast(list[BitVec], seen[4:])), brought, Change(access.op, access.readings)

    def _in_step(
        self, step: LinearisationPoint, surface: str, owner: Owner, access: Atomic, seen: list[Term]
    ) -> tuple[BitVec, BitVec, bool]:
        """What an atomic leaves and brings that has its place among those of other threads.

        And whether it would leave what was there where its guard does not hold: then it may as well happen.
        """
        width = 8 * access.width
        if not step.is_single:
            kind = access.op, access.returns_new, access.width
            event = ("lane's atomic", step.number, step.first_lane + (access.lane or 0), surface, kind, tuple(seen))
            results = (self._memory.result((*event, which), width) for which in ("after", "brought"))
            written, brought = (cast(BitVec, result) for result in results)
            return written, brought, False
        cell, src0, src1 = (cast(BitVec, term) for term in seen[3:])
        before = self._loaded(surface, owner, cell, access.width)
        written = new_value(access.op, before, src0, src1, access.readings)
        guard = cast(Bool, seen[0])
        conditions = guard.args if guard.op is Op.CONJ else (guard,)
        same = all(in_one_form(substitute(written, _without(one))) is before for one in conditions)
        written = in_one_form(written)
        return written, written if access.returns_new else before, same

    def _loaded(self, surface: str, owner: Owner, cell: BitVec, width: int, where: Literals = NONE) -> BitVec:
        """What memory holds in the units of a cell, after the stores so far, if it is read where this holds."""
        memory = self._sharing.memory(surface)
        whose = memory, owner.buffer, owner.items, owner.thread
        stores = self._seen.get(whose) or tuple(self._sharing.seen_from(owner, self.stores.get(memory, ())))
        self._seen[whose] = stores
        places = self._memory.pieces(memory, cell, width)
        return joined([self._memory.found(stores, memory, place, where) for _, place in places])

    def _resolve(self, terms: Iterable[Term]) -> None:
        """Gives common names to the results that the terms use, and to all that were computed before them."""
        self._resolve_first(1 + max((self._places.get(term, -1) for term in self._walk.new(terms)), default=-1))

    def _resolve_first(self, count: int) -> None:
        finders = self._side.finders
        for place, one in enumerate(self._arbitrary[self._resolved : count], self._resolved):
            found = self._result(one, finders[place] if finders else 0)
            self._renamed.add({one.symbol: found})
            if found.op is Op.SYMBOL:
                line = one.instruction.position.line
                self._memory.spell(found, one.described(f"line {line} of the {self._side.name}"))
        self._resolved = max(self._resolved, count)

    def _result(self, one: Uninterpreted, thread: int) -> Term:
        if self._side.divides_by_zero and is_by_zero(one):
            return const(-1, one.symbol.width)
        image = None if one.origin is None else self._side.surface(one.origin.surface)
        how = None if one.origin is None else self._side.how(one.origin.use)
        unknown = one.origin is not None and how is None
        if one.operands is None or unknown or (image is not None and self._may_have_changed(image, thread)):
            return owned(self._side.name, one.symbol)
        bits = self._renamed([source.bits for source in one.operands])
        operands = [replace(source, bits=word) for source, word in zip(one.operands, bits, strict=True)]
        if image is None and (known := of_constants(one.operation, operands, one.result)) is not None:
            return known
        control = None if one.control is None else self._renamed([one.control])[0]
        named = one.operation
        if named[0] == "sample_l" and value_of(bits[0]) == 0:  # at level 0, which the other reads without being told
            named, operands = ("sample_lz", *named[1:]), operands[1:]
        origin = None if one.origin is None else (self._then(image), how, one.origin.slot)
        function = as_function(named, operands, self._side.either_order)
        operation = OpenOperation(named, one.result, one.symbol.width, control, origin, function)
        result = self._memory.result(operation, one.symbol.width)
        if any(self.is_chosen(each.bits) for each in operands):
            self._chosen.add(result)
        return result

    def _may_have_changed(self, image: str, thread: int) -> bool:
        """Whether the image may have been written before this thread found what is being named.

        By itself, or by others behind a barrier; where another thread of a group wrote what it reads, they race.
        """
        trace, stored = self._side.trace, (image, thread) in self._stored
        others = {self._sharing.memory(one) for one in self._written} & self._sharing.others(image)
        later = bool(trace.events or trace.loops)
        return (image in self._written and (stored or later)) or (later and bool(others))

    def _then(self, image: str | None) -> str | None:
        """An image after the stores so far to what may be the same object."""
        stores = sum(self._count[one] for one in self._sharing.others(image)) if image is not None else 0
        return surface_after(image, AfterImageStores(stores)) if image is not None and stores else image


def _without(condition: Term) -> dict[Term, Term]:
    """What does not hold where a condition does not."""
    return {one: false() for one in (condition.args if condition.op is Op.DISJ else (condition,))}
