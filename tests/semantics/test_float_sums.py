"""fadd and fsub of LSC_ATOMIC: numbers and terms are numpy's sums, and z3's floating-point theory for every pattern."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.instructions.dword_atomic import DwordAtomic
from visaproof.instructions.typed_atomic import TypedAtomic
from visaproof.isa.answers import FloatDenormals
from visaproof.isa.atomics import ROUNDED_OPS, AtomicOp, commute
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.operands import Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.semantics.concrete.float_atomics import float_new_value
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import BitVec, const, symbol, value_of

z3: Any = import_module("z3")

FADD, FSUB = ROUNDED_OPS
FLUSHED = Readings(float_denormals=FloatDenormals.FLUSHED)
FORMATS: dict[int, tuple[Any, Any, int]] = {
    32: (np.float32, np.uint32, 0x7FC0_0000),
    64: (np.float64, np.uint64, 0x7FF8_0000_0000_0000),
}
EXPONENT_BITS = {32: 8, 64: 11}


def on_numbers(op: AtomicOp, old: int, src0: int, bits: int, readings: Readings = DEFAULT) -> int:
    """What both writings leave."""
    found = value_of(new_value(op, const(old, bits), const(src0, bits), const(0, bits), readings))
    assert found == float_new_value(op, old, src0, 0, bits, readings)
    assert found is not None
    return found


def added_by_numpy(op: AtomicOp, old: int, src0: int, bits: int) -> int:
    number, word, nan = FORMATS[bits]
    with np.errstate(all="ignore"):
        left, right = (np.array(pattern, word).view(number) for pattern in (old, src0))
        total = left - right if op is FSUB else left + right
    return nan if np.isnan(total) else int(np.array(total, number).view(word))


def patterns(bits: int) -> st.SearchStrategy[int]:
    """Any, and those near each other and near zero."""
    exponents = st.sampled_from([0, 1, (1 << (EXPONENT_BITS[bits] - 1)) - 1, (1 << EXPONENT_BITS[bits]) - 1])
    fraction = bits - 1 - EXPONENT_BITS[bits]
    near = st.builds(
        lambda sign, exponent, rest: sign << (bits - 1) | exponent << fraction | rest,
        st.integers(0, 1), exponents, st.integers(0, 3) | st.integers(0, (1 << fraction) - 1),
    )  # fmt: skip
    return near | st.integers(0, (1 << bits) - 1)


@pytest.mark.parametrize("bits", FORMATS)
@given(data=st.data(), op=st.sampled_from(ROUNDED_OPS))
def test_a_sum_is_the_one_that_numpy_rounds(bits: int, data: st.DataObject, op: AtomicOp) -> None:
    old, src0 = data.draw(patterns(bits)), data.draw(patterns(bits))
    assert on_numbers(op, old, src0, bits) == added_by_numpy(op, old, src0, bits)


@pytest.mark.parametrize("bits", FORMATS)
@given(data=st.data(), op=st.sampled_from(ROUNDED_OPS))
def test_both_writings_flush_the_same_denormals(bits: int, data: st.DataObject, op: AtomicOp) -> None:
    on_numbers(op, data.draw(patterns(bits)), data.draw(patterns(bits)), bits, FLUSHED)


@pytest.mark.parametrize(
    ("op", "old", "src0", "expected"),
    [
        (FADD, 0x3F80_0000, 0x3F80_0000, 0x4000_0000),  # 1 + 1
        (FSUB, 0x3F80_0000, 0x4000_0000, 0xBF80_0000),  # 1 − 2
        (FADD, 0x4B80_0000, 0x3F80_0000, 0x4B80_0000),  # 2^24 + 1 is a tie, and 2^24 is even
        (FSUB, 0x7F80_0000, 0x7F80_0000, 0x7FC0_0000),  # ∞ − ∞
        (FADD, 0x7F80_0001, 0, 0x7FC0_0000),  # a signalling NaN is made quiet
        (FADD, 0x8000_0000, 0x8000_0000, 0x8000_0000),  # −0 − 0
        (FSUB, 0x8000_0000, 0x8000_0000, 0),  # −0 + 0
        (FADD, 1, 1, 2),
    ],
)
def test_sums_that_were_worked_out_by_hand(op: AtomicOp, old: int, src0: int, expected: int) -> None:
    assert on_numbers(op, old, src0, 32) == expected


@pytest.mark.parametrize(
    ("old", "src0", "expected"),
    [(1, 0x3F80_0000, 0x3F80_0000), (0x8000_0001, 0x8000_0001, 0x8000_0000), (0x0080_0001, 0x8080_0000, 0)],
)
def test_flushed_denormals_count_as_zeros_of_their_sign(old: int, src0: int, expected: int) -> None:
    """The last is 2^-149, which no format with flushed denormals can hold."""
    assert on_numbers(FADD, old, src0, 32, FLUSHED) == expected


@pytest.mark.slow
@pytest.mark.parametrize("readings", [DEFAULT, FLUSHED], ids=["exact", "flushed"])
@pytest.mark.parametrize("op", ROUNDED_OPS)
def test_the_terms_are_the_floating_point_theory(op: AtomicOp, readings: Readings) -> None:
    assert differs_from_z3(op, op, readings) == z3.unsat


def test_a_difference_is_not_the_theorys_sum() -> None:
    assert differs_from_z3(FSUB, FADD, DEFAULT) == z3.sat


def differs_from_z3(done: AtomicOp, named: AtomicOp, readings: Readings) -> Any:
    """Whether the terms of one operation can leave what z3's statement of another does not."""
    from visaproof.smt.z3_arrays import Lowering

    def term(name: str) -> BitVec:
        return symbol(name, 32)

    sort, lowering = z3.FPSort(8, 24), Lowering()
    ours = lowering.lower(new_value(done, term("old"), term("src0"), term("src1"), readings))

    def settled(number: Any) -> Any:
        if readings.float_denormals is FloatDenormals.EXACT:
            return number
        zero = z3.If(z3.fpIsNegative(number), z3.fpMinusZero(sort), z3.fpPlusZero(sort))
        return z3.If(z3.fpIsSubnormal(number), zero, number)

    left, right = (settled(z3.fpBVToFP(lowering.lower(term(name)), sort)) for name in ("old", "src0"))
    total = settled(z3.fpAdd(z3.RNE(), left, z3.fpNeg(right) if named is FSUB else right))
    bits = z3.If(z3.fpIsNaN(total), z3.BitVecVal(FORMATS[32][2], 32), z3.fpToIEEEBV(total))
    solver = z3.Solver()
    solver.set(timeout=60_000)
    solver.add(ours != bits)
    return solver.check()


def test_two_sums_do_not_commute() -> None:
    """2^24 + 1 + 1 is 2^24 where each step is rounded; the pairs of other operations are in the table of the pages."""
    assert not any(commute(one, other) for one in ROUNDED_OPS for other in AtomicOp)
    big, one = 0x4B80_0000, 0x3F80_0000
    small_first = on_numbers(FADD, on_numbers(FADD, one, one, 32), big, 32)
    assert small_first != on_numbers(FADD, on_numbers(FADD, big, one, 32), one, 32)


@pytest.mark.parametrize("op", ROUNDED_OPS)
def test_no_other_page_has_float_sums(op: AtomicOp) -> None:
    data = RawOperand("V1")
    for message in (
        DwordAtomic(Execution(8), op, "T6", data, src0=data),
        TypedAtomic(Execution(8), op, "T6", data, src0=data),
    ):
        with pytest.raises(IllegalInstruction, match="is not on the page"):
            message.validate(Platform.TGLLP)
