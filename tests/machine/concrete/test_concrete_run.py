"""Concrete runs of kernels: examples worked by hand."""

import struct

import pytest

from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.run import Outcome, run
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, LaneWrite
from visaproof.visaasm.reader import read_kernel

DECLARATIONS = """.version 4.1
.kernel "k"
.decl ID v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=b num_elts=32 align=GRF
.decl W v_type=G type=uw num_elts=16 align=GRF alias=<X, 0>
.decl Q v_type=G type=q num_elts=8 align=GRF
.decl S v_type=G type=ud num_elts=2
.decl D v_type=G type=df num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl A0 v_type=A num_elts=4
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
"""


def dwords(*values: int) -> bytearray:
    return bytearray(b"".join((value % 2**32).to_bytes(4, "little") for value in values))


def thread(lanes: int = 0xFF) -> ConcreteState:
    state = ConcreteState(Platform.TGLLP, lanes)
    state.registers = {"ID": dwords(*range(8)), "X": bytearray(64)}
    state.surfaces = {"bti 0": Buffer(4096)}
    return state


def execute(body: str, state: ConcreteState) -> Outcome:
    return run(read_kernel(DECLARATIONS + body + "\n    ret (M1, 1)\n", "k.visaasm"), state)


def test_masked_lanes_keep_what_they_had() -> None:
    state = thread(lanes=0b101)
    execute("    add (M1, 8) X(0,0)<1> ID(0,0)<1;1,0> 0x7:d", state)
    assert state.registers["X"][:16] == dwords(7, 0, 9, 0)


def test_regions_and_strides_select_elements() -> None:
    """`<4;2,1>` reads 0 1 4 5; `<2>` writes every other dword from column 1 on."""
    state = thread()
    execute("    mov (M1, 4) X(0,1)<2> ID(0,0)<4;2,1>", state)
    assert state.registers["X"][:32] == dwords(0, 0, 0, 1, 0, 4, 0, 5)


def test_rows_are_registers() -> None:
    state = thread()
    execute("    mov (M1, 1) X(1,2)<1> ID(0,3)<0;1,0>", state)
    assert state.registers["X"][32 + 8 : 32 + 12] == dwords(3)


def test_sources_extend_by_their_own_type_and_results_are_cut() -> None:
    state = thread()
    state.registers["B"] = bytearray([0xFF, 0x7F] + [0] * 30)
    execute("    mov (M1, 2) X(0,0)<1> B(0,0)<1;1,0>\n    mul (M1, 2) W(0,8)<1> X(0,0)<1;1,0> 0x10000:d", state)
    assert state.registers["X"][:8] == dwords(-1, 127)
    assert state.registers["X"][16:20] == bytes(4)


def test_all_sources_are_read_before_anything_is_written() -> None:
    """Shifting a row by one element does not smear its first."""
    state = thread()
    state.registers["X"] = dwords(*range(16))
    execute("    mov (M1_NM, 4) X(0,1)<1> X(0,0)<1;1,0>", state)
    assert state.registers["X"][:20] == dwords(0, 0, 1, 2, 3)


def test_addc_writes_sum_and_carry() -> None:
    state = thread()
    state.registers["ID"] = dwords(0xFFFF_FFFF, 1, 0, 0, 0, 0, 0, 0)
    execute("    addc (M1, 2) S(0,0)<1> ID(0,4)<1> ID(0,0)<1;1,0> 0x1:ud", state)
    assert state.registers["S"] == dwords(0, 2)
    assert state.registers["ID"][16:24] == dwords(1, 0)


def test_comparisons_change_only_the_bits_of_running_lanes() -> None:
    state = thread(lanes=0b0000_1111)
    state.predicates["P1"] = PredicateBits(8, 0b1010_0000)
    execute("    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> 0x2:ud\n    cmp.ge (M1, 4) X(0,0)<1> ID(0,0)<1;1,0> 0x2:ud", state)
    assert state.predicates["P1"] == PredicateBits(8, 0b1010_0011)
    assert state.registers["X"][:16] == dwords(0, 0, -1, -1)


def test_sel_chooses_by_predicate() -> None:
    state = thread()
    state.predicates["P1"] = PredicateBits(8, 0b01)
    execute("    (P1) sel (M1, 2) X(0,0)<1> 0x5:b 0xfe:b", state)
    assert state.registers["X"][:8] == dwords(5, -2)


def test_saturation_stops_at_the_type() -> None:
    state = thread()
    execute("    add.sat (M1, 1) B(0,0)<1> 0x70:b 0x70:b", state)
    assert state.registers["B"][0] == 0x7F


