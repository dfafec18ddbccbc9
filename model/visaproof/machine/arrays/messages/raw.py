"""Raw operands on arrays: words of a root variable at even distances, one per lane."""

from collections.abc import Callable

import numpy as np

from visaproof.isa.operands import ImmediateUD, RawOperand, Scalar, ScalarUD
from visaproof.machine.arrays.arrays import UNSIGNED, Addresses, Array
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.operands import writer
from visaproof.machine.arrays.threads import Threads

Numbers = Callable[[Batch], Addresses]
"""Unsigned qwords (threads, lanes), or (threads, 1) or (1, 1) where they are shared."""


def words(threads: Threads, operand: RawOperand, start: int, width: int, stride: int, lanes: int) -> Array:
    """The words (threads, lanes) in place: the first `start` bytes behind the operand, each `stride` behind the last.

    Raises NotVectorised where one is not in the variable: a lane that is on is then undefined (D6).
    """
    register, first = threads.registers[operand.variable], operand.offset + start
    if first + (lanes - 1) * stride + width > threads.sizes[operand.variable]:
        raise NotVectorised("an operand that reaches beyond its variable")
    return np.ndarray((threads.count, lanes), UNSIGNED[width], register, first, (register.strides[0], stride))


def numbers(threads: Threads, operand: RawOperand, width: int, lanes: int) -> Numbers:
    """One word per lane, one behind the other."""
    view = words(threads, operand, 0, width, width, lanes)
    return lambda batch: batch.pick(view).astype(np.uint64)


def scalar(threads: Threads, operand: Scalar) -> Numbers:
    """A UD that all lanes share."""
    match operand:
        case ImmediateUD(value):
            constant = np.array([[value]], np.uint64)
            return lambda _: constant
        case ScalarUD(variable, offset):
            return numbers(threads, RawOperand(variable, offset), 4, 1)


__all__ = ["Numbers", "numbers", "scalar", "words", "writer"]
