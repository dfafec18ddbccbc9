"""Atomics of a target of narrower threads: which orders of them the wide source has as well."""

import pytest

from tests.refinement.widths.test_refinement_widths import (
    LOAD,
    STORE,
    asked,
    differs,
    each,
    ids,
    kernel,
    lane_atomics,
    summed,
    verdict,
    with_atomics,
)  # fmt: skip
from visaproof.isa.errors import NotModelled
from visaproof.launch.matching import Program
from visaproof.refinement.verdicts import Apart, Refines


def unseen(simd: int, *ops: str) -> Program:
    """Each lane modifies the dword that its id modulo four names, once with each operation, and gets nothing back."""
    first, *others = (lane_atomics(simd, op).replace("Y.0\n", "%null.0\n").replace("Y.32\n", "%null.0\n") for op in ops)
    text = first + "".join(line + "\n" for other in others for line in other.splitlines() if "atomic" in line)
    return with_atomics(simd, text, "X")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("op", ["add", "and", "xor", "max", "minsint"])
def test_halves_that_bring_nothing_and_commute_have_no_order(op: str) -> None:
    """A wide thread of two halves fixes their order; nobody sees it."""
    assert isinstance(verdict(unseen(16, op), unseen(8, op)), Refines)
    assert isinstance(verdict(unseen(8, op), unseen(16, op)), Refines)


def test_what_the_atomics_are_must_be_the_same() -> None:
    differs(unseen(16, "add"), unseen(8, "sub"))
    assert isinstance(verdict(unseen(16, "add", "sub"), unseen(8, "add", "sub")), Refines)


def test_two_kinds_on_one_cell_show_their_order() -> None:
    """One thread may add after another has taken the bits."""
    differs(unseen(16, "add", "and"), unseen(8, "add", "and"))


def test_an_exchange_shows_its_order_though_it_brings_nothing() -> None:
    differs(unseen(16, "xchg"), unseen(8, "xchg"))


def test_what_atomics_bring_shows_their_order_unless_they_lie_apart() -> None:
    differs(with_atomics(16, lane_atomics(16)), with_atomics(8, lane_atomics(8)))

    def apart(simd: int, op: str = "add") -> Program:
        return with_atomics(simd, lane_atomics(simd, op).replace("0xc:ud", "0xfffffffc:ud"))

    assert isinstance(verdict(apart(16), apart(8)), Refines)
    assert not isinstance(verdict(apart(16), apart(8, "or")), Refines)


