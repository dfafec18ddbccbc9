"""TYPED_ATOMIC: examples worked by hand from the page, on both writings at once."""

import pytest
from msgspec.structs import replace

from tests.two_writings import after_both, dwords, dwords_of, is_undefined, symbolised
from visaproof.instructions import TypedAtomic
from visaproof.instructions.undefined_bytes import undefined_bytes_of
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Execution, Predicate, RawOperand
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Image
from visaproof.smt import evaluate

SURFACE = "T6"
KEPT = 0xEEEE_EEEE
U, V, R, LOD = (RawOperand(name) for name in ("VU", "VV", "VR", "VL"))
SRC0, SRC1, DST = (RawOperand(name) for name in ("VS0", "VS1", "VD"))


def atomic(op: AtomicOp, dst: RawOperand = DST) -> TypedAtomic:
    """The operation on a 1D surface, with the sources that the table gives it."""
    src0, src1 = (operand if op.sources > k else NULL for k, operand in enumerate((SRC0, SRC1)))
    return TypedAtomic(Execution(8), op, SURFACE, U, src0=src0, src1=src1, dst=dst)


def thread(texels: list[int], lanes: int, u: list[int], src0: int = 0, src1: int = 0) -> ConcreteState:
    """A 1D surface of these texels; each lane has the same sources, and KEPT in dst."""
    image = Image(((len(texels), 1, 1),), {(k, 0, 0, 0): texel for k, texel in enumerate(texels)})
    state = ConcreteState(Platform.TGLLP, exec_mask=lanes, surfaces={SURFACE: image})
    state.registers = {
        "VU": dwords(*u),
        "VS0": dwords(*[src0] * 8),
        "VS1": dwords(*[src1] * 8),
        "VD": dwords(*[KEPT] * 8),
    }
    return state


def texels_after(after: ConcreteState) -> list[int]:
    return [texel for _, texel in sorted(after.image(SURFACE).texels.items())]


def returned(after: ConcreteState) -> list[int]:
    return dwords_of(after.registers["VD"])


OPERATIONS = [
    (AtomicOp.ADD, 0xFFFF_FFFF, 2, 0, 1),  # 2^32 - 1 + 2 = 2^32 + 1
    (AtomicOp.SUB, 1, 3, 0, 0xFFFF_FFFE),  # 1 - 3 = -2
    (AtomicOp.INC, 0xFFFF_FFFF, 0, 0, 0),  # wraps (D40)
    (AtomicOp.DEC, 0, 0, 0, 0xFFFF_FFFF),
    (AtomicOp.MIN, 0x8000_0000, 1, 0, 1),  # unsigned: 2^31 > 1
    (AtomicOp.MAX, 0x8000_0000, 1, 0, 0x8000_0000),
    (AtomicOp.IMIN, 0x8000_0000, 1, 0, 0x8000_0000),  # signed: -2^31 < 1
    (AtomicOp.IMAX, 0x8000_0000, 1, 0, 1),
    (AtomicOp.XCHG, 7, 9, 0, 9),
    (AtomicOp.CMPXCHG, 7, 9, 7, 9),  # old = src1: src0 is stored (D38)
    (AtomicOp.CMPXCHG, 7, 7, 9, 7),  # old = src0 does not count
    (AtomicOp.CMPXCHG, 5, 9, 7, 5),
    (AtomicOp.AND, 0b1100, 0b1010, 0, 0b1000),
    (AtomicOp.OR, 0b1100, 0b1010, 0, 0b1110),
    (AtomicOp.XOR, 0b1100, 0b1010, 0, 0b0110),
    (AtomicOp.FMAX, 0xBF80_0000, 0x3F80_0000, 0, 0x3F80_0000),  # −1 < 1
    (AtomicOp.FMIN, 0xBF80_0000, 0xC000_0000, 0, 0xC000_0000),  # −2 < −1
    (AtomicOp.FCMPWR, 0x3F80_0000, 0x3F80_0000, 9, 9),  # old = src0: src1 is stored (D38)
]


@pytest.mark.parametrize(("op", "old", "src0", "src1", "new"), OPERATIONS)
def test_an_operation_leaves_the_tables_value_and_returns_the_old(
    op: AtomicOp, old: int, src0: int, src1: int, new: int
) -> None:
    after = after_both(atomic(op), thread([old], 1, [0] * 8, src0, src1))
    assert texels_after(after) == [new]
    assert returned(after) == [old, *[KEPT] * 7]


