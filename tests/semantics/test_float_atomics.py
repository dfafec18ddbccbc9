"""fmax, fmin and fcmpwr: numbers and terms agree, by every reading, and are z3's floating-point theory on the bits."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import FLOATS
from visaproof.checking.stages import Fails, Holds, decide_goal
from visaproof.isa.answers import FloatDenormals, FloatNan, FloatZeros
from visaproof.isa.atomics import COMPARING_OPS, AtomicOp
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries import atomics
from visaproof.semantics.concrete.float_atomics import float_new_value
from visaproof.semantics.symbolic.effects import new_value
from visaproof.smt import const, evaluate, symbol

z3: Any = import_module("z3")

EVERY = tuple(
    Readings(float_nan=nan, float_zeros=zeros, float_denormals=denormals)
    for nan, zeros, denormals in product(FloatNan, FloatZeros, FloatDenormals)
)
WIDTHS = (16, 32)
FMAX, FMIN, FCMPWR = COMPARING_OPS


def name(readings: Readings) -> str:
    return "-".join(one.value for one in (readings.float_nan, readings.float_zeros, readings.float_denormals))


# ---------------------------------------------------------------- by hand

PLUS, MINUS, ONE, TWO, LEAST = 0, 0x8000_0000, 0x3F80_0000, 0x4000_0000, 1
MINUS_ONE, INFINITY, NAN, OTHER_NAN, SIGNALLING = 0xBF80_0000, 0x7F80_0000, 0x7FC0_0000, 0xFFC0_0001, 0x7F80_0001
PROPAGATES, ORDERED = Readings(float_nan=FloatNan.PROPAGATES), Readings(float_zeros=FloatZeros.ORDERED)
FLUSHED = Readings(float_denormals=FloatDenormals.FLUSHED)

EXAMPLES: list[tuple[AtomicOp, Readings, int, int, int, int]] = [
    (FMAX, DEFAULT, ONE, TWO, 0, TWO),
    (FMAX, DEFAULT, MINUS_ONE, ONE, 0, ONE),  # as unsigned integers −1 is the greater
    (FMIN, DEFAULT, MINUS_ONE, 0xC000_0000, 0, 0xC000_0000),  # −2 < −1; as signed integers −1 is the less
    (FMIN, DEFAULT, INFINITY, ONE, 0, ONE),
    (FMAX, DEFAULT, ONE, NAN, 0, ONE),
    (FMAX, DEFAULT, NAN, ONE, 0, ONE),
    (FMIN, DEFAULT, SIGNALLING, INFINITY, 0, INFINITY),
    (FMAX, DEFAULT, NAN, OTHER_NAN, 0, NAN),
    (FMAX, PROPAGATES, ONE, NAN, 0, NAN),
    (FMIN, PROPAGATES, NAN, ONE, 0, NAN),
    (FMAX, PROPAGATES, NAN, OTHER_NAN, 0, NAN),
    (FMAX, DEFAULT, MINUS, PLUS, 0, MINUS),
    (FMIN, DEFAULT, PLUS, MINUS, 0, PLUS),
    (FMAX, ORDERED, MINUS, PLUS, 0, PLUS),
    (FMIN, ORDERED, PLUS, MINUS, 0, MINUS),
    (FMAX, DEFAULT, PLUS, LEAST, 0, LEAST),
    (FMAX, FLUSHED, PLUS, LEAST, 0, PLUS),
    (FMAX, FLUSHED, LEAST, PLUS, 0, LEAST),  # compared as zero, and kept as it is
    (FCMPWR, DEFAULT, ONE, ONE, TWO, TWO),  # D38: src0 is the comparand
    (FCMPWR, DEFAULT, ONE, TWO, ONE, ONE),
    (FCMPWR, DEFAULT, PLUS, MINUS, TWO, TWO),
    (FCMPWR, ORDERED, PLUS, MINUS, TWO, TWO),  # equal by every reading
    (FCMPWR, DEFAULT, NAN, NAN, TWO, NAN),
    (FCMPWR, DEFAULT, PLUS, LEAST, TWO, PLUS),
    (FCMPWR, FLUSHED, PLUS, LEAST, TWO, TWO),
]
"""Operation, readings, old value, src0, src1, new value."""


@pytest.mark.parametrize(("op", "readings", "old", "src0", "src1", "new"), EXAMPLES)
def test_examples_worked_by_hand(op: AtomicOp, readings: Readings, old: int, src0: int, src1: int, new: int) -> None:
    assert float_new_value(op, old, src0, src1, 32, readings) == new
    assert on_terms(op, old, src0, src1, 32, readings) == new


def on_terms(op: AtomicOp, old: int, src0: int, src1: int, bits: int, readings: Readings) -> int:
    return evaluate(new_value(op, const(old, bits), const(src0, bits), const(src1, bits), readings), {})


@given(st.data(), st.sampled_from(COMPARING_OPS), st.sampled_from(WIDTHS), st.sampled_from(EVERY))
def test_numbers_and_terms_agree(data: st.DataObject, op: AtomicOp, bits: int, readings: Readings) -> None:
    edges = [pattern | sign for pattern in FLOATS[bits] for sign in (0, 1 << (bits - 1))]
    patterns = st.sampled_from(edges) | st.integers(0, 2**bits - 1)
    old, src0, src1 = (data.draw(patterns) for _ in range(3))
    expected = float_new_value(op, old, src0, src1, bits, readings)
    assert on_terms(op, old, src0, src1, bits, readings) == expected
    assert expected in (old, src0, src1)


# ---------------------------------------------------------------- z3's floating-point theory


def stated_in_z3(op: AtomicOp, old: Any, src0: Any, src1: Any, readings: Readings) -> Any:
    """What the operation leaves, in z3's own terms: fp.lt, fp.eq, fp.isNaN on the numbers of the patterns."""
    sort = z3.FPSort(5, 11) if old.size() == 16 else z3.FPSort(8, 24)
    held, given_ = (_number_in_z3(word, sort, readings) for word in (old, src0))
    if op is FCMPWR:
        return z3.If(z3.fpEQ(held, given_), src1, old)
    less, more = (held, given_) if op is FMAX else (given_, held)
    better = z3.fpLT(less, more)
    if readings.float_zeros is FloatZeros.ORDERED:
        minus_to_plus = z3.And(z3.fpIsZero(less), z3.fpIsZero(more), z3.fpIsNegative(less), z3.fpIsPositive(more))
        better = z3.Or(better, minus_to_plus)
    nan_old, nan_src = z3.fpIsNaN(held), z3.fpIsNaN(given_)
    if readings.float_nan is FloatNan.NUMBER_WINS:
        of_nan = z3.If(z3.And(nan_old, z3.Not(nan_src)), src0, old)
    else:
        of_nan = z3.If(nan_old, old, src0)
    return z3.If(z3.Or(nan_old, nan_src), of_nan, z3.If(better, src0, old))


