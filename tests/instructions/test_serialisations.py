"""TYPED_ATOMIC with lanes on common texels: its outcomes are exactly the serialisations."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from tests.instructions.serial import EXTENT, TABLE, Collision, Outcome, executed_in_every_order, serialisations
from tests.two_writings import symbolised
from visaproof.checking.runs import claimed
from visaproof.checking.states import changes
from visaproof.isa.atomics import AtomicOp
from visaproof.queries.closed_forms import CLOSED_FORMS
from visaproof.queries.serialisation import TICKETS
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt import const, value_of

OPS = tuple(TABLE)
EDGES = (0, 1, 2, 5, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF)


def partitions(lanes: int, groups: int = 0) -> Iterator[tuple[int, ...]]:
    """Each way in which lanes share texels: the texel of each, numbered as they first occur."""
    if not lanes:
        yield ()
        return
    for shared in range(groups + 1):
        for rest in partitions(lanes - 1, max(groups, shared + 1)):
            yield (shared, *rest)


def collision_of(op: AtomicOp, texels: tuple[int, ...], bits: int, random: Random) -> Collision:
    """Operands near edges; of half the cmpxchg lanes the comparand is the old value."""
    modulus = 2**bits
    old = random.choice(EDGES) % modulus
    words = [value % modulus for value in EDGES] + [old]
    operands = tuple((random.choice(words), random.choice((old, random.choice(words)))) for _ in texels)
    return Collision(op, texels, operands, old, bits)


def check(collision: Collision) -> set[Outcome]:
    """Both enumerations agree, and one of their outcomes is what the message does at once in either writing."""
    outcomes = executed_in_every_order(collision)
    assert outcomes == serialisations(collision)
    instruction, before = collision.instruction, collision.before
    ways = [changes(before, _with(before, outcome)) for outcome in outcomes]
    after = before.copy()
    instruction.execute(after)
    assert changes(before, after) in ways
    state, values = symbolised(before)
    assert claimed(tuple(instruction.footprint(state)), False, values, before) in ways
    return outcomes


def _with(before: ConcreteState, outcome: Outcome) -> ConcreteState:
    after = before.copy()
    final, returned = outcome
    after.image("T6").texels = {(u, 0, 0, 0): value for u, value in enumerate(final)}
    for lane, value in enumerate(returned):
        after.registers["VD"][4 * lane : 4 * lane + 4] = value.to_bytes(4, "little")
    return after


def test_there_are_as_many_patterns_as_bell_numbers():
    assert [len(list(partitions(lanes))) for lanes in range(1, 6)] == [1, 2, 5, 15, 52]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("op", OPS)
def test_outcomes_are_the_serialisations_in_every_pattern_of_up_to_four_lanes(op: AtomicOp):
    random = Random(op.code)
    for lanes in range(1, 5):
        for texels in partitions(lanes):
            check(collision_of(op, texels, 32, random))
            check(collision_of(op, texels, 16, random))


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS)
def test_outcomes_are_the_serialisations_in_some_patterns_of_up_to_eight_lanes(op: AtomicOp):
    """Among them lanes outside the surface, which return 0 and leave every texel as it is."""
    random = Random(op.code)
    for lanes, most in ((5, 1), (6, 2), (7, 3), (8, 4)):
        texels = tuple((lane % most if lane % 5 != 4 else EXTENT + lane % 2) for lane in range(lanes))
        shuffled = tuple(random.sample(texels, lanes))
        check(collision_of(op, shuffled, random.choice((16, 32)), random))


COUNTING = (AtomicOp.ADD, AtomicOp.SUB, AtomicOp.INC, AtomicOp.DEC, AtomicOp.PREDEC)
"""Each order of these returns something else, so all 8! would be run; six lanes have 6!."""


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS)
def test_all_lanes_on_one_texel_in_every_order(op: AtomicOp):
    """Eight lanes, of two kinds: few of the 8! orders lead to different states."""
    lanes = 6 if op in COUNTING else 8
    operands = tuple((3, 9) if lane % 4 else (9, 3) for lane in range(lanes))
    check(Collision(op, (0,) * lanes, operands, 3))


# ---------------------------------------------------------------- the lemmas, in every outcome


def one_texel(op: AtomicOp, seed: int) -> tuple[Collision, set[Outcome]]:
    collision = collision_of(op, (0,) * 5, 32, Random(seed))
    return collision, executed_in_every_order(collision)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("op", CLOSED_FORMS)
def test_the_closed_form_holds_in_every_outcome(op: AtomicOp):
    form = CLOSED_FORMS[op]
    for seed in range(3):
        collision, outcomes = one_texel(op, seed)
        together = const(form.neutral(32), 32)
        for src0, _ in collision.operands:
            together = form.joined(together, const(src0, 32))
        expected = value_of(form.final(const(collision.old, 32), together))
        assert {final[0] for final, _ in outcomes} == {expected}


@pytest.mark.parametrize("op", TICKETS)
def test_tickets_differ_in_every_outcome_and_every_order_is_one(op: AtomicOp):
    """Five lanes get five tickets, in 5! ways."""
    _, outcomes = one_texel(op, 0)
    assert all(len(set(returned)) == 5 for _, returned in outcomes)
    assert len({tuple(sorted(returned)) for _, returned in outcomes}) == 1
    assert len(outcomes) == 120


def test_xchg_hands_on_every_value_in_every_outcome():
    for seed in range(3):
        collision, outcomes = one_texel(AtomicOp.XCHG, seed)
        given = Counter([collision.old, *(src0 for src0, _ in collision.operands)])
        assert all(Counter([final[0], *returned]) == given for final, returned in outcomes)


def test_exactly_one_cmpxchg_wins_in_every_outcome_and_each_lane_in_some():
    collision = Collision(AtomicOp.CMPXCHG, (0,) * 6, tuple((lane + 10, 3) for lane in range(6)), 3)
    outcomes = executed_in_every_order(collision)
    winners = [[lane for lane, value in enumerate(returned) if value == 3] for _, returned in outcomes]
    assert all(len(one) == 1 for one in winners)
    assert {one[0] for one in winners} == set(range(6))
    assert all(final[0] == winner[0] + 10 for (final, _), winner in zip(outcomes, winners, strict=True))


def test_no_cmpxchg_wins_if_old_is_not_the_comparand():
    collision = Collision(AtomicOp.CMPXCHG, (0,) * 4, tuple((lane + 10, 3) for lane in range(4)), 4)
    assert executed_in_every_order(collision) == {((4,) * EXTENT, (4,) * 4)}


@pytest.mark.slow(but=6)
@pytest.mark.parametrize("op", OPS)
def test_returned_values_form_a_chain_in_every_outcome(op: AtomicOp):
    """Some order of the lanes leads from old by their operands through the returned values to the final value."""
    collision, outcomes = one_texel(op, 1)
    for final, returned in outcomes:
        assert _is_chain(collision, collision.old, frozenset(range(5)), final[0], returned)


def _is_chain(collision: Collision, value: int, lanes: frozenset[int], final: int, returned: tuple[int, ...]) -> bool:
    if not lanes:
        return value == final
    for lane in lanes:
        new = TABLE[collision.op](value, *collision.operands[lane], 2**32)
        back = new if collision.op is AtomicOp.PREDEC else value
        if returned[lane] == back and _is_chain(collision, new, lanes - {lane}, final, returned):
            return True
    return False