def test_the_examples_above_have_every_operation_but_predec() -> None:
    assert {example[0] for example in OPERATIONS} == set(PAGE_OPS) - {AtomicOp.PREDEC}


def test_predec_returns_the_new_value() -> None:
    """5 - 1 = 4 is stored and returned (D28)."""
    after = after_both(atomic(AtomicOp.PREDEC), thread([5], 1, [0] * 8))
    assert texels_after(after) == [4]
    assert returned(after) == [4, *[KEPT] * 7]


@pytest.mark.parametrize("op", PAGE_OPS)
def test_a_lane_out_of_bounds_returns_0_and_writes_nothing(op: AtomicOp) -> None:
    """u = 2 of width 2; predec returns 0 too, not -1 (D31)."""
    after = after_both(atomic(op), thread([5, 6], 1, [2] * 8, 1, 5))
    assert texels_after(after) == [5, 6]
    assert returned(after) == [0, *[KEPT] * 7]


def test_disabled_lanes_keep_their_slot_of_dst() -> None:
    """Lanes 1 and 3 of 0b1010; texels 1 and 3 (D7)."""
    after = after_both(atomic(AtomicOp.INC), thread([10, 11, 12, 13], 0b1010, list(range(8))))
    assert texels_after(after) == [10, 12, 12, 14]
    assert returned(after) == [KEPT, 11, KEPT, 13, KEPT, KEPT, KEPT, KEPT]


def test_a_null_dst_returns_nothing() -> None:
    before = thread([10], 1, [0] * 8)
    after = after_both(atomic(AtomicOp.INC, dst=NULL), before)
    assert texels_after(after) == [11]
    assert after.registers == before.registers


def test_two_lanes_add_one_after_the_other_on_one_texel() -> None:
    """100 + 3 + 4: in one of the two orders (here lane 0 first) the returned values are 100 and 103 (D30)."""
    before = thread([100], 0b11, [0] * 8)
    before.registers["VS0"] = dwords(3, 4, *[0] * 6)
    after = after_both(atomic(AtomicOp.ADD), before)
    assert texels_after(after) == [107]
    assert returned(after)[:2] == [100, 103]


def test_eight_lanes_count_on_one_texel() -> None:
    after = after_both(atomic(AtomicOp.PREDEC), thread([8], 0xFF, [0] * 8))
    assert texels_after(after) == [0]
    assert returned(after) == [7, 6, 5, 4, 3, 2, 1, 0]


def test_only_one_of_the_lanes_that_compare_with_the_old_value_wins() -> None:
    """Old 0, comparand 0, new values 1..8: lane 0 stores 1, and every other lane finds that."""
    before = thread([0], 0xFF, [0] * 8)
    before.registers["VS0"] = dwords(*range(1, 9))
    after = after_both(atomic(AtomicOp.CMPXCHG), before)
    assert texels_after(after) == [1]
    assert returned(after) == [0, 1, 1, 1, 1, 1, 1, 1]


def test_u_v_and_r_are_the_first_second_and_third_coordinate() -> None:
    """A surface of 4 × 3 × 2: lane 0 at (3, 2, 1) is its last texel; lane 1 at (2, 3, 1) has v outside."""
    before = thread([], 0b1111, [3, 2, 3, 4] + [0] * 4)
    before.surfaces[SURFACE] = Image(((4, 3, 2),), {(3, 2, 1, 0): 40, (2, 3, 1, 0): 50})
    before.registers |= {"VV": dwords(2, 3, 2, 2, *[0] * 4), "VR": dwords(1, 1, 2, 1, *[0] * 4)}
    after = after_both(replace(atomic(AtomicOp.INC), v=V, r=R), before)
    assert after.image(SURFACE).texels == {(3, 2, 1, 0): 41, (2, 3, 1, 0): 50}
    assert returned(after)[:4] == [40, 0, 0, 0]


def test_lod_selects_a_level_with_extents_of_its_own() -> None:
    """Level 1 is half as wide: u = 2 is inside level 0 and outside level 1; level 2 does not exist (D32)."""
    before = thread([], 0b111, [2, 2, 0] + [0] * 5)
    before.surfaces[SURFACE] = Image(((4, 1, 1), (2, 1, 1)), {(2, 0, 0, 0): 5, (2, 0, 0, 1): 6, (0, 0, 0, 2): 7})
    before.registers["VL"] = dwords(0, 1, 2, *[0] * 5)
    after = after_both(replace(atomic(AtomicOp.INC), lod=LOD), before)
    assert after.image(SURFACE).texels == {(2, 0, 0, 0): 6, (2, 0, 0, 1): 6, (0, 0, 0, 2): 7}
    assert returned(after)[:3] == [5, 0, 0]


