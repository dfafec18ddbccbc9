"""`dpas` on numbers.  Source: docs/pages/current-compiler.md §7.

Integers are exact.  Floats are added in the order of k, each sum rounded to the nearest float32 (reading
"dpas-floats"): what a device gives may differ from that by the rounding of K sums.
"""

import struct
from math import isnan

from visaproof.decode.dpas import Dpas, Element
from visaproof.isa.operands import NULL
from visaproof.semantics.concrete.state import ConcreteState

NOT_A_NUMBER = 0x7FC0_0000
"""Which NaN a sum gives."""


def run_dpas(dpas: Dpas, state: ConcreteState) -> None:
    """Every source is read before anything is written.  Raises UndefinedBehavior beyond a variable (D6)."""
    lanes, k, row_bytes = dpas.execution.size, dpas.inner, dpas.a_bits // 8
    packed_rows = [state.read_bytes(dpas.a, r * row_bytes, row_bytes) for r in range(dpas.rows)]
    a_rows = [[_field(packed, e, dpas.a_type) for e in range(k)] for packed in packed_rows]
    sums: list[tuple[int, int]] = []
    for i in range(lanes):
        if not state.channel_enabled(dpas.execution, i):
            continue
        # Page: register k, lane i holds q elements of column i, one behind the other
        dwords = [state.read_bytes(dpas.b, 4 * (lanes * register + i), 4) for register in range(dpas.b_dwords)]
        packed = sum(dword << 32 * register for register, dword in enumerate(dwords))
        column = [_field(packed, e, dpas.b_type) for e in range(k)]
        for r, row in enumerate(a_rows):
            place = 4 * (r * lanes + i)
            start = 0 if dpas.acc == NULL else state.read_bytes(dpas.acc, place, 4)
            sums.append((place, (_float_sum if dpas.floating else _integer_sum)(start, row, column, dpas)))
    for place, _ in sums:
        state.read_bytes(dpas.dst, place, 4)  # every enabled lane must fit (D6)
    for place, value in sums:
        state.write_bytes(dpas.dst, place, 4, value)


def _field(packed: int, element: int, kind: Element) -> int:
    return packed >> element * kind.bits & (1 << kind.bits) - 1


def _integer_sum(start: int, row: list[int], column: list[int], dpas: Dpas) -> int:
    products = (_integer(a, dpas.a_type) * _integer(b, dpas.b_type) for a, b in zip(row, column, strict=True))
    return (start + sum(products)) % 2**32


def _integer(bits: int, kind: Element) -> int:
    return bits - (1 << kind.bits) if kind.signed and bits >> kind.bits - 1 else bits


def _float_sum(start: int, row: list[int], column: list[int], dpas: Dpas) -> int:
    total: float = struct.unpack("<f", start.to_bytes(4, "little"))[0]
    for a, b in zip(row, column, strict=True):
        total = _rounded(total + _number(a, dpas.a_type) * _number(b, dpas.b_type))
    return NOT_A_NUMBER if isnan(total) else int.from_bytes(struct.pack("<f", total), "little")


def _number(bits: int, kind: Element) -> float:
    """Exact in a double; so is a product of two."""
    match kind:
        case Element.HF:
            return struct.unpack("<e", bits.to_bytes(2, "little"))[0]
        case Element.BF:
            return struct.unpack("<f", (bits << 16).to_bytes(4, "little"))[0]
        case _:  # of TF32, the low 13 bits are ignored
            return struct.unpack("<f", (bits & 0xFFFF_E000).to_bytes(4, "little"))[0]


def _rounded(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
