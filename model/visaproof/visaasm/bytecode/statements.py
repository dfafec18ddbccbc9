"""Statements of a file → byte code: aliases keep their own indices.  Source: docs/pages/instructions.md §1-§4."""

from visaproof.isa.encoding import (
    ATOMIC_CODES,
    BLOCK_CODES,
    EXEC_SIZE_CODES,
    PREDEC_CODE,
    PredicateField,
    RegionField,
)
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.fields import Width
from visaproof.visaasm import predefined, syntax
from visaproof.visaasm.bytecode.messages import WIDTH_16, Indices, execution_byte, index_of
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

_OPS = ATOMIC_CODES | {"predec": PREDEC_CODE, "imin": ATOMIC_CODES["minsint"], "imax": ATOMIC_CODES["maxsint"]}


def encoded_statement(instruction: syntax.Instruction, indices: Indices) -> EncodedInstruction:
    """The fields of a statement of the four pages.

    What has no field is dropped, as Intel's writer drops it: `.mod` and a mask of OWORD_LD (D17).  Raises ReadError for
    operands that do not fit, NotModelled for a form without an encoding.
    """
    form = FORMATS.get(instruction.opcode)
    if form is None:
        raise NotModelled(f"opcode {instruction.opcode}", instruction.position)
    operands = [layout for layout in form.fields if _is_operand(layout)]
    if len(operands) != len(instruction.operands):
        message = f"{instruction.opcode} takes {len(operands)} operands, not {len(instruction.operands)}"
        raise ReadError(message, instruction.position)
    written = iter(instruction.operands)
    fields = tuple(
        _operand(next(written), layout, indices) if _is_operand(layout) else _number(layout.name, instruction, indices)
        for layout in form.fields
    )
    return EncodedInstruction(instruction.opcode, fields)


def _is_operand(layout: Layout) -> bool:
    return layout.name == "Surface" or layout.width in (Width.RAW, Width.SCALAR)


def _number(name: str, instruction: syntax.Instruction, indices: Indices) -> int:
    """The field `name` of the head."""
    match name:
        case "Exec_size" | "Size":
            field = instruction.execution
            if field is None:
                raise ReadError(f"{instruction.opcode} needs (mask, size)", instruction.position)
            return EXEC_SIZE_CODES[field.size] if name == "Size" else execution_byte(field.size, field.mask)
        case "Pred":
            use = instruction.predicate
            if use is None:
                return 0
            return PredicateField(index_of(indices.predicates, use.variable), use.inverse, use.combine).word
        case "Channels" | "Num_blocks" | "Op":
            return _suffix_code(name, instruction)
        case _:
            return 0  # Scale, Is_modified


def _suffix_code(name: str, instruction: syntax.Instruction) -> int:
    suffix, *rest = instruction.suffixes or ("",)
    if name == "Channels" and not rest:
        channels = suffix.upper()
        mask = sum(1 << bit for bit, letter in enumerate("RGBA") if letter in channels)
        if mask and channels == "".join(letter for letter in "RGBA" if letter in channels):
            return mask
    if name == "Num_blocks" and not rest and suffix.isdecimal() and int(suffix) in BLOCK_CODES:
        return BLOCK_CODES[int(suffix)]
    if name == "Op" and suffix in _OPS and rest in ([], ["16"]):
        return _OPS[suffix] | (WIDTH_16 if rest else 0)
    raise NotModelled(f"{instruction.opcode}.{'.'.join(instruction.suffixes)}", instruction.position)


def _operand(operand: syntax.Operand, layout: Layout, indices: Indices) -> FieldValue:
    try:
        match layout.width, operand:
            case Width.UB, syntax.Name(name):
                return index_of(indices.surfaces, name)
            case Width.RAW, syntax.RawOperand(predefined.NULL):
                return RawField(0)
            case Width.RAW, syntax.RawOperand(name, offset):
                return RawField(index_of(indices.general, name), offset)
            case Width.SCALAR, syntax.Immediate(bits, data_type):
                return ImmediateField(data_type, bits)
            case Width.SCALAR, syntax.VectorSource(name, row, column, region, modifier):
                return GeneralField(index_of(indices.general, name), row, column, _region(region), modifier)
            case Width.SCALAR, syntax.IndirectOperand(
                name, element, start, syntax.Region() as region, _, data_type, sign
            ):
                index = index_of(indices.addresses, name)
                return IndirectField(index, element, start, data_type, _region(region), sign)
            case _:
                raise ReadError(f"this operand cannot be the {layout.name} of an instruction", operand.position)
    except KeyError as unknown:
        raise ReadError(f"{unknown.args[0]} cannot be the {layout.name}", operand.position) from None


def _region(region: syntax.Region) -> RegionField:
    return RegionField(region.vertical, region.width, region.horizontal)
