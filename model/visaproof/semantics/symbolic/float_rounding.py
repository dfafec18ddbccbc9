"""Floats rounded to an integer, fractions, interpolation, and conversions of 8 and 19 bits, by IEEE 754, symbolically.

Pages: RNDD, RNDE, RNDU, RNDZ, FRC, LRP, FCVT.  `open` is as in `float_meaning`; a zero keeps the sign of the source.
"""

from collections.abc import Sequence

from visaproof.isa.float_modes import Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.elements import Meaning, Source
from visaproof.semantics.symbolic.float_bits import (
    LAYOUTS,
    is_denormal,
    is_nan,
    negative,
    number,
    size,
    with_modifier,
    zero_like,
)
from visaproof.semantics.symbolic.float_meaning import Mode, arithmetic, flushes, overflows, quiet
from visaproof.smt import (
    BitVec,
    Bool,
    add,
    bit_and,
    concat,
    conj,
    const,
    disj,
    eq,
    extract,
    false,
    ite,
    neg,
    zero_extend,
)
from visaproof.smt.ieee import FloatOp, FloatOperation, Format, rounded

INTEGRAL = {
    "rnde": Rounding.NEAREST_EVEN,
    "rndu": Rounding.UP,
    "rndd": Rounding.DOWN,
    "rndz": Rounding.ZERO,
}


def computed(opcode: str, sources: Sequence[Source], result: DataType, mode: Mode) -> Meaning | None:
    """What an opcode gives on floats of one type; None where it is undefined here."""
    if opcode not in (*INTEGRAL, "frc", "lrp"):
        return arithmetic(opcode, sources, result, mode)
    if result not in mode.register or any(source.type is not result for source in sources):
        return None
    values = [with_modifier(source).bits for source in sources]
    if opcode == "lrp":
        return _interpolated(values, result, mode)
    layout = LAYOUTS[result]
    small = flushes(values, layout, mode.kept(result))
    if opcode != "frc":
        return Meaning(quiet(_integral(values[0], INTEGRAL[opcode], layout), layout), small)
    found, inexact = _fraction(values[0], layout, mode)
    return Meaning(quiet(found, layout), disj(inexact, small))


def _integral(value: BitVec, rounding: Rounding, layout: Format) -> BitVec:
    return rounded(FloatOperation(FloatOp.INTEGRAL, rounding, layout), value)


def _fraction(value: BitVec, layout: Format, mode: Mode) -> tuple[BitVec, Bool]:
    """Page FRC: "src0[i] - floor(src0[i])"; how that is rounded where it is no number of the type, it does not say."""
    minus = _negated(_integral(value, Rounding.DOWN, layout), layout)
    as_set, up, down = (
        rounded(FloatOperation(FloatOp.ADD, rounding, layout), value, minus)
        for rounding in (mode.rounding, Rounding.UP, Rounding.DOWN)
    )
    return as_set, neg(eq(size(up, layout), size(down, layout)))


def _negated(value: BitVec, layout: Format) -> BitVec:
    return add(value, number(layout.sign, layout))  # the sign is the top bit: a carry is lost


def _interpolated(values: Sequence[BitVec], result: DataType, mode: Mode) -> Meaning:
    """Page LRP: "src1[i] * src0[i] + src2[i] * (1.0 - src0[i])"; which of its steps are rounded, it does not say.

    It is that number where it is the same with each product rounded, with either fused into the sum, and factored.
    Denormals are flushed at its ends alone: where a source or the result is small, it is undecided if they are.
    """
    layout, kept = LAYOUTS[result], mode.kept(result)
    undecided = [flushes(values, layout, kept)]

    def step(op: FloatOp, *words: BitVec) -> BitVec:
        undecided.append(overflows(words, layout) if op is FloatOp.FMA else false())
        return quiet(rounded(FloatOperation(op, mode.rounding, layout), *words), layout)

    by, one, other = values
    rest = step(FloatOp.ADD, number(layout.bias << layout.fraction_bits, layout), _negated(by, layout))
    first, second = step(FloatOp.MUL, one, by), step(FloatOp.MUL, other, rest)
    plain = step(FloatOp.ADD, first, second)
    fused = (
        step(FloatOp.FMA, one, by, second),
        step(FloatOp.FMA, other, rest, first),
        step(FloatOp.FMA, by, step(FloatOp.ADD, one, _negated(other, layout)), other),
    )
    smallest = eq(size(plain, layout), number(layout.smallest_normal, layout))
    small = disj(flushes((plain,), layout, kept), conj(neg(kept), smallest))
    return Meaning(plain, disj(*undecided, small, *(neg(eq(each, plain)) for each in fused)))


# ---------------------------------------------------------------- 8 and 19 bits


def converted_alone(source: Source, result: DataType) -> Meaning | None:
    """Page FCVT: between HF and eight bits of it, or F and 19 bits of it, whatever the control register says."""
    match source.type, result:
        case DataType.HF, DataType.UB:
            return Meaning(extract(_rounded_to(source.bits, 8), 15, 8), is_nan(source.bits, LAYOUTS[DataType.HF]))
        case DataType.UB, DataType.HF:
            bits = concat(source.bits, const(0, 8))
            return Meaning(bits, is_nan(bits, LAYOUTS[DataType.HF]))
        case DataType.F, DataType.UD:
            return _to_nineteen_bits(source.bits)
        case DataType.UD, DataType.F:  # Page: "noop as TF32 is a valid F type"
            return Meaning(source.bits, false())
        case _:
            return None


def _to_nineteen_bits(bits: BitVec) -> Meaning:
    """Page: "Denorms are flushed to zero", of which it does not give the sign."""
    layout = LAYOUTS[DataType.F]
    small = is_denormal(bits, layout)
    found = bit_and(_rounded_to(bits, 13), const(-1 << 13, 32))
    undecided = disj(is_nan(bits, layout), conj(small, negative(bits)))
    return Meaning(ite(small, zero_like(bits, layout), found), undecided)


def _rounded_to(bits: BitVec, dropped: int) -> BitVec:
    """The pattern rounded to nearest even in its upper bits: a carry goes into the exponent, up to infinity."""
    last = zero_extend(extract(bits, dropped, dropped), bits.width)
    return add(bits, const((1 << (dropped - 1)) - 1, bits.width), last)
