"""Quads of LSC: by hand from docs/pages/current-compiler.md §4 and §5, in both writings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.agreement import SURFACE as BYTES
from tests.instructions.agreement import assert_agreement, states
from tests.two_writings import after_both, dwords, outcome_of_both
from visaproof.instructions.family import LscLoad, LscLoadTyped, LscStore, LscStoreTyped
from visaproof.instructions.lsc.typed import Coordinate
from visaproof.instructions.lsc.untyped import Addresses, DataShape, DataSize
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import Channels, Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image

SURFACE = "T6"
U, V, DATA = Coordinate(RawOperand("VU")), Coordinate(RawOperand("VV")), RawOperand("VD")


def plane(texels: dict[tuple[int, int, int, int], int], exec_mask: int) -> ConcreteState:
    """A 4×4 image, lanes at u = 0…15 and v = 0, and data 100, 101, … in registers of 64 bytes."""
    state = ConcreteState(Platform.Xe2, exec_mask=exec_mask)
    state.registers = {"VU": dwords(*range(16)), "VV": dwords(*[0] * 16), "VD": dwords(*range(100, 164))}
    state.surfaces[SURFACE] = Image(((4, 4, 1),), texels, SurfaceKind.PLANE)
    return state


def dword(state: ConcreteState, index: int) -> int:
    return int.from_bytes(state.registers["VD"][4 * index : 4 * index + 4], "little")


def test_each_chosen_component_has_registers_of_its_own() -> None:
    """y and w of the texel of lane 1, whose channels are 10, 20, 30, 40; x and z take no register."""
    texel = 10 | 20 << 32 | 30 << 64 | 40 << 96
    load = LscLoadTyped(Execution(16), Channels(0b1010), SURFACE, (U, V), DATA)
    after = after_both(load, plane({(1, 0, 0, 0): texel}, 0b10))
    assert [dword(after, index) for index in (0, 1, 2, 16, 17, 18, 32)] == [100, 20, 102, 116, 40, 118, 132]


def test_outside_the_image_every_component_is_zero() -> None:
    load = LscLoadTyped(Execution(16), Channels(0b1111), SURFACE, (U, V), DATA)
    after = after_both(load, plane({(3, 0, 0, 0): 9 << 96}, 0b11000))
    assert [dword(after, index) for index in (3, 4, 51, 52)] == [0, 0, 9, 0]


def test_a_constant_is_added_to_a_coordinate() -> None:
    """Lane 3 at u = 3 - 2 and v = 0 + 1 writes its second component, 100 + 16 + 3."""
    moved = Coordinate(U.operand, -2), Coordinate(V.operand, 1)
    store = LscStoreTyped(Execution(16), Channels(0b0011), SURFACE, moved, DATA)
    after = after_both(store, plane({}, 0b1000))
    assert after.image(SURFACE).channel((1, 1, 0, 0), 1) == 119


def test_a_store_outside_is_dropped() -> None:
    store = LscStoreTyped(Execution(16), Channels(0b0001), SURFACE, (U, V), DATA)
    after = after_both(store, plane({}, 0b11000))
    assert after.image(SURFACE).channel((3, 0, 0, 0), 0) == 103
    assert not after.image(SURFACE).contains((4, 0, 0, 0))


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_both_writings_of_typed_quads_agree(data: st.DataObject) -> None:
    draw = data.draw
    number = st.sampled_from([0, 1, 2, 3, 4, 2**32 - 1, 2**31])
    state = plane(
        {(x, y, 0, 0): 5 * x + y + (x << 70) for x in range(4) for y in range(4)}, draw(st.integers(0, 65535))
    )
    state.registers["VU"] = dwords(*(draw(number) for _ in range(16)))
    state.registers["VV"] = dwords(*(draw(number) for _ in range(16)))
    state.registers["VD"] = dwords(*range(draw(st.sampled_from([40, 64]))))
    state.predicates["P1"] = PredicateBits(32, draw(st.integers(0, 65535)))
    execution = Execution(draw(st.sampled_from([8, 16])), ExecMask.M1, draw(st.sampled_from([None, Predicate("P1")])))
    where = tuple(Coordinate(one.operand, draw(st.sampled_from([0, 1, -1]))) for one in (U, V))
    kind = draw(st.sampled_from([LscLoadTyped, LscStoreTyped]))
    outcome_of_both(kind(execution, Channels(draw(st.integers(1, 15))), SURFACE, where, DATA), state)


def test_typed_quads_exist_from_xe2_on() -> None:
    with pytest.raises(IllegalInstruction):
        LscLoadTyped(Execution(16), Channels(1), SURFACE, (U, V), DATA).validate(Platform.PVC)


def test_an_untyped_quad_skips_the_dwords_that_are_not_chosen(thread: ConcreteState) -> None:
    """d32.xz at address 4: dwords 4..7 and 12..15 into two registers, and back to the same places."""
    thread.surfaces[BYTES] = Buffer(64, {k: k for k in range(64)})
    thread.registers = {"VA": dwords(4), "VD": bytearray(64)}
    shape = DataShape(DataSize.D32, 2, components=(0, 2))
    LscLoad(Execution(1), BYTES, Addresses(RawOperand("VA"), 32), shape, DATA).execute(thread)
    assert list(thread.registers["VD"][:4]) + list(thread.registers["VD"][32:36]) == [4, 5, 6, 7, 12, 13, 14, 15]
    thread.surfaces[BYTES] = Buffer(64)
    LscStore(Execution(1), BYTES, Addresses(RawOperand("VA"), 32), shape, DATA).execute(thread)
    memory = thread.surfaces[BYTES]
    assert isinstance(memory, Buffer)
    assert [memory.contents.get(k, 0) for k in range(4, 16)] == [4, 5, 6, 7, 0, 0, 0, 0, 12, 13, 14, 15]


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_both_writings_of_untyped_quads_agree(data: st.DataObject) -> None:
    state = data.draw(states(Platform.PVC, {"VA": 64, "VD": 256}, "VA"))
    components = data.draw(st.sampled_from([(0,), (1, 3), (0, 1, 2), (0, 1, 2, 3), (2, 3)]))
    shape = DataShape(DataSize.D32, len(components), components=components)
    kind = data.draw(st.sampled_from([LscLoad, LscStore]))
    assert_agreement(kind(Execution(8), BYTES, Addresses(RawOperand("VA"), 32), shape, DATA), state)
