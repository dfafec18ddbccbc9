"""The atomic operations: what they leave and return, and what lanes on one texel come to.

Stated as relations between old, new and operands, not as the formulas of `semantics.symbolic.effects`.
"""

from collections.abc import Callable

from msgspec.structs import replace

from visaproof.instructions import TypedAtomic
from visaproof.isa.atomics import FLOAT_OPS, AtomicOp
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.float_relations import float_relation
from visaproof.queries.pages import acting_effects, contains, page_hits
from visaproof.queries.query import MemoryBefore, OneLane, Query, TwoLanes, about
from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import alone, new_value, probe_like, returned
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit_and,
    bit_not,
    bit_or,
    conj,
    const,
    disj,
    eq,
    iff,
    implies,
    neg,
    sle,
    sub,
    symbol,
    ule,
)

Relation = Callable[[BitVec, BitVec, BitVec, BitVec], Bool]

Operation = Callable[[AtomicOp, BitVec, BitVec, BitVec], BitVec]
"""What an operation leaves in memory, of (operation, old, src0, src1)."""

RELATIONS: dict[AtomicOp, Relation] = {
    AtomicOp.ADD: lambda old, new, s0, _: eq(sub(new, s0), old),
    AtomicOp.SUB: lambda old, new, s0, _: eq(add(new, s0), old),
    AtomicOp.INC: lambda old, new, _, __: eq(sub(new, old), const(1, old.width)),
    AtomicOp.DEC: lambda old, new, _, __: eq(sub(old, new), const(1, old.width)),
    AtomicOp.PREDEC: lambda old, new, _, __: eq(sub(old, new), const(1, old.width)),
    AtomicOp.MIN: lambda old, new, s0, _: conj(ule(new, old), ule(new, s0), disj(eq(new, old), eq(new, s0))),
    AtomicOp.MAX: lambda old, new, s0, _: conj(ule(old, new), ule(s0, new), disj(eq(new, old), eq(new, s0))),
    AtomicOp.IMIN: lambda old, new, s0, _: conj(sle(new, old), sle(new, s0), disj(eq(new, old), eq(new, s0))),
    AtomicOp.IMAX: lambda old, new, s0, _: conj(sle(old, new), sle(s0, new), disj(eq(new, old), eq(new, s0))),
    AtomicOp.XCHG: lambda _, new, s0, __: eq(new, s0),
    AtomicOp.CMPXCHG: lambda old, new, s0, s1: conj(
        implies(eq(old, s1), eq(new, s0)), implies(neg(eq(old, s1)), eq(new, old))
    ),
    AtomicOp.AND: lambda old, new, s0, _: eq(bit_not(new), bit_or(bit_not(old), bit_not(s0))),
    AtomicOp.OR: lambda old, new, s0, _: eq(bit_not(new), bit_and(bit_not(old), bit_not(s0))),
    AtomicOp.XOR: lambda old, new, s0, _: eq(new, sub(bit_or(old, s0), bit_and(old, s0))),
}
"""What the table of the DWORD_ATOMIC page says of (old, new, src0, src1) for operations on integers."""

COMMUTATIVE = tuple(op for op in RELATIONS if op.commuting_group is not None)
"""Operations on integers whose final value does not depend on the order of the lanes."""

FLOAT_READINGS = ("float-atomics", "float-nan", "float-zeros", "float-denormals")
"""The readings on which the result of a float operation rests."""


def relation(op: AtomicOp, readings: Readings = DEFAULT) -> Relation:
    """What an operation leaves, as a relation of (old, new, src0, src1)."""
    return float_relation(op, readings) if op in FLOAT_OPS else RELATIONS[op]


def memory_holds_the_result(subject: Subject) -> Query:
    """Where one lane alone addresses a texel, the texel holds what the operation makes of it.

    That the operation is the page's is `operation-is-the-tables`.
    """
    op = _op(subject)
    probe = probe_like(subject.accesses[0])
    before = symbol("before", 8 * subject.accesses[0].width)
    stated = acting_effects(subject)
    goals: list[Bool] = []
    for effect, (undisturbed, after) in zip(stated, alone(subject.accesses, probe, before), strict=True):
        assert effect.src0 is not None
        assert effect.src1 is not None
        result = new_value(op, before, effect.src0, effect.src1)
        goals.append(implies(conj(undisturbed, page_hits(subject, effect, probe)), eq(after, result)))
    memory = (MemoryBefore(subject.surface, probe, before),)
    query = about(subject, "memory-holds-the-result", (), conj(*goals), memory)
    return replace(query, readings=(*query.readings, *_float_readings(op)))


