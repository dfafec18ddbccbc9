"""Lanes of one atomic on one texel, one after another: lemmas that hold for any number of lanes and any order.

The lanes of a message act in a serial order that the machine chooses (D30), so what they may come to is the set of
their serialisations.  Each claim here is about an arbitrary moment of an arbitrary order: the texel holds `found`, and
the next lane has its turn.  Where a claim is a step of an induction, its docstring says which and why that is enough.
"""

from dataclasses import dataclass, replace
from typing import cast

from visaproof.isa.atomics import AtomicOp, carried_out
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.atomic_events import changes_nothing
from visaproof.queries.atomics import another, relation
from visaproof.queries.closed_forms import CLOSED_FORMS, ClosedForm
from visaproof.queries.query import Query, SerialLanes
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.effects import returned, stored_at, updated
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    iff,
    implies,
    ite,
    neg,
    scale,
    substitute,
    symbol,
    true,
    truncate,
    ult,
)

_TEXEL = (const(0, 32),) * 4
COUNT_BITS = 64
"""Of a counter of lanes: a thread has 32."""

Operands = tuple[BitVec, BitVec]
"""src0 and src1 of one lane."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One lane's turn on a texel: what it leaves there and what it returns."""

    operands: Operands
    left: BitVec
    returned: BitVec


def operands_of(lane: str, bits: int) -> Operands:
    """Arbitrary operands of a lane."""
    return symbol(f"{lane}.src0", bits), symbol(f"{lane}.src1", bits)


def turn(
    op: AtomicOp, found: BitVec, operands: Operands, returns_new: bool | None = None, readings: Readings = DEFAULT
) -> Turn:
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
    return Turn(operands, stored_at((access,), _TEXEL, found), returned(access, found))


def _query(
    claim: str, scope: str, assumptions: tuple[Bool, ...], goal: Bool, exhibit: SerialLanes, bits: int = 32
) -> Query:
    halves = "16 bits" if bits == 16 else ""
    where = ", ".join(part for part in (scope, halves) if part)
    return Query(f"typed_atomic/{claim}", where, assumptions, goal, exhibit, readings=("atomic-order",))


# ---------------------------------------------------------------- closed forms


def final_value_is_the_closed_form(op: AtomicOp, bits: int = 32, form: ClosedForm | None = None) -> Query:
    """final = old ⊕ (src of each lane together), in whatever order they come.

    Base: with no lane yet the accumulated operand is neutral and the texel holds old.  Step: if the texel holds
    old ⊕ acc, then after one more lane it holds old ⊕ (acc and src); acc is arbitrary, so it may stand for any number
    of lanes.
    """
    stated = form or CLOSED_FORMS[op]
    old, accumulated, operands = symbol("old", bits), symbol("accumulated", bits), operands_of("lane", bits)
    found = stated.final(old, accumulated)
    step = turn(op, found, operands)
    claimed = stated.final(old, stated.joined(accumulated, operands[0]))
    base = eq(stated.final(old, const(stated.neutral(bits), bits)), old)
    shown = SerialLanes(op, found, (operands,), claimed, (step.returned,), "another-closed-form" if form else "")
    return _query(
        "final-value-is-the-closed-form", op.name.lower(), (), conj(base, eq(step.left, claimed)), shown, bits
    )


def such_operands_change_nothing(op: AtomicOp, bits: int = 32, condition: AtomicOp | None = None) -> Query:
    """Where `changes_nothing` says it of the operands, a lane leaves what it finds and returns that."""
    found, operands = symbol("found", bits), operands_of("lane", bits)
    premises = (changes_nothing(condition or op, *operands),)
    taken = turn(op, found, operands)
    variant = "of-another-operation" if condition else ""
    shown = SerialLanes(op, found, (operands,), found, (found,), variant)
    goal = conj(eq(taken.left, found), eq(taken.returned, found))
    return _query("such-operands-change-nothing", op.name.lower(), premises, goal, shown, bits)


# ---------------------------------------------------------------- returned values


def returned_values_telescope(
    op: AtomicOp, bits: int = 32, returns_new: bool | None = None, readings: Readings = DEFAULT
) -> Query:
    """Each lane returns what the operation makes of what the lane before it returned; predec counts itself in (D28).

    Base: the first lane returns old, or for predec what it leaves.  Step: any two consecutive turns.  End: the final
    value is what the operation makes of the last returned value, or for predec that value.  Together they give the
    whole chain old → … → final for any number of lanes.
    """
    found, operands = symbol("found", bits), (operands_of("a", bits), operands_of("b", bits))
    first = turn(op, found, operands[0], returns_new, readings)
    second = turn(op, first.left, operands[1], returns_new, readings)
    becomes = relation(op)
    if op is AtomicOp.PREDEC:
        links = (
            becomes(found, first.returned, *operands[0]),
            becomes(first.returned, second.returned, *operands[1]),
            eq(second.left, second.returned),
        )
    else:
        links = (
            eq(first.returned, found),
            becomes(first.returned, second.returned, *operands[0]),
            becomes(second.returned, second.left, *operands[1]),
        )
    variant = another(readings) if returns_new is None else "returns-new" if returns_new else "returns-old"
    shown = SerialLanes(op, found, operands, second.left, (first.returned, second.returned), variant)
    return _query("returned-values-telescope", op.name.lower(), (), conj(*links), shown, bits)


TICKETS = {AtomicOp.INC: 1, AtomicOp.DEC: -1, AtomicOp.PREDEC: -1}
"""The operations that hand out tickets, and how far one is from the next."""


