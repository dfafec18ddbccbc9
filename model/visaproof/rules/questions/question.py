"""Does the target of a rewrite rule refine its source?  Both sides symbolically, over one state before.

    ¬undefined(source)  ⇒  ¬undefined(target)  ∧  memory and observed registers after target = those after source

Memory is asked at one arbitrary place.  Atomics of one message come in any order; here are those whose order cannot
be seen, since nobody gets what they return and the operation commutes.  For the others see atomics.py.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from visaproof.isa.errors import NotModelled
from visaproof.isa.identity import Same
from visaproof.machine.symbolic.machine import Performed
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.queries.kernels.conflict import conflict_questions
from visaproof.queries.kernels.shared_memory import WORD, SharedMemory, joined, unit_of
from visaproof.rules.language.instances import Instance
from visaproof.rules.questions.symbols import element, lanes, predicate_bit
from visaproof.rules.questions.writes import Write, after
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, Store
from visaproof.semantics.symbolic.effects import updated
from visaproof.semantics.symbolic.names import surface_size
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import owned
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    concat,
    conj,
    const,
    eq,
    extract,
    is_false,
    ite,
    neg,
    symbol,
    truncate,
)
from visaproof.smt.evaluate import substitute_all
from visaproof.visaasm.syntax import Kernel

# ---------------------------------------------------------------- both sides symbolically


@dataclass(frozen=True, slots=True)
class Side:
    """The source or the target of an instance."""

    name: str
    kernel: Kernel
    trace: Trace


def sides(instance: Instance) -> tuple[Side, Side]:
    """Both sides, run symbolically.  Raises NotModelled and ReadError, with places in the kernels."""
    found: list[Side] = []
    for name, kernel in (("source", instance.source), ("target", instance.target)):
        ran = trace(kernel, instance.platform, _start(instance, name), lanes(), predicate_bit)
        if ran.stopped is not None:
            raise ran.stopped
        found.append(Side(name, kernel, ran))
    return found[0], found[1]


def _start(instance: Instance, side: str) -> Callable[[str, int], Byte]:
    """What the registers hold before: the same on both sides, but for temporary ones."""

    def initial(variable: str, byte: int) -> Byte:
        register = instance.registers.get(variable)
        if register is None:
            return symbol(f"{variable}.{byte - byte % 4}", 32), byte % 4
        size = register.type.bits // 8
        owner = side if register.temporary else ""
        return element(variable, byte // size, register.type.bits, owner), byte % size

    return initial


# ---------------------------------------------------------------- effects


@dataclass(frozen=True, slots=True)
class Effects:
    """What a side does that can be seen."""

    writes: dict[str, tuple[Write, ...]]
    undefined: tuple[Bool, ...]
    observed: tuple[tuple[str, int, BitVec], ...]
    """Register, element, and what it holds then."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides' effects over one memory."""

    source: Effects
    target: Effects
    memory: SharedMemory

    @property
    def surfaces(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.source.writes, *self.target.writes)))


def compare(instance: Instance, source: Side, target: Side, known: Mapping[Term, Term]) -> Comparison:
    """The effects of both, written with what is known.  Raises NotModelled where the order of atomics can be seen."""
    for side in (source, target):
        _require_order_unseen(side)
    by_surface: dict[str, list[Access]] = {}
    for side in (source, target):
        for performed in side.trace.performed:
            by_surface.setdefault(surface_of(instance, performed), []).extend(performed.accesses)
    memory = SharedMemory({surface: _unit(accesses) for surface, accesses in by_surface.items()})
    histories = [_History(instance, side, memory, known) for side in (source, target)]
    return Comparison(histories[0].effects(), histories[1].effects(), memory)


def _unit(accesses: list[Access]) -> int:
    """Bytes of a unit; a texel is one."""
    if accesses and len(accesses[0].cell) > 1:
        widths = {access.width for access in accesses}
        if len(widths) > 1:
            raise NotModelled("texels of 16 and of 32 bits on one surface")
        return widths.pop()
    if all(_is_aligned(access) for access in accesses):
        return WORD
    if any(isinstance(access, Atomic) for access in accesses):
        raise NotModelled("atomics and accesses that are not aligned on one surface")
    return unit_of(iter(accesses))


def _is_aligned(access: Access) -> bool:
    """Whether the access is of dwords that are undefined where they are not aligned: another goal sees to that."""
    misaligned = neg(eq(truncate(access.cell[0], 2), const(0, 2)))
    return access.width % WORD == 0 and is_false(conj(access.defined, misaligned))


def surface_of(instance: Instance, performed: Performed) -> str:
    """The rule's name of the surface that a message reaches."""
    return instance.surfaces.get(performed.surface, performed.surface)


def _require_order_unseen(side: Side) -> None:
    for performed in side.trace.performed:
        atomics = [access for access in performed.accesses if isinstance(access, Atomic)]
        if len(atomics) > 1 and any(one.destination is not None or one.op.commuting_group is None for one in atomics):
            raise NotModelled("atomics whose order can be seen, in this form", performed.instruction.position)


def undefined_apart(ran: Trace) -> Iterator[Bool]:
    """Register addresses that leave their variable, and lanes of one message that write one byte (D14)."""
    for condition, _ in ran.conditions:
        yield neg(condition)
    for question in conflict_questions(ran):
        for pair in question.pairs:
            yield pair.meet


