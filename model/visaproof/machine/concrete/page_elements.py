"""The source elements of a lane where a page takes others than the regions say.  Pages LRP, PLN, SAD2."""

from collections.abc import Sequence

from msgspec.structs import replace

from visaproof.isa.opcodes import Regions
from visaproof.isa.types import DataType
from visaproof.machine.concrete.operands import ConcreteOperands
from visaproof.program.operands import CONTIGUOUS, AddressedElements, Destination, Elements, Source, Target
from visaproof.program.statements import Compare, Compute

Element = tuple[int, DataType, str]
"""Bits, their type, and the modifier that is still to be applied."""
Row = tuple[int, ...]
"""Bits of the elements of one lane."""


def elements(operands: ConcreteOperands, statement: Compute | Compare, lane: int) -> list[Element]:
    """The elements that a lane takes from the sources."""
    match statement.operation.row.regions:
        case Regions.HONOURED:
            return [operands.read(source, lane) for source in statement.sources]
        case Regions.CONTIGUOUS:
            return [operands.read(_contiguous(source), lane) for source in statement.sources]
        case Regions.PLANE:
            return _of_plane(operands, statement.sources, lane)


def rows(operands: ConcreteOperands, statement: Compute | Compare, lanes: Sequence[int]) -> list[Row] | None:
    """By lane, the bits that it takes from each source; None where that is not soon read of all lanes at once."""
    if len(lanes) < 2 or statement.operation.row.regions is not Regions.HONOURED:
        return None
    columns = [operands.column(source, lanes[-1] + 1) for source in statement.sources]
    found = [column for column in columns if column is not None]
    return list(zip(*found, strict=True)) if found and len(found) == len(columns) else None


def destination(statement: Compute) -> Destination:
    """The first destination.  Page LRP: "Register region is ignored for Dst"."""
    target = statement.target
    if statement.operation.row.regions is Regions.CONTIGUOUS and isinstance(target, Target):
        return replace(target, stride=1)
    return target


def _contiguous(source: Source) -> Source:
    """Page LRP: "support scalar region […]; other regions are ignored and contiguous elements will be accessed"."""
    if isinstance(source, Elements) and not source.is_scalar:
        return replace(source, region=CONTIGUOUS)
    return source


def _of_plane(operands: ConcreteOperands, sources: Sequence[Source], lane: int) -> list[Element]:
    """Page PLN: p, q and r are elements 0, 1 and 3; u and v of eight lanes lie beside each other."""
    scalars, pairs = (_without_region(source) for source in sources)
    u = lane // 8 * 16 + lane % 8
    places = ((scalars, 0), (scalars, 1), (scalars, 3), (pairs, u), (pairs, u + 8))
    return [operands.read(operand, place) for operand, place in places]


def _without_region(source: Source) -> Source:
    if isinstance(source, Elements | AddressedElements):
        return replace(source, region=CONTIGUOUS)
    return source