def tickets_are_distinct(op: AtomicOp, bits: int = 32, bounded: bool = True) -> Query:
    """No two of up to 2^bits lanes return the same value.

    Step: if `count` lanes have made old into old ± count, one more lane makes it old ± (count + 1); with base count = 0
    that holds after any number of lanes.  So the lane at position `count` returns old ± count, and any lane before it
    old ± earlier: these differ as long as no more than 2^bits lanes come, and a thread has 32.
    """
    wide, pace = bits + 1, TICKETS.get(op, 1)
    old, count, earlier = symbol("old", bits), symbol("count", wide), symbol("earlier", wide)
    operands = operands_of("lane", bits)

    def reached(lanes: BitVec) -> BitVec:
        return add(old, scale(truncate(lanes, bits), pace))

    def ticket(position: BitVec) -> BitVec:
        return reached(add(position, const(1, wide))) if op is AtomicOp.PREDEC else reached(position)

    step = turn(op, reached(count), operands)
    after = reached(add(count, const(1, wide)))
    goal = conj(
        eq(reached(const(0, wide)), old),
        eq(step.left, after),
        eq(step.returned, ticket(count)),
        neg(eq(step.returned, ticket(earlier))),
    )
    limit = (ult(count, const(1 << bits, wide)),) if bounded else ()
    variant = "" if op in TICKETS else "counts-lanes"
    shown = SerialLanes(op, reached(count), (operands,), after, (ticket(count),), variant)
    return _query("tickets-are-distinct", op.name.lower(), (ult(earlier, count), *limit), goal, shown, bits)


def exchanged_values_are_kept(op: AtomicOp = AtomicOp.XCHG, bits: int = 32) -> Query:
    """old and the operands of all lanes are, each as often, the final value and the returned values.

    Asked for an arbitrary value.  `given` and `taken` count how often it is among old and the operands, and among the
    returned values, of any number of lanes; with the texel itself the two agree.  Base: old is in the texel.  Step:
    one more lane keeps the balance.
    """
    value, found, operands = symbol("value", bits), symbol("found", bits), operands_of("lane", bits)
    taken = symbol("taken", COUNT_BITS)
    one, none = const(1, COUNT_BITS), const(0, COUNT_BITS)

    def is_value(word: BitVec) -> BitVec:
        return ite(eq(word, value), one, none)

    given = add(taken, is_value(found))  # the hypothesis; base: taken = 0 and found = old
    step = turn(op, found, operands)
    balance = eq(add(given, is_value(operands[0])), add(taken, is_value(step.returned), is_value(step.left)))
    variant = "" if op is AtomicOp.XCHG else "always-exchanges"
    shown = SerialLanes(op, found, (operands,), operands[0], (found,), variant)
    return _query("exchanged-values-are-kept", op.name.lower(), (), balance, shown, bits)


def exactly_one_cmpxchg_wins(bits: int = 32, old_matches: bool = True) -> Query:
    """Of any number of lanes with one comparand, which old is and no new value, exactly one returns it and stays.

    Invariant: before the first turn nobody has won and the texel holds the comparand; after it exactly one lane has
    won, and the texel holds that lane's new value.  Base: old is the comparand.  Step: any lane in any such moment.
    """
    old, comparand, found, kept = (symbol(name, bits) for name in ("old", "comparand", "found", "winner.src0"))
    begun, winners = bool_symbol("begun"), symbol("winners", COUNT_BITS)
    operands = (symbol("lane.src0", bits), comparand)
    none, one = const(0, COUNT_BITS), const(1, COUNT_BITS)

    def invariant(started: Bool, won: BitVec, texel: BitVec, winner: BitVec) -> Bool:
        before = conj(eq(won, none), eq(texel, comparand))
        after = conj(eq(won, one), eq(texel, winner), neg(eq(winner, comparand)))
        return conj(implies(neg(started), before), implies(started, after))

    step = turn(AtomicOp.CMPXCHG, found, operands)
    wins = eq(step.returned, comparand)
    after = invariant(true(), add(winners, ite(wins, one, none)), step.left, ite(wins, operands[0], kept))
    base = invariant(neg(true()), none, old, kept)
    premises = (neg(eq(operands[0], comparand)), *((eq(old, comparand),) if old_matches else ()))
    goal = conj(base, implies(invariant(begun, winners, found, kept), after))
    variant = "" if old_matches else "first-lane-wins"
    shown = SerialLanes(AtomicOp.CMPXCHG, old, (operands,), operands[0], (comparand,), variant)
    return _query("exactly-one-cmpxchg-wins", "", premises, goal, shown, bits)


# ---------------------------------------------------------------- orders


def swapped_lanes_swap_their_results(
    op: AtomicOp, bits: int = 32, alike: bool = True, readings: Readings = DEFAULT
) -> Query:
    """Two consecutive lanes with equal operands may swap: the texel is the same, and each returns what the other did.

    Every order comes from every other by such swaps, so lanes with equal operands have one outcome up to who is who,
    whatever the operation and however many they are.
    """
    found, a, b = symbol("found", bits), operands_of("a", bits), operands_of("b", bits)
    first = turn(op, found, a, readings=readings)
    second = turn(op, first.left, b, readings=readings)
    other_first = turn(op, found, b, readings=readings)
    other_second = turn(op, other_first.left, a, readings=readings)
    goal = conj(
        eq(second.left, other_second.left),
        eq(first.returned, other_first.returned),
        eq(second.returned, other_second.returned),
    )
    premises = tuple(eq(mine, theirs) for mine, theirs in zip(a, b, strict=True)) if alike else ()
    claimed = (first.returned, second.returned)
    variant = another(readings) if alike else "operands-do-not-matter"
    shown = SerialLanes(op, found, (b, a), second.left, claimed, variant)
    return _query("swapped-lanes-swap-their-results", op.name.lower(), premises, goal, shown, bits)


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
    query = _query("lanes-on-different-texels-commute", op.name.lower(), (*premises, *apart), goal, shown, bits)
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
