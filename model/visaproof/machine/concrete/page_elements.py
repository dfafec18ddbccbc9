"""The source elements of a lane where a page takes others than the regions say.  Pages LRP, PLN, SAD2."""

from dataclasses import replace

from visaproof.isa.opcodes import ROWS, Regions
from visaproof.isa.types import DataType
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.visaasm.opcode_kinds import is_scalar
from visaproof.visaasm.syntax import (
    IndirectOperand,
    Instruction,
    Operand,
    Region,
    VectorDestination,
    VectorSource,
)

Element = tuple[int, DataType, str]
"""Bits, their type, and the modifier that is still to be applied."""

_CONTIGUOUS = Region(1, 1, 0)


def elements(operands: ConcreteOperands, instruction: Instruction, first: int, lane: int) -> list[Element]:
    """The elements that a lane takes from the operands from `first` on."""
    sources = instruction.operands[first:]
    match ROWS[instruction.opcode].regions:
        case Regions.HONOURED:
            return [operands.read(source, lane) for source in sources]
        case Regions.CONTIGUOUS:
            return [operands.read(_contiguous(source), lane) for source in sources]
        case Regions.PLANE:
            return _of_plane(operands, sources, lane)


def destination(instruction: Instruction) -> Operand:
    """The first destination.  Page LRP: "Register region is ignored for Dst"."""
    target = instruction.operands[0]
    if ROWS[instruction.opcode].regions is Regions.CONTIGUOUS and isinstance(target, VectorDestination):
        return replace(target, horizontal=1)
    return target


def _contiguous(source: Operand) -> Operand:
    """Page LRP: "support scalar region […]; other regions are ignored and contiguous elements will be accessed"."""
    if isinstance(source, VectorSource) and not is_scalar(source):
        return replace(source, region=_CONTIGUOUS)
    return source


def _of_plane(operands: ConcreteOperands, sources: tuple[Operand, ...], lane: int) -> list[Element]:
    """Page PLN: p, q and r are elements 0, 1 and 3; u and v of eight lanes lie beside each other."""
    scalars, pairs = (_without_region(source) for source in sources)
    u = lane // 8 * 16 + lane % 8
    places = ((scalars, 0), (scalars, 1), (scalars, 3), (pairs, u), (pairs, u + 8))
    return [operands.read(operand, place) for operand, place in places]


def _without_region(source: Operand) -> Operand:
    if isinstance(source, VectorSource | IndirectOperand):
        return replace(source, region=_CONTIGUOUS)
    return source
