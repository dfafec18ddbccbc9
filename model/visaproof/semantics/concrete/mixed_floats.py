"""Arithmetic on F mixed with HF or BF, on ints.  Page: 2_datatypes.md.  Reading: "mixed-floats".

The execution type is F: every source is a number of F.  The result in a narrower destination is rounded once, or first
to F and then again.  HF denormals are flushed, or kept where the register says so (reading "half-denormals"), those of
F as it says, and those of BF are kept or flushed.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode, Rounding
from visaproof.isa.types import DataType
from visaproof.semantics.concrete.choices import Allowed, allowed_by, settled
from visaproof.semantics.concrete.floats import ARITHMETIC, Number, number, or_infinite, overflows, pattern

Operand = tuple[int, DataType]
"""Bits after their modifier, and their type."""

_EXECUTION = DataType.F


def operation(opcode: str, sources: Sequence[Operand], result: DataType, mode: FloatMode | None = None) -> int:
    """The bits that an opcode makes of sources of several types, or of one beside that of the result."""
    if opcode not in ARITHMETIC:
        raise NotModelled(f"{opcode} of {' and '.join(found.spelling for _, found in sources)} as {result.spelling}")
    found = Allowed()
    for each in _modes(mode):
        found |= _results(opcode, sources, result, each)
    return settled(f"{opcode} of mixed floats, of which no page says how often it is rounded", found)


def _modes(mode: FloatMode | None) -> Iterator[FloatMode]:
    """What may be kept: F as the register says, BF or not; HF, if the register says so, or not."""
    rounding = Rounding.NEAREST_EVEN if mode is None else mode.rounding
    of_f = (True, False) if mode is None else (_EXECUTION in mode.kept,)
    of_hf = (True, False) if mode is not None and DataType.HF in mode.kept else (False,)
    for f, bf, hf in product(of_f, (True, False), of_hf):
        yield FloatMode(rounding, frozenset([_EXECUTION] * f + [DataType.BF] * bf + [DataType.HF] * hf))


def _results(opcode: str, sources: Sequence[Operand], result: DataType, mode: FloatMode) -> Allowed:
    values = [number(bits, data_type, mode, flushes=True) for bits, data_type in sources]
    exact = ARITHMETIC[opcode](values, mode.rounding)
    found = _rounded(exact, result, mode)
    if result is not _EXECUTION:
        for bits in _rounded(exact, _EXECUTION, mode).patterns:  # none for NaN
            found |= _rounded(number(bits, _EXECUTION, mode, flushes=True), result, mode)
    if opcode == "mad" and overflows(values[:2], _EXECUTION):
        return or_infinite(found, values, result)
    return found


def _rounded(exact: Number, data_type: DataType, mode: FloatMode) -> Allowed:
    return allowed_by((partial(pattern, exact, data_type, mode, flushes=True),))
