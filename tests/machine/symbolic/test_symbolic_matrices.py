"""2D blocks and `dpas` on terms: where everything is a constant, as on numbers."""

import pytest

from visaproof.decode.dpas import decode_dpas
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.matrices import run_dpas
from visaproof.machine.symbolic.run import trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.smt import const, true, value_of
from visaproof.visaasm.reader import read_kernel

BLOCK = """.version 4.1
.kernel "k"
.decl B v_type=G type=uq num_elts=1
.decl D v_type=G type=ud num_elts=32 align=GRF
lsc_load_block2d.ugm (M1, 1) D:d16.3x2nn flat[B,0x3,0x0,0xF,0x0,0x0]
ret (M1, 1)
"""


def test_each_element_of_a_block_is_loaded_or_zero() -> None:
    """Rows of 4 bytes, one row: the words 0 and 1 are in the matrix, word 2, the gap and the second row are not."""
    kernel = read_kernel(BLOCK, "k.visaasm")
    found = trace(kernel, Platform.Xe2, lambda _name, _byte: (const(0xEE, 8), 0), [true()] * 16)
    assert found.stopped is None
    words = [value_of(found.registers.read("D", byte, 2)) for byte in range(0, 68, 2)]
    assert words == [None, None, *[0] * 30, 0xEEEE, 0xEEEE]
    assert [access.cell for access in found.performed[0].accesses] == [
        (const(0xEEEE_EEEE_EEEE_EEEE + 2 * k, 64),) for k in range(2)
    ]


def product(types: str, sums: str) -> str:
    return f""".version 4.1
.kernel "k"
.decl D v_type=G type={sums} num_elts=32 align=GRF
.decl C v_type=G type={sums} num_elts=32 align=GRF
.decl B v_type=G type=ud num_elts=128 align=GRF
.decl A v_type=G type=ud num_elts=16 align=GRF
dpas.{types}.8.2 (M1, 16) D.0 C.0 B.0 A(0,0)
ret (M1, 1)
"""


@pytest.mark.parametrize("types", ["s8.u8", "u8.s8", "s4.u4", "u4.u4", "s2.u2", "u1.s4"])
def test_sums_of_integers_are_those_on_numbers(types: str) -> None:
    kernel = read_kernel(product(types, "d"), "k.visaasm")
    held = {name: bytes((37 * k + 11 * ord(name)) % 251 for k in range(512)) for name in "DCBA"}
    found = trace(kernel, Platform.Xe2, lambda name, byte: (const(held[name][byte], 8), 0), [true()] * 16)
    state = ConcreteState(Platform.Xe2, exec_mask=0xFFFF)
    state.registers = {name: bytearray(content) for name, content in held.items()}
    run_dpas(decode_dpas(next(kernel.instructions()), kernel, Platform.Xe2), state)
    expected = [int.from_bytes(state.registers["D"][at : at + 4], "little") for at in range(0, 128, 4)]
    assert [value_of(found.registers.read("D", at, 4)) for at in range(0, 128, 4)] == expected


def test_a_sum_of_floats_depends_on_its_own_operands_alone() -> None:
    """Two products of the same operands are one value; lanes with other columns have others."""
    text = product("hf.hf", "f").replace("ret (M1", "dpas.hf.hf.8.2 (M1, 16) C.0 C.0 B.0 A(0,0)\nret (M1")
    held = {"B": bytes(4 * (k % 3 == 0) for k in range(512))}
    found = trace(
        read_kernel(text, "k.visaasm"),
        Platform.Xe2,
        lambda name, byte: (const(held.get(name, bytes(512))[byte], 8), 0),
        [true()] * 16,
    )
    first, second = ([found.registers.read(name, at, 4) for at in range(0, 128, 4)] for name in "DC")
    assert first == second
    assert len(set(map(id, first))) > 1
    assert {one.lane for one in found.arbitrary} <= set(range(16))


def test_a_sum_of_floats_depends_on_the_bit_that_is_about_it() -> None:
    """From Xe2 on bit 30 of the control register says what `dpas` does with denormals of BF and TF32."""
    kernel = read_kernel(product("hf.hf", "f"), "k.visaasm")
    for control in (0x4C0, 0x400004C0):
        found = trace(kernel, Platform.Xe2, lambda name, byte, held=control: (const(held, 32), byte % 4))
        assert {one.control for one in found.arbitrary} == {const(control, 32)}
