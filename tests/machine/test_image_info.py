"""`resinfo`: both machines give the extents of the image in the bytes of the destination, and nothing else."""

import pytest

from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image
from visaproof.semantics.symbolic.names import extents_of, lane_on
from visaproof.smt import Term, evaluate, symbols_of
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEAD = """.version 4.1
.kernel "k"
.decl L v_type=G type=d num_elts=16 align=GRF
.decl D v_type=G type=d num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
"""
ZERO = "mov (M1_NM, 8) L(0,0)<1> 0x0:d"
LEVELS = ((50, 7, 3), (25, 3, 1))
KEPT = 0xEE


def kernel(*lines: str) -> Kernel:
    return read_kernel(f"{HEAD}{''.join(f'    {line}' + chr(10) for line in (*lines, 'ret (M1, 1)'))}", "k.visaasm")


def state_with(levels: tuple[int, ...], exec_mask: int, platform: Platform) -> ConcreteState:
    state = ConcreteState(platform, exec_mask=exec_mask, surfaces={"T6": Image(LEVELS)})
    state.registers["D"] = bytearray([KEPT] * 256)
    state.registers["L"] = bytearray(b"".join(one.to_bytes(4, "little") for one in levels).ljust(64, b"\0"))
    return state


def dwords(state: ConcreteState) -> dict[int, int]:
    """The dwords of the destination that were written, by their number."""
    content = state.registers["D"]
    found = {k: int.from_bytes(content[4 * k : 4 * k + 4], "little") for k in range(64)}
    return {k: value for k, value in found.items() if value != KEPT * 0x01010101}


@pytest.mark.parametrize(
    ("channels", "lanes", "expected"),
    [
        ("R", 0b1, {0: 50}),
        ("RG", 0b1, {0: 50, 8: 7}),
        ("GB", 0b100, {2: 7, 10: 3}),
        ("RGBA", 0b11, {0: 50, 1: 25, 8: 7, 9: 3, 16: 3, 17: 1, 24: 2, 25: 2}),
    ],
)
def test_each_lane_gets_the_extents_of_its_level(channels: str, lanes: int, expected: dict[int, int]) -> None:
    """Lane 1 asks for the second level; a channel takes a register, and A has the number of levels."""
    state = state_with((0, 1), lanes, Platform.DG2)
    assert run(kernel(f"resinfo.{channels} (M1, 8) T6 L.0 D.0"), state).undefined is None
    assert dwords(state) == expected


def test_a_channel_takes_a_wide_register_since_pvc() -> None:
    state = state_with((0,), 1, Platform.PVC)
    run(kernel("resinfo.RG (M1, 8) T6 L.0 D.0"), state)
    assert {k: value for k, value in dwords(state).items() if value} == {0: 50, 16: 7}


def test_a_level_that_the_image_does_not_have_is_not_modelled() -> None:
    with pytest.raises(NotModelled, match="level 2 of T6"):
        run(kernel("resinfo.R (M1, 8) T6 L.0 D.0"), state_with((2,), 1, Platform.DG2))


def symbolic(number: int, *lines: str) -> int:
    """What a dword of the destination is at the end where lanes 0 to 7 are on and the image has the extents above."""
    ran = trace(kernel(*lines), Platform.DG2)
    assert ran.stopped is None
    term = ran.registers.read("D", 4 * number, 4)
    values: dict[Term, int] = dict(zip(extents_of("T6", 0), LEVELS[0], strict=True))
    values |= {lane_on(lane): 1 for lane in range(8)}
    assert symbols_of(term), "no constant"
    return evaluate(term, {one: values.get(one, 0) for one in symbols_of(term)})


@pytest.mark.parametrize(("number", "expected"), [(0, 50), (7, 50), (8, 7), (16, 3)])
def test_the_symbolic_machine_knows_the_largest_level(number: int, expected: int) -> None:
    assert symbolic(number, ZERO, "resinfo.RGB (M1, 8) T6 L.0 D.0") == expected


def test_other_levels_are_arbitrary() -> None:
    one = "mov (M1_NM, 8) L(0,0)<1> 0x1:d"
    assert symbolic(0, one, "resinfo.R (M1, 8) T6 L.0 D.0") == 0
    ran = trace(kernel(one, "resinfo.R (M1, 8) T6 L.0 D.0"), Platform.DG2)
    assert "another level" in ran.arbitrary[0].reason


@pytest.mark.parametrize(
    "text", ["resinfo (M1, 8) T6 L.0 D.0", "resinfo.R (M1, 8) T6 D.0", "resinfo.R (M1, 8) L.0 L.0 D.0"]
)
def test_what_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ReadError):
        trace(kernel(text), Platform.DG2)


def test_bytes_of_a_buffer_have_no_extents() -> None:
    store = "scatter4_scaled.R (M1, 8) T6 0x0:ud L.0 D.0"
    ran = trace(kernel(store, "resinfo.R (M1, 8) T6 L.0 D.0"), Platform.DG2)
    assert "of a buffer" in str(ran.stopped)
