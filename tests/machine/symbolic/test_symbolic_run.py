"""What a trace says of a kernel: its guards, its addresses, and that it agrees with concrete runs."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.crosscheck import disagreements
from visaproof.isa.platform import Platform, platform_named
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic import alu
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.value_names import PredicateBit
from visaproof.smt import (
    Term,
    add,
    bool_const,
    bool_symbol,
    conj,
    const,
    evaluate,
    neg,
    scale,
    substitute,
    symbol,
    true,
    value_of,
    zero_extend,
)
from visaproof.testing.random_kernels import kernels
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import Kernel

DATA = Path(__file__).parents[2] / "data" / "visaasm"
FILES = sorted(DATA.glob("*/*.visaasm"))

DECLARATIONS = """.version 4.1
.kernel "k"
.decl ID v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl S v_type=G type=ud num_elts=1
.decl ROWS v_type=G type=ud num_elts=64 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
"""


def kernel(body: str) -> Kernel:
    return read_kernel(DECLARATIONS + body + "\n    ret (M1, 1)\n", "k.visaasm")


def traced(body: str) -> Trace:
    return trace(kernel(body), Platform.TGLLP)


def stores(result: Trace, message: int = 0) -> list[Store]:
    return [access for access in result.performed[message].accesses if isinstance(access, Store)]


def test_addresses_of_masked_lanes_keep_their_normal_form() -> None:
    """Written and read under `em.1`: the address of lane 1 is 4·ID[1] + 8, without a choice."""
    result = traced("""
    shl (M1, 8) X(0,0)<1> ID(0,0)<1;1,0> 0x2:d
    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x8:d
    scatter4_scaled.R (M1, 8) T6 0x0:ud X.0 Y.0""")
    store = stores(result)[1]
    assert store.guard is lane_on(1)
    assert store.cell == (zero_extend(add(scale(symbol("ID.4", 32), 4), const(8, 32)), 40),)
    assert store.value is symbol("Y.4", 32)


@pytest.mark.parametrize(("platform", "cleared"), [(Platform.DG2, 0), (Platform.PVC, 0), (Platform.Xe2, 3)])
def test_a_narrow_load_clears_the_upper_bytes_from_xe2_on(platform: Platform, cleared: int) -> None:
    """Before, what a byte or a word becomes in its dword is undefined: arbitrary, and named."""
    result = trace(kernel("    lsc_load.slm (M1_NM, 1) X:d8u32 flat[ID]:a32\n"), platform)
    upper = value_of(result.registers.read("X", 1, 3))
    assert upper == (0 if cleared else None)
    assert bool(result.arbitrary) is not bool(cleared)


def test_a_branch_guards_what_it_jumps_over_and_nothing_behind() -> None:
    result = traced("""
    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> S(0,0)<0;1,0>
    (!P1) goto (M1, 8) past
    shl (M1, 8) X(0,0)<1> ID(0,0)<1;1,0> 0x2:d
    scatter4_scaled.R (M1, 8) T6 0x0:ud X.0 Y.0
past:
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0""")
    guarded, free = stores(result, 0)[3], stores(result, 1)[3]
    below = alu.compare("lt", *(alu.Source(term, alu.DataType.UD) for term in (symbol("ID.12", 32), symbol("S.0", 32))))
    assert guarded.guard is conj(lane_on(3), below)
    assert guarded.cell == (zero_extend(scale(symbol("ID.12", 32), 4), 40),)
    assert free.guard is lane_on(3)


def test_both_sides_of_a_branch_join_again() -> None:
    """if (P1) Y = 1 else Y = 2: behind the join every lane runs, and Y is a choice by P1."""
    result = traced("""
    (!P1) goto (M1, 8) otherwise
    mov (M1, 8) Y(0,0)<1> 0x1:d
    goto (M1, 8) join
otherwise:
    mov (M1, 8) Y(0,0)<1> 0x2:d
join:
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0""")
    store = stores(result)[0]
    assert store.guard is lane_on(0)
    assert {str(store.value)} == {"ite(P1[0], 0x1:32, 0x2:32)"}


def test_unmasked_statements_run_where_some_lane_is_left() -> None:
    """A NoMask write in a branch happens only if some lane takes the branch."""
    result = traced("""
    (!P1) goto (M1, 8) past
    mov (M1_NM, 1) S(0,0)<1> 0x7:ud
