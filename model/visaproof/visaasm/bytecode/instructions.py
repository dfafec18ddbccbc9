"""Byte code of the four pages: the fields of a Format table ↔ bytes.

Source: docs/pages/instructions.md §0.1-§0.4, §1-§4.

Little endian, without padding.  A scalar Offset begins with a tag, ``5..3: modifier | 2..0: class``:

    general    00 | ud variable | ub row | ub column | uw region
    indirect   03 | uw address variable | ub element | w byte offset | ub type | uw region
    immediate  05 | ub type | ud bits, or two uds for a type of 64 bits
"""

from visaproof.isa.encoding import TYPE_CODES, RegionField, region_field
from visaproof.isa.errors import Position, ReadError
from visaproof.isa.fields import Width
from visaproof.isa.types import DataType
from visaproof.visaasm.bytecode.tables import (
    FORMATS,
    EncodedInstruction,
    FieldValue,
    GeneralField,
    ImmediateField,
    IndirectField,
    Layout,
    RawField,
    ScalarField,
)

_MNEMONICS = {form.opcode: mnemonic for mnemonic, form in FORMATS.items()}
_TYPES = {code: data_type for data_type, code in TYPE_CODES.items()}
_NUMBER_BYTES = {Width.UB: 1, Width.UW: 2}
_GENERAL, _INDIRECT, _IMMEDIATE = 0, 3, 5
_MODIFIERS = ("", "abs", "-", "-abs", "sat", "~")

# ---------------------------------------------------------------- to bytes


def encode(instruction: EncodedInstruction) -> bytes:
    """The bytes of an instruction.  Raises ValueError where a field has a reserved code or does not fit."""
    form = FORMATS[instruction.mnemonic]
    parts = [bytes([form.opcode])]
    for layout, value in zip(form.fields, instruction.fields, strict=True):
        try:
            parts.append(field_bytes(layout, value))
        except OverflowError:
            raise ValueError(f"{layout.name} of {instruction.mnemonic} does not fit: {value}") from None
    return b"".join(parts)


def field_bytes(layout: Layout, value: FieldValue) -> bytes:
    """The bytes of one field.  Raises ValueError, OverflowError."""
    match layout.width, value:
        case ((Width.UB | Width.UW), int(number)):
            if layout.reserved(number):
                raise ValueError(f"{layout.name} {number:#x} is reserved")
            return _little(number, _NUMBER_BYTES[layout.width])
        case Width.RAW, RawField(index, offset):
            return _little(index, 4) + _little(offset, 2)
        case Width.SCALAR, GeneralField(index, row, column, region, modifier):
            return (
                bytes([_tag(_GENERAL, modifier)]) + _little(index, 4) + bytes([row, column]) + _little(region.word, 2)
            )
        case Width.SCALAR, IndirectField(index, element, byte_offset, data_type, region, modifier):
            where = _little(index, 2) + _little(element, 1) + byte_offset.to_bytes(2, "little", signed=True)
            tag = bytes([_tag(_INDIRECT, modifier)])
            return tag + where + bytes([TYPE_CODES[data_type]]) + _little(region.word, 2)
        case Width.SCALAR, ImmediateField(data_type, bits):
            size = max(4, data_type.size)
            return bytes([_IMMEDIATE, TYPE_CODES[data_type]]) + _little(_widened(bits, data_type, 8 * size), size)
        case _:
            raise ValueError(f"{layout.name} cannot be {value}")


def _little(number: int, count: int) -> bytes:
    return number.to_bytes(count, "little")


def _tag(operand_class: int, modifier: str) -> int:
    return _MODIFIERS.index(modifier) << 3 | operand_class


def _widened(bits: int, data_type: DataType, width: int) -> int:
    """An immediate of fewer than 32 bits takes 32: the integers keep their value."""
    negative = data_type.signed and not data_type.floating and bits >> (data_type.bits - 1)
    return (bits - (1 << data_type.bits)) % (1 << width) if negative else bits


# ---------------------------------------------------------------- from bytes


