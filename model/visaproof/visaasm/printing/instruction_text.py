"""From instructions as they were read to their text, spelled and spaced as Intel's compiler writes them.

Source: docs/pages/operands-and-files.md §6.  Every part is printed from what was read; only an operand without a
class of its own (`Text`) is printed as it was written.
"""

import re

from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.types import DataType
from visaproof.visaasm.fragments import NAME
from visaproof.visaasm.instruction_reader import JUMPS, LABEL
from visaproof.visaasm.printing.quoting import quoted
from visaproof.visaasm.syntax import (
    AddressOf,
    ExecutionField,
    Immediate,
    IndirectOperand,
    Instruction,
    LscAddress,
    LscBase,
    LscData,
    LscPayload,
    LscPlace,
    Name,
    Number,
    Operand,
    PredicateUse,
    RawOperand,
    Region,
    RowRegion,
    SubscriptedName,
    Text,
    VectorDestination,
    VectorSource,
)

BLOCKS = frozenset(["oword_ld", "oword_ld_unaligned", "oword_st", "svm_block_ld", "svm_block_st"])
"""Their execution field counts owords, and the compiler writes no mask in it."""
ROWS_OF_REGISTERS = frozenset(["dpas", "dpasw"])
"""Their last operand is where a matrix begins, and has no region."""
_SCOPE_NUMBER = re.compile(r"#[0-9]+")


def instruction_text(instruction: Instruction) -> str:
    """The statement that reads as `instruction`."""
    opcode = instruction.opcode
    head = _predicate(instruction.predicate) + ".".join((opcode, *instruction.suffixes))
    if instruction.execution is not None:
        head += f" {_execution(instruction.execution, opcode)}"
    operands = [_operand(operand, opcode) for operand in instruction.operands]
    if opcode.startswith("sample"):
        operands[1:3] = [_state(operand, opcode) for operand in instruction.operands[1:3]]
    if opcode.startswith("lsc_"):
        return "  ".join([head, *operands])
    if opcode.startswith(("sample_", "load_", "resinfo")):
        head += " "
    return " ".join([head, *operands])


def written_name(unique: str) -> str:
    """The name in the text of a variable that may be known as `V#2`, since an outer scope has another `V`."""
    return _SCOPE_NUMBER.sub("", unique)


def immediate_text(bits: int, data_type: DataType) -> str:
    """The bits in hexadecimal; those of a narrow signed integer as the 32 bits with its value."""
    if data_type.size < 4 and data_type.signed and not data_type.floating and bits >> (data_type.bits - 1):
        bits += (1 << 32) - (1 << data_type.bits)
    return f"{bits:#x}:{data_type.spelling}"


def _predicate(use: PredicateUse | None) -> str:
    if use is None:
        return ""
    combine = "" if use.combine is Combine.PLAIN else f".{use.combine.name.lower()}"
    return f"({'!' if use.inverse else ''}{written_name(use.variable)}{combine}) "


def _execution(field: ExecutionField, opcode: str) -> str:
    if opcode in BLOCKS and field.mask is ExecMask.M1:
        return f"({field.size})"
    return f"({field.mask.name}, {field.size})"


# ---------------------------------------------------------------- operands


def _operand(operand: Operand, opcode: str) -> str:
    match operand:
        case RawOperand(variable, offset):
            is_bare = opcode.startswith(("lsc_", "lifetime")) and not offset
            return written_name(variable) if is_bare else f"{written_name(variable)}.{offset}"
        case VectorSource(variable, row, column, region, modifier, index=index):
            strides = "" if opcode in ROWS_OF_REGISTERS else _region(region)
            state = "" if index is None else f"[{index}] "
            return f"{_modifier(modifier)}{written_name(variable)}({row},{column}){strides}{state}"
        case VectorDestination(variable, row, column, horizontal):
            return f"{written_name(variable)}({row},{column})<{horizontal}>"
        case IndirectOperand():
            return _indirect(operand)
        case Name(name):
            return _name(written_name(name), opcode)
        case AddressOf(variable, offset):
            return f"&{written_name(variable)}" + (f"[{offset}]" if offset else "")
        case SubscriptedName(name, element, region, horizontal):
            return f"{written_name(name)}({element}){_strides(region, horizontal)}"
        case LscData(variable, offset, shape):
            return f"{_at(variable, offset)}:{shape}"
        case LscAddress():
            return _lsc_address(operand)
        case LscPlace() | LscPayload():
            return _lsc_place(operand)
        case Immediate() | Number() | Text():
            return _constant(operand)


