"""What a lane of an opcode reads, and where it writes: its own elements by region, but for the opcodes here.

Pages: SAD2, SAD2ADD, PLN, LRP.
"""

from dataclasses import replace

from visaproof.decode.statement import execution_of
from visaproof.isa.errors import NotModelled
from visaproof.machine.symbolic.operands import Reader, SymbolicOperands
from visaproof.semantics.symbolic.pairs import PAIRED
from visaproof.visaasm.opcode_kinds import is_scalar
from visaproof.visaasm.syntax import Immediate, Instruction, Operand, Region, VectorDestination, VectorSource

CONTIGUOUS = Region(1, 1, 0)
SCALAR = Region(0, 1, 0)

PLANE_LANES = (8, 16)


def readers_of(instruction: Instruction, first: int, operands: SymbolicOperands) -> list[Reader]:
    """What reads the sources of a lane, operands from `first` on."""
    sources = instruction.operands[first:]
    match instruction.opcode:
        case "plane":
            return _of_plane(instruction, sources, operands)
        case "lrp":  # Page: "other regions are ignored and contiguous elements will be accessed"
            return [operands.reader(one if is_scalar(one) else _contiguous(one)) for one in sources]
        case opcode if opcode in PAIRED:
            left, right, *addend = (operands.reader(one) for one in sources)
            return [left, right, _moved(left, 1), _moved(right, 1), *addend]
        case _:
            return [operands.reader(one) for one in sources]


def target_of(instruction: Instruction) -> Operand:
    """The destination.  Page LRP: "Register region is ignored for Dst, and contiguous elements will be updated"."""
    target = instruction.operands[0]
    if instruction.opcode != "lrp":
        return target
    if not isinstance(target, VectorDestination):
        raise NotModelled("lrp into this form of destination", target.position)
    return replace(target, horizontal=1)


def _contiguous(operand: Operand) -> Operand:
    if isinstance(operand, Immediate):
        return operand
    return replace(_vector(operand), region=CONTIGUOUS)


def _vector(operand: Operand) -> VectorSource:
    if not isinstance(operand, VectorSource):
        raise NotModelled("a source in this form, where the opcode ignores regions", operand.position)
    return operand


def _moved(read: Reader, lanes: int) -> Reader:
    return lambda lane, assumed: read(lane + lanes, assumed)


def _of_plane(instruction: Instruction, sources: tuple[Operand, ...], operands: SymbolicOperands) -> list[Reader]:
    """p, u, q, v and r of Page PLN: "p*u + q*v + r"; eight elements of u, then eight of v, for each eight lanes."""
    if execution_of(instruction).size not in PLANE_LANES:
        raise NotModelled("plane of other than 8 or 16 lanes", instruction.position)
    scalars, vectors = (_vector(one) for one in sources)
    p, q, r = (operands.reader(replace(scalars, column=scalars.column + place, region=SCALAR)) for place in (0, 1, 3))
    element = operands.reader(replace(vectors, region=CONTIGUOUS))

    def half(first: int) -> Reader:
        return lambda lane, assumed: element(lane // 8 * 16 + first + lane % 8, assumed)

    return [p, half(0), q, half(8), r]