def test_logic_on_predicates_changes_the_bits_of_enabled_lanes() -> None:
    """Worked by hand: P1 = 1100, P2 = 1010 from lane 0 on; with (M2, 4) the bits 4 to 7 alone are combined."""
    for opcode, expected in (("and", 0b1000), ("or", 0b1110), ("xor", 0b0110)):
        state = thread()
        state.predicates = {"P1": PredicateBits(8, 0b1100_1100), "P2": PredicateBits(8, 0b1010_1010)}
        execute(f"    {opcode} (M2, 4) P1 P1 P2", state)
        assert state.predicates["P1"].bits == expected << 4 | 0b1100
    state = thread(lanes=0b0011)
    state.predicates = {"P1": PredicateBits(8, 0b1100_1100), "P2": PredicateBits(8, 0b1010_1010)}
    execute("    not (M1, 8) P1 P2", state)
    assert state.predicates["P1"].bits == 0b1100_1101


@pytest.mark.parametrize(
    ("opcode", "left", "right", "expected"),
    [("div", 7, 2, 3), ("div", -7, 2, -3), ("div", 7, -2, -3), ("div", -7, -2, 3),
     ("mod", 7, 2, 1), ("mod", -7, 2, -1), ("mod", 7, -2, 1), ("mod", -7, -2, -1)],
)  # fmt: skip
def test_division_follows_the_table_of_signs(opcode: str, left: int, right: int, expected: int) -> None:
    """Page DIV: the quotient is cut towards 0, the remainder has the sign of the numerator."""
    state = thread(lanes=1)
    execute(f"    {opcode} (M1, 1) X(0,0)<1> {left % 2**32:#x}:d {right % 2**32:#x}:d", state)
    assert state.registers["X"][:4] == dwords(expected)


def test_division_by_zero_is_not_modelled() -> None:
    with pytest.raises(NotModelled, match="div by 0"):
        execute("    div (M1, 1) X(0,0)<1> 0x1:d 0x0:d", thread())


def test_a_dot_product_takes_bytes_as_signed_as_their_sources() -> None:
    """Worked by hand: 1 + (-1)·2 + 3·4 + 0 + 0 with bytes 0xff, 3 against 2, 4; unsigned 1 + 255·2 + 12."""
    state = thread(lanes=1)
    execute("    dp4a (M1, 1) X(0,0)<1> 0x1:d 0x3ff:d 0x402:d", state)
    assert state.registers["X"][:4] == dwords(11)
    execute("    dp4a (M1, 1) X(0,0)<1> 0x1:ud 0x3ff:ud 0x402:ud", state)
    assert state.registers["X"][:4] == dwords(523)


def test_bit_fields_are_taken_and_put() -> None:
    """Worked by hand: 8 bits from bit 4 on of 0xabcd are 0xbc; put at bit 4 of 0xffff they give 0xfbcf."""
    state = thread(lanes=1)
    execute("    bfe (M1, 1) S(0,0)<1> 0x8:ud 0x4:ud 0xabcd:ud", state)
    assert state.registers["S"][:4] == dwords(0xBC)
    execute("    bfi (M1, 1) S(0,0)<1> 0x8:ud 0x4:ud 0xbc:ud 0xffff:ud", state)
    assert state.registers["S"][:4] == dwords(0xFBCF)
    execute("    bfe (M1, 1) X(0,0)<1> 0x8:d 0x4:d 0xabcd:d", state)
    assert state.registers["X"][:4] == dwords(-0x44)


def test_a_predicate_moves_as_a_number() -> None:
    state = thread()
    state.predicates["P1"] = PredicateBits(8, 0b1001)
    execute("    mov (M1, 1) S(0,0)<1> P1", state)
    assert state.registers["S"][:4] == dwords(9)


def test_lanes_wait_at_their_label() -> None:
    """Lanes 2 to 7 jump over the first add; all do the second."""
    state = thread()
    execute(
        """
    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> 0x2:ud
    (!P1) goto (M1, 8) past
    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x10:d
past:
    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d""",
        state,
    )
    assert state.registers["X"][:32] == dwords(17, 17, 1, 1, 1, 1, 1, 1)
    assert state.exec_mask == 0xFF


def test_where_no_lane_is_left_nothing_runs() -> None:
    """Page GOTO: "execution jumps to the next program point where some channels are waiting"."""
    state = thread()
    execute("    goto (M1, 8) past\n    mov (M1_NM, 1) S(0,0)<1> 0x1:ud\npast:", state)
    assert state.registers["S"][:4] == dwords(0)


def test_a_register_address_selects_an_element() -> None:
    state = thread()
    execute("    addr_add (M1_NM, 1) A0(0)<1> &ID 0x8:uw\n    mov (M1, 2) X(0,0)<1> r[A0(0),4]<1;1,0>:ud", state)
    assert state.registers["X"][:8] == dwords(3, 4)


def test_a_register_address_is_an_integer_of_32_bits() -> None:
    """Page ADDR_ADD: "just adding two integers"."""
    state = thread()
    execute(
        "    addr_add (M1_NM, 1) A0(0)<1> &ID 0xfffffff8:ud\n    mov (M1, 2) X(0,0)<1> r[A0(0),20]<1;1,0>:ud", state
    )
    assert state.registers["X"][:8] == dwords(3, 4)


