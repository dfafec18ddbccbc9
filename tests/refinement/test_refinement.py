"""Refinement of small kernels written by hand: each direction, each trap, and a wrong rule of the normal form."""

from itertools import islice
from random import Random

import pytest

from tests.support.differences import byte_of, in_memory
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_launches import candidates, unknowns
from visaproof.refinement.testing.random_testing import TESTS
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.verdicts import Difference, Refines, TargetUndefined, Unknown, Vacuous, Verdict
from visaproof.semantics.symbolic import alu
from visaproof.smt import add
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl Z v_type=G type=d num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl G v_type=G type=f num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input AT offset=32 size=32
.input X offset=64 size=32
.input Y offset=96 size=32
.input F offset=128 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""

APART = """mul (M1, 8) B(0,0)<1> AT(0,0)<0;1,0> 0x20:ud
add (M1_NM, 8) C(0,0)<1> 0x76543210:uv 0x0:ud
shl (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:ud
add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0>
add (M1, 8) C(0,0)<1> B(0,0)<1;1,0> 0x20:ud
"""
"""B: eight dwords, one for each lane; C: the eight behind them."""

SOLVERS = ("bitwuzla ", "z3 ")

STORE_B = "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 X.0\n"
IDLE = "mov (M1_NM, 8) Z(0,0)<1> 0x0:d\n"
"""It makes another text of a kernel, which does the same."""

SOME = "cmp.ne (M1, 8) P1 Y(0,0)<1;1,0> 0x0:d\n(P1) "
"""Before a statement: in the lanes alone in which Y is not 0."""

STORE_C = "scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 Y.0\n"


def program(body: str, head: str = HEAD) -> Program:
    return Program(read_kernel(head + body + "ret (M1, 1)\n", "k.visaasm"), NOTHING_KNOWN, Platform.DG2)


def verdict(source: str, target: str) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE)), 20_000)


def refines(source: str, target: str) -> str:
    found = verdict(source, target)
    assert isinstance(found, Refines), found
    return found.by


def differs(source: str, target: str) -> Difference:
    found = verdict(source, target)
    assert isinstance(found, Difference), found
    return found


def test_stores_that_cannot_meet_may_be_reordered() -> None:
    one, other = APART + STORE_B + STORE_C, APART + STORE_C + STORE_B
    assert "normal form" in refines(one, other)
    assert "normal form" in refines(other, one)


def test_the_order_of_stores_to_one_address_matters() -> None:
    again = STORE_B.replace("X.0", "Y.0")
    found = differs(APART + STORE_B + again, APART + again + STORE_B)
    assert not isinstance(found.what, TargetUndefined)
    differs(APART + again + STORE_B, APART + STORE_B + again)


@pytest.mark.usefixtures("few_runs")
def test_a_store_that_is_overwritten_may_be_left_out() -> None:
    again = STORE_B.replace("X.0", "Y.0")
    assert "normal form" in refines(APART + STORE_B + again, APART + again)
    assert "normal form" in refines(APART + again, APART + STORE_B + again)
    some = SOME + STORE_B
    assert refines(APART + some + again, APART + again).startswith(SOLVERS)
    assert refines(APART + again, APART + some + again).startswith(SOLVERS)


def test_one_dword_off_is_seen_with_its_writers() -> None:
    off = "add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x4:ud\n"
    found = differs(APART + STORE_B, APART + off + STORE_B)
    assert byte_of(found).source != byte_of(found).target
    assert in_memory(found).source_writer or in_memory(found).target_writer
    differs(APART + off + STORE_B, APART + STORE_B)


def test_a_source_with_colliding_lanes_allows_anything_there() -> None:
    """AT is arbitrary in each lane: where two lanes meet, the source is undefined, and the serial target may."""
    source = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n"
    assert "normal form" in refines(source, IDLE + source)
    serial = SOME + source.replace("X.0", "Y.0") + source
    assert refines(serial, source).startswith(SOLVERS)
    assert refines(source, serial).startswith(SOLVERS)


