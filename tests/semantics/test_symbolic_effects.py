"""Accesses at one place: what a probe holds after them, who hits it, and when lanes collide."""

from itertools import product

import pytest
from msgspec.structs import replace

from visaproof.isa.atomics import AtomicOp
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load, RegisterSlice, Store
from visaproof.semantics.symbolic.effects import (
    alone,
    cells_equal,
    collide,
    hits,
    inside_at,
    meaningless,
    probe_like,
    returned,
    stored_at,
    undefined,
)
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicBuffer, SymbolicImage
from visaproof.smt import (
    BitVec,
    Term,
    add,
    bool_symbol,
    const,
    evaluate,
    false,
    is_false,
    is_true,
    symbol,
    symbols_of,
    true,
    zero_extend,
)

SIZE = symbol("size", ADDRESS_BITS)
BUFFER = SymbolicBuffer(SIZE)
BEFORE = symbol("before", 32)
PROBE = (symbol("probe.0", ADDRESS_BITS),)


def store(lane: int, offset: int = 0) -> Store:
    address = add(zero_extend(symbol(f"a{lane}", 32), ADDRESS_BITS), const(offset, ADDRESS_BITS))
    return Store(
        guard=bool_symbol(f"g{lane}"),
        lane=lane,
        surface="T6",
        cell=(address,),
        width=4,
        inside=BUFFER.contains(address, 4),
        defined=bool_symbol(f"d{lane}"),
        value=symbol(f"v{lane}", 32),
    )


def atomic(lane: int, op: AtomicOp, returns_new: bool = False) -> Atomic:
    fields = store(lane)
    return Atomic(
        guard=fields.guard,
        lane=lane,
        surface="T6",
        cell=fields.cell,
        width=4,
        inside=fields.inside,
        defined=true(),
        op=op,
        src0=symbol(f"v{lane}", 32),
        src1=const(0, 32),
        returns_new=returns_new,
        destination=RegisterSlice("VD", 4 * lane, 4),
    )


def values(**given: int) -> dict[Term, int]:
    """Values by name: g* and d* are truth values, `size` and `probe` are addresses, the rest dwords."""
    made: dict[Term, int] = {}
    for name, value in given.items():
        if name == "size":
            made[SIZE] = value
        elif name == "probe":
            made[PROBE[0]] = value
        else:
            made[bool_symbol(name) if name[0] in "gd" else symbol(name, 32)] = value
    return made


def test_the_last_access_that_hits_decides() -> None:
    """Both lanes at 8: the value of lane 1 stays, unless lane 1 is off, or nobody hits."""
    after = stored_at((store(0), store(1)), PROBE, BEFORE)
    both = values(g0=1, g1=1, a0=8, a1=8, v0=100, v1=101, before=99, size=64, probe=8)
    assert evaluate(after, both) == 101
    assert evaluate(after, both | values(g1=0)) == 100
    assert evaluate(after, both | values(probe=12)) == 99
    assert evaluate(after, both | values(size=11)) == 99, "bytes 8..11 need 12"
    assert evaluate(after, both | values(size=12)) == 101


def test_a_store_that_yields_does_so_where_another_lane_wrote_this_cell() -> None:
    """Lane 1 gives way to lane 0 in the cell where both write, and in no other."""
    after = stored_at([replace(store(lane), yields=true()) for lane in (0, 1)], PROBE, BEFORE)
    both = values(g0=1, g1=1, a0=8, a1=8, v0=100, v1=101, before=99, size=64, probe=8)
    assert evaluate(after, both) == 100
    assert evaluate(after, both | values(a0=16)) == 101
    assert evaluate(after, both | values(g0=0)) == 101
    assert evaluate(after, both | values(probe=12)) == 99


def test_atomics_add_up_in_the_order_of_the_lanes() -> None:
    accesses = (atomic(0, AtomicOp.ADD), atomic(1, AtomicOp.XCHG), atomic(2, AtomicOp.SUB))
    after = stored_at(accesses, PROBE, BEFORE)
    all_on = values(g0=1, g1=1, g2=1, v0=5, v1=50, v2=7, before=100, size=64)
    assert evaluate(after, all_on) == 43  # 50 - 7
    assert evaluate(after, all_on | values(g1=0)) == 98  # 100 + 5 - 7


def test_loads_leave_memory_alone() -> None:
    fields = store(0)
    load = Load(
        guard=true(),
        lane=None,
        surface="T6",
        cell=fields.cell,
        width=4,
        inside=fields.inside,
        defined=true(),
        destination=RegisterSlice("VD", 0, 4),
    )
    assert stored_at((load,), PROBE, BEFORE) is BEFORE
    brought = returned(load, BEFORE)
    assert evaluate(brought, values(before=7, size=4)) == 7
    assert evaluate(brought, values(before=7, size=3)) == 0


def test_predec_returns_the_new_value_and_zero_outside() -> None:
    brought = returned(atomic(0, AtomicOp.PREDEC, returns_new=True), BEFORE)
    assert evaluate(brought, values(before=7, size=4)) == 6
    assert evaluate(brought, values(before=7, size=0)) == 0
    assert evaluate(returned(atomic(0, AtomicOp.DEC), BEFORE), values(before=7, size=4)) == 7