def test_a_write_at_an_address_that_is_not_aligned_is_undefined() -> None:
    """Page 5_operands: "if any of the address offset is not aligned to the type of the indirect operand"."""
    for offset, aligned in ((4, True), (6, False)):
        outcome = execute(
            f"    addr_add (M1_NM, 1) A0(0)<1> &X {offset}:uw\n    mov (M1, 2) r[A0(0),0]<1>:ud 0x1:ud", thread()
        )
        assert (outcome.undefined is None) is aligned


@pytest.mark.parametrize(("region", "expected"), [("<1,0>", (6, 4, 2, 0)), ("<2,1>", (6, 7, 4, 5))])
def test_each_row_of_a_region_may_have_an_address_of_its_own(region: str, expected: tuple[int, ...]) -> None:
    """Page 5_operands, VxH: row i of `width` elements lies where address register k + i says."""
    state = thread()
    execute(
        f"""
    mul (M1, 4) X(0,0)<1> ID(0,0)<1;1,0> -8:d
    add (M1, 4) X(0,0)<1> X(0,0)<1;1,0> 20:d
    addr_add (M1, 4) A0(0)<1> &ID X(0,0)<1;1,0>
    mov (M1, 4) X(0,0)<1> r[A0(0),4]{region}:ud""",
        state,
    )
    assert state.registers["X"][:16] == dwords(*expected)


def test_every_write_of_a_message_is_reported() -> None:
    """Inside or outside the surface, for the lanes that are on."""
    state = thread(lanes=0b110)
    state.surfaces["bti 0"] = Buffer(8)
    outcome = execute(
        """
    movs (M1_NM, 1) T6(0) 0x0:ud
    shl (M1, 8) X(0,0)<1> ID(0,0)<1;1,0> 0x2:d
    scatter4_scaled.R (M1, 8) T6 0x0:ud X.0 ID.0""",
        state,
    )
    assert outcome.undefined is None
    assert [(message.surface, message.writes) for message in outcome.performed] == [
        ("bti 0", (LaneWrite(1, 4, 4, 1), LaneWrite(2, 8, 4, 2)))
    ]


def test_a_collision_stops_the_run_and_shows_the_writes() -> None:
    state = thread(lanes=0b11)
    outcome = execute(
        """
    movs (M1_NM, 1) T6(0) 0x0:ud
    scatter4_scaled.R (M1, 8) T6 0x10:ud X.0 ID.0
    mov (M1, 8) X(0,0)<1> 0x9:d""",
        state,
    )
    assert outcome.undefined is not None
    assert outcome.undefined.position.line == 20
    assert outcome.undefined.message == "lanes 0 and 1 both write byte 0x10"
    assert outcome.performed[-1].writes == (LaneWrite(0, 16, 4, 0), LaneWrite(1, 16, 4, 1))
    assert state.registers["X"] == bytearray(64)


def test_reading_beyond_a_variable_is_undefined() -> None:
    outcome = execute("    mov (M1, 8) X(0,0)<1> S(0,0)<1;1,0>", thread())
    assert outcome.undefined is not None
    assert "beyond S" in outcome.undefined.message


def test_floats_are_computed_converted_and_compared() -> None:
    """1.5·2 = 3 as doubles; 3.0 becomes the integer 3; −2.5 < 1 in lane 0 alone."""
    state = thread(lanes=0b11)
    state.registers["D"] = bytearray(struct.pack("<2d", 1.5, -0.0) + bytes(48))
    state.registers["F"] = bytearray(struct.pack("<2f", -2.5, 4.0) + bytes(24))
    outcome = execute(
        """
    mul (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x4000000000000000:df
    mov (M1, 8) X(0,0)<1> D(0,0)<1;1,0>
    cmp.lt (M1, 8) P1 F(0,0)<1;1,0> 0x3f800000:f
    (P1) sel (M1, 8) F(0,0)<1> (abs)F(0,0)<1;1,0> 0x3f800000:f""",
        state,
    )
    assert outcome.undefined is None
    assert struct.unpack("<2d", state.registers["D"][:16]) == (3.0, -0.0)
    assert state.registers["X"][:8] == dwords(3, 0)
    assert struct.unpack("<2f", state.registers["F"][:8]) == (2.5, 1.0)


def test_floats_and_integers_do_not_mix() -> None:
    """Page 2_datatypes: sources "cannot have mixed integer and float types"."""
    with pytest.raises(NotModelled) as raised:
        execute("    add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> ID(0,0)<1;1,0>", thread())
    assert raised.value.position is not None


@pytest.mark.parametrize(
    "body",
    [
        "    call (M1, 8) _main",
        "again:\n    goto (M1, 8) again",
        "    inv (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>",
    ],
)
def test_what_is_not_modelled_says_where(body: str) -> None:
    with pytest.raises(NotModelled) as raised:
        execute(body, thread())
    assert raised.value.position is not None


def test_a_thread_without_lanes_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one lane"):
        execute("", thread(lanes=0))
