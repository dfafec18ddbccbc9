"""What accesses do to memory and registers, asked at one place: generic over the instruction."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from visaproof.isa.answers import Collision
from visaproof.isa.atomics import FLOAT_OPS, AtomicOp
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.semantics.symbolic.accesses import Access, Atomic, Cell, Load, Store
from visaproof.semantics.symbolic.float_atomics import float_new_value
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    add,
    bit_and,
    bit_or,
    bit_xor,
    conj,
    const,
    disj,
    eq,
    extract,
    false,
    is_false,
    ite,
    neg,
    slt,
    sub,
    substitute,
    subterms,
    symbol,
    ult,
    value_of,
)


def cells_equal(left: Cell, right: Cell) -> Bool:
    """Whether both cells are the same place of a surface."""
    return conj(*(eq(a, b) for a, b in zip(left, right, strict=True)))


def probe_like(access: Access) -> Cell:
    """An arbitrary cell of the kind that the access covers."""
    return tuple(symbol(f"probe.{index}", part.width) for index, part in enumerate(access.cell))


def inside_at(access: Access, probe: Cell) -> Bool:
    """The access's bounds test, given that it covers the probe: equal to `access.inside` wherever the cells agree.

    Every sum in the test that differs from a part of the cell by a constant is written over the probe instead.
    """
    replacements: dict[Term, Term] = {}
    for term in subterms(access.inside):
        for part, place in zip(access.cell, probe, strict=True):
            if isinstance(term, BitVec) and term.width == part.width and term.op is not Op.CONST:
                distance = sub(term, part)
                if value_of(distance) is not None:
                    replacements[term] = add(place, distance)
                    break
    return substitute(access.inside, replacements)


def hits(access: Access, probe: Cell) -> Bool:
    """Whether the access happens, inside its surface, at the probe."""
    return conj(access.guard, cells_equal(access.cell, probe), inside_at(access, probe))


def stored_at(accesses: Iterable[Access], probe: Cell, before: BitVec) -> BitVec:
    """The cell at the probe after the accesses, lane after lane (D14 `last-wins`), those of one lane as given."""
    value, written = before, dict[int | None, Bool]()
    for access in sorted(accesses, key=lambda one: -1 if one.lane is None else one.lane):
        match access:
            case Store():
                hit = replaced = hits(access, probe)
                if not is_false(access.yields):
                    others = disj(*(by for lane, by in written.items() if lane != access.lane))
                    written[access.lane] = disj(written.get(access.lane, false()), hit)
                    replaced = conj(hit, neg(conj(access.yields, others)))
                value = ite(replaced, access.value, value)
            case Atomic():
                value = ite(hits(access, probe), updated(access, value), value)
            case Load():
                pass
    return value


def alone(accesses: Sequence[Access], probe: Cell, before: BitVec) -> list[tuple[Bool, BitVec]]:
    """For each access: that no other one hits the probe, and what the probe holds then."""
    hit = [hits(access, probe) for access in accesses]
    found: list[tuple[Bool, BitVec]] = []
    for index, access in enumerate(accesses):
        others = disj(*(condition for k, condition in enumerate(hit) if k != index))
        found.append((neg(others), stored_at((access,), probe, before)))
    return found


def returned(access: Load | Atomic, memory: BitVec) -> BitVec:
    """What the access brings back, where its cell holds `memory`, and what it brings from outside."""
    value = updated(access, memory) if isinstance(access, Atomic) and access.returns_new else memory
    outside = access.outside if isinstance(access, Load) else 0
    return ite(access.inside, value, const(outside, value.width))


def updated(access: Atomic, memory: BitVec) -> BitVec:
    """What the access leaves of `memory` in its cell."""
    return new_value(access.op, memory, access.src0, access.src1, access.readings)


def new_value(op: AtomicOp, old: BitVec, src0: BitVec, src1: BitVec, readings: Readings = DEFAULT) -> BitVec:
    """What an atomic operation leaves in memory, in the width of `old`."""
    if op in FLOAT_OPS:
        return float_new_value(op, old, src0, src1, readings)
    return _UPDATES[op](old, src0, src1)


_UPDATES: dict[AtomicOp, Callable[[BitVec, BitVec, BitVec], BitVec]] = {
    AtomicOp.ADD: lambda old, src0, _: add(old, src0),
    AtomicOp.SUB: lambda old, src0, _: sub(old, src0),
    AtomicOp.INC: lambda old, _, __: add(old, const(1, old.width)),
    AtomicOp.DEC: lambda old, _, __: sub(old, const(1, old.width)),
    AtomicOp.PREDEC: lambda old, _, __: sub(old, const(1, old.width)),
    AtomicOp.MIN: lambda old, src0, _: ite(ult(src0, old), src0, old),
    AtomicOp.MAX: lambda old, src0, _: ite(ult(old, src0), src0, old),
    AtomicOp.IMIN: lambda old, src0, _: ite(slt(src0, old), src0, old),
    AtomicOp.IMAX: lambda old, src0, _: ite(slt(old, src0), src0, old),
    AtomicOp.XCHG: lambda _, src0, __: src0,
    AtomicOp.CMPXCHG: lambda old, src0, src1: ite(eq(old, src1), src0, old),  # D38
    AtomicOp.AND: lambda old, src0, _: bit_and(old, src0),
    AtomicOp.OR: lambda old, src0, _: bit_or(old, src0),
    AtomicOp.XOR: lambda old, src0, _: bit_xor(old, src0),
}
"""Table of the DWORD_ATOMIC page (D49): the operations on integers."""


def collide(accesses: Sequence[Access], collision: Collision = Collision.UNDEFINED) -> Bool:
    """Whether two different lanes store to one cell inside the surface in a way that is undefined (D14)."""
    if collision in (Collision.LAST_WINS, Collision.ANY_WINS):
        return false()
    stores = [access for access in accesses if isinstance(access, Store)]
    overlaps: list[Bool] = []
    for one, other in combinations(stores, 2):
        if one.lane != other.lane and one.surface == other.surface:
            overlaps.append(conj(one.guard, other.guard, _meet(one, other, collision is Collision.EQUAL_ALLOWED)))
    return disj(*overlaps)


def _meet(one: Store, other: Store, equal_allowed: bool) -> Bool:
    """Whether two stores share an in-bounds byte, and differ in it if equal bytes may meet."""
    unaligned = one.unaligned or other.unaligned
    if equal_allowed and (unaligned or one.per_byte):
        return disj(*_shared_bytes(one, other, unaligned))
    if not unaligned:
        # Equal cells are inside together, so one bounds test is enough.
        same = conj(one.inside, cells_equal(one.cell, other.cell))
        return conj(same, neg(eq(one.value, other.value))) if equal_allowed else same
    # The first byte that they share is the first of one of them: where both are inside, so is that byte.
    (start,), (other_start,) = one.cell, other.cell
    distance = add(sub(start, other_start), const(other.width - 1, start.width))
    return conj(one.inside, other.inside, ult(distance, const(one.width + other.width - 1, start.width)))


def _shared_bytes(one: Store, other: Store, unaligned: bool) -> Iterator[Bool]:
    """For each byte of one store and each of the other that may be it: both write it, and differ in it."""
    (start,), (other_start,) = one.cell, other.cell
    for k in range(one.width):
        for j in range(other.width) if unaligned else (k,):
            here = eq(add(start, const(k, start.width)), add(other_start, const(j, start.width)))
            differ = neg(eq(_byte(one.value, k), _byte(other.value, j)))
            yield conj(here, _byte_inside(one, k), _byte_inside(other, j), differ)


def _byte(value: BitVec, index: int) -> BitVec:
    return extract(value, 8 * index + 7, 8 * index)


def _byte_inside(store: Store, index: int) -> Bool:
    if not store.per_byte:
        return store.inside
    (start,) = store.cell
    return inside_at(store, (add(start, const(index, start.width)),))


def meaningless(accesses: Iterable[Access]) -> Bool:
    """Whether an undefined access happens."""
    return disj(*(conj(access.guard, neg(access.defined)) for access in accesses))


def undefined(
    accesses: Sequence[Access], collision_undefined: bool, collision: Collision = Collision.UNDEFINED
) -> Bool:
    """Whether the page leaves the outcome undefined."""
    return disj(meaningless(accesses), collide(accesses, collision) if collision_undefined else false())
