"""Lanes of one atomic on one texel, one after another: lemmas that hold for any number of lanes and any order.

The lanes of a message act in a serial order that the machine chooses (D30), so what they may come to is the set of
their serialisations.  Each claim here is about an arbitrary moment of an arbitrary order: the texel holds `found`, and
the next lane has its turn.  Where a claim is a step of an induction, its docstring says which and why that is enough.
"""

from visaproof.isa.atomics import AtomicOp
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.atomic_step import atomic_step, lemma, operands_of
from visaproof.queries.atomics import another, relation
from visaproof.queries.closed_forms import CLOSED_FORMS, ClosedForm
from visaproof.queries.kernels.atomic_events import changes_nothing
from visaproof.queries.query import Query, SerialLanes
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    implies,
    ite,
    neg,
    scale,
    symbol,
    true,
    truncate,
    ult,
)

COUNT_BITS = 64
"""Of a counter of lanes: a thread has 32."""


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
    step = atomic_step(op, found, operands)
    claimed = stated.final(old, stated.joined(accumulated, operands[0]))
    base = eq(stated.final(old, const(stated.neutral(bits), bits)), old)
    shown = SerialLanes(op, found, (operands,), claimed, (step.returned,), "another-closed-form" if form else "")
    return lemma("final-value-is-the-closed-form", op.name.lower(), (), conj(base, eq(step.left, claimed)), shown, bits)


def such_operands_change_nothing(op: AtomicOp, bits: int = 32, condition: AtomicOp | None = None) -> Query:
    """Where `changes_nothing` says it of the operands, a lane leaves what it finds and returns that."""
    found, operands = symbol("found", bits), operands_of("lane", bits)
    premises = (changes_nothing(condition or op, *operands),)
    taken = atomic_step(op, found, operands)
    variant = "of-another-operation" if condition else ""
    shown = SerialLanes(op, found, (operands,), found, (found,), variant)
    goal = conj(eq(taken.left, found), eq(taken.returned, found))
    return lemma("such-operands-change-nothing", op.name.lower(), premises, goal, shown, bits)


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
    first = atomic_step(op, found, operands[0], returns_new, readings)
    second = atomic_step(op, first.left, operands[1], returns_new, readings)
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
    return lemma("returned-values-telescope", op.name.lower(), (), conj(*links), shown, bits)


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

    step = atomic_step(op, reached(count), operands)
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
    return lemma("tickets-are-distinct", op.name.lower(), (ult(earlier, count), *limit), goal, shown, bits)


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
    step = atomic_step(op, found, operands)
    balance = eq(add(given, is_value(operands[0])), add(taken, is_value(step.returned), is_value(step.left)))
    variant = "" if op is AtomicOp.XCHG else "always-exchanges"
    shown = SerialLanes(op, found, (operands,), operands[0], (found,), variant)
    return lemma("exchanged-values-are-kept", op.name.lower(), (), balance, shown, bits)


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

    step = atomic_step(AtomicOp.CMPXCHG, found, operands)
    wins = eq(step.returned, comparand)
    after = invariant(true(), add(winners, ite(wins, one, none)), step.left, ite(wins, operands[0], kept))
    base = invariant(neg(true()), none, old, kept)
    premises = (neg(eq(operands[0], comparand)), *((eq(old, comparand),) if old_matches else ()))
    goal = conj(base, implies(invariant(begun, winners, found, kept), after))
    variant = "" if old_matches else "first-lane-wins"
    shown = SerialLanes(AtomicOp.CMPXCHG, old, (operands,), operands[0], (comparand,), variant)
    return lemma("exactly-one-cmpxchg-wins", "", premises, goal, shown, bits)
