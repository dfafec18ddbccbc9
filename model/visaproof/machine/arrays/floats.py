"""Floating-point arithmetic on arrays, rounded to nearest even.  Page: 2_datatypes.md.

Every value that could need more than IEEE arithmetic says (a denormal, a NaN as a result, a result at the lower end of
the normal numbers, another rounding in the control register) leaves its lane open: the machine for single threads then
says what it is, or that it is not modelled.
"""

from collections.abc import Callable

import numpy as np

from visaproof.isa.float_modes import CONTROL, ROUNDING_HIGH, ROUNDING_LOW
from visaproof.isa.types import DataType
from visaproof.machine.arrays import integers
from visaproof.machine.arrays.arrays import UNSIGNED, Array, Bools
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.operands import Source

DTYPES: dict[DataType, np.dtype] = {
    DataType.HF: np.dtype("<f2"),
    DataType.F: np.dtype("<f4"),
    DataType.DF: np.dtype("<f8"),
}
"""How NumPy computes on a type."""

F64 = np.dtype("<f8")

Value = Callable[[Batch], tuple[Array, Bools | None]]
"""As `arithmetic.Value`; of a float result, its bits."""


def numbers(elements: Array, data_type: DataType, modifier: str) -> Array:
    """The numbers that the bits stand for, after the modifier, which changes the sign bit alone."""
    return modified(elements, data_type, modifier).view(_dtype(data_type))


def modified(elements: Array, data_type: DataType, modifier: str) -> Array:
    """The bits after the modifier "", "-", "abs" or "-abs"."""
    sign = elements.dtype.type(1 << (data_type.bits - 1))
    match modifier:
        case "-":
            return elements ^ sign
        case "abs":
            return elements & ~sign
        case "-abs":
            return elements | sign
        case _:
            return np.ascontiguousarray(elements)


def _dtype(data_type: DataType) -> np.dtype:
    if data_type not in DTYPES:
        raise NotVectorised(f"arithmetic on {data_type.spelling}")
    return DTYPES[data_type]


def _bits(values: Array) -> Array:
    return values.view(UNSIGNED[values.dtype.itemsize])


def denormal(values: Array) -> Bools:
    """Where a number is between 0 and the normal ones."""
    return (values != 0) & (np.abs(values) < np.finfo(values.dtype).tiny)


def unsafe(values: Array) -> Bools:
    """Where a result is NaN, or may have been rounded from below the normal numbers: all but an exact 0."""
    return np.isnan(values) | (values != 0) & (np.abs(values) <= np.finfo(values.dtype).tiny)


def _rounds_otherwise(batch: Batch) -> Bools:
    """(threads, 1): where results are not rounded to nearest even."""
    control = batch.pick(batch.threads.registers[CONTROL])[:, :1]
    return control & np.uint8((2 << ROUNDING_HIGH) - (1 << ROUNDING_LOW)) != 0


# ---------------------------------------------------------------- operations


def computed(opcode: str, sources: list[Source], result: DataType, saturate: bool) -> Value:
    """An arithmetic opcode on sources of the result's type.  Raises NotVectorised for what the arrays do not run."""
    if any(source.type is not result for source in sources) or opcode not in _OPERATIONS:
        raise NotVectorised(f"{opcode} on these types")
    if opcode == "mad" and result is DataType.DF:
        raise NotVectorised("mad on df")
    dtype, operation = _dtype(result), _OPERATIONS[opcode]

    def value(batch: Batch) -> tuple[Array, Bools | None]:
        values, open_lanes = _read(sources, batch)
        found, doubtful = operation(values)
        open_lanes = open_lanes | doubtful | _rounds_otherwise(batch)
        for each in values:
            open_lanes = open_lanes | denormal(each)
        found = clamped(found) if saturate else found
        return _bits(found.astype(dtype, copy=False)), open_lanes

    return value


