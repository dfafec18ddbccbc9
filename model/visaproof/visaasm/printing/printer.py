"""From instructions to their canonical text: the grammar's spelling, as Intel's listing has it.

Source: docs/pages/instructions.md §1-§4 (Text), docs/decisions.md D50.  The mask is always shown, channels are upper
case, immediates are hexadecimal with their type, floats as their bits; `.mod` and a mask of OWORD_LD do not come back.
"""

from visaproof.isa.encoding import predicate_field
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import Channels
from visaproof.visaasm import predefined, syntax
from visaproof.visaasm.bytecode.messages import Indices, PageInstruction, atomic_spelling, encoded
from visaproof.visaasm.bytecode.statements import encoded_statement
from visaproof.visaasm.bytecode.tables import (
    FORMATS,
    EncodedInstruction,
    FieldValue,
    GeneralField,
    ImmediateField,
    IndirectField,
    Layout,
    RawField,
)
from visaproof.visaasm.printing.instruction_text import immediate_text


def print_message(message: PageInstruction, indices: Indices) -> str:
    """The canonical text of an instruction of a page: reading and decoding it gives the same instruction."""
    return print_encoded(encoded(message, indices), indices)


def print_statement(instruction: syntax.Instruction, indices: Indices) -> str:
    """The canonical text of a statement of the four pages.  Raises ReadError, NotModelled."""
    return print_encoded(encoded_statement(instruction, indices), indices)


def print_encoded(instruction: EncodedInstruction, indices: Indices) -> str:
    """The canonical text of byte code.  Raises ReadError for an index without a variable."""
    operands = [
        _operand(value, layout, indices)
        for layout, value in zip(FORMATS[instruction.mnemonic].fields, instruction.fields, strict=True)
        if layout.name == "Surface" or not isinstance(value, int)
    ]
    return " ".join([_head(instruction, indices), *operands])


def _head(instruction: EncodedInstruction, indices: Indices) -> str:
    match instruction.mnemonic:
        case "oword_ld":
            return f"oword_ld ({1 << instruction.number('Size')})"
        case "scatter4_scaled":
            suffix = str(Channels(instruction.number("Channels")))
        case "qw_scatter":
            suffix = str(1 << instruction.number("Num_blocks"))
        case _:
            suffix = atomic_spelling(instruction.number("Op"))
    byte = instruction.number("Exec_size")
    execution = f"({ExecMask(byte >> 4).name}, {1 << (byte & 0xF)})"
    return f"{_predicate(instruction, indices)}{instruction.mnemonic}.{suffix} {execution}"


def _predicate(instruction: EncodedInstruction, indices: Indices) -> str:
    field = predicate_field(instruction.number("Pred"))
    if field.variable == 0:
        return ""
    name = indices.name(indices.predicates, field.variable, "predicate")
    combine = "" if field.combine is Combine.PLAIN else f".{field.combine.name.lower()}"
    return f"({'!' if field.inverse else ''}{name}{combine}) "


def _operand(value: FieldValue, layout: Layout, indices: Indices) -> str:
    match value:
        case int(index):
            return indices.name(indices.surfaces, index, "surface")
        case RawField(index, offset):
            # the null variable has no offset, whatever its field says
            return f"{_general(index, indices)}.{offset if index else 0}"
        case ImmediateField(data_type, bits):
            return immediate_text(bits, data_type)
        case GeneralField(index, row, column, region, modifier):
            strides = f"<{region.vertical};{region.width},{region.horizontal}>"
            return f"{_sign(modifier)}{_general(index, indices)}({row},{column}){strides}"
        case IndirectField(index, element, byte_offset, data_type, region, modifier):
            name = indices.name(indices.addresses, index, "address variable")
            strides = f"<{region.vertical};{region.width},{region.horizontal}>"
            return f"{_sign(modifier)}r[{name}({element}),{byte_offset}]{strides}:{data_type.spelling}"


def _general(index: int, indices: Indices) -> str:
    return predefined.NULL if index == 0 else indices.name(indices.general, index, "variable")


def _sign(modifier: str) -> str:
    return f"({modifier})" if modifier else ""