def returned_value_is_old(subject: Subject) -> Query:
    """A lane alone on its texel gets the old value back; predec gets the new one (D28)."""
    op = _op(subject)
    goals: list[Bool] = []
    memory: list[MemoryBefore] = []
    for index, (access, effect) in enumerate(zip(subject.accesses, acting_effects(subject), strict=True)):
        assert isinstance(access, Atomic)
        assert effect.src0 is not None
        assert effect.src1 is not None
        old = symbol(f"memory.{index}", 8 * access.width)
        memory.append(MemoryBefore(subject.surface, effect.cell, old))
        got = returned(access, old)
        right = new_value(op, old, effect.src0, effect.src1) if op is AtomicOp.PREDEC else old
        goals.append(
            implies(conj(effect.enabled, contains(subject.state, subject.surface, effect.cell)), eq(got, right))
        )
    return about(subject, "returned-value-is-old-or-new-for-predec", (), conj(*goals), tuple(memory))


def operation_is_the_tables(
    op: AtomicOp, operation: Operation = new_value, variant: str = "", bits: int = 32, readings: Readings = DEFAULT
) -> Query:
    """For any old value and operands, the new value stands in the relation that the table gives by these readings."""
    old, src0, src1 = (symbol(name, bits) for name in ("old", "src0", "src1"))
    new = operation(op, old, src0, src1)
    return Query(
        claim="typed_atomic/operation-is-the-tables",
        scope=_named(op, bits, readings),
        assumptions=(),
        goal=relation(op, readings)(old, new, src0, src1),
        about=OneLane(op, old, src0, src1, new, variant),
        readings=_float_readings(op),
    )


def another(readings: Readings) -> str:
    """The name of a variant that reads the pages otherwise; empty for the defaults."""
    return f"reading {', '.join(readings.chosen_otherwise())}" if readings != DEFAULT else ""


def _named(op: AtomicOp, bits: int, readings: Readings) -> str:
    """The shape in words, with what is not read as by default."""
    chosen = [
        (name.replace("_", "-"), getattr(readings, name), getattr(DEFAULT, name)) for name in readings.__struct_fields__
    ]
    others = [f"{name} {reading.value}" for name, reading, default in chosen if reading is not default]
    return ", ".join([op.name.lower(), *["16 bits"] * (bits == 16), *others])


def _float_readings(op: AtomicOp) -> tuple[str, ...]:
    return FLOAT_READINGS if op in FLOAT_OPS else ()


def _op(subject: Subject) -> AtomicOp:
    """The operation that the instruction names: the page's, however it is read."""
    assert isinstance(subject.instruction, TypedAtomic)
    return subject.instruction.op


# ---------------------------------------------------------------- lanes on one texel


def two_lanes(op: AtomicOp, bits: int = 32) -> TwoLanes:
    """Arbitrary operands for two lanes."""
    first, second = ((symbol(f"{lane}.src0", bits), symbol(f"{lane}.src1", bits)) for lane in "ab")
    return TwoLanes(op, symbol("before", bits), first, second)


def final_value_is_order_independent(op: AtomicOp, bits: int = 32, readings: Readings = DEFAULT) -> Query:
    """Adjacent lanes may swap: by induction every order of any number of lanes leaves one final value."""
    lanes = two_lanes(op, bits)

    def after(one: tuple[BitVec, BitVec], other: tuple[BitVec, BitVec]) -> BitVec:
        return new_value(op, new_value(op, lanes.before, *one, readings), *other, readings)

    one_way, other_way = after(lanes.first, lanes.second), after(lanes.second, lanes.first)
    return Query(
        claim="typed_atomic/final-value-is-order-independent",
        scope=_named(op, bits, readings),
        assumptions=(),
        goal=eq(one_way, other_way),
        about=lanes,
        readings=("atomic-order", *_float_readings(op)),
    )


def at_most_one_cmpxchg_wins(new_differs: bool = True) -> Query:
    """One step of any number of lanes with one comparand: once a lane has won, memory differs from the comparand.

    The invariant `won ⇒ memory ≠ comparand` starts true (nobody has won), every step keeps it, and under it a step
    after the first win does not win; it needs each new value to differ from the comparand.
    """
    lanes = replace(two_lanes(AtomicOp.CMPXCHG), winners=True)
    comparand, new = lanes.first[1], lanes.first[0]
    memory = lanes.before
    wins = eq(memory, comparand)
    after = new_value(AtomicOp.CMPXCHG, memory, new, comparand)
    follower = new_value(AtomicOp.CMPXCHG, after, lanes.second[0], comparand)
    second_wins = eq(after, comparand)
    keeps = implies(wins, neg(eq(after, comparand)))
    stays = implies(neg(wins), eq(after, memory))
    unchanged = implies(wins, iff(eq(follower, after), disj(neg(second_wins), eq(lanes.second[0], after))))
    differs = (neg(eq(new, comparand)), neg(eq(lanes.second[0], comparand))) if new_differs else ()
    return Query(
        claim="typed_atomic/at-most-one-cmpxchg-wins",
        scope="",
        assumptions=(*differs, eq(lanes.second[1], comparand)),
        goal=conj(keeps, stays, unchanged, neg(conj(wins, second_wins))),
        about=lanes,
        readings=("atomic-order",),
    )
