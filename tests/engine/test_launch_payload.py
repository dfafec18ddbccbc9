"""What a thread of a launch starts with beside its arguments."""

import pytest

from visaproof.engine.launch.arguments import prepare
from visaproof.engine.launch.payload import Payloads, Program, thread_in_sr0
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


def without_gaps(sr0: int) -> int:
    """The number of a thread as IGC's code for DG2 computes it: without bit 6, then without bit 3."""
    low = sr0 & 0x3FFF
    number = low & 0x3F | low >> 1 & ~0x3F
    return number & 0x7 | number >> 1 & ~0x7


def test_each_thread_has_a_number_of_its_own_in_sr0() -> None:
    """Else two of them share their private memory."""
    assert [without_gaps(thread_in_sr0(number)) for number in range(4096)] == list(range(4096))


@pytest.mark.parametrize(("platform", "expected"), [(Platform.DG2, 0x91), (Platform.TGLLP, 0)])
def test_dg2_starts_with_it(platform: Platform, expected: int) -> None:
    program = Program(read_kernel(KERNEL, "k.visaasm"), NOTHING_KNOWN, platform)
    values, _ = prepare(program, Shape((64, 1, 1), (64, 1, 1)), {}, {})
    state = Payloads(program, values).state(ThreadId((0, 0, 0), 0), 0b101001, {})
    assert int.from_bytes(state.registers.get("%sr0", bytearray(4))[:4], "little") == expected
