"""Reads through the sampler, as far as they are modelled: which bytes they write.  Pages: 3D_LOAD.md, 3D_SAMPLE.md."""

from dataclasses import dataclass

from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.operands import Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.kernel.statement import Statement, execution_of
from visaproof.kernel.syntax import Instruction, Kernel

_SURFACE = {"load_lz": 1, "sample_lz": 2, "sample_l": 2}
"""The operand that is the surface: behind the texel offsets and, if there is one, the sampler."""

_TYPES = (DataType.HF, DataType.F, DataType.W, DataType.UW, DataType.D, DataType.UD)
"""Page: Dst "Must have type HF,F,W,UW,D,UD"."""

_NULL_MASK = "pixel_null_mask"
_FLAGS = (_NULL_MASK, "cps", "divS")


@dataclass(frozen=True, slots=True)
class SamplerRead:
    """What the destination of a read through the sampler looks like; where it reads is not modelled."""

    execution: Execution
    channels: Channels
    surface: str
    dst: RawOperand
    width: int
    """Bytes of an element: 2 or 4."""
    null_mask: bool
    """Page: "an additional GRF is returned after the sampler data"."""


def sampler_read(instruction: Instruction, kernel: Kernel, platform: Platform) -> SamplerRead:
    """The statement.  Raises ReadError for operands that do not fit, NotModelled for other forms."""
    statement = Statement(instruction, kernel, platform)
    *flags, _ = instruction.suffixes or ("",)
    if not set(flags) <= set(_FLAGS):
        raise NotModelled(f"{instruction.opcode}.{'.'.join(instruction.suffixes)}", instruction.position)
    place = _SURFACE[instruction.opcode]
    if len(instruction.operands) < place + 3:
        raise ReadError(f"{instruction.opcode} needs a surface, a destination and coordinates", instruction.position)
    surface, dst = instruction.operands[place : place + 2]
    data_type = statement.type_of(dst)
    if data_type not in _TYPES:
        raise NotModelled(f"{instruction.opcode} into data of this type", dst.position)
    channels = statement.channels(instruction.suffixes[-1] if instruction.suffixes else None)
    return SamplerRead(
        execution_of(instruction),
        channels,
        statement.surface(surface),
        statement.raw(dst),
        data_type.size,
        _NULL_MASK in flags,
    )
