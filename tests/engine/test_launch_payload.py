"""What a thread of a launch starts with beside its arguments."""

import pytest

from visaproof.engine.launch.arguments import prepare
from visaproof.engine.launch.payload import UNUSED_IN_SR0, Payloads, Program, thread_in_sr0
from visaproof.engine.launch.shape import Shape, ThreadId
from visaproof.isa.platform import Platform
from visaproof.kernel.launch import NOTHING_KNOWN
from visaproof.kernel.reader import read_kernel

KERNEL = """.version 4.1
.kernel "k"
.decl V32 v_type=G type=d num_elts=8 align=GRF
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 1) V32(0,0)<1> %sr0(0,0)<0;1,0>
ret (M1, 1)
"""


def without_gaps(sr0: int, unused: tuple[int, ...]) -> int:
    """The number of a thread as IGC's code computes it: without these bits, the highest first."""
    number = sr0 & 0x7FFF
    for bit in unused:
        low = (1 << bit) - 1
        number = number & low | number >> 1 & ~low
    return number


@pytest.mark.parametrize(("platform", "unused"), [(Platform.DG2, (6, 3)), (Platform.PVC, (7, 6, 3))])
def test_each_thread_has_a_number_of_its_own_in_sr0(platform: Platform, unused: tuple[int, ...]) -> None:
    """Else two of them share their private memory."""
    numbered = [thread_in_sr0(number, UNUSED_IN_SR0[platform]) for number in range(4096)]
    assert [without_gaps(one, unused) for one in numbered] == list(range(4096))


@pytest.mark.parametrize(("platform", "expected"), [(Platform.DG2, 0x91), (Platform.PVC, 0x111), (Platform.TGLLP, 0)])
def test_a_thread_starts_with_it(platform: Platform, expected: int) -> None:
    program = Program(read_kernel(KERNEL, "k.visaasm"), NOTHING_KNOWN, platform)
    values, _ = prepare(program, Shape((64, 1, 1), (64, 1, 1)), {}, {})
    state = Payloads(program, values).state(ThreadId((0, 0, 0), 0), 0b101001, {})
    assert int.from_bytes(state.registers.get("%sr0", bytearray(4))[:4], "little") == expected
