"""What a lane of an opcode reads, and where it writes: its own elements by region, but for the opcodes here.

Pages: SAD2, SAD2ADD, PLN, LRP.
"""

from msgspec.structs import replace

from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.operands import Reader, SymbolicOperands
from visaproof.program.operands import (
    CONTIGUOUS,
    SCALAR,
    Constant,
    Destination,
    DroppedTarget,
    Elements,
    PackedConstant,
    Source,
    Target,
)
from visaproof.program.statements import Compare, Compute
from visaproof.semantics.symbolic.pairs import PAIRED

PLANE_LANES = (8, 16)


def readers_of(statement: Compute | Compare, operands: SymbolicOperands) -> list[Reader]:
    """What reads the sources of a lane."""
    sources = statement.sources
    match statement.operation.name:
        case "plane":
            return _of_plane(statement, operands)
        case "lrp":  # Page: "other regions are ignored and contiguous elements will be accessed"
            return [operands.reader(one if one.is_scalar else _contiguous(one)) for one in sources]
        case opcode if opcode in PAIRED:
            left, right, *addend = (operands.reader(one) for one in sources)
            return [left, right, _moved(left, 1), _moved(right, 1), *addend]
        case _:
            return [operands.reader(one) for one in sources]


def target_of(statement: Compute) -> Destination:
    """The destination.  Page LRP: "Register region is ignored for Dst, and contiguous elements will be updated"."""
    target = statement.target
    if statement.operation.name != "lrp" or isinstance(target, DroppedTarget):
        return target
    if not isinstance(target, Target):
        raise NotModelled("lrp into this form of destination", target.position)
    return replace(target, stride=1)


def _contiguous(operand: Source) -> Source:
    if isinstance(operand, Constant | PackedConstant):
        return operand
    return replace(_vector(operand), region=CONTIGUOUS)


def _vector(operand: Source) -> Elements:
    if not isinstance(operand, Elements):
        raise NotModelled("a source in this form, where the opcode ignores regions", operand.position)
    return operand


def _moved(read: Reader, lanes: int) -> Reader:
    return lambda lane, assumed: read(lane + lanes, assumed)


def _of_plane(statement: Compute | Compare, operands: SymbolicOperands) -> list[Reader]:
    """p, u, q, v and r of Page PLN: "p*u + q*v + r"; eight elements of u, then eight of v, for each eight lanes."""
    if statement.lanes.size not in PLANE_LANES:
        raise NotModelled("plane of other than 8 or 16 lanes", statement.position)
    scalars, vectors = (_vector(one) for one in statement.sources)
    p, q, r = (operands.reader(_scalar(scalars, place)) for place in (0, 1, 3))
    element = operands.reader(replace(vectors, region=CONTIGUOUS))

    def half(first: int) -> Reader:
        return lambda lane, assumed: element(lane // 8 * 16 + first + lane % 8, assumed)

    return [p, half(0), q, half(8), r]


def _scalar(operand: Elements, place: int) -> Elements:
    """One element for all lanes, so many after the first."""
    return replace(operand, start=operand.start + place * operand.type.size, region=SCALAR)