@pytest.mark.parametrize("access", [store(0), store(0, 12), atomic(0, AtomicOp.ADD)])
def test_the_bounds_at_the_probe_are_the_accesss_where_it_hits(access: Access) -> None:
    """For addresses and sizes near each other, and near the largest address."""
    at_probe = inside_at(access, PROBE)
    assert symbol("a0", 32) not in symbols_of(at_probe), "the test has moved to the probe"
    for address, beyond in product((0, 4, 60, 2**32 - 4), range(-6, 7)):
        given = values(a0=address)
        given |= {PROBE[0]: evaluate(access.cell[0], given)}
        given |= {SIZE: max(0, given[PROBE[0]] + beyond)}
        assert evaluate(at_probe, given) == evaluate(access.inside, given)
        assert evaluate(cells_equal(access.cell, PROBE), given)


def test_the_bounds_of_a_texel_at_the_probe() -> None:
    """Each coordinate below its extent, at its own level."""
    extents = tuple((symbol(f"w{lod}", 32), symbol(f"h{lod}", 32), symbol(f"z{lod}", 32)) for lod in (0, 1))
    image = SymbolicImage(extents)
    cell = tuple(symbol(name, 32) for name in ("u", "v", "r", "lod"))
    access = replace(store(0), cell=cell, inside=image.contains(*cell))
    probe = probe_like(access)
    at_probe = inside_at(access, probe)
    shape: dict[Term, int] = {extent: number for level, numbers in zip(extents, ((4, 3, 2), (2, 1, 1)), strict=True)
                              for extent, number in zip(level, numbers, strict=True)}  # fmt: skip
    for place in product(range(5), range(4), range(3), range(3)):
        given = shape | dict(zip(cell, place, strict=True)) | dict(zip(probe, place, strict=True))
        u, v, r, lod = place
        limits = ((4, 3, 2), (2, 1, 1), (0, 0, 0))[lod]
        expected = u < limits[0] and v < limits[1] and r < limits[2]
        assert evaluate(access.inside, given) == expected
        assert evaluate(at_probe, given) == expected


def test_alone_says_that_nobody_else_hits() -> None:
    first, second = alone((store(0), store(1)), PROBE, BEFORE)
    together = values(g0=1, g1=1, a0=8, a1=8, v0=5, v1=6, size=64, probe=8, before=9)
    assert not evaluate(first[0], together)
    assert not evaluate(second[0], together)
    apart = together | values(a1=12)
    assert evaluate(first[0], apart), "lane 1 is elsewhere"
    assert not evaluate(second[0], apart), "lane 0 is here"
    assert evaluate(first[1], apart) == 5
    assert evaluate(second[1], apart) == 9


def meeting(one: Store, other: Store, **given: int) -> bool:
    return bool(evaluate(collide((one, other)), values(**given)))


def test_two_lanes_collide_on_one_cell_inside() -> None:
    both = {"g0": 1, "g1": 1, "a0": 8, "a1": 8, "size": 64}
    assert meeting(store(0), store(1), **both)
    assert not meeting(store(0), store(1), **(both | {"a1": 12}))
    assert not meeting(store(0), store(1), **(both | {"g1": 0}))
    assert not meeting(store(0), store(1), **(both | {"size": 11}))
    assert meeting(store(0, 4), store(1), **(both | {"a1": 12})), "8 + 4 = 12"


def test_one_lane_does_not_collide_with_itself_nor_surfaces_with_each_other() -> None:
    assert is_false(collide((store(0), store(0, 4), replace(store(0), value=BEFORE))))
    assert is_false(collide((store(0), replace(store(1), surface="T7"))))
    assert is_false(collide(()))


def test_an_access_without_a_meaning_counts_only_if_it_happens() -> None:
    condition = meaningless((store(0), store(1)))
    assert not evaluate(condition, values(g0=1, d0=1, g1=0, d1=0))
    assert evaluate(condition, values(g0=1, d0=1, g1=1, d1=0))
    assert is_false(meaningless(()))


def test_a_collision_is_undefined_only_where_the_page_says_so() -> None:
    pair = (replace(store(0), defined=true()), replace(store(1), defined=true()))
    both = values(g0=1, g1=1, a0=8, a1=8, size=64)
    assert evaluate(undefined(pair, collision_undefined=True), both)
    assert not evaluate(undefined(pair, collision_undefined=False), both)
    assert is_true(undefined((replace(store(0), guard=true(), defined=false()),), collision_undefined=False))


def test_a_hit_needs_guard_place_and_bounds() -> None:
    condition = hits(store(0), PROBE)
    hit = values(g0=1, a0=8, probe=8, size=12)
    assert evaluate(condition, hit)
    for miss in (values(g0=0), values(a0=4), values(probe=9), values(size=8)):
        assert not evaluate(condition, hit | miss)


def test_an_address_of_40_bits_does_not_wrap() -> None:
    """16 · (2^32 - 1) + 255 is the largest address of any page."""
    largest: BitVec = const(16 * (2**32 - 1) + 255, ADDRESS_BITS)
    assert not evaluate(BUFFER.contains(largest, 4), {SIZE: 2**33 - 1})
