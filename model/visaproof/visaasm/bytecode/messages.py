"""Byte code ↔ instructions of the pages and statements of a file: names become indices, and back.

General variables have indices 0-31 (predefined) and 32+ in the order of their declarations, surfaces 0-5 and 6+,
predicates 1+, address variables 0+.  Source: docs/pages/operands-and-files.md §3-§5, docs/pages/instructions.md §0.4.
"""

from collections.abc import Mapping

from msgspec import Struct

from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.isa.encoding import (
    ATOMIC_CODES,
    BLOCK_CODES,
    EXEC_SIZE_CODES,
    PREDEC_CODE,
    PredicateField,
    RegionField,
    predicate_field,
)
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import (
    NULL,
    Channels,
    Execution,
    ImmediateUD,
    Parameter,
    Predicate,
    RawOperand,
    Scalar,
    ScalarUD,
)
from visaproof.isa.types import DataType
from visaproof.visaasm import predefined, syntax
from visaproof.visaasm.bytecode.tables import (
    EncodedInstruction,
    FieldValue,
    GeneralField,
    ImmediateField,
    RawField,
)

FIRST_GENERAL = 32
WIDTH_16 = 0x20
"""Bit 5 of an atomic operation: 16-bit texels."""

PageInstruction = Scatter4Scaled | OwordLd | QwScatter | TypedAtomic

_SIZES = {code: size for size, code in EXEC_SIZE_CODES.items()}
_BLOCKS = {code: blocks for blocks, code in BLOCK_CODES.items()}
_OPS = {op.code: op for op in PAGE_OPS}
_SPELLINGS = {code: spelling for spelling, code in ATOMIC_CODES.items()} | {PREDEC_CODE: "predec"}


class Indices(Struct, frozen=True):
    """The variables of a kernel by their place in byte code, and its register size."""

    general: Mapping[int, str]
    surfaces: Mapping[int, str]
    predicates: Mapping[int, str]
    addresses: Mapping[int, str]
    element_bytes: Mapping[str, int]
    """Of the general variables."""
    grf_bytes: int

    def name(self, table: Mapping[int, str], index: int, what: str) -> str:
        if index not in table:
            raise ReadError(f"{what} {index} is not declared", Position("<bytes>", 1, 1))
        return table[index]


def indices_of(variables: Mapping[str, syntax.Variable], grf_bytes: int) -> Indices:
    """The indices of the declared variables, in declaration order, and of the predefined ones."""
    declared = [variable for name, variable in variables.items() if name not in predefined.PREDEFINED]

    def numbered(kind: type[syntax.Variable], first: int) -> dict[int, str]:
        return dict(enumerate((each.name for each in declared if isinstance(each, kind)), first))

    general = {index: name for index, (name, _, _) in enumerate(predefined.GENERAL)}
    surfaces = dict(enumerate(predefined.SURFACES))
    return Indices(
        general | numbered(syntax.GeneralVariable, FIRST_GENERAL),
        surfaces | numbered(syntax.SurfaceVariable, len(surfaces)),
        numbered(syntax.PredicateVariable, 1),
        numbered(syntax.AddressVariable, 0),
        {name: each.type.size for name, each in variables.items() if isinstance(each, syntax.GeneralVariable)},
        grf_bytes,
    )


def index_of(table: Mapping[int, str], name: str) -> int:
    """Raises KeyError where the table has no such name."""
    for index, each in table.items():
        if each == name:
            return index
    raise KeyError(name)


# ---------------------------------------------------------------- from a page


def encoded(message: PageInstruction, indices: Indices) -> EncodedInstruction:
    """The fields of an instruction of a page.  Raises KeyError for an unknown name, ValueError for a parameter."""
    surface = index_of(indices.surfaces, message.surface)
    match message:
        case Scatter4Scaled(execution, Channels(mask), _, offset, element_offset, src):
            raws = _raw(element_offset, indices), _raw(src, indices)
            fields = (*_lanes(execution, indices), mask, 0, surface, _scalar(offset, indices), *raws)
        case OwordLd(size, _, offset, dst):
            fields = (EXEC_SIZE_CODES[size], 0, surface, _scalar(offset, indices), _raw(dst, indices))
        case QwScatter(execution, _, offset, src, num_blocks):
            lanes = _lanes(execution, indices)
            fields = (*lanes, BLOCK_CODES[num_blocks], surface, _raw(offset, indices), _raw(src, indices))
        case TypedAtomic(execution, op, _, u, v, r, lod, src0, src1, dst, texel_bits):
            raws = (_raw(operand, indices) for operand in (u, v, r, lod, src0, src1, dst))
            code = op.code | (WIDTH_16 if texel_bits == 16 else 0)
            fields = (code, *_lanes(execution, indices), surface, *raws)
        case _:
            raise ValueError(f"{message.spec.mnemonic}: a field stands for any value")
    return EncodedInstruction(message.spec.name, fields)