def test_a_target_may_not_add_a_collision() -> None:
    """All lanes write the same value to one address: one lane alone leaves the same, but is defined."""
    head = "mov (M1_NM, 8) B(0,0)<1> AT(0,0)<0;1,0>\nmov (M1_NM, 8) Z(0,0)<1> X(0,0)<0;1,0>\n"
    one = "scatter4_scaled.R (M1_NM, 1) T6 0x0:ud B.0 Z.0\n"
    every = "scatter4_scaled.R (M1_NM, 8) T6 0x0:ud B.0 Z.0\n"
    found = differs(head + one, head + every)
    assert isinstance(found.what, TargetUndefined)
    assert "both write" in found.what.undefined.message


def test_a_source_that_never_has_a_meaning_is_vacuous() -> None:
    """Page SCATTER4_SCALED: addresses are aligned to dwords."""
    misaligned = "mov (M1_NM, 8) B(0,0)<1> 0x41:ud\n" + STORE_B.replace("(M1,", "(M1_NM,")
    assert isinstance(verdict(misaligned, APART + STORE_B), Vacuous)
    found = differs(APART + STORE_B, misaligned)
    assert isinstance(found.what, TargetUndefined)


def test_a_target_that_collides_where_the_source_does_refines() -> None:
    source = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n"
    target = "add (M1, 8) B(0,0)<1> AT(0,0)<1;1,0> 0x8:ud\nadd (M1, 8) B(0,0)<1> B(0,0)<1;1,0> -8:d\n"
    assert "normal form" in refines(source, target + source.replace("AT.0", "B.0"))


def test_a_predicate_that_is_dropped_is_missed() -> None:
    guard = "cmp.lt (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
    guarded, free = APART + guard + f"(P1) {STORE_B}", APART + guard + STORE_B
    differs(guarded, free)
    differs(free, guarded)
    swapped = "cmp.gt (M1, 8) P1 Y(0,0)<1;1,0> X(0,0)<1;1,0>\n"
    refines(guarded, APART + swapped + f"(P1) {STORE_B}")


@pytest.mark.slow
def test_a_load_behind_a_store_brings_what_was_stored_inside_and_0_outside() -> None:
    load = "gather4_scaled.R (M1, 8) T6 0x0:ud B.0 Z.0\nscatter4_scaled.R (M1, 8) T6 0x0:ud C.0 Z.0\n"
    forwarded = "scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 X.0\n"
    # B and C are 32 bytes apart and wrap at 2^32, so C may be inside where B is not: a load from there brings 0.
    found = differs(APART + STORE_B + load, APART + STORE_B + forwarded)
    assert not isinstance(found.what, TargetUndefined)
    differs(APART + STORE_B + forwarded, APART + STORE_B + load)
    same = load.replace("C.0", "B.0")
    refines(APART + STORE_B + same, APART + STORE_B)
    refines(APART + STORE_B, APART + STORE_B + same)


def test_a_load_from_outside_is_zero() -> None:
    """The last four bytes of the address space lie outside every surface of 32-bit offsets that is smaller."""
    load = "gather4_scaled.R (M1, 8) T6 0x0:ud B.0 Z.0\n"
    store = "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 Z.0\n"
    assert refines(APART + load + store, APART)
    assert refines(APART, APART + load + store)
    shown = "scatter4_scaled.R (M1, 8) T6 0x0:ud C.0 Z.0\n"
    zero = "mov (M1, 8) Z(0,0)<1> 0x0:d\n"
    differs(APART + load + shown, APART + zero + shown)


def test_loads_from_one_place_bring_one_value() -> None:
    """AT and a sum that is AT for all inputs, but not in normal form."""
    other = "xor (M1, 8) C(0,0)<1> B(0,0)<1;1,0> 0x55:ud\nand (M1, 8) Z(0,0)<1> B(0,0)<1;1,0> 0x55:d\n"
    other += "shl (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\nadd (M1, 8) C(0,0)<1> C(0,0)<1;1,0> -85:d\n"
    other += "add (M1, 8) C(0,0)<1> C(0,0)<1;1,0> Z(0,0)<1;1,0>\n"
    load = "gather4_scaled.R (M1, 8) T6 0x0:ud {}.0 Y.0\n"
    refines(
        APART + load.format("B") + STORE_B.replace("X.0", "Y.0"),
        APART + other + load.format("C") + STORE_B.replace("X.0", "Y.0"),
    )


