"""Elements at register addresses that depend on inputs: read and written symbolically as in concrete runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.crosscheck import disagreements
from visaproof.isa.errors import Position
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic import address_cases, machine, operands
from visaproof.machine.symbolic.register_addresses import MOST_PLACES, Named, Places, _possible
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.value_names import PredicateBit
from visaproof.smt import (
    BitVec,
    add,
    bool_symbol,
    const,
    evaluate,
    neg,
    scale,
    symbol,
    symbols_of,
    true,
    zero_extend,
)
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEADER = """.version 4.1
.kernel "addressed"
.decl ARRAY v_type=G type=d num_elts=16 align=GRF
.decl OTHER v_type=G type=d num_elts=8 align=GRF
.decl TAIL v_type=G type=w num_elts=8 alias=<ARRAY, 48>
.decl LONG v_type=G type=d num_elts=256 align=GRF
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl NEAR v_type=G type=uw num_elts=16 alias=<AT, 0>
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl A0 v_type=A num_elts=16
.decl A1 v_type=A num_elts=16
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.kernel_attr SimdSize=8
.function "addressed"
_main:
"""


def kernel(body: str) -> Kernel:
    return read_kernel(f"{HEADER}{body}\n    ret (M1, 1)\n", "addressed.visaasm")


def traced(body: str) -> Trace:
    return trace(kernel(body), Platform.TGLLP)


MASKS = ("0x1c", "0xc", "0x3c", "0x3f", "0xfffffffc", "0xffffffff")
"""What is left of an address: aligned and inside, aligned and at times outside, neither."""


@st.composite
def addressed(draw: st.DrawFn) -> str:
    """A statement with an address register behind which an element may be any of several."""
    lanes = draw(st.sampled_from(["(M1, 8)", "(M1, 8)", "(M1_NM, 8)", "(M1, 4)", "(M1_NM, 1)", "(M2, 1)"]))
    predicate = draw(st.sampled_from(["", "", "(P1)", "(!P2)", "(P1.any)"]))
    register, offset = draw(st.sampled_from(["A0", "A1"])), draw(st.sampled_from([-32, 0, 0, 4, 2, 16]))
    kind = draw(st.sampled_from(["d", "d", "ud", "w", "b", "q"]))
    at = f"r[{register}({draw(st.integers(0, 3))}),{offset}]"
    match draw(st.integers(0, 6)):
        case 0 | 1 | 2:
            given_bits = draw(st.sampled_from(["X(0,0)<1;1,0>", "X(0,1)<0;1,0>", "Y(0,0)<1;1,0>", "0x7:w"]))
            return f"{predicate} mov {lanes} {at}<{draw(st.sampled_from([1, 1, 2]))}>:{kind} {given_bits}"
        case 3:
            region = draw(st.sampled_from(["<1,0>", "<1;1,0>", "<0;1,0>", "<4,1>"]))
            region = region if "8" in lanes or region != "<4,1>" else "<1,0>"
            if region == "<1,0>":
                at = f"r[{register}(0),{offset}]"
            return f"{predicate} mov {lanes} {draw(st.sampled_from('XY'))}(0,0)<1> {at}{region}:{kind}"
        case 4:
            base = draw(st.sampled_from(["&ARRAY", "&ARRAY[16]", "&TAIL", f"{register}(0)<1>"]))
            offsets = draw(st.sampled_from(["AT(0,0)<1;1,0>", "AT(0,1)<0;1,0>", "NEAR(0,0)<2;1,0>", "0xfffc:w"]))
            return f"addr_add {lanes.replace('(M2, 1)', '(M1, 8)')} {register}(0)<1> {base} {offsets}"
        case 5:
            return f"{predicate} mov {lanes.replace('(M2, 1)', '(M1, 8)')} {register}(0)<1> 0x0:uw"
        case _:
            relation, written = draw(st.sampled_from(["lt", "eq"])), draw(st.sampled_from(["P1", "P2"]))
            return f"cmp.{relation} (M1, 8) {written} X(0,0)<1;1,0> 0x8:d"


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """Statements behind ones that give every address register a value, at times some lanes only."""
    masks = [draw(st.sampled_from(MASKS)) for _ in range(2)]
    lanes = draw(st.sampled_from(["(M1_NM, 8)", "(M1_NM, 8)", "(M1, 8)"]))
    first = [
        f"and (M1_NM, 8) {name}(0,0)<1> {name}(0,0)<1;1,0> {mask}:ud"
        for name, mask in zip(("AT", "X"), masks, strict=True)
    ]
    first += [f"addr_add {lanes} {register}(0)<1> &ARRAY AT(0,0)<1;1,0>" for register in ("A0", "A1")]
    body = [*first, *draw(st.lists(addressed(), min_size=1, max_size=6))]
    return "\n".join(f"    {statement}" for statement in body)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(kernels(), st.integers(0, 2**32))
def test_traces_agree_with_runs_at_register_addresses(body: str, seed: int) -> None:
    """Every register byte, and whether an address leaves its variable or is not aligned."""
    assert disagreements(kernel(body), Platform.TGLLP, seed) == []


WRITTEN = """    and (M1_NM, 8) AT(0,0)<1> AT(0,0)<1;1,0> {mask}:ud
    addr_add (M1_NM, 8) A0(0)<1> &{array} AT(0,0)<1;1,0>
    mov (M1_NM, 1) r[A0(0),0]<1>:d X(0,0)<0;1,0>"""


CLEARED = """    addr_add (M1_NM, 8) A0(0)<1> &ARRAY 0x4:uw
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x8:d
    {clear}
    {again}
    mov (M1, 1) Y(0,0)<1> r[A0(0),0]<0;1,0>:d"""
CLEAR = "mov (M1_NM, 8) A0(0)<1> 0x0:uw"


@pytest.mark.parametrize(
    ("clear", "again", "conditions"),
    [
        ("", "", 0),
        (CLEAR, "", 1),
        (f"(P1) {CLEAR}", "", 1),
        (CLEAR, "addr_add (M1, 8) A0(0)<1> &OTHER 0x8:uw", 0),
    ],
)
def test_a_cleared_address_register_names_no_variable(clear: str, again: str, conditions: int) -> None:
    """Unless addr_add gives it another address."""
    body = kernel(CLEARED.format(clear=clear, again=again))
    assert not any(disagreements(body, Platform.TGLLP, seed) for seed in range(8))
    result = trace(body, Platform.TGLLP)
    assert result.stopped is None
    assert len(result.conditions) == conditions


def test_a_wrong_neighbour_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The element behind the one that the address names."""
    body = kernel(WRITTEN.format(mask="0x1c", array="ARRAY"))
    assert not any(disagreements(body, Platform.TGLLP, seed) for seed in range(8))
    right = operands.places_of

    def wrong(named: Named, distance: int, width: int, size: int, reader: Position) -> Places:
        return right(named, distance + width, width, size, reader)

    monkeypatch.setattr(operands, "places_of", wrong)
    assert any(disagreements(body, Platform.TGLLP, seed) for seed in range(8))


