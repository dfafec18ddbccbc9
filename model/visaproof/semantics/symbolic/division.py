"""Quotients and remainders on terms, by divisors of which the answer is a shift.  Pages: DIV, MOD."""

from collections.abc import Sequence

from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.alu import Source, order_width, resized
from visaproof.smt import BitVec, add, ashr, bit_and, const, ite, lshr, slt, sub, value_of


def divided(opcode: str, sources: Sequence[Source], result: DataType) -> BitVec | None:
    """`div` or `mod` by a constant power of two, cut towards 0; None by anything else."""
    width, signed = order_width(sources)
    left, divisor = sources[0].modulo(width), value_of(sources[1].modulo(width))
    if divisor is None or divisor.bit_count() != 1 or (signed and divisor >> (width - 1)):
        return None
    places = divisor.bit_length() - 1
    above = left
    if signed:  # a shift cuts downwards
        above = ite(slt(left, const(0, width)), add(left, const(divisor - 1, width)), left)
    if opcode == "div":
        quotient = (ashr if signed else lshr)(above, const(places, width))
        return resized(quotient, result.bits, signed)
    return resized(sub(left, bit_and(above, const(-divisor, width))), result.bits, signed)