def counted_and_read(simd: int, early: bool) -> Program:
    """Each lane adds its id to a dword of one buffer, and copies the dword at its place in the other, early or late."""
    pieces = ((mask, 32 * half) for half, mask in enumerate(("M1", "M3")[: simd // 8]))
    adds = "".join(f"dword_atomic.add ({mask}, 8) T6 AT.{at} X.{at} %null.0 %null.0\n" for mask, at in pieces)
    first, other = "movs (M1_NM, 1) T6(0) 0x0:ud\n", "movs (M1_NM, 1) T6(0) 0x1:ud\n"
    load, count = other + each(simd, LOAD), first + adds
    moved = other + each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud")
    order = load + count if early else count + load
    return kernel(simd, ids(simd) + order + moved + each(simd, STORE.replace("X.", "Y.")))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("source", "target"), [(16, 8), (8, 16)])
def test_a_load_that_may_see_its_lanes_atomic_does_not_cross_it(source: int, target: int) -> None:
    """Where both buffers are one, the early load finds what the late one adds to."""
    for early in (False, True):
        found = verdict(counted_and_read(source, early=early), counted_and_read(target, early=not early))
        assert isinstance(found, Apart), found
        assert found.pairs == (frozenset(("argument 0", "argument 1")),)
    assert isinstance(verdict(counted_and_read(source, early=False), counted_and_read(target, early=False)), Refines)


def alone(simd: int, start: str = "0x0:ud") -> Program:
    return kernel(simd, summed(simd, start).replace("%null.0 X.0", "%null.0 %null.0"))


def test_parts_of_a_sum_may_be_added_in_any_order() -> None:
    """If nobody gets a part of the sum, and no other thread looks in between."""
    comparison, found = asked(alone(16), alone(8))
    assert isinstance(found, Refines)
    assert any("no other thread reaches what the atomics" in one for one in map(str, comparison.assumed))
    assert not any("but by atomics" in one for one in map(str, comparison.assumed))
    assert not isinstance(verdict(alone(16), alone(8, "0x1:ud")), Refines)


def test_a_part_of_a_sum_may_be_left_out_where_it_adds_nothing() -> None:
    """A thread of which no lane comes to the sum adds nothing; the wide one then adds 0 for it."""

    def chosen(simd: int, start: str = "0x0:ud") -> Program:
        leave = each(simd, "cmp.gt {m} P1 X({r},0)<1;1,0> N(0,0)<0;1,0>") + f"(!P1) goto (M1, {simd}) done\n"
        return kernel(simd, ids(simd) + leave + summed(simd, start) + "done:\n")

    assert isinstance(verdict(chosen(8), chosen(16)), Refines)
    assert not isinstance(verdict(chosen(8), chosen(16, "0x1:ud")), Refines)
    assert not isinstance(verdict(chosen(8, "0x1:ud"), chosen(16, "0x1:ud")), Refines)


@pytest.mark.slow
def test_who_gets_a_part_of_the_sum_sees_the_order() -> None:
    with pytest.raises(NotModelled, match="any order"):
        verdict(kernel(16, summed(16)), kernel(8, summed(8)))


def rounds(simd: int, result: str) -> Program:
    """Each lane counts, as often as its id and N say, on the dword that its id modulo four names."""
    pieces = ((mask, 32 * half) for half, mask in enumerate(("M1", "M3")[: simd // 8]))
    count = "".join(f"dword_atomic.inc ({mask}, 8) T6 AT.{at} %null.0 %null.0 {result}\n" for mask, at in pieces)
    text = ids(simd) + each(simd, "and {m} AT({r},0)<1> AT({r},0)<1;1,0> 0xc:ud")
    text += each(simd, "add {m} X({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>") + f"again:\n{count}"
    text += each(simd, "add {m} X({r},0)<1> X({r},0)<1;1,0> 0xffffffff:ud")
    text += each(simd, "cmp.ne {m} P1 X({r},0)<1;1,0> 0x0:ud") + f"(P1) goto (M1, {simd}) again\n"
    return with_atomics(simd, text, "X")


@pytest.mark.slow
def test_atomics_in_the_rounds_of_a_loop_commute_with_those_of_every_other_round() -> None:
    for source, target in ((16, 8), (8, 16)):
        found = verdict(rounds(source, "%null.0"), rounds(target, "%null.0"))
        assert isinstance(found, Refines)
        assert "iteration by iteration" in found.by


@pytest.mark.slow
def test_atomics_beside_plain_accesses_are_kept_apart_by_a_barrier() -> None:
    """Lanes add to dwords, and behind the barrier each reads the one eight lanes on; without it this is not asked."""

    def body(simd: int, barrier: str) -> Program:
        text = lane_atomics(simd).replace("Y.0\n", "%null.0\n").replace("Y.32\n", "%null.0\n") + barrier + ids(simd)
        text += each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud")
        text += each(simd, "gather4_scaled.R {m} T6 0x0:ud AT.{b} X.{b}")
        text += each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud")
        return kernel(simd, text + each(simd, STORE))

    assert isinstance(verdict(body(16, "barrier\n"), body(8, "barrier\n")), Refines)
    assert isinstance(verdict(body(8, "barrier\n"), body(16, "barrier\n")), Refines)
    with pytest.raises(NotModelled, match="beside other accesses"):
        verdict(body(8, ""), body(16, ""))
