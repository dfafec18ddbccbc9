"""From `lsc_*` statements to the instructions of page LSC_UNTYPED."""

import re
from collections.abc import Callable

from visaproof.instructions.family import LscAtomic, LscLoad, LscStore
from visaproof.instructions.lsc_atomic import OPERATIONS
from visaproof.instructions.lsc_untyped import VECTOR_SIZES, Addresses, DataShape, DataSize
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.operands import SCRATCH, RawOperand
from visaproof.kernel import predefined, syntax
from visaproof.kernel.scratch import is_scratch_handle
from visaproof.kernel.statement import Statement, execution_of, root_byte

LscMessage = LscAtomic | LscLoad | LscStore

SLM = "%slm"

_SHAPE = re.compile(r"(d8u32|d8c32|d16u32|d16c32|d32|d64)(?:x(\d+))?(t?)")
"""`c32` is how older tools print `u32`."""


def _shape(data: syntax.LscData) -> DataShape:
    found = _SHAPE.fullmatch(data.shape)
    if found is None:
        raise NotModelled(f"LSC data of shape {data.shape}", data.position)
    size, elements, transposed = found.groups()
    shape = DataShape(DataSize[size.replace("c32", "u32").upper()], int(elements or 1), bool(transposed))
    if shape.elements not in VECTOR_SIZES:
        raise ReadError(f"{elements} elements", data.position, f"one of {VECTOR_SIZES}")
    return shape


def _data(s: Statement, operand: syntax.Operand) -> tuple[RawOperand, DataShape]:
    if not isinstance(operand, syntax.LscData):
        raise ReadError("this operand must be data: VARIABLE:SHAPE", operand.position)
    shape = _shape(operand)
    return s.raw(syntax.RawOperand(operand.variable, operand.offset, operand.position)), shape


def _place(s: Statement, operand: syntax.Operand) -> tuple[str, Addresses]:
    """The surface, by the name of what it is bound to, and the addresses in it."""
    if not isinstance(operand, syntax.LscAddress):
        raise ReadError("this operand must be an address: MODEL[VARIABLE]:SIZE", operand.position)
    if operand.size not in ("a32", "a64") or operand.variable == predefined.NULL:
        raise NotModelled(f"LSC addresses :{operand.size}", operand.position)
    bits = int(operand.size[1:])
    addresses = Addresses(
        RawOperand(*root_byte(s.kernel, operand.variable, operand.offset)), bits, operand.scale, operand.immediate
    )
    match s.suffix("SFID"), operand.model, bits:
        case "ugm" | "ugml", "flat", 64:
            return FLAT, addresses
        case "slm", "flat", 32:
            return SLM, addresses
        case "ugm" | "ugml", "bti", 32 if operand.model_argument.startswith("0x"):
            return f"bti {int(operand.model_argument, 16)}", addresses
        case "ugm" | "ugml", "ss", 32 if is_scratch_handle(s.kernel, operand.model_argument, s.platform):
            return SCRATCH, addresses
        case unit, model, _:
            raise NotModelled(f"{s.instruction.opcode}.{unit} {model}[…]:{operand.size}", operand.position)


def _load(s: Statement) -> LscMessage:
    data, place = s.operands(2)
    dst, shape = _data(s, data)
    return LscLoad(execution_of(s.instruction), *_place(s, place), shape, dst)


def _store(s: Statement) -> LscMessage:
    place, data = s.operands(2)
    src, shape = _data(s, data)
    return LscStore(execution_of(s.instruction), *_place(s, place), shape, src)


def _atomic(s: Statement) -> LscMessage:
    data, place, *rest = s.operands(4)
    dst, shape = _data(s, data)
    if shape not in (DataShape(DataSize.D32), DataShape(DataSize.D64)):
        raise NotModelled(f"{s.instruction.opcode} on {shape}", s.position)
    bits = 8 * shape.size.in_memory
    op = OPERATIONS[s.instruction.opcode.removeprefix("lsc_atomic_")]
    src1, src2 = (s.raw(operand) for operand in rest)
    return LscAtomic(execution_of(s.instruction), op, *_place(s, place), dst, src1, src2, bits)


DECODERS: dict[str, Callable[[Statement], LscMessage]] = {
    "lsc_load": _load,
    "lsc_store": _store,
    **{f"lsc_atomic_{name}": _atomic for name in OPERATIONS},
}
