"""Which orders of the lanes of one atomic cannot be told from each other: what two neighbours in an order may do."""

from typing import cast

from msgspec.structs import replace

from visaproof.isa.atomics import AtomicOp, carried_out
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.atomic_step import atomic_step, lemma, operands_of
from visaproof.queries.atomics import another
from visaproof.queries.query import Query, SerialLanes
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import returned, stored_at, updated
from visaproof.smt import BitVec, Bool, Term, bool_symbol, conj, eq, iff, implies, neg, substitute, symbol, true


def swapped_lanes_swap_their_results(
    op: AtomicOp, bits: int = 32, alike: bool = True, readings: Readings = DEFAULT
) -> Query:
    """Two consecutive lanes with equal operands may swap: the texel is the same, and each returns what the other did.

    Every order comes from every other by such swaps, so lanes with equal operands have one outcome up to who is who,
    whatever the operation and however many they are.
    """
    found, a, b = symbol("found", bits), operands_of("a", bits), operands_of("b", bits)
    first = atomic_step(op, found, a, readings=readings)
    second = atomic_step(op, first.left, b, readings=readings)
    other_first = atomic_step(op, found, b, readings=readings)
    other_second = atomic_step(op, other_first.left, a, readings=readings)
    goal = conj(
        eq(second.left, other_second.left),
        eq(first.returned, other_first.returned),
        eq(second.returned, other_second.returned),
    )
    premises = tuple(eq(mine, theirs) for mine, theirs in zip(a, b, strict=True)) if alike else ()
    claimed = (first.returned, second.returned)
    variant = another(readings) if alike else "operands-do-not-matter"
    shown = SerialLanes(op, found, (b, a), second.left, claimed, variant)
    return lemma("swapped-lanes-swap-their-results", op.name.lower(), premises, goal, shown, bits)


def lanes_on_different_texels_commute(
    op: AtomicOp, bits: int = 32, different: bool = True, readings: Readings = DEFAULT
) -> Query:
    """Two lanes, enabled or not, inside or not, on different texels: neither order can be told from the other.

    Asked at one arbitrary texel for memory, and for both returned values.  As consecutive lanes on different texels
    may swap, every order is one in which texel after texel is done: outcomes are a product over the texels.
    """
    one, other = (_anywhere(op, lane, bits, readings) for lane in "ab")
    probe = tuple(symbol(f"probe.{axis}", 32) for axis in range(4))
    at_one, at_other, at_probe = (symbol(f"memory.{name}", bits) for name in ("a", "b", "probe"))
    same = conj(*(eq(mine, theirs) for mine, theirs in zip(one.cell, other.cell, strict=True)))
    memory = conj(eq(stored_at((one, other), probe, at_probe), stored_at((other, one), probe, at_probe)))
    undisturbed = [
        implies(lane.guard, eq(returned(lane, stored_at((before,), lane.cell, content)), returned(lane, content)))
        for lane, before, content in ((one, other, at_one), (other, one, at_other))
    ]
    premises = (implies(same, conj(eq(at_one, at_other), iff(one.inside, other.inside))),)
    operands = ((one.src0, one.src1), (other.src0, other.src1))
    claimed = tuple(returned(lane, content) for lane, content in ((one, at_one), (other, at_other)))
    reordered = stored_at((other, one), other.cell, at_other)
    variant = another(readings) if different else "all-lanes-commute"
    shown = SerialLanes(op, at_other, operands, reordered, claimed, variant)
    apart = (neg(same),) if different else ()
    goal = conj(memory, *undisturbed)
    contents = [
        (lane, before, stored_at((turned,), place, before))
        for lane, turned in ((one, other), (other, one))
        for place, before in ((probe, at_probe), (one.cell, at_one), (other.cell, at_other))
    ]
    query = lemma("lanes-on-different-texels-commute", op.name.lower(), (*premises, *apart), goal, shown, bits)
    return replace(query, parts=(_for_any_operation(goal, contents),) if different else ())


def _for_any_operation(goal: Bool, contents: list[tuple[Atomic, BitVec, BitVec]]) -> Bool:
    """The goal with an arbitrary word for what each lane makes of each content, the same word of equal contents.

    It holds if this does, which says nothing of the operation: one question for all of them.
    """
    made: dict[Term, Term] = {}
    consistent: list[Bool] = []
    for index, (lane, one, other) in enumerate(contents):
        of_one = made.setdefault(updated(lane, one), symbol(f"made.{index}.one", one.width))
        of_other = made.setdefault(updated(lane, other), symbol(f"made.{index}.other", one.width))
        consistent.append(implies(eq(one, other), eq(cast(BitVec, of_one), cast(BitVec, of_other))))
    return substitute(implies(conj(*consistent), goal), made)


def _anywhere(op: AtomicOp, lane: str, bits: int, readings: Readings) -> Atomic:
    """A lane that may be disabled, on an arbitrary texel that may lie outside."""
    src0, src1 = operands_of(lane, bits)
    return Atomic(
        guard=bool_symbol(f"{lane}.enabled"),
        lane=None,
        surface="",
        cell=tuple(symbol(f"{lane}.{axis}", 32) for axis in ("u", "v", "r", "lod")),
        width=bits // 8,
        inside=bool_symbol(f"{lane}.inside"),
        defined=true(),
        op=carried_out(op, readings.float_atomics),
        src0=src0,
        src1=src1,
        returns_new=op is AtomicOp.PREDEC,
        destination=None,
        readings=readings.of_floats(),
    )