def test_what_is_written_at_an_address_is_read_there_again() -> None:
    """Whatever the address is, and as it was written: nothing is left of the choice between the places."""
    result = traced(WRITTEN.format(mask="0x1c", array="ARRAY") + "\n    mov (M1_NM, 1) Y(0,0)<1> r[A0(0),0]<0;1,0>:d")
    assert result.registers.read("Y", 0, 4) is symbol("X.0", 32)
    assert result.conditions == ()


@pytest.mark.parametrize(
    ("mask", "array", "what"),
    [
        ("0xfc", "LONG", None),
        ("0x1fc", "LONG", f"a register address with 128 possible places, more than {MOST_PLACES}"),
        ("0xffffffff", "LONG", f"a register address with 256 possible places, more than {MOST_PLACES}"),
    ],
)
def test_places_are_bounded(mask: str, array: str, what: str | None) -> None:
    stopped = traced(WRITTEN.format(mask=mask, array=array)).stopped
    assert (stopped and stopped.what) == what


ROWS = """    and (M1, 8) NEAR(0,0)<1> NEAR(0,0)<1;1,0> 0x7:uw
    mul (M1, 8) NEAR(0,0)<1> NEAR(0,0)<1;1,0> 0x40:uw
    mov (M1_NM, 8) X(0,0)<1> 0x76543210:v
    mul (M1_NM, 8) X(0,0)<1> X(0,0)<1;1,0> 0x4:d
    mov (M1_NM, 8) TAIL(0,0)<1> X(0,0)<1;1,0>
    add (M1, 8) NEAR(0,0)<1> NEAR(0,0)<1;1,0> TAIL(0,0)<1;1,0>
    addr_add (M1, 8) A0(0)<1> &LONG NEAR(0,0)<1;1,0>
    mov (M1, 8) Y(0,0)<1> r[A0(0),0]<1,0>:d"""
"""Each lane reads its own dword of a row of 64 bytes: as IGC reads private arrays at an index."""


def test_each_lane_has_its_own_dword_of_a_row() -> None:
    """Eight rows are eight places, not 128."""
    body = kernel(ROWS)
    assert not any(disagreements(body, Platform.TGLLP, seed) for seed in range(8))
    result = trace(body, Platform.TGLLP)
    assert result.stopped is None
    used = {str(one.payload) for one in symbols_of(result.registers.read("Y", 4, 4)) if "LONG" in str(one.payload)}
    assert used == {f"LONG.{64 * row + 4}" for row in range(8)}


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.sampled_from([1, 3, 12, 64, 0x8000]), st.booleans())
def test_no_place_is_left_out_that_an_address_can_be(value: int, more: int, factor: int, wide: bool) -> None:
    word, low = symbol("word", 16), more & 0xFF
    if wide:
        address = add(scale(zero_extend(word, 32), factor), const(more, 32))
    else:
        address = zero_extend(add(scale(word, factor), const(low, 16)), 32)
    assert evaluate(address, {word: value}) in _possible(address)


