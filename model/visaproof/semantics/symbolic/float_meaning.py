"""What operations on floats give by IEEE 754, symbolically, and where no page decides it.  Page: 2_datatypes.md.

`open` says where a result is left to the machine: where flushed denormals are compared or converted or are rounded up
to a normal number, the smaller of two zeros, negative numbers as unsigned ones, products of mad beyond the type.  A
result that is NaN is `any_nan`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.float_modes import DENORMAL_BITS, ROUNDING_HIGH, ROUNDING_LOW, ROUNDINGS, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.elements import Meaning, Source, order_width
from visaproof.semantics.symbolic.float_bits import (
    LAYOUTS,
    any_nan,
    clamped,
    equal,
    is_denormal,
    is_nan,
    is_zero,
    less,
    negative,
    number,
    size,
    with_modifier,
    zero_like,
)
from visaproof.smt import (
    BitVec,
    Bool,
    bit,
    concat,
    conj,
    const,
    disj,
    eq,
    extract,
    false,
    is_false,
    is_true,
    ite,
    lshr,
    neg,
    negate,
    shl,
    sub,
    true,
    truncate,
    ule,
    ult,
    value_of,
    zero_extend,
)
from visaproof.smt.ieee import FloatOp, FloatOperation, Format, rounded


class Mode(Struct, frozen=True):
    """What the control register says, where its rounding is a constant."""

    rounding: Rounding
    register: Mapping[DataType, Bool]
    """Whether the register keeps the denormals of a type."""

    def kept(self, data_type: DataType) -> Bool:
        """Whether arithmetic keeps them.  Page: those of HF "are flushed to sign-preserved zero"."""
        return false() if data_type is DataType.HF else self.register[data_type]

    def disputed(self, data_type: DataType) -> Bool:
        """Whether the register keeps denormals that the page flushes (reading "half-denormals")."""
        return self.register[data_type] if data_type is DataType.HF else false()


def mode_of(control: BitVec) -> Mode | None:
    """None where the rounding depends on inputs."""
    found = value_of(extract(control, ROUNDING_HIGH, ROUNDING_LOW))
    kept = {data_type: bit(control, index) for data_type, index in DENORMAL_BITS.items()}
    return None if found is None else Mode(ROUNDINGS[found], kept)


def arithmetic(opcode: str, sources: Sequence[Source], result: DataType, mode: Mode) -> Meaning | None:
    """Of an opcode on floats of one type; None where it is undefined here."""
    if result not in mode.register or any(source.type is not result for source in sources):
        return None
    values, layout, kept = [with_modifier(source).bits for source in sources], LAYOUTS[result], mode.kept(result)
    if opcode in ("min", "max"):
        return _extreme(opcode, values, layout, kept)
    if opcode not in _ROUNDED:
        return None
    found = once(FloatOperation(_ROUNDED[opcode], mode.rounding, layout), values, kept)
    if not is_false(disputed := mode.disputed(result)):
        unflushed = rounded(FloatOperation(_ROUNDED[opcode], mode.rounding, layout), *values)
        denormals = disj(*(is_denormal(one, layout) for one in (*values, unflushed)))
        found = replace(found, open=disj(found.open, conj(disputed, denormals)))
    if opcode != "mad":
        return found
    # Page: either result, "whose final results would be within […] range"
    inside = ult(size(cast(BitVec, found.value), layout), number(layout.infinity, layout))
    return replace(found, open=disj(found.open, conj(inside, overflows(values, layout))))


def overflows(values: Sequence[BitVec], layout: Format) -> Bool:
    """Where a product of numbers is beyond the type, so that mad may give infinity.  Page: "fused operations"."""
    sizes = [size(one, layout) for one in values[:2]]
    infinity = number(layout.infinity, layout)
    numbers = conj(*(ult(one, infinity) for one in sizes))
    return conj(numbers, eq(rounded(FloatOperation(FloatOp.MUL, Rounding.UP, layout), *sizes), infinity))


_ROUNDED = {"add": FloatOp.ADD, "mul": FloatOp.MUL, "mad": FloatOp.FMA}


def once(operation: FloatOperation, values: Sequence[BitVec], kept: Bool) -> Meaning:
    """A concrete operation of one format, rounded once; denormals are flushed before and after unless kept."""
    layout = operation.result
    flushed = [ite(conj(neg(kept), is_denormal(one, layout)), zero_like(one, layout), one) for one in values]
    found = rounded(operation, *flushed)
    below = conj(neg(kept), is_denormal(found, layout))
    edge = eq(size(found, layout), number(layout.smallest_normal, layout))
    return Meaning(quiet(ite(below, zero_like(found, layout), found), layout), conj(neg(kept), edge))


def quiet(found: BitVec, layout: Format) -> BitVec:
    return ite(is_nan(found, layout), any_nan(layout), found)


def _extreme(opcode: str, values: Sequence[BitVec], layout: Format, kept: Bool) -> Meaning:
    """Page MIN_MAX: the one that is not NaN; of two NaN, "source1"."""
    left, right = values
    second = less(right, left, layout) if opcode == "min" else less(left, right, layout)
    value = ite(disj(is_nan(left, layout), conj(second, neg(is_nan(right, layout)))), right, left)
    zeros = conj(is_zero(left, layout), is_zero(right, layout), neg(eq(left, right)))
    return Meaning(value, disj(zeros, flushes(values, layout, kept)))


def flushes(values: Sequence[BitVec], layout: Format, kept: Bool) -> Bool:
    """Where a denormal meets a mode that does not keep it."""
    return false() if is_true(kept) else conj(neg(kept), disj(*(is_denormal(one, layout) for one in values)))


def compared(relation: str, left: Source, right: Source, mode: Mode) -> Meaning | None:
    """Page CMP: with a NaN "NE comparison returns true while all other comparisons return false"."""
    if left.type is not right.type or left.type not in mode.register:
        return None
    layout, values = LAYOUTS[left.type], (with_modifier(left).bits, with_modifier(right).bits)
    return Meaning(_RELATIONS[relation](*values, layout), flushes(values, layout, mode.kept(left.type)))


_RELATIONS: dict[str, Callable[[BitVec, BitVec, Format], Bool]] = {
    "eq": equal,
    "ne": lambda left, right, layout: neg(equal(left, right, layout)),
    "lt": less,
    "le": lambda left, right, layout: disj(less(left, right, layout), equal(left, right, layout)),
    "gt": lambda left, right, layout: less(right, left, layout),
    "ge": lambda left, right, layout: disj(less(right, left, layout), equal(left, right, layout)),
}


def saturated(meaning: Meaning, result: DataType, mode: Mode) -> Meaning:
    """`.sat` on a floating-point result."""
    assert isinstance(meaning.value, BitVec)
    layout = LAYOUTS[result]
    undecided = disj(meaning.open, flushes((meaning.value,), layout, mode.kept(result)))
    return Meaning(clamped(meaning.value, layout), undecided)


# ---------------------------------------------------------------- conversions


def converted(source: Source, result: DataType, mode: Mode) -> Meaning | None:
    """Page MOV: "with type conversion if necessary"; None where it is undefined here."""
    if not source.type.floating:
        return _from_integer(source, result, mode) if result in mode.register else None
    if source.type not in mode.register:
        return None
    bits, layout = with_modifier(source).bits, LAYOUTS[source.type]
    if not result.floating:
        return _to_integer(bits, layout, result)
    if result is source.type:
        return Meaning(bits, false())
    if result not in mode.register:
        return None
    wanted = LAYOUTS[result]
    found = quiet(rounded(FloatOperation(FloatOp.CONVERT, mode.rounding, wanted, layout), bits), wanted)
    if layout.width < wanted.width:  # Page, of a higher precision: "+denorm" becomes "+finite"
        return Meaning(found, false())
    denormal = is_denormal(bits, layout)  # Page, of a lower precision: "+denorm" becomes "+0"
    small = conj(ule(size(found, wanted), number(wanted.smallest_normal, wanted)), neg(is_zero(bits, layout)))
    kept = true() if result is DataType.HF else mode.register[result]
    return Meaning(ite(denormal, zero_like(found, wanted), found), conj(neg(kept), small, neg(denormal)))


def _from_integer(source: Source, result: DataType, mode: Mode) -> Meaning:
    """Page: "By default "round to nearest even" is performed"; else as the control register says."""
    width, signed = order_width((source,))
    op = FloatOp.FROM_SIGNED if signed else FloatOp.FROM_UNSIGNED
    return Meaning(rounded(FloatOperation(op, mode.rounding, LAYOUTS[result]), source.modulo(width)), false())


def _to_integer(bits: BitVec, layout: Format, result: DataType) -> Meaning:
    """Page: "rounding toward zero"; beyond the type "the largest (or smallest) integer value"; NaN gives 0."""
    fraction, whole = layout.fraction_bits, result.bits
    exponent = extract(bits, layout.width - 2, fraction)
    significand = concat(const(1, 1), extract(bits, fraction - 1, 0))
    width = max(whole, layout.exponent_bits) + fraction + 1
    above = sub(zero_extend(exponent, width), const(layout.bias, width))
    integer = truncate(lshr(shl(zero_extend(significand, width), above), const(fraction, width)), whole)
    under_one = ult(exponent, const(layout.bias, layout.exponent_bits))
    most = whole - result.signed
    largest_exponent = layout.bias + most
    if largest_exponent < (1 << layout.exponent_bits) - 1:
        beyond = ule(const(largest_exponent, layout.exponent_bits), exponent)
    else:  # every number of the format fits, infinity does not
        beyond = eq(exponent, const(-1, layout.exponent_bits))
    size_of = ite(under_one, const(0, whole), integer)
    below_zero = negative(bits)
    if result.signed:
        value = ite(below_zero, negate(size_of), size_of)
        end = ite(below_zero, const(1 << (whole - 1), whole), const((1 << (whole - 1)) - 1, whole))
        value, undecided = ite(beyond, end, value), false()
    else:
        value = ite(beyond, const(-1, whole), size_of)
        undecided = conj(below_zero, neg(under_one), neg(is_nan(bits, layout)))
    return Meaning(ite(is_nan(bits, layout), const(0, whole), value), undecided)
