"""Where two lanes write, as far as the guards of both decide it: a pair is left out only if the lanes are apart."""

from msgspec.structs import replace

from visaproof.queries.kernels.conflict import LanePair, lanes_collide
from visaproof.queries.kernels.lane_accesses import LaneAccesses
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.cases import known_under
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bool_symbol,
    conj,
    const,
    eq,
    is_false,
    ite,
    neg,
    shl,
    symbol,
    symbols_of,
    true,
    ult,
    zero_extend,
)
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import substitute_bools

FIRST, SECOND = bool_symbol("em.0"), bool_symbol("em.1")
TICKET = symbol("ticket", 32)


def counted(condition: Bool) -> BitVec:
    """Behind the first lane's 4 bytes where the condition holds: a place from a count of the lanes that are on."""
    return ite(condition, const(4, 32), const(0, 32))


def writes(lane: int, guard: Bool, address: BitVec) -> LaneAccesses:
    store = Store(guard, lane, "bti 0", (address,), 4, true(), true(), const(lane, 32))
    return LaneAccesses(lane, (address,), ((0, store),))


def test_what_the_other_lane_knows_tells_both_apart() -> None:
    assert is_false(lanes_collide(writes(0, FIRST, TICKET), writes(1, SECOND, add(TICKET, counted(FIRST)))))


def test_a_count_of_other_lanes_leaves_them_together() -> None:
    """The mutant: each counts a lane that need not be on."""
    for other in (bool_symbol("em.2"), neg(FIRST)):
        meet = lanes_collide(writes(0, FIRST, TICKET), writes(1, SECOND, add(TICKET, counted(other))))
        assert isinstance(solve([meet], 2_000), Satisfiable)


def history() -> BitVec:
    """A word with more terms than are simplified by what is known of both lanes, all of which depend on the first."""
    word = counted(FIRST)
    for n in range(300):
        word = ite(ult(word, symbol(f"n.{n}", 32)), add(word, symbol(f"m.{n}", 32)), symbol(f"k.{n}", 32))
    return ite(eq(word, const(7, 32)), const(8, 32), const(0, 32))


def test_beside_a_long_history_the_conditions_of_the_address_are_used() -> None:
    place = add(TICKET, history())
    assert is_false(lanes_collide(writes(0, FIRST, place), writes(1, SECOND, add(place, counted(FIRST)))))


def test_a_long_history_hides_no_meeting() -> None:
    """The mutant: the second one's place does not depend on whether the first one is on."""
    place = add(TICKET, history())
    meet = lanes_collide(writes(0, FIRST, place), writes(1, SECOND, add(place, counted(neg(FIRST)))))
    assert isinstance(solve([meet], 4_000), Satisfiable)


def test_parts_that_are_compared_stay_as_they_are_where_that_is_asked() -> None:
    compared = eq(counted(FIRST), TICKET)
    (shallow,) = substitute_bools([conj(FIRST, compared)], known_under(frozenset((FIRST,))), within_relations=False)
    (deep,) = substitute_bools([conj(FIRST, compared)], known_under(frozenset((FIRST,))))
    assert shallow is compared
    assert deep is eq(const(4, 32), TICKET)


X, Y, ROW, BASE = symbol("x", 32), symbol("y", 32), symbol("row", 32), symbol("base", 64)


def at_rows(first: BitVec, second: BitVec, base: BitVec, other: BitVec) -> tuple[LaneAccesses, LaneAccesses]:
    """Lanes that write dwords at base + 4·(x + row), where the sum of 32 bits is extended."""
    one, two = (
        add(start, zero_extend(shl(word, const(2, 32)), 64)) for start, word in ((base, first), (other, second))
    )
    return writes(0, FIRST, one), writes(1, SECOND, two)


def test_what_both_lanes_add_is_no_part_of_the_question() -> None:
    """The mutant: they add other words."""
    meet = lanes_collide(*at_rows(add(X, ROW), add(Y, ROW), BASE, BASE))
    assert meet is lanes_collide(*at_rows(X, Y, BASE, BASE))
    assert meet is not lanes_collide(*at_rows(add(X, ROW), Y, BASE, BASE))
    assert meet is not lanes_collide(*at_rows(add(X, ROW), add(Y, ROW), BASE, symbol("elsewhere", 64)))


def test_an_overlap_follows_from_a_meeting() -> None:
    size = symbol("size", 32)
    for distance in (0, 2, 5):
        one, two = at_rows(add(X, ROW), add(Y, ROW), BASE, add(BASE, const(distance, 64)))
        stores = [replace(lane.stores[0][1], inside=ult(X, size)) for lane in (one, two)]
        pair = LanePair(0, 1, lanes_collide(one, two), (replace(one, stores=((0, stores[0]),)), two))
        assert isinstance(solve([pair.meet, neg(pair.overlap)], 2_000), Unsatisfiable)
        assert not set(symbols_of(pair.overlap)) & {size, BASE, ROW}