past:
    scatter_scaled.4 (M1_NM, 1) T6 S(0,0)<0;1,0> ID.0 Y.0""")
    assert "disj" in str(stores(result)[0].cell[0])


def test_all_lanes_or_none_take_a_uniform_branch() -> None:
    result = traced("""
    (P1) goto (M1, 1) past
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0
past:""")
    assert stores(result)[5].guard is conj(lane_on(5), neg(bool_symbol(PredicateBit("P1", 0))))


def test_an_unconditional_branch_skips_what_it_jumps_over() -> None:
    assert traced("    goto (M1, 8) past\n    fcall (M1, 8) nowhere 0 0\npast:").performed == ()


def test_lanes_that_are_on_need_no_guard() -> None:
    body = "    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0"
    result = trace(kernel(body), Platform.TGLLP, exec_mask=[true()] * 8)
    assert {store.guard for store in stores(result)} == {true()}


def test_loads_bring_symbols_that_the_trace_names() -> None:
    result = traced("""
    gather4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0""")
    loaded = [term for _, term in result.performed[0].loaded]
    assert [store.value for store in stores(result, 1)] == loaded
    assert str(loaded[2]) == "load.17.2"


def test_the_last_movs_names_the_surface() -> None:
    result = traced("""
    movs (M1_NM, 1) T6(0) 0x3:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 Y.0
    mov (M1_NM, 1) S(0,0)<1> ROWS(0,5)<0;1,0>
    movs (M1_NM, 1) %bss(0) S(0,0)<0;1,0>
    scatter4_scaled.R (M1, 8) %bss 0x0:ud ID.0 Y.0
    scatter4_scaled.R (M1, 8) %slm 0x0:ud ID.0 Y.0""")
    assert [performed.surface for performed in result.performed] == ["bti 3", "bindless ROWS.20", "%slm"]
    assert stores(result)[0].surface == "bti 3"


FIRST_LANES_HANDLE = """
    mov (M1, 8) X(0,0)<1> {handle}
    setp (M1_NM, 8) P1 0x0:ud
    cmp.eq (M1, 8) P1 Y(0,0)<1;1,0> Y(0,0)<1;1,0>
    mov (M1_NM, 1) ROWS(0,0)<1> P1
    fbl (M1_NM, 1) ROWS(0,0)<1> ROWS(0,0)<0;1,0>
    shl (M1_NM, 1) ROWS(0,0)<1> ROWS(0,0)<0;1,0> 0x2:w
    addr_add (M1_NM, 1) A0(0)<1> &X ROWS(0,0)<0;1,0>
    mov (M1_NM, 1) ROWS(0,1)<1> r[A0(0),0]<0;1,0>:ud
    movs (M1_NM, 1) %bss(0) ROWS(0,1)<0;1,0>
    scatter4_scaled.R (M1, 8) %bss 0x0:ud ID.0 Y.0"""


@pytest.mark.parametrize(
    ("before", "handle", "expected"),
    [
        ("", "S(0,0)<0;1,0>", "bindless S.0"),
        ("", "ID(0,0)<1;1,0>", "bindless ROWS.4 line 26"),  # another one in each lane, and no input
        ("add (M1_NM, 1) S(0,0)<1> S(0,0)<0;1,0> 0x40:d", "S(0,0)<0;1,0>", "bindless ROWS.4 line 26"),
        ("mov (M1_NM, 1) S(0,0)<1> ID(0,0)<0;1,0>", "S(0,0)<0;1,0>", "bindless ROWS.4 line 26"),
    ],
)
def test_the_handle_of_the_first_lane_names_the_surface_by_its_value(before: str, handle: str, expected: str) -> None:
    text = DECLARATIONS.replace(".kernel_attr", ".input S offset=32 size=4\n.kernel_attr")
    body = f"    {before}{FIRST_LANES_HANDLE.format(handle=handle)}"
    run = trace(read_kernel(f"{text}{body}\n    ret (M1, 1)\n", "k.visaasm"), Platform.DG2)
    assert [performed.surface for performed in run.performed] == [expected]


def test_float_results_are_arbitrary() -> None:
    result = traced("    mul (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>")
    assert [value.described() for value in result.arbitrary] == ["`mul` (line 16), which is uninterpreted"] * 8


def test_a_register_address_is_a_choice_between_rows() -> None:
    """Rows 0 and 1 of a variable, by bit 5 of the address."""
    result = traced("""
    and (M1_NM, 1) S(0,0)<1> S(0,0)<0;1,0> 0x20:ud
    addr_add (M1_NM, 1) A0(0)<1> &ROWS S(0,0)<0;1,0>
    mov (M1, 8) X(0,0)<1> r[A0(0),4]<8;8,1>:d
    scatter4_scaled.R (M1, 8) T6 0x0:ud X.0 Y.0""")
    assert str(stores(result)[0].value) == "Y.0"
    assert "ROWS.4" in str(stores(result)[0].cell[0])
    assert "ROWS.36" in str(stores(result)[0].cell[0])


@pytest.mark.parametrize("region", ["<1,0>", "<4,1>"])
def test_each_row_may_have_a_register_address_of_its_own(region: str) -> None:
    """As a private array is read where each lane has an index, and as lanes are shuffled."""
    shuffled = kernel(f"""
    and (M1_NM, 8) X(0,0)<1> ROWS(0,0)<1;1,0> 0x1c:ud
    addr_add (M1, 8) A0(0)<1> &ROWS X(0,0)<1;1,0>
    mov (M1, 8) X(0,0)<1> r[A0(0),32]{region}:d
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 X.0""")
    assert trace(shuffled, Platform.TGLLP).stopped is None
    assert [disagreements(shuffled, Platform.TGLLP, seed) for seed in range(8)] == [[]] * 8


ON_ONE_WAY = """
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x0:d
    movs (M1_NM, 1) T6(0) 0x0:ud
    (P1) goto (M1, {lanes}) past
    movs (M1_NM, 1) T6(0) {bound}:ud{inside}