def _read(sources: list[Source], batch: Batch) -> tuple[list[Array], Bools]:
    """The numbers, and the lanes in which one of them is missing."""
    values: list[Array] = []
    open_lanes: Bools = np.zeros((1, 1), np.bool_)
    for source in sources:
        elements, missing = source.read(batch)
        values.append(numbers(elements, source.type, source.modifier))
        open_lanes = open_lanes if missing is None else open_lanes | missing
    return values, open_lanes


def _sum(values: list[Array]) -> tuple[Array, Bools]:
    found = values[0] + values[1]
    return found, unsafe(found)


def _product(values: list[Array]) -> tuple[Array, Bools]:
    found = values[0] * values[1]
    vanished = (found == 0) & (values[0] != 0) & (values[1] != 0)
    return found, unsafe(found) | vanished


def _multiply_add(values: list[Array]) -> tuple[Array, Bools]:
    """One rounding: the product of two shorter numbers is exact in a qword, and so is the error of the sum."""
    dtype = values[0].dtype
    left, right, addend = (value.astype(F64) for value in values)
    product = left * right
    total = product + addend
    found = _rounded_to_odd(product, addend, total).astype(dtype)
    overflows = np.isinf(product.astype(dtype)) & np.isfinite(left) & np.isfinite(right)
    small = (product != 0) & (np.abs(product) < np.finfo(dtype).tiny)
    vanished = (found == 0) & (total != 0)
    return found, unsafe(found) | overflows | small | vanished


def _rounded_to_odd(left: Array, right: Array, total: Array) -> Array:
    """The sum whose last bit is set where it is not exact: rounding it again to fewer bits rounds the exact sum."""
    part = total - left
    error = (left - (total - part)) + (right - part)
    inexact = np.isfinite(total) & (error != 0)
    bits = total.view(UNSIGNED[8])
    even = (bits & np.uint64(1)) == 0
    away = (error > 0) == (total > 0)
    odd = np.where(away, bits + np.uint64(1), bits - np.uint64(1))
    return np.where(inexact & even, odd, bits).view(F64)


def _minimum(values: list[Array]) -> tuple[Array, Bools]:
    return _picked(values, values[1] < values[0])


def _maximum(values: list[Array]) -> tuple[Array, Bools]:
    return _picked(values, values[1] > values[0])


def _picked(values: list[Array], second: Bools) -> tuple[Array, Bools]:
    """Page MIN_MAX: the one that is not NaN; of two NaN, "source1".  Two zeros may differ in their sign."""
    left, right = values
    found = np.where(np.isnan(left) | second & ~np.isnan(right), right, left)
    return found, (left == 0) & (right == 0)


def _integral(rounded: Callable[[Array], Array]) -> Callable[[list[Array]], tuple[Array, Bools]]:
    """Pages RNDD, RNDE, RNDU, RNDZ.  NumPy keeps the sign of a result of 0."""

    def operation(values: list[Array]) -> tuple[Array, Bools]:
        found = rounded(values[0])
        return found, np.isnan(found)

    return operation


def _fraction(values: list[Array]) -> tuple[Array, Bools]:
    """Page FRC: "src0[i] - floor(src0[i])"."""
    found = values[0] - np.floor(values[0])
    return found, unsafe(found)


_OPERATIONS: dict[str, Callable[[list[Array]], tuple[Array, Bools]]] = {
    "add": _sum,
    "mul": _product,
    "mad": _multiply_add,
    "min": _minimum,
    "max": _maximum,
    "rndd": _integral(np.floor),
    "rndu": _integral(np.ceil),
    "rnde": _integral(np.rint),
    "rndz": _integral(np.trunc),
    "frc": _fraction,
}
"""From numbers to the result, and where it is doubtful."""


def clamped(values: Array) -> Array:
    """`.sat`: the nearest number of [0, 1]; NaN gives 0."""
    return np.where(values > 0, np.minimum(values, values.dtype.type(1)), values.dtype.type(0))


