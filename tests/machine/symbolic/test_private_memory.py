"""Whether a load from private memory may meet a store there, where both addresses are computed in other ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.symbolic.private import PrivateMemory
from visaproof.machine.symbolic.private_places import PlaceIndex, Places, are_apart
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice, Store
from visaproof.semantics.symbolic.literals import NONE
from visaproof.smt import BitVec, add, bool_symbol, const, eq, ite, neg, scale, sign_extend, symbol, true, zero_extend
from visaproof.smt.answers import Satisfiable
from visaproof.smt.solvers import solve

BASE, ID, BEFORE = symbol("base", 64), symbol("id", 32), symbol("before", 32)


def signed(behind: int) -> BitVec:
    return add(BASE, sign_extend(add(scale(ID, 192), const(behind, 32)), 64))


def unsigned(behind: int) -> BitVec:
    return add(BASE, zero_extend(add(scale(ID, 192), const(behind, 32)), 64))


def loaded(stored_at: BitVec, loaded_at: BitVec) -> BitVec:
    memory = PrivateMemory(BASE)
    always = true()
    memory.store([Store(always, 0, "flat", (stored_at,), 4, always, always, symbol("stored", 32))])
    return memory.load(Load(always, 0, "flat", (loaded_at,), 4, always, always, RegisterSlice("V", 0, 4)), BEFORE, NONE)


@pytest.mark.parametrize("behind", [4, 64, 128, (1 << 32) - 4])
def test_addresses_whose_low_halves_are_apart_do_not_meet(behind: int) -> None:
    assert loaded(unsigned(0), signed(behind)) is BEFORE


@pytest.mark.parametrize("behind", [0, 1, 3, (1 << 32) - 3])
def test_others_may_meet(behind: int) -> None:
    found = loaded(unsigned(0), signed(behind))
    assert isinstance(solve((neg(eq(found, BEFORE)),), 20_000), Satisfiable)


def test_what_private_memory_holds_at_a_place() -> None:
    """Where a lane that stored there runs; of what was not stored nothing is known."""
    lane, base, value, unknown = bool_symbol("lane"), symbol("base", 64), symbol("value", 32), symbol("unknown", 32)
    memory = PrivateMemory(base)
    memory.store([Store(lane, 0, FLAT, (add(base, const(8, 64)),), 4, true(), true(), value)])
    assert memory.held(const(8, 64), 4, unknown, frozenset((lane,))) is value
    assert memory.held(const(8, 64), 4, unknown, NONE) is ite(lane, value, unknown)
    assert memory.held(const(12, 64), 4, unknown, frozenset((lane,))) is unknown


OFFSETS = st.builds(
    lambda atom, factor, constant: add(scale(atom, factor), const(constant, 64)),
    st.sampled_from([symbol("a", 64), symbol("b", 64)]),
    st.sampled_from([0, 1, 4, 16, 64, 4096]),
    st.one_of(st.integers(-8, 80), st.integers(-3, 3).map(lambda units: 4096 * units)),
)
STORES = st.lists(st.tuples(OFFSETS, st.sampled_from([1, 2, 4, 8, 64])), max_size=40)


@given(STORES, STORES, st.integers(0, 40), OFFSETS, st.sampled_from([1, 4, 8, 16]))
def test_the_index_leaves_out_only_stores_that_are_apart(
    dropped: list[tuple[BitVec, int]], added: list[tuple[BitVec, int]], kept: int, start: BitVec, width: int
) -> None:
    places, index = Places(), PlaceIndex()
    stores = dropped[:kept] + added
    for number, (at, size) in enumerate(dropped):
        index.add(number, places.of(at), size)
    list(index.near(places.of(start), width))  # what it keeps for the next question has to follow
    index.drop(kept)
    for number, (at, size) in enumerate(added, len(dropped[:kept])):
        index.add(number, places.of(at), size)
    near = list(index.near(places.of(start), width))
    met = [k for k, (at, size) in enumerate(stores) if not are_apart(places.of(start), places.of(at), width, size)]
    assert near == sorted(near, reverse=True)
    assert set(met) <= set(near) <= set(range(len(stores)))


def test_what_was_taken_back_is_not_met() -> None:
    memory, always = PrivateMemory(BASE), true()

    def store(behind: int, name: str) -> None:
        memory.store([Store(always, 0, "flat", (add(BASE, const(behind, 64)),), 4, always, always, symbol(name, 32))])

    def load(behind: int) -> BitVec:
        at = (add(BASE, const(behind, 64)),)
        return memory.load(Load(always, 0, "flat", at, 4, always, always, RegisterSlice("V", 0, 4)), BEFORE, NONE)

    store(0, "first")
    before = memory.contents()
    store(4, "second")
    after = memory.contents()
    assert load(4) is symbol("second", 32)
    memory.restore(before)
    assert load(4) is BEFORE
    store(4, "third")
    assert load(4) is symbol("third", 32)
    memory.restore(after)
    assert (load(0), load(4)) == (symbol("first", 32), symbol("second", 32))
    memory.havoc()
    assert load(4) is BEFORE
