"""Whether a load from private memory may meet a store there, where both addresses are computed in other ways."""

import pytest

from visaproof.instructions.svm_gather import FLAT
from visaproof.machine.symbolic.private import PrivateMemory
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice, Store
from visaproof.semantics.symbolic.guarded import NONE
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
