"""What a thread loads from its private memory: what it stored there last, and nothing else where that is certain."""

import pytest

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.atomics import AtomicOp
from visaproof.machine.symbolic.private import MANY_CHOICES, PrivateMemory
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.value_names import LoadedValue, OfLoop, OpenValue, RegisterByte
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    const,
    evaluate,
    negate,
    scale,
    symbol,
    symbols_of,
    true,
    zero_extend,
)

BASE = symbol("base", 64)
ANYTHING = symbol("anything", 32)
LANE = lane_on(0)
ON = literals_of(LANE)


def store(at: int, value: BitVec, guard: Bool = LANE) -> Store:
    return Store(guard, 0, FLAT, (add(BASE, const(at, 64)),), value.width // 8, true(), true(), value)


def loaded(stores: list[Store], offset: BitVec, assumed: Literals = ON) -> BitVec:
    """A dword from this offset on, after the stores."""
    memory = PrivateMemory(BASE)
    memory.store(stores)
    destination = RegisterSlice("V", 0, 4)
    return memory.load(Load(LANE, 0, FLAT, (add(BASE, offset),), 4, true(), true(), destination), ANYTHING, assumed)


def word(name: str, width: int = 32) -> BitVec:
    return symbol(name, width)


def test_a_load_brings_the_last_store_that_wrote_all_of_it() -> None:
    old, new = word("old"), word("new")
    assert loaded([store(8, old), store(8, new), store(12, old)], const(8, 64)) is new


def test_a_store_of_lanes_that_may_be_off_leaves_what_was_there() -> None:
    """So does one that wrote a part."""
    old, new = word("old"), word("new")
    other = loaded([store(8, old), store(8, new, lane_on(1))], const(8, 64))
    assert set(symbols_of(other)) == {old, new, lane_on(1)}
    unknown = loaded([store(8, old), store(8, new)], const(8, 64), NONE)
    assert set(symbols_of(unknown)) == {new, LANE, ANYTHING}
    part = loaded([store(8, old), store(8, word("byte", 8))], const(8, 64))
    assert evaluate(part, {old: 0x01020304, word("byte", 8): 0xFF}) == 0x010203FF


def test_a_load_across_two_stores_brings_a_part_of_each() -> None:
    low, high = word("low"), word("high")
    across = loaded([store(8, low), store(12, high)], const(10, 64))
    assert evaluate(across, {low: 0x11112222, high: 0x33334444}) == 0x44441111


@pytest.mark.parametrize("elements", [2, 4, 16])
def test_an_element_of_an_array_is_one_of_those_stored_where_each_index_has_one(elements: int) -> None:
    """With one fewer it may be anything."""
    index = word("index", (elements - 1).bit_length())
    values = [word(f"v{number}") for number in range(elements)]
    offset = scale(zero_extend(index, 64), 4)
    stores = [store(4 * number, value) for number, value in enumerate(values)]
    found = loaded(stores, offset)
    assert set(symbols_of(found)) == {index, *values}
    numbers: dict[Term, int] = {value: 100 + number for number, value in enumerate(values)}
    assert [evaluate(found, numbers | {index: at}) for at in range(elements)] == list(numbers.values())
    assert ANYTHING in symbols_of(loaded(stores[1:], offset))


def test_of_more_stores_than_are_looked_through_a_load_may_bring_anything() -> None:
    index = scale(zero_extend(word("index", 8), 64), 4)
    stores = [store(4 * number, word(f"v{number}")) for number in range(MANY_CHOICES + 4)]
    assert ANYTHING in symbols_of(loaded(stores, index))


OTHER = symbol("other", 64)
"""Another pointer that the launch hands to the kernel."""


def loaded_after(access: Access) -> BitVec:
    """A dword that was stored before this access."""
    memory = PrivateMemory(BASE)
    memory.store([store(8, word("old"))])
    memory.store([access])
    destination = RegisterSlice("V", 0, 4)
    return memory.load(Load(LANE, 0, FLAT, (add(BASE, const(8, 64)),), 4, true(), true(), destination), ANYTHING, ON)


def stored_to(address: BitVec) -> Store:
    return Store(LANE, 0, FLAT, (address,), 4, true(), true(), word("new"))


@pytest.mark.parametrize(
    "address", [OTHER, add(OTHER, scale(word("index", 64), 4)), add(OTHER, const(-8, 64))], ids=str
)
def test_a_store_behind_another_pointer_leaves_private_memory(address: BitVec) -> None:
    assert loaded_after(stored_to(address)) is word("old")


@pytest.mark.parametrize(
    "address",
    [
        symbol(LoadedValue("", "3.0"), 64),
        symbol(LoadedValue("thread 1:", "3.0"), 64),
        symbol(OfLoop("loop0", RegisterByte("V7", 0)), 64),
        symbol(OpenValue("", "1"), 64),
        symbol(OpenValue("thread 1:", "1"), 64),
        scale(OTHER, 2),
        scale(BASE, 2),
        negate(BASE),
        zero_extend(word("low"), 64),
    ],
    ids=str,
)
def test_a_store_to_an_address_of_which_nobody_knows_where_it_comes_from_may_have_changed_anything(
    address: BitVec,
) -> None:
    assert loaded_after(stored_to(address)) is ANYTHING


@pytest.mark.parametrize(("address", "found"), [(add(BASE, const(64, 64)), ANYTHING), (OTHER, word("old"))], ids=str)
def test_an_atomic_on_private_memory_may_have_changed_anything(address: BitVec, found: BitVec) -> None:
    """One elsewhere has not."""
    zero = const(0, 32)
    atomic = Atomic(LANE, 0, FLAT, (address,), 4, true(), true(), AtomicOp.ADD, zero, zero, False, None)
    assert loaded_after(atomic) is found


def test_a_load_leaves_private_memory() -> None:
    assert loaded_after(
        Load(LANE, 0, FLAT, (symbol(LoadedValue("", "3.0"), 64),), 4, true(), true(), RegisterSlice("V", 0, 4))
    ) is word("old")
