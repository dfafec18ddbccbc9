"""Floating-point arithmetic as terms: opaque to the normal form, IEEE 754 to the solvers.

A term's value is a bit pattern; where it is NaN, it is the format's `nan`, so that equal operands give equal results.
"""

from visaproof.smt.ieee import FloatOp, FloatOperation, compute
from visaproof.smt.terms import BitVec, Op, bit_vector, const, ordered, value_of


def rounded(operation: FloatOperation, *args: BitVec) -> BitVec:
    """What the operation makes of patterns, or of an integer.  Addition and multiplication commute."""
    if operation.op in (FloatOp.ADD, FloatOp.MUL, FloatOp.FMA):
        args = (*ordered(args[0], args[1]), *args[2:])
    values = [value for arg in args if (value := value_of(arg)) is not None]
    if len(values) == len(args):
        return const(compute(operation, values, [arg.width for arg in args]), operation.result.width)
    return bit_vector(Op.FLOAT, args, operation, operation.result.width)