def _number_in_z3(word: Any, sort: Any, readings: Readings) -> Any:
    number = z3.fpBVToFP(word, sort)
    if readings.float_denormals is FloatDenormals.EXACT:
        return number
    zero = z3.If(z3.fpIsNegative(number), z3.fpMinusZero(sort), z3.fpPlusZero(sort))
    return z3.If(z3.fpIsSubnormal(number), zero, number)


def differs_from_z3(done: AtomicOp, named: AtomicOp, bits: int, readings: Readings, stated: Readings) -> Any:
    """Whether the terms of one operation can leave what z3's statement of another does not."""
    from visaproof.smt.z3_arrays import Lowering

    old, src0, src1 = (symbol(part, bits) for part in ("old", "src0", "src1"))
    lowering = Lowering()
    ours = lowering.lower(new_value(done, old, src0, src1, readings))
    solver = z3.Solver()
    solver.set(timeout=60_000)
    solver.add(ours != stated_in_z3(named, lowering.lower(old), lowering.lower(src0), lowering.lower(src1), stated))
    return solver.check()


@pytest.mark.slow(but=9)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("readings", EVERY, ids=name)
def test_the_terms_are_the_floating_point_theory_for_all_patterns(readings: Readings, bits: int) -> None:
    """A proof for each operation: no pattern of `bits` bits on which z3's theory says otherwise."""
    for op in COMPARING_OPS:
        assert differs_from_z3(op, op, bits, readings, readings) == z3.unsat


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("readings", EVERY, ids=name)
def test_the_relation_of_the_table_holds_by_every_reading(readings: Readings, bits: int) -> None:
    for op in COMPARING_OPS:
        query = atomics.operation_is_the_tables(op, partial(new_value, readings=readings), bits=bits, readings=readings)
        assert isinstance(decide_goal(query.assumptions, query.goal, 20_000), Holds)


def test_z3_finds_what_is_not_the_operation() -> None:
    """The proof above can fail: other operations, and other readings, are told apart by some pattern."""
    for done, named in ((AtomicOp.IMAX, FMAX), (AtomicOp.MAX, FMAX), (FMIN, FMAX), (AtomicOp.CMPXCHG, FCMPWR)):
        assert differs_from_z3(done, named, 32, DEFAULT, DEFAULT) == z3.sat
    for readings in (PROPAGATES, ORDERED, FLUSHED):
        assert differs_from_z3(FMAX, FMAX, 16, readings, DEFAULT) == z3.sat


# ---------------------------------------------------------------- lanes in another order


def final_values(op: AtomicOp, readings: Readings) -> Iterator[tuple[int, int]]:
    """What two lanes leave in either order, where z3 finds that this is not the same."""
    query = atomics.final_value_is_order_independent(op, 32, readings)
    answer = decide_goal(query.assumptions, query.goal, 20_000)
    if isinstance(answer, Fails):
        words = ("before", "a.src0", "a.src1", "b.src0", "b.src1")
        old, *operands = (answer.values.get(symbol(word, 32), 0) for word in words)
        for first, second in ((operands[:2], operands[2:]), (operands[2:], operands[:2])):
            between = float_new_value(op, old, first[0], first[1], 32, readings)
            yield between, float_new_value(op, between, second[0], second[1], 32, readings)
    else:
        assert isinstance(answer, Holds)


@pytest.mark.parametrize("readings", EVERY, ids=name)
@pytest.mark.parametrize("op", [FMAX, FMIN])
def test_the_order_of_lanes_matters_unless_all_numbers_are_ordered_and_one_beats_nan(
    op: AtomicOp, readings: Readings
) -> None:
    """Two zeros, two NaN or two denormals that are equal but not the same: the first lane's stays."""
    finals = [final for _, final in final_values(op, readings)]
    independent = readings == Readings(float_zeros=FloatZeros.ORDERED)
    assert (finals == []) == independent
    assert independent or finals[0] != finals[1]


@pytest.mark.parametrize("readings", EVERY, ids=name)
def test_the_order_of_fcmpwr_matters_by_every_reading(readings: Readings) -> None:
    finals = [final for _, final in final_values(FCMPWR, readings)]
    assert finals[0] != finals[1]