def _state(operand: Operand, opcode: str) -> str:
    """A sampler or a surface, which on Xe3P is a variable with the address of its state, written without an offset."""
    if isinstance(operand, RawOperand):
        return _at(operand.variable, operand.offset)
    return _operand(operand, opcode)


def _constant(operand: Immediate | Number | Text) -> str:
    """An operand that names no variable."""
    match operand:
        case Immediate(bits, data_type):
            return immediate_text(bits, data_type)
        case Number(value):
            return str(value)
        case Text(text):
            return text


def _name(name: str, opcode: str) -> str:
    is_word = NAME.fullmatch(name) or (opcode in JUMPS and LABEL.fullmatch(f"{name}:"))
    return name if is_word else quoted(name)


def _indirect(operand: IndirectOperand) -> str:
    where = f"r[{written_name(operand.address_variable)}({operand.element}),{operand.byte_offset}]"
    strides = _strides(operand.region, operand.horizontal)
    return f"{_modifier(operand.modifier)}{where}{strides}:{operand.type.spelling}"


def _lsc_address(operand: LscAddress) -> str:
    index = f", {operand.index:#x}" if operand.index else ""
    argument = f"({_base(operand.base)}{index})" if operand.base is not None else ""
    scale = f"{operand.scale:#x}*" if operand.scale != 1 else ""
    sign = "-" if operand.immediate < 0 else "+"
    added = f"{sign}{abs(operand.immediate):#x}" if operand.immediate else ""
    return f"{operand.model}{argument}[{scale}{_at(operand.variable, operand.offset)}{added}]:{operand.size}"


def _lsc_place(operand: LscPlace | LscPayload) -> str:
    if isinstance(operand, LscPayload):
        return f"{operand.model}[{_at(operand.variable, operand.offset)} + ({operand.moved_x},{operand.moved_y})]"
    index = f", {operand.index:#x}" if operand.index else ""
    argument = f"({_base(operand.base)}{index})" if operand.base is not None else ""
    parts = [
        f"{_base(part)}{'-' if moved < 0 else '+'}{abs(moved):#x}" if moved else _base(part)
        for part, moved in zip(operand.parts, operand.moved, strict=True)
    ]
    return f"{operand.model}{argument}[{','.join(parts)}]{f':{operand.size}' if operand.size else ''}"


def _base(base: LscBase) -> str:
    match base:
        case Number(value):
            return hex(value)
        case Name(name):
            return written_name(name)
        case RawOperand(variable, offset):
            return _at(variable, offset)
        case VectorSource(variable, row, column):
            return f"{written_name(variable)}({row},{column})"


def _at(variable: str, offset: int) -> str:
    return f"{written_name(variable)}.{offset}" if offset else written_name(variable)


def _modifier(modifier: str) -> str:
    return f"({modifier})" if modifier else ""


def _strides(region: Region | RowRegion | None, horizontal: int | None) -> str:
    if region is not None:
        return _region(region)
    return "" if horizontal is None else f"<{horizontal}>"


def _region(region: Region | RowRegion) -> str:
    if isinstance(region, RowRegion):
        return f"<{region.width},{region.horizontal}>"
    return f"<{region.vertical};{region.width},{region.horizontal}>"