def compared(relation: str, sources: list[Source]) -> Value:
    """Page CMP: with a NaN "NE comparison returns true while all other comparisons return false"."""
    if sources[0].type is not sources[1].type:
        raise NotVectorised("cmp of two types")
    _dtype(sources[0].type)
    compare = integers.COMPARISONS[relation]

    def holds(batch: Batch) -> tuple[Array, Bools | None]:
        values, open_lanes = _read(sources, batch)
        return compare(*values), open_lanes | denormal(values[0]) | denormal(values[1])

    return holds


# ---------------------------------------------------------------- conversions


def converted(source: Source, result: DataType, saturate: bool) -> Value:
    """`mov` from or to a floating-point type.  Raises NotVectorised for what the arrays do not run."""
    if source.type is result:
        return _copied(source, saturate)
    if result.floating:
        dtype = _dtype(result)
        return _between(source, dtype, saturate) if source.type.floating else _from_integer(source, dtype, saturate)
    _dtype(source.type)
    return _to_integer(source, result)


def _copied(source: Source, saturate: bool) -> Value:
    dtype = _dtype(source.type)

    def value(batch: Batch) -> tuple[Array, Bools | None]:
        elements, missing = source.read(batch)
        bits = modified(elements, source.type, source.modifier)
        if not saturate:
            return bits, missing
        found = bits.view(dtype)
        open_lanes = denormal(found) if missing is None else denormal(found) | missing
        return _bits(clamped(found)), open_lanes

    return value


def _between(source: Source, dtype: np.dtype, saturate: bool) -> Value:
    _dtype(source.type)

    def value(batch: Batch) -> tuple[Array, Bools | None]:
        (before,), open_lanes = _read([source], batch)
        found = before.astype(dtype)
        vanished = (found == 0) & (before != 0)
        open_lanes = open_lanes | denormal(before) | unsafe(found) | vanished | _rounds_otherwise(batch)
        return _bits(clamped(found) if saturate else found), open_lanes

    return value


def _from_integer(source: Source, dtype: np.dtype, saturate: bool) -> Value:
    """Page: "rounds to the closest representable floating-point value", to even between two."""
    working = integers.exact_type([integers.value_range(source.type, source.modifier)])
    if working == integers.ANY_SIZE:
        raise NotVectorised("an integer of more than 64 bits as a float")

    def value(batch: Batch) -> tuple[Array, Bools | None]:
        elements, missing = source.read(batch)
        exact = integers.lifted(elements, source.type, source.modifier, working)
        found = exact.astype(F64).astype(dtype) if dtype.itemsize == 2 else exact.astype(dtype)
        open_lanes = _rounds_otherwise(batch) if missing is None else missing | _rounds_otherwise(batch)
        return _bits(clamped(found) if saturate else found), open_lanes

    return value


def _to_integer(source: Source, result: DataType) -> Value:
    """Page: "rounding toward zero"; beyond the type "the largest (or smallest) integer value"; NaN gives 0."""
    top = 2.0 ** (result.bits - result.signed)
    largest = (1 << (result.bits - result.signed)) - 1
    smallest = -(1 << (result.bits - 1)) if result.signed else 0
    dtype = integers.I64 if result.signed else integers.U64

    def value(batch: Batch) -> tuple[Array, Bools | None]:
        (before,), open_lanes = _read([source], batch)
        wide = before.astype(F64)
        open_lanes = open_lanes | denormal(before)
        if not result.signed:
            open_lanes = open_lanes | (wide <= -1)
        inside = (wide < top) & (wide > (smallest - 1 if result.signed else -1))
        found = np.trunc(np.where(inside, wide, 0)).astype(dtype)
        found = np.where(wide >= top, dtype.type(largest), found)
        if result.signed:
            found = np.where(wide <= smallest, dtype.type(smallest), found)
        return found, open_lanes

    return value