def surface_names(instance: Instance, ran: Trace) -> dict[Term, Term]:
    """The sizes of the surfaces, by their names in the rule."""
    found: dict[Term, Term] = {}
    for key, surface in ran.surfaces.items():
        size = getattr(surface, "size", None)
        if isinstance(size, BitVec) and size.op is Op.SYMBOL:
            found[size] = surface_size(instance.surfaces.get(key, key))
    return found


def observed_elements(instance: Instance, ran: Trace) -> Iterator[tuple[str, int, BitVec]]:
    """What the observed registers hold at the end, element by element."""
    for name, _ in instance.rule.observed:
        register = instance.registers[name]
        size = register.type.bits // 8
        for index in range(register.count):
            yield name, index, ran.registers.read(name, index * size, size)


def whole_cell(access: Access) -> BitVec:
    """The cell as one number: a byte address, or the coordinates of a texel side by side."""
    return access.cell[0] if len(access.cell) == 1 else concat(*access.cell)


def own_name(side: Side, term: Term) -> Term:
    """A value that is arbitrary, apart from those of the other side."""
    return owned(side.name, term)


class _History:
    """What a side has written so far, with its loads under the names that both sides share."""

    def __init__(self, instance: Instance, side: Side, memory: SharedMemory, known: Mapping[Term, Term]) -> None:
        self._instance = instance
        self._side = side
        self._memory = memory
        self._known = dict(known)
        self._names: dict[Term, Term] = surface_names(instance, side.trace)
        self._names |= {one.symbol: own_name(side, one.symbol) for one in side.trace.arbitrary}
        self._writes: dict[str, list[Write]] = {}
        self._undefined: list[Bool] = []

    def effects(self) -> Effects:
        for index, performed in enumerate(self._side.trace.performed):
            self._add(index, performed)
        apart = cast(list[Bool], self._renamed(list(undefined_apart(self._side.trace))))
        undefined = [one for one in (*self._undefined, *apart) if not is_false(one)]
        elements = list(observed_elements(self._instance, self._side.trace))
        values = self._renamed([value for _, _, value in elements])
        return Effects(
            {surface: tuple(writes) for surface, writes in self._writes.items()},
            tuple(dict.fromkeys(undefined)),
            tuple((name, k, cast(BitVec, value)) for (name, k, _), value in zip(elements, values, strict=True)),
        )

    def _renamed(self, terms: list[Term]) -> list[Term]:
        return substitute_all(substitute_all(terms, self._names), self._known)

    def _add(self, index: int, performed: Performed) -> None:
        surface = surface_of(self._instance, performed)
        symbols = {Same(access): value for access, value in performed.loaded}
        before = {name: tuple(writes) for name, writes in self._writes.items()}
        names: dict[Term, Term] = {}
        writes = self._writes.setdefault(surface, [])
        for access in performed.accesses:
            data: list[Term] = []
            if isinstance(access, Store):
                data = [access.value]
            elif isinstance(access, Atomic):
                data = [access.src0, access.src1]
            terms = self._renamed([access.guard, access.inside, access.defined, whole_cell(access), *data])
            guard, inside, defined = (cast(Bool, term) for term in terms[:3])
            cell, parts = cast(BitVec, terms[3]), [cast(BitVec, term) for term in terms[4:]]
            self._undefined.append(conj(guard, neg(defined)))
            happens = conj(guard, inside)
            if Same(access) in symbols:
                names[symbols[Same(access)]] = self._loaded(before, surface, access, cell, inside, parts)
            if isinstance(access, Load) or is_false(happens):
                continue
            if isinstance(access, Atomic):
                writes.append(_atomic_write(access, happens, cell, parts, index))
            else:
                unit = self._memory.units[surface]
                for byte, place in self._pieces(surface, cell, access):
                    part = extract(parts[0], 8 * (byte + unit) - 1, 8 * byte)
                    writes.append(Write(happens, place, part, message=index, lane=access.lane))
        self._names |= names

    def _pieces(self, surface: str, cell: BitVec, access: Access) -> Iterator[tuple[int, BitVec]]:
        return self._memory.pieces(surface, cell, access.width)

    def _loaded(
        self,
        before: Mapping[str, tuple[Write, ...]],
        surface: str,
        access: Access,
        cell: BitVec,
        inside: Bool,
        parts: list[BitVec],
    ) -> BitVec:
        """What the access brings: memory at its cell after the messages so far, and 0 from outside."""
        units: list[BitVec] = []
        for _, place in self._pieces(surface, cell, access):
            units.append(after(before.get(surface, ()), place, self._memory.initial(surface, place)))
        value = joined(units)
        if isinstance(access, Atomic) and access.returns_new:
            value = updated(_with_operands(access, parts), value)
        outside = access.outside if isinstance(access, Load) else 0
        return self._memory.named(ite(inside, value, const(outside, value.width)))


def _with_operands(access: Atomic, parts: list[BitVec]) -> Atomic:
    return replace(access, src0=parts[0], src1=parts[1])


def _atomic_write(access: Atomic, happens: Bool, cell: BitVec, parts: list[BitVec], message: int) -> Write:
    changed = _with_operands(access, parts)
    return Write(happens, cell, None, (access.op, parts[0], parts[1]), changed, message, access.lane)