def test_floats_are_functions_of_their_operands() -> None:
    def stored(operation: str) -> str:
        return APART + operation + "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 G.0\n"

    once = stored("mul (M1, 8) G(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n")
    assert "normal form" in refines(once, IDLE + once)
    differs(once, stored("add (M1, 8) G(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n"))
    rounded = stored(
        "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\nmul (M1, 8) G(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n"
    )
    assert not isinstance(verdict(once, rounded), Refines)


def test_bytes_and_dwords_are_compared_byte_by_byte() -> None:
    dword = "mov (M1_NM, 1) B(0,0)<1> AT(0,0)<0;1,0>\nscatter_scaled.4 (M1_NM, 1) T6 0x0:ud B.0 X.0\n"
    low = "mov (M1_NM, 1) B(0,0)<1> AT(0,0)<0;1,0>\nscatter_scaled.2 (M1_NM, 1) T6 0x0:ud B.0 X.0\n"
    assert "normal form" in refines(dword, IDLE + dword)
    differs(dword, low)
    differs(low, dword)


@pytest.mark.slow
def test_widths_and_barriers_are_refused() -> None:
    odd, wide = HEAD.replace("SimdSize=8", "SimdSize=12"), HEAD.replace("SimdSize=8", "SimdSize=16")
    with pytest.raises(NotModelled, match="SIMD widths"):
        compare(program(STORE_B), program(STORE_B, odd), Scope(Assume.NONE))
    with pytest.raises(ReadError, match="lanes") as error:
        compare(program(STORE_B), program(STORE_B, wide), Scope(Assume.NONE))
    assert "--launch" in error.value.hint
    found = verdict("barrier\n" + STORE_B, STORE_B)
    assert isinstance(found, Unknown)
    assert "barrier" in found.reason


def test_an_input_without_a_counterpart_is_an_error() -> None:
    moved = HEAD.replace(".input AT offset=32", ".input AT offset=512")
    with pytest.raises(ReadError, match="no counterpart") as error:
        compare(program(APART + STORE_B), program(APART + STORE_B, moved), Scope(Assume.NONE))
    assert "--launch" in error.value.hint


def test_a_wrong_rule_of_the_normal_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(sources, result):  # type: ignore[no-untyped-def]
        return add(*(source.modulo(result.bits) for source in sources))

    xor = APART + "xor (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n" + STORE_B
    plus = APART + "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n" + STORE_B
    differs(xor, plus)
    monkeypatch.setitem(alu.OPERATIONS, "xor", wrong)
    with pytest.raises(AssertionError, match="runs differ"):
        verdict(xor, plus)


@pytest.mark.parametrize("seed", range(3))
def test_no_run_contradicts_a_proof(seed: int) -> None:
    """Equal kernels, on random inputs that the decision did not use."""
    again = STORE_B.replace("X.0", "Y.0")
    comparison = compare(program(APART + STORE_B + again), program(APART + again), Scope(Assume.NONE))
    random = Random(seed)
    symbols = unknowns(comparison.question, comparison.runners)
    for values in islice(candidates(symbols, random), TESTS):
        assert difference(comparison, values, lambda surface, address, width: random.getrandbits(8 * width)) is None


def test_a_surface_that_no_lane_ever_reaches_needs_no_contents() -> None:
    """`!P1.any` never holds, as lane 0 of P1 does: the message runs for no lane, in runs of both as well."""
    never = "cmp.ge (M1_NM, 8) P1 0x0:ud 0x0:ud\n(!P1.any) lsc_store.slm (M1, 8) flat[B]:a32 Y:d32\n"
    differs(APART + never + STORE_B, APART + never)
    refines(APART + STORE_B, APART + never + STORE_B)


def test_a_difference_in_every_lane_is_shown_in_the_first_with_small_numbers() -> None:
    """It depends on a number that is not 0."""
    wrong = "cmp.gt (M1, 8) P1 Y(0,0)<0;1,0> 0x0:d\n(P1) add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n"
    found = differs(APART + STORE_B, APART + wrong + STORE_B)
    assert found.exec_mask == 1
    words = {str(term.payload): value for term, value in found.values.items() if term.width == 32 and value}
    assert words == {"Y.0": 1}