past:
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 X.0"""


@pytest.mark.parametrize("lanes", [1, 8])
def test_a_surface_that_is_bound_on_one_way_alone_is_not_known_behind_it(lanes: int) -> None:
    """All lanes may jump: then the thread does not come through the second `movs`."""
    stopped = traced(ON_ONE_WAY.format(lanes=lanes, bound="0x1", inside="")).stopped
    assert stopped is not None
    assert stopped.what == "T6, which may stand for either of two surfaces"


@pytest.mark.parametrize("lanes", [1, 8])
def test_a_surface_is_known_on_the_way_on_which_it_is_bound_and_where_each_way_binds_the_same(lanes: int) -> None:
    store = "\n    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 ID.0\n    movs (M1_NM, 1) T6(0) 0x0:ud"
    result = traced(ON_ONE_WAY.format(lanes=lanes, bound="0x1", inside=store))
    assert result.stopped is None
    assert [each.surface for each in result.performed] == ["bti 1", "bti 0"]


def test_bytes_that_nothing_wrote_are_listed() -> None:
    result = traced("    add (M1, 8) X(0,0)<1> ID(0,0)<1;1,0> 0x8:d")
    assert list(result.registers.initial_reads)[:4] == [("ID", 0), ("ID", 1), ("ID", 2), ("ID", 3)]
    assert not any(variable == "X" for variable, _ in result.registers.initial_reads)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("    call (M1, 8) _main", "opcode call"),
        ("again:\n    goto (M1, 8) again", "loops that take more than 20000 statements"),
        ("    (P1) goto (M1, 8) past\n    ret (M1, 1)\npast:", "opcode ret in divergent control flow"),
    ],
)
def test_what_is_not_modelled_says_so_and_where(body: str, what: str) -> None:
    stopped = traced(body).stopped
    assert stopped is not None
    assert stopped.what == what
    assert stopped.position is not None


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(kernels(), st.integers(0, 2**32))
def test_traces_agree_with_runs(text: str, seed: int) -> None:
    """Every register byte, predicate bit and write of a generated kernel."""
    assert disagreements(read_kernel(text, "generated.visaasm"), Platform.TGLLP, seed) == []


@pytest.mark.parametrize(
    "targets",
    ["(M1, 4) ROWS(0,0)<1> ROWS(0,1)<1>", "(M1, 4) ROWS(0,1)<1> ROWS(0,0)<1>", "(M1, 2) ROWS(0,0)<2> ROWS(0,2)<2>"],
)
def test_of_two_results_that_overlap_the_later_lane_stays(targets: str) -> None:
    body = f"    mov (M1_NM, 8) ROWS(0,0)<1> 0x0:ud\n    addc {targets} ID(0,0)<1;1,0> 0x7fffffff:ud"
    overlapping = kernel(body)
    assert traced(body).stopped is None
    assert [disagreements(overlapping, Platform.TGLLP, seed) for seed in range(8)] == [[]] * 8


def test_a_wrong_opcode_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(alu.OPERATIONS, "shr", alu.OPERATIONS["shl"])
    wrong = kernel("    shr (M1, 8) Y(0,0)<1> ID(0,0)<1;1,0> 0x4:ud")
    assert any(disagreements(wrong, Platform.TGLLP, seed) for seed in range(3))


@pytest.mark.slow(but=14)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_real_files_trace_and_agree_with_runs(path: Path) -> None:
    platform = platform_named(path.stem.split("-")[0])
    read = read_kernel_file(path)
    result = trace(read, platform)
    if result.stopped is not None:
        assert path.parent.name not in STRAIGHT, result.stopped
        pytest.skip(f"not modelled yet: {result.stopped}")
    for seed in range(4):
        assert disagreements(read, platform, seed, result) == []


STRAIGHT = ("lane_conflict", "conflict_div", "swap_pairs", "vadd", "copy16", "permute_scatter")
"""Kernels whose files must all run: stateful, stateless, LSC and unoptimised ones."""


LOOP = """
    mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>