def test_dst_may_be_the_register_of_a_source() -> None:
    """Every lane reads its source before dst is written (D36): 1 + 10 and 2 + 20."""
    before = thread([1, 2], 0b11, list(range(8)))
    before.registers["VS0"] = dwords(10, 20, *[0] * 6)
    after = after_both(atomic(AtomicOp.ADD, dst=SRC0), before)
    assert texels_after(after) == [11, 22]
    assert dwords_of(after.registers["VS0"])[:2] == [1, 2]


def test_the_predicate_and_the_mask_offset_select_lanes() -> None:
    """M3: lanes 8..15 of both masks; 0xFF00 and 0x0500 leave lanes 0 and 2."""
    before = thread([0] * 8, 0xFF00, list(range(8)))
    before.predicates["P1"] = PredicateBits(16, 0x0500)
    instruction = replace(atomic(AtomicOp.INC), execution=Execution(8, ExecMask.M3, Predicate("P1")))
    assert texels_after(after_both(instruction, before)) == [1, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("short", ["VU", "VS0", "VD"])
def test_an_operand_too_short_for_an_enabled_lane_is_undefined(short: str) -> None:
    """Sixteen bytes have lanes 0..3 (D6)."""
    for lanes, beyond in ((0x0F, False), (0x1F, True)):
        before = thread([0] * 8, lanes, list(range(8)))
        del before.registers[short][16:]
        assert is_undefined(atomic(AtomicOp.ADD), before) is beyond


# ---------------------------------------------------------------- 16 bits

HALF_OPERATIONS = [
    (AtomicOp.ADD, 0xFFFF, 2, 0, 1),  # 2^16 - 1 + 2 = 2^16 + 1
    (AtomicOp.SUB, 1, 3, 0, 0xFFFE),
    (AtomicOp.INC, 0xFFFF, 0, 0, 0),
    (AtomicOp.DEC, 0, 0, 0, 0xFFFF),
    (AtomicOp.MIN, 0x8000, 1, 0, 1),  # unsigned: 2^15 > 1
    (AtomicOp.IMIN, 0x8000, 1, 0, 0x8000),  # signed: -2^15 < 1
    (AtomicOp.MAX, 0x8000, 1, 0, 0x8000),
    (AtomicOp.IMAX, 0x8000, 1, 0, 1),
    (AtomicOp.XCHG, 7, 9, 0, 9),
    (AtomicOp.CMPXCHG, 7, 9, 7, 9),
    (AtomicOp.XOR, 0b1100, 0b1010, 0, 0b0110),
]


@pytest.mark.parametrize(("op", "old", "src0", "src1", "new"), HALF_OPERATIONS)
def test_a_16_bit_operation_uses_the_low_half_of_its_sources(
    op: AtomicOp, old: int, src0: int, src1: int, new: int
) -> None:
    """The upper halves of the sources are noise (D35); the result stands in the low half of its slot (D34)."""
    before = thread([old], 1, [0] * 8, 0xABCD_0000 | src0, 0x1234_0000 | src1)
    after = after_both(replace(atomic(op), texel_bits=16), before)
    assert texels_after(after) == [new]
    assert [value % 2**16 for value in returned(after)] == [old, *[KEPT % 2**16] * 7]
    assert returned(after)[1:] == [KEPT] * 7


def test_a_16_bit_predec_returns_the_new_value_and_outside_zero() -> None:
    after = after_both(replace(atomic(AtomicOp.PREDEC), texel_bits=16), thread([0], 0b11, [0, 1] + [0] * 6))
    assert texels_after(after) == [0xFFFF]
    assert [value % 2**16 for value in returned(after)[:2]] == [0xFFFF, 0]


def test_the_upper_half_of_a_16_bit_slot_is_undefined_where_the_lane_is_enabled() -> None:
    """Bits 31..16 of lanes 0 and 2; no other byte, and none on 32 bits (D34)."""
    before = thread([0], 0b101, [0] * 8)
    state, values = symbolised(before)
    half = undefined_bytes_of(replace(atomic(AtomicOp.INC), texel_bits=16), state)
    assert [place.start for guard, place in half if evaluate(guard, values)] == [2, 10]
    assert {place.width for _, place in half} == {2}
    assert undefined_bytes_of(atomic(AtomicOp.INC), state) == []
    assert undefined_bytes_of(replace(atomic(AtomicOp.INC, dst=NULL), texel_bits=16), state) == []


@pytest.mark.parametrize("platform", SUPPORTED)
def test_16_bits_exist_from_tgllp_on(platform: Platform) -> None:
    half = replace(atomic(AtomicOp.ADD), texel_bits=16)
    if platform >= Platform.TGLLP:
        half.validate(platform)
        return
    with pytest.raises(IllegalInstruction, match="16-bit atomics exist from TGLLP on"):
        half.validate(platform)


def test_other_widths_are_illegal() -> None:
    with pytest.raises(IllegalInstruction, match="64 bits: a texel has 16 or 32"):
        replace(atomic(AtomicOp.ADD), texel_bits=64).validate(Platform.PVC)


# ---------------------------------------------------------------- what the page allows


@pytest.mark.parametrize("platform", SUPPORTED)
@pytest.mark.parametrize("op", PAGE_OPS)
def test_every_supported_platform_has_every_operation(platform: Platform, op: AtomicOp) -> None:
    atomic(op).validate(platform)
    replace(atomic(op, dst=NULL), v=V, r=R, lod=LOD).validate(platform)


@pytest.mark.parametrize("size", [1, 2, 4, 16, 32])
def test_other_sizes_are_illegal(size: int) -> None:
    with pytest.raises(IllegalInstruction, match=rf"execution size {size} is not one of 8 \(TYPED_ATOMIC.md\)"):
        replace(atomic(AtomicOp.ADD), execution=Execution(size)).validate(Platform.PVC)


@pytest.mark.parametrize("mask", [ExecMask.M2, ExecMask.M4, ExecMask.M6_NM, ExecMask.M8])
def test_a_mask_that_does_not_fit_is_illegal(mask: ExecMask) -> None:
    with pytest.raises(IllegalInstruction, match=f"mask {mask.name} does not fit 8 lanes"):
        replace(atomic(AtomicOp.ADD), execution=Execution(8, mask)).validate(Platform.TGLLP)


@pytest.mark.parametrize("surface", ["%slm", "%scratch"])
def test_a_surface_without_texels_is_illegal(surface: str) -> None:
    with pytest.raises(IllegalInstruction, match=rf"{surface} has no texels \(D27\)"):
        replace(atomic(AtomicOp.ADD), surface=surface).validate(Platform.TGLLP)


def test_u_must_be_there_and_r_needs_v() -> None:
    with pytest.raises(IllegalInstruction, match="U must not be null"):
        replace(atomic(AtomicOp.ADD), u=NULL).validate(Platform.TGLLP)
    with pytest.raises(IllegalInstruction, match="R needs V"):
        replace(atomic(AtomicOp.ADD), r=R).validate(Platform.TGLLP)


@pytest.mark.parametrize("op", PAGE_OPS)
@pytest.mark.parametrize("given", [0, 1, 2])
def test_exactly_the_sources_of_the_operation_are_not_null(op: AtomicOp, given: int) -> None:
    """None for inc, dec and predec; both for cmpxchg; else Src0 alone (D28, D39)."""
    src0, src1 = (operand if given > k else NULL for k, operand in enumerate((SRC0, SRC1)))
    needed = {AtomicOp.INC: 0, AtomicOp.DEC: 0, AtomicOp.PREDEC: 0, AtomicOp.CMPXCHG: 2, AtomicOp.FCMPWR: 2}.get(op, 1)
    instruction = replace(atomic(op), src0=src0, src1=src1)
    if given == needed:
        instruction.validate(Platform.TGLLP)
        return
    source = "Src0" if (given == 0) != (needed == 0) else "Src1"
    rule = "not be null" if given < needed else r"be null \(V0\)"
    with pytest.raises(IllegalInstruction, match=rf"{source} must {rule} for {op.name.lower()}"):
        instruction.validate(Platform.TGLLP)


def test_it_reads_as_the_grammar_spells_it() -> None:
    assert str(atomic(AtomicOp.IMIN)) == (
        "typed_atomic.minsint (M1, 8) T6 VU.0 %null.0 %null.0 %null.0 VS0.0 %null.0 VD.0"
    )
    assert str(replace(atomic(AtomicOp.ADD), texel_bits=16)).startswith("typed_atomic.add.16 (M1, 8) ")
    assert " VS0.0 VS1.0 VD.0" in str(atomic(AtomicOp.CMPXCHG))
