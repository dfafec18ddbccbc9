"""`dpas` on all machines: by hand from docs/pages/current-compiler.md §7, and one against the other."""

import struct
from random import Random

import pytest

from visaproof.decode.dpas import Element, decode_dpas
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.matrices import run_dpas
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.reader import read_kernel

TYPES = [each.spelling for each in Element if not each.floating]


def kernel(statement: str, sums: str = "d"):
    text = f""".version 4.1
.kernel "k"
.decl D v_type=G type={sums} num_elts=128
.decl C v_type=G type={sums} num_elts=128
.decl B v_type=G type=ud num_elts=128
.decl A v_type=G type=ud num_elts=128
{statement}
ret (M1, 1)
"""
    return read_kernel(text, "k.visaasm")


def after(statement: str, registers: dict[str, bytes], sums: str = "d", mask: int = 0xFFFF) -> list[int]:
    """The dwords of D."""
    read = kernel(statement, sums)
    first = next(read.instructions())
    state = ConcreteState(Platform.Xe2, exec_mask=mask)
    state.registers = {name: bytearray(registers.get(name, b"").ljust(512, b"\0")) for name in "DCBA"}
    run_dpas(decode_dpas(first, read, Platform.Xe2), state)
    return [int.from_bytes(state.registers["D"][at : at + 4], "little") for at in range(0, 512, 4)]