again:
    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d
    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> {bound}
    (P1) goto (M1, 8) again
    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 X.0"""


def test_a_loop_of_constant_length_is_run_to_its_end() -> None:
    """X = 0, then X += 1 until X = 3: three rounds, nothing left open."""
    result = traced(LOOP.format(bound="0x3:d").replace("ID(0,0)<1;1,0>\nagain", "0x0:d\nagain"))
    assert result.bounded == ()
    assert stores(result)[0].value is const(3, 32)
    assert stores(result)[0].guard is lane_on(0)


def test_a_loop_of_unknown_length_is_unrolled_and_says_so() -> None:
    """Lane 2 leaves after the first iteration where ID + 1 ≥ S, after the second where only ID + 2 ≥ S, and so on."""
    result = trace(kernel(LOOP.format(bound="S(0,0)<0;1,0>")), Platform.TGLLP, unroll=2, generalise=False)
    (ends, position) = result.bounded[0]
    assert (len(result.bounded), position.line) == (1, 21)
    inputs: dict[Term, int] = {lane_on(lane): lane == 2 for lane in range(8)}
    inputs[symbol("ID.8", 32)] = 5
    for bound, rounds in ((0, 1), (6, 1), (7, 2), (8, 3), (9, None), (100, None)):
        values = inputs | {symbol("S.0", 32): bound}
        assert evaluate(ends, values) == (rounds is not None)
        if rounds is not None:
            assert evaluate(stores(result)[2].value, values) == 5 + rounds
            assert evaluate(stores(result)[2].guard, values)


def test_a_loop_ends_where_no_value_is_left_for_its_length() -> None:
    """X = 0, then X += 1 until X = S & 2 | 1, which is 1 or 3: nothing is left open after three iterations."""
    length = "and (M1, 8) ID(0,0)<1> S(0,0)<0;1,0> 0x2:d\n    or (M1, 8) ID(0,0)<1> ID(0,0)<1;1,0> 0x1:d\n"
    loop = LOOP.format(bound="ID(0,0)<1;1,0>").replace("ID(0,0)<1;1,0>\nagain", "0x0:d\nagain").replace("lt", "ne")
    result = trace(kernel(length + loop), Platform.TGLLP, unroll=3, generalise=False)
    assert result.bounded == ()
    assert result.stopped is None


@pytest.mark.slow(but=33)
@pytest.mark.parametrize("opcode", ["div", "mod"])
@pytest.mark.parametrize(
    "divisor", ["1:d", "16:d", "0x40000000:d", "0x80000000:ud", "8:ud", "7:d", "-16:d", "-1:d", "0x80000000:d", "10:ud"]
)
@pytest.mark.parametrize("dividend", ["X(0,0)<1;1,0>", "ID(0,0)<1;1,0>", "(-)X(0,0)<1;1,0>", "(abs)X(0,0)<1;1,0>"])
def test_a_division_by_a_constant_agrees_with_runs(opcode: str, divisor: str, dividend: str) -> None:
    """Cut towards 0, also where the dividend or the divisor is unsigned and the other is not."""
    divided = kernel(f"    {opcode} (M1, 8) Y(0,0)<1> {dividend} {divisor}")
    assert trace(divided, Platform.TGLLP).arbitrary == ()
    assert [disagreements(divided, Platform.TGLLP, seed) for seed in range(3)] == [[]] * 3


@pytest.mark.parametrize("divisor", ["0:d", "S(0,0)<0;1,0>"])
@pytest.mark.parametrize("opcode", ["div", "mod", "mod.sat"])
def test_a_division_by_zero_gives_any_value(opcode: str, divisor: str) -> None:
    """Of one operation on one dividend and 0 it is one value, and no other is assumed."""
    result = traced(f"    {opcode} (M1, 8) Y(0,0)<1> X(0,0)<1;1,0> {divisor}")
    described = f"`{opcode}` (line 16), whose result no page states there"
    assert [value.described() for value in result.arbitrary] == [described] * 8
    lowest = result.registers.read("Y", 0, 4)
    by_zero: dict[Term, Term] = {symbol("S.0", 32): const(0, 32), lane_on(0): bool_const(True)}
    assert substitute(lowest, by_zero) is result.arbitrary[0].symbol