def test_an_address_beyond_its_variable_has_no_meaning() -> None:
    """Nothing is stopped: where the statement runs, the pages say nothing of the kernel."""
    result = traced("    addr_add (M1_NM, 1) A0(0)<1> &ARRAY 0x40:uw\n    (P1) mov (M1_NM, 1) r[A0(0),0]<1>:d 0x1:d")
    assert result.stopped is None
    assert [condition for condition, _ in result.conditions] == [neg(bool_symbol(PredicateBit("P1", 0)))]


ROUNDS = """    and (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0x1c:ud
    {before}
again:
    {inside}
    mov (M1, 8) r[A0(0),0]<1>:d X(0,0)<1;1,0>
    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d
    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> Y(0,0)<1;1,0>
    (P1) goto (M1, 8) again"""
ADDRESS = "addr_add (M1, 8) A0(0)<1> &ARRAY {}(0,0)<1;1,0>"


@pytest.mark.parametrize("inside", ["", ADDRESS.format("AT"), "add (M1, 8) AT(0,0)<1> AT(0,0)<1;1,0> 0x0:d"])
def test_a_round_of_a_loop_stands_for_all_where_it_names_its_addresses(inside: str) -> None:
    result = traced(ROUNDS.format(before=ADDRESS.format("AT"), inside=inside))
    assert result.stopped is None
    assert result.bounded == ()


def test_what_a_round_left_in_an_address_register_is_not_known_in_the_next() -> None:
    """Such a loop is run a few iterations."""
    moved = "addr_add (M1, 8) A0(0)<1> A0(0)<1> 0x0:uw\n    and (M1, 8) AT(0,0)<1> X(0,0)<1;1,0> 0x1c:ud"
    result = traced(ROUNDS.format(before=ADDRESS.format("AT"), inside=f"{moved}\n    {ADDRESS.format('AT')}"))
    assert result.stopped is None
    assert [position.line for _, position in result.bounded] == [27]


FIRST_LANE = """    mov (M1, 8) ARRAY(0,0)<1> {value}
    setp (M1_NM, 8) P1 0x0:ud
    cmp.eq (M1, 8) P1 NEAR(0,0)<0;1,0> NEAR(0,0)<0;1,0>
    mov (M1_NM, 1) AT(0,0)<1> P1
    fbl (M1_NM, 1) AT(0,0)<1> AT(0,0)<0;1,0>
    shl (M1_NM, 1) AT(0,0)<1> AT(0,0)<0;1,0> 0x2:w
    addr_add (M1_NM, 1) A0(0)<1> &ARRAY NEAR(0,0)<0;1,0>
    mov (M1_NM, 1) Y(0,0)<1> r[A0(0),{offset}]<0;1,0>:d"""
"""What the first lane that runs holds, as the compiler reads it where all lanes hold one handle."""


def first_lane(value: str, offset: int = 0) -> str:
    return FIRST_LANE.format(value=value, offset=offset)


def test_what_all_lanes_hold_the_first_one_does() -> None:
    result = traced(first_lane("X(0,0)<0;1,0>"))
    assert result.registers.read("Y", 0, 4) is symbol("X.0", 32)
    assert result.conditions == ()


def test_a_thread_without_lanes_is_what_the_first_lane_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it were not known that a lane is on, the address might be that of none."""
    monkeypatch.setattr(machine, "disj", lambda *guards: true())
    assert len(traced(first_lane("X(0,0)<0;1,0>")).conditions) == 1


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("value", ["X(0,0)<0;1,0>", "X(0,0)<1;1,0>"])
@pytest.mark.parametrize("offset", [0, 4, 2, -4, 40])
def test_the_first_lane_is_read_as_in_concrete_runs(value: str, offset: int) -> None:
    body = kernel(first_lane(value, offset))
    assert not any(disagreements(body, Platform.TGLLP, seed) for seed in range(6))


def test_a_wrong_case_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next element in each case."""
    right = address_cases.cases_of

    def wrong(address: BitVec, most: int) -> address_cases.Cases | None:
        return right(add(address, const(4, 32)), most)

    monkeypatch.setattr(operands, "cases_of", wrong)
    body = kernel(first_lane("X(0,0)<1;1,0>"))
    assert any(disagreements(body, Platform.TGLLP, seed) for seed in range(6))
