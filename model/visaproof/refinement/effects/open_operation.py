"""What a result that terms leave open is the result of: the same operation on the same operands has one result."""

from collections.abc import Hashable
from typing import NamedTuple

from visaproof.isa.types import DataType
from visaproof.smt import BitVec, Term


class OpenOperation(NamedTuple):
    """An operation on floats, a conversion, or a read through the sampler, under the names that both kernels share."""

    named: tuple[str, ...]
    """The opcode and its suffixes."""
    result: DataType | None
    """None for a comparison."""
    width: int
    """Bits; 0 for a truth value."""
    control: Term | None
    """The control register, if the result depends on it."""
    origin: Hashable
    """Of a read through the sampler: the image, the sampler, and which of the channels."""
    operands: tuple[tuple[BitVec, DataType, str], ...]
    """Of each the bits, the type and the modifier."""
