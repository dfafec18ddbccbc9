"""2D blocks: by hand from docs/pages/current-compiler.md §6, then both writings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import assert_agreement
from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.lsc.block2d import BlockPlace, BlockShape, place_in_payload
from visaproof.isa.errors import IllegalInstruction, UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL, Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer

LANE = Execution(1, ExecMask.M1)
DATA = RawOperand("VD")
PAYLOAD = place_in_payload("VP", 0)


def place(x: int, y: int, *, width: int = 64, height: int = 4, pitch: int = 64, base: int = 0x1000) -> BlockPlace:
    """Of a matrix with rows of `width` bytes, `height` rows, and `pitch` bytes from row to row."""
    return BlockPlace(base, width - 1, height - 1, pitch - 1, x, y)


@pytest.fixture
def matrix(thread: ConcreteState) -> ConcreteState:
    """Byte c of row r is 16·r + c, of a matrix at 0x1000 with 4 rows, 64 bytes apart; registers hold 0xEE."""
    thread.platform = Platform.PVC
    contents = {0x1000 + 64 * r + c: (16 * r + c) % 256 for r in range(4) for c in range(64)}
    thread.surfaces["flat"] = Buffer(2**64, contents)
    thread.registers = {"VD": bytearray(b"\xee" * 512)}
    return thread


def data(state: ConcreteState, start: int, end: int) -> list[int]:
    return list(state.registers["VD"][start:end])


def test_rows_lie_one_behind_the_other(matrix: ConcreteState) -> None:
    """d8.4x2 at (1, 2): bytes 33..36 of row 2 and 49..52 of row 3; the rest of the register is 0."""
    LscLoadBlock2d(LANE, place(1, 2), BlockShape(8, 4, 2), DATA).execute(matrix)
    assert data(matrix, 0, 8) == [33, 34, 35, 36, 49, 50, 51, 52]
    assert data(matrix, 8, 64) == [0] * 56
    assert data(matrix, 64, 66) == [0xEE, 0xEE]


def test_a_row_of_three_elements_takes_the_place_of_four(matrix: ConcreteState) -> None:
    """d16.3x2 at (0, 0): P(3) = 4, so the second row begins at byte 8, and byte 6 and 7 are a gap."""
    LscLoadBlock2d(LANE, place(0, 0), BlockShape(16, 3, 2), DATA).execute(matrix)
    assert data(matrix, 0, 16) == [0, 1, 2, 3, 4, 5, 0, 0, 16, 17, 18, 19, 20, 21, 0, 0]


def test_elements_outside_the_matrix_are_zero(matrix: ConcreteState) -> None:
    """d32.2x2 at (-1, 3): column -1 and row 4 are outside; dword (0, 3) is bytes 48..51."""
    LscLoadBlock2d(LANE, place(-1, 3), BlockShape(32, 2, 2), DATA).execute(matrix)
    assert data(matrix, 0, 16) == [0, 0, 0, 0, 48, 49, 50, 51] + [0] * 8


def test_an_element_that_the_end_of_a_row_cuts_is_outside(matrix: ConcreteState) -> None:
    """With rows of 6 bytes, dword 1 has only 2 of its 4 bytes."""
    LscLoadBlock2d(LANE, place(0, 0, width=6), BlockShape(32, 2, 1), DATA).execute(matrix)
    assert data(matrix, 0, 8) == [0, 1, 2, 3, 0, 0, 0, 0]


def test_transposed_columns_become_rows(matrix: ConcreteState) -> None:
    """d32.2x3tn: P(3) = 4, so column 1 begins at dword 4; dword (x, y) begins with byte 16·y + 4·x."""
    LscLoadBlock2d(LANE, place(0, 0), BlockShape(32, 2, 3, transposed=True), DATA).execute(matrix)
    assert [data(matrix, byte, byte + 1)[0] for byte in range(0, 32, 4)] == [0, 16, 32, 0, 4, 20, 36, 0]


def test_vnni_puts_two_words_of_a_column_into_a_dword(matrix: ConcreteState) -> None:
    """d16.2x2nt: dword 0 is (0, 0) below (0, 1), dword 1 is (1, 0) below (1, 1)."""
    LscLoadBlock2d(LANE, place(0, 0), BlockShape(16, 2, 2, vnni=True), DATA).execute(matrix)
    assert data(matrix, 0, 8) == [0, 1, 16, 17, 2, 3, 18, 19]


def test_vnni_puts_four_bytes_of_a_column_into_a_dword(matrix: ConcreteState) -> None:
    LscLoadBlock2d(LANE, place(0, 0), BlockShape(8, 2, 4, vnni=True), DATA).execute(matrix)
    assert data(matrix, 0, 8) == [0, 16, 32, 48, 1, 17, 33, 49]


def test_the_second_block_begins_in_a_register_of_its_own(matrix: ConcreteState) -> None:
    """d16.2x2x1nn at (1, 0): the second block has the columns 3 and 4."""
    LscLoadBlock2d(LANE, place(1, 0), BlockShape(16, 2, 1, 2), DATA).execute(matrix)
    assert data(matrix, 0, 5) == [2, 3, 4, 5, 0]
    assert data(matrix, 64, 69) == [6, 7, 8, 9, 0]


def test_constants_move_x_and_y(matrix: ConcreteState) -> None:
    moved = BlockPlace(0x1000, 63, 3, 63, 5, 1, moved_x=-4, moved_y=1)
    LscLoadBlock2d(LANE, moved, BlockShape(8, 4, 1), DATA).execute(matrix)
    assert data(matrix, 0, 4) == [33, 34, 35, 36]


def test_a_payload_has_the_parts_in_its_dwords(matrix: ConcreteState) -> None:
    parts = (0x1000, 0, 63, 3, 63, 2**32 - 1, 1)
    matrix.registers["VP"] = bytearray(b"".join(part.to_bytes(4, "little") for part in parts))
    LscLoadBlock2d(LANE, PAYLOAD, BlockShape(8, 4, 1), DATA).execute(matrix)
    assert data(matrix, 0, 4) == [0, 16, 17, 18]


def test_a_store_drops_what_is_outside(matrix: ConcreteState) -> None:
    """d8.3x2nn at (62, 3): of each row the third byte is outside, and the whole second row; its row pitch is 4."""
    matrix.registers["VD"] = bytearray(range(100, 164))
    LscStoreBlock2d(LANE, place(62, 3), BlockShape(8, 3, 2), DATA).execute(matrix)
    surface = matrix.surfaces["flat"]
    assert isinstance(surface, Buffer)
    assert [surface.contents.get(0x10C0 + c, 0) for c in range(60, 66)] == [108, 109, 100, 101, 0, 0]


def test_a_lane_that_is_off_does_nothing(matrix: ConcreteState) -> None:
    matrix.predicates["P1"] = PredicateBits(32, 0)
    off = Execution(1, ExecMask.M1, Predicate("P1"))
    LscLoadBlock2d(off, place(0, 0), BlockShape(8, 4, 2), DATA).execute(matrix)
    assert data(matrix, 0, 2) == [0xEE, 0xEE]


def test_a_block_that_is_longer_than_its_variable_is_undefined(matrix: ConcreteState) -> None:
    with pytest.raises(UndefinedBehavior):
        LscLoadBlock2d(LANE, place(0, 0), BlockShape(32, 16, 16), DATA).execute(matrix)


@pytest.mark.parametrize(
    ("shape", "platform"),
    [
        (BlockShape(32, 16, 8), Platform.DG2),
        (BlockShape(32, 32, 8), Platform.PVC),
        (BlockShape(8, 16, 64), Platform.PVC),
        (BlockShape(8, 16, 8, 3), Platform.PVC),
        (BlockShape(16, 8, 8, transposed=True), Platform.PVC),
        (BlockShape(32, 8, 8, vnni=True), Platform.PVC),
        (BlockShape(24, 8, 8), Platform.PVC),
    ],
)
def test_shapes_that_no_message_has(shape: BlockShape, platform: Platform) -> None:
    with pytest.raises(IllegalInstruction):
        LscLoadBlock2d(LANE, PAYLOAD, shape, DATA).validate(platform)


def test_a_store_is_one_plain_block_of_eight_rows_at_most() -> None:
    LscStoreBlock2d(LANE, PAYLOAD, BlockShape(32, 16, 8), DATA).validate(Platform.Xe2)
    wrong = BlockShape(32, 16, 9), BlockShape(32, 4, 8, 2), BlockShape(32, 4, 8, transposed=True)
    for shape in wrong:
        with pytest.raises(IllegalInstruction):
            LscStoreBlock2d(LANE, PAYLOAD, shape, DATA).validate(Platform.Xe2)


SHAPES = (
    BlockShape(8, 4, 3), BlockShape(8, 3, 5, vnni=True), BlockShape(16, 3, 2, 2), BlockShape(16, 2, 4, 2, vnni=True),
    BlockShape(32, 3, 3), BlockShape(32, 2, 5, transposed=True), BlockShape(64, 2, 2),
    BlockShape(64, 2, 3, transposed=True),
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_both_writings_agree(data: st.DataObject) -> None:
    """Also where X, Y and the extents are at their ends, and where the base is near 2^64."""
    draw = data.draw
    small = st.sampled_from([0, 1, 2, 5, 7, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 2])
    base = draw(st.sampled_from([0, 64, 2**64 - 9, 2**64 - 64]))
    state = ConcreteState(Platform.PVC, draw(st.sampled_from([0xFFFF_FFFF, 0xFFFF_FFFE])))
    parts = [base % 2**32, base >> 32, *(draw(small) for _ in range(5)), 0]
    state.registers = {
        "VP": bytearray(b"".join(part.to_bytes(4, "little") for part in parts)),
        "VD": bytearray(draw(st.sampled_from([100, 192, 256])) * b"\xab"),
    }
    state.predicates["P1"] = PredicateBits(32, draw(st.integers(0, 2**32 - 1)))
    near = {(base + k) % 2**64: (7 * k + 1) % 256 for k in range(-40, 40)}
    state.surfaces["flat"] = Buffer(2**64, near)
    predicate = draw(st.sampled_from([None, Predicate("P1")]))
    execution = Execution(1, draw(st.sampled_from([ExecMask.M1, ExecMask.M1_NM])), predicate)
    where = place_in_payload("VP", 0, draw(st.sampled_from([0, -1, 3])), draw(st.sampled_from([0, 1, -2])))
    shape = draw(st.sampled_from(SHAPES))
    kind = LscStoreBlock2d if shape in (SHAPES[0], SHAPES[4], SHAPES[6]) and draw(st.booleans()) else LscLoadBlock2d
    assert_agreement(kind(execution, where, shape, DATA), state)


def test_a_prefetch_changes_nothing(matrix: ConcreteState) -> None:
    before = bytes(matrix.registers["VD"])
    LscLoadBlock2d(LANE, place(0, 0), BlockShape(8, 4, 2), NULL).execute(matrix)
    assert matrix.registers["VD"] == before