def decode_bytes(data: bytes, path: str = "<bytes>") -> EncodedInstruction:
    """The one instruction that `data` is.  Raises ReadError, whose column is the byte where it went wrong, from 1."""
    instruction, end = read_encoded(data, 0, path)
    if end != len(data):
        raise _error(path, end, f"{len(data) - end} bytes are left over")
    return instruction


def read_encoded(data: bytes, start: int, path: str = "<bytes>") -> tuple[EncodedInstruction, int]:
    """The instruction that starts at byte `start`, and where it ends.  Raises ReadError."""
    cursor = _Cursor(data, start, path)
    opcode = cursor.number(1, "the opcode")
    if opcode not in _MNEMONICS:
        raise _error(path, start, f"opcode {opcode:#04x} is none of the four pages")
    mnemonic = _MNEMONICS[opcode]
    fields = tuple(_read_field(cursor, layout) for layout in FORMATS[mnemonic].fields)
    return EncodedInstruction(mnemonic, fields), cursor.at


def _error(path: str, offset: int, message: str) -> ReadError:
    return ReadError(f"byte {offset}: {message}", Position(path, 1, offset + 1))


class _Cursor:
    """A place in the bytes."""

    def __init__(self, data: bytes, at: int, path: str) -> None:
        self._data = data
        self._path = path
        self.at = at

    def number(self, count: int, what: str, *, signed: bool = False) -> int:
        taken = self._data[self.at : self.at + count]
        if len(taken) < count:
            raise _error(self._path, len(self._data), f"the bytes end in {what}")
        self.at += count
        return int.from_bytes(taken, "little", signed=signed)

    def error(self, behind: int, message: str) -> ReadError:
        """An error in the `behind` bytes that were just read."""
        return _error(self._path, self.at - behind, message)


def _read_field(cursor: _Cursor, layout: Layout) -> FieldValue:
    match layout.width:
        case Width.RAW:
            return RawField(cursor.number(4, layout.name), cursor.number(2, layout.name))
        case Width.SCALAR:
            return _read_scalar(cursor, layout.name)
        case _:
            count = _NUMBER_BYTES[layout.width]
            number = cursor.number(count, layout.name)
            if layout.reserved(number):
                raise cursor.error(count, f"{layout.name} {number:#x} is reserved")
            return number


def _read_scalar(cursor: _Cursor, name: str) -> ScalarField:
    tag = cursor.number(1, name)
    operand_class, modifier = tag & 7, tag >> 3
    if modifier >= len(_MODIFIERS) or _MODIFIERS[modifier] == "sat" or (modifier and operand_class == _IMMEDIATE):
        raise cursor.error(1, f"{name} has the reserved modifier {modifier}")
    match operand_class:
        case 0:
            index, row, column = cursor.number(4, name), cursor.number(1, name), cursor.number(1, name)
            return GeneralField(index, row, column, _read_region(cursor, name), _MODIFIERS[modifier])
        case 3:
            index, element = cursor.number(2, name), cursor.number(1, name)
            byte_offset, data_type = cursor.number(2, name, signed=True), _read_type(cursor, name)
            region = _read_region(cursor, name)
            return IndirectField(index, element, byte_offset, data_type, region, _MODIFIERS[modifier])
        case 5:
            data_type = _read_type(cursor, name)
            return ImmediateField(data_type, cursor.number(max(4, data_type.size), name) % (1 << data_type.bits))
        case _:
            raise cursor.error(1, f"{name} has class {operand_class}: a scalar is general, indirect or immediate")


def _read_type(cursor: _Cursor, name: str) -> DataType:
    code = cursor.number(1, name)
    if code not in _TYPES:
        raise cursor.error(1, f"{name} has the reserved type {code:#x}")
    return _TYPES[code]


def _read_region(cursor: _Cursor, name: str) -> RegionField:
    word = cursor.number(2, name)
    try:
        return region_field(word)
    except ValueError as error:
        raise cursor.error(2, f"{name}: {error}") from None
