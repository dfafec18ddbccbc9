"""The four elements of a `:vf` immediate, on all machines.  Page: 2_datatypes.md."""

import math
import struct

import numpy as np
import pytest

from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt import value_of
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

ALL = [int.from_bytes(bytes(range(first, first + 4)), "little") for first in range(0, 256, 4)]
"""Immediates that hold every restricted float once."""


def kernel_of(*statements: str) -> Kernel:
    lines = [".version 4.1", '.kernel "k"', ".decl R v_type=G type=f num_elts=256 align=GRF"]
    lines += [".kernel_attr SimdSize=16", '.function "k"', *statements, "ret (M1, 1)"]
    return read_kernel("\n".join(lines) + "\n", "k.visaasm")


def number(byte: int) -> float:
    """Sign, three bits of exponent, four of mantissa; all but the two zeros are normal numbers."""
    magnitude = math.ldexp(16 + byte % 16, (byte >> 4) % 8 - 3 - 4) if byte % 128 else 0.0
    return math.copysign(magnitude, -1.0 if byte >= 128 else 1.0)


WHOLE = kernel_of(*(f"mov (M1_NM, 4) R({k // 2},{k % 2 * 4})<1> {bits:#x}:vf" for k, bits in enumerate(ALL)))
EXPECTED = struct.pack("<256f", *map(number, range(256)))


def test_the_range_is_that_of_the_page() -> None:
    assert max(map(number, range(256))) == 31


def test_the_machine_for_one_thread_has_every_restricted_float() -> None:
    state = ConcreteState(Platform.TGLLP, 0xFFFF)
    assert run(WHOLE, state).undefined is None
    assert bytes(state.registers["R"]) == EXPECTED


def test_the_arrays_have_every_restricted_float() -> None:
    found = run_threads(WHOLE, Platform.TGLLP, {}, np.array([0xFFFF, 1]), Memories(), np.array([0, 0]))
    assert [row.tobytes() for row in found.registers["R"]] == [EXPECTED, EXPECTED]


def test_the_symbolic_machine_has_every_restricted_float() -> None:
    traced = trace(WHOLE, Platform.TGLLP)
    assert traced.stopped is None
    assert bytes(value_of(traced.registers.read("R", byte, 1)) or 0 for byte in range(1024)) == EXPECTED


def test_more_lanes_than_elements_are_not_modelled() -> None:
    kernel = kernel_of("mov (M1_NM, 8) R(0,0)<1> 0x1:vf")
    with pytest.raises(NotModelled, match="more lanes than Src0 of type :vf has elements"):
        run(kernel, ConcreteState(Platform.TGLLP, 0xFFFF))
    assert "more lanes" in str(trace(kernel, Platform.TGLLP).stopped)
    found = run_threads(kernel, Platform.TGLLP, {}, np.array([0xFFFF]), Memories(), np.array([0]))
    assert [stop.thread for stop in found.not_modelled] == [0]