def packed(values: list[int], bits: int) -> bytes:
    number = sum(value % (1 << bits) << bits * place for place, value in enumerate(values))
    return number.to_bytes(-(-len(values) * bits // 8), "little")


def test_bytes_are_multiplied_row_by_column_and_added() -> None:
    """One row of 32 bytes, of which k = 1 and k = 4 are 3 and -2: lane 5 has 10 at k = 1 and 100 at k = 4.

    k = 1 is byte 1 of lane 5's dword in register 0, k = 4 is byte 0 of that in register 1: 7 + 3·10 - 2·100 = -163.
    """
    a = packed([0, 3, 0, 0, -2], 8)
    b = bytearray(512)
    b[4 * 5 + 1], b[64 + 4 * 5] = 10, 100
    c = bytearray(512)
    c[4 * 5] = 7
    sums = after("dpas.s8.s8.8.1 (M1, 16) D.0 C.0 B.0 A(0,0)", {"A": a, "B": bytes(b), "C": bytes(c)})
    assert sums[5] == 2**32 - 163
    assert sums[4] == sums[6] == 0


def test_the_second_row_of_halves_begins_at_byte_32_of_a() -> None:
    """K = 16 halves: A[1][0] = 1.5 is at byte 32, and lane 0 has 2.0 at k = 0; row 1 of the sums is register 1."""
    a = bytes(32) + struct.pack("<e", 1.5)
    sums = after("dpas.hf.hf.8.2 (M1, 16) D.0 %null.0 B.0 A(0,0)", {"A": a, "B": struct.pack("<e", 2.0)}, "f")
    assert sums[16] == int.from_bytes(struct.pack("<f", 3.0), "little")
    assert sums[0] == 0


def test_a_may_begin_within_a_register() -> None:
    a = bytes(64 + 8) + packed([5], 8)
    sums = after("dpas.u8.u8.8.1 (M1, 16) D.0 %null.0 B.0 A(1,2)", {"A": a, "B": packed([9], 8)})
    assert sums[0] == 45


def test_lanes_that_are_off_keep_their_column() -> None:
    registers = {"A": packed([1], 8), "B": b"\1\0\0\0" * 16, "D": b"\7\0\0\0" * 128}
    sums = after("dpas.u8.u8.8.1 (M1, 16) D.0 %null.0 B.0 A(0,0)", registers, mask=0xFFFE)
    assert sums[:3] == [7, 1, 1]


@pytest.mark.parametrize("w", TYPES)
@pytest.mark.parametrize("a_type", TYPES)
def test_integers_are_exact(w: str, a_type: str) -> None:
    """Against matrices of Python's integers."""
    random = Random(f"{w}{a_type}")
    b_kind, a_kind = Element[w.upper()], Element[a_type.upper()]
    k = 8 * (8 if max(b_kind.bits, a_kind.bits) <= 4 else 4)

    def drawn(kind: Element) -> int:
        return random.randrange(1 << kind.bits) - (1 << kind.bits - 1) * kind.signed

    a = [[drawn(a_kind) for _ in range(k)] for _ in range(3)]
    b = [[drawn(b_kind) for _ in range(16)] for _ in range(k)]
    c = [random.randrange(2**32) for _ in range(48)]
    columns = [packed([b[e][i] for e in range(k)], b_kind.bits) for i in range(16)]
    registers = b"".join(
        column[at : at + 4].ljust(4, b"\0") for at in range(0, len(columns[0]), 4) for column in columns
    )
    sums = after(
        f"dpas.{w}.{a_type}.8.3 (M1, 16) D.0 C.0 B.0 A(0,0)",
        {"A": packed([one for row in a for one in row], a_kind.bits), "B": registers,
         "C": b"".join(one.to_bytes(4, "little") for one in c)},
    )  # fmt: skip
    expected = [(c[16 * r + i] + sum(a[r][e] * b[e][i] for e in range(k))) % 2**32 for r in range(3) for i in range(16)]
    assert sums[:48] == expected


@pytest.mark.parametrize(("kind", "bound"), [("hf", 2**-8), ("bf", 2**-8), ("tf32", 2**-8)])
def test_floats_are_within_the_stated_tolerance(kind: str, bound: float) -> None:
    """Of the exact sum: K roundings to float32, relative to the sum of the sizes."""
    random, k = Random(kind), 8 if kind == "tf32" else 16

    def pattern(value: float) -> tuple[bytes, float]:
        if kind == "hf":
            raw = struct.pack("<e", value)
            return raw, struct.unpack("<e", raw)[0]
        if kind == "bf":
            raw = struct.pack("<f", value)[2:]
            return raw, struct.unpack("<f", b"\0\0" + raw)[0]
        raw = (int.from_bytes(struct.pack("<f", value), "little") & 0xFFFF_E000).to_bytes(4, "little")
        return raw, struct.unpack("<f", raw)[0]

    a = [[pattern(random.uniform(-4, 4)) for _ in range(k)] for _ in range(8)]
    b = [[pattern(random.uniform(-4, 4)) for _ in range(16)] for _ in range(k)]
    columns = [b"".join(b[e][i][0] for e in range(k)) for i in range(16)]
    registers = b"".join(column[at : at + 4] for at in range(0, len(columns[0]), 4) for column in columns)
    rows = b"".join(one for row in a for one, _ in row)
    sums = after(f"dpas.{kind}.{kind}.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)", {"A": rows, "B": registers}, "f")
    for r in range(8):
        for i in range(16):
            products = [a[r][e][1] * b[e][i][1] for e in range(k)]
            found = struct.unpack("<f", sums[16 * r + i].to_bytes(4, "little"))[0]
            assert abs(found - sum(products)) <= k * 2**-24 * sum(map(abs, products)) <= bound * sum(map(abs, products))


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("dpas.hf.bf.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", ReadError),
        ("dpas.hf.hf.8.9 (M1, 16) D.0 C.0 B.0 A(0,0)", ReadError),
        ("dpas.hf.hf.8 (M1, 16) D.0 C.0 B.0 A(0,0)", ReadError),
        ("dpas.e4.e4.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", NotModelled),
        ("dpas.hf.hf.8.8 (M1, 8) D.0 C.0 B.0 A(0,0)", NotModelled),
        ("dpas.u8.u8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", NotModelled),
    ],
)
def test_what_is_no_such_product_is_refused(statement: str, error: type[Exception]) -> None:
    def decoded() -> None:
        read = kernel(statement, "f")
        decode_dpas(next(read.instructions()), read, Platform.Xe2)

    with pytest.raises(error):
        decoded()