def execution_byte(size: int, mask: ExecMask) -> int:
    """``7..4: mask | 3..0: size code``: `(M3_NM, 8)` is 0xA3."""
    return mask << 4 | EXEC_SIZE_CODES[size]


def _lanes(execution: Execution, indices: Indices) -> tuple[int, int]:
    """Exec_size and Pred."""
    predicate = execution.predicate
    if isinstance(execution.mask, Parameter):
        raise ValueError("the mask stands for any value")
    field = PredicateField()
    if predicate is not None:
        if isinstance(predicate.inverse, Parameter) or isinstance(predicate.combine, Parameter):
            raise ValueError("the predicate control stands for any value")
        index = index_of(indices.predicates, predicate.variable)
        field = PredicateField(index, predicate.inverse, predicate.combine)
    return execution_byte(execution.size, execution.mask), field.word


def _raw(operand: RawOperand, indices: Indices) -> RawField:
    return RawField(index_of(indices.general, operand.variable), operand.offset)


def _scalar(operand: Scalar, indices: Indices) -> FieldValue:
    if isinstance(operand, ImmediateUD):
        return ImmediateField(DataType.UD, operand.value)
    if indices.element_bytes[operand.variable] != 4 or operand.offset % 4:
        raise ValueError(f"byte {operand.offset} of {operand.variable} is no element of it with 32 bits")
    row, rest = divmod(operand.offset, indices.grf_bytes)
    return GeneralField(index_of(indices.general, operand.variable), row, rest // 4)


# ---------------------------------------------------------------- to a page


def message_of(instruction: EncodedInstruction, indices: Indices) -> PageInstruction:
    """The instruction of a page.

    Raises ReadError for an index without a variable, NotModelled for forms that no page instruction here has.
    """
    surface = indices.name(indices.surfaces, instruction.number("Surface"), "surface")
    raws = [_operand(value, indices) for value in instruction.fields if isinstance(value, RawField)]
    match instruction.mnemonic:
        case "scatter4_scaled":
            offset = _scalar_operand(instruction["Offset"], indices)
            channels = Channels(instruction.number("Channels"))
            return Scatter4Scaled(_execution(instruction, indices), channels, surface, offset, *raws)
        case "oword_ld":
            offset = _scalar_operand(instruction["Offset"], indices)
            return OwordLd(_SIZES[instruction.number("Size")], surface, offset, *raws)
        case "qw_scatter":
            blocks = _BLOCKS[instruction.number("Num_blocks")]
            return QwScatter(_execution(instruction, indices), surface, *raws, num_blocks=blocks)
        case _:
            u, v, r, lod, src0, src1, dst = raws
            lanes, (op, texel_bits) = _execution(instruction, indices), _operation(instruction)
            return TypedAtomic(lanes, op, surface, u, v, r, lod, src0, src1, dst, texel_bits)


def _execution(instruction: EncodedInstruction, indices: Indices) -> Execution:
    byte, field = instruction.number("Exec_size"), predicate_field(instruction.number("Pred"))
    predicate = None
    if field.variable:
        name = indices.name(indices.predicates, field.variable, "predicate")
        predicate = Predicate(name, field.inverse, field.combine)
    return Execution(_SIZES[byte & 0xF], ExecMask(byte >> 4), predicate)


def _operand(field: RawField, indices: Indices) -> RawOperand:
    return (
        NULL if field.index == 0 else RawOperand(indices.name(indices.general, field.index, "variable"), field.offset)
    )


def _scalar_operand(field: FieldValue, indices: Indices) -> Scalar:
    match field:
        case ImmediateField(DataType.UD, bits):
            return ImmediateUD(bits)
        case GeneralField(index, row, column, RegionField(0, 1, 0), ""):
            name = indices.name(indices.general, index, "variable")
            if indices.element_bytes[name] != 4:
                raise NotModelled(f"an offset in elements of {indices.element_bytes[name]} bytes")
            return ScalarUD(name, row * indices.grf_bytes + 4 * column)
        case _:
            raise NotModelled("an offset in this form")


def _operation(instruction: EncodedInstruction) -> tuple[AtomicOp, int]:
    """The operation and the bits of a texel."""
    code = instruction.number("Op")
    if code & ~WIDTH_16 not in _OPS:
        raise NotModelled(f"typed_atomic.{atomic_spelling(code)}")
    return _OPS[code & ~WIDTH_16], 16 if code & WIDTH_16 else 32


def atomic_spelling(code: int) -> str:
    """The suffixes of an operation: `add`, `add.16`; predec, which the grammar cannot spell, as the page calls it."""
    spelling = _SPELLINGS[code & 0x1F]
    return f"{spelling}.16" if code & WIDTH_16 else spelling
