"""From `lsc_load_quad` and `lsc_store_quad` to their instructions: texels by `tgm`, dwords in memory by `ugm`.

Sources: docs/pages/current-compiler.md §4, §5.
"""

import re

from visaproof.decode.lsc import place_of, state_surface, unit_of
from visaproof.decode.statement import Statement
from visaproof.instructions.family import LscLoad, LscLoadTyped, LscStore, LscStoreTyped
from visaproof.instructions.lsc.typed import Coordinate, Coordinates
from visaproof.instructions.lsc.untyped import DataShape, DataSize
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.operands import Channels, RawOperand
from visaproof.isa.platform import Platform
from visaproof.visaasm import syntax

_SHAPE = re.compile(r"[du]32\.(x?y?z?w?)")

QuadMessage = LscLoadTyped | LscStoreTyped | LscLoad | LscStore


def load(s: Statement) -> QuadMessage:
    data, place = s.operands(2)
    dst, channels = _data(s, data)
    if isinstance(place, syntax.LscAddress) and not _is_typed(s):
        return LscLoad(s.execution(), *place_of(s, place), _shape(channels), dst)
    surface, coordinates = _texels(s, place)
    return LscLoadTyped(s.execution(), channels, surface, coordinates, dst)


def store(s: Statement) -> QuadMessage:
    place, data = s.operands(2)
    src, channels = _data(s, data)
    if isinstance(place, syntax.LscAddress) and not _is_typed(s):
        return LscStore(s.execution(), *place_of(s, place), _shape(channels), src)
    surface, coordinates = _texels(s, place)
    return LscStoreTyped(s.execution(), channels, surface, coordinates, src)


def _is_typed(s: Statement) -> bool:
    return s.instruction.suffixes[:1] == ("tgm",)


def _shape(channels: Channels) -> DataShape:
    chosen = tuple(number for number in range(4) if channels.mask >> number & 1)
    return DataShape(DataSize.D32, len(chosen), components=chosen)


def _data(s: Statement, operand: syntax.Operand) -> tuple[RawOperand, Channels]:
    found = _SHAPE.fullmatch(operand.shape) if isinstance(operand, syntax.LscData) else None
    if found is None or not isinstance(operand, syntax.LscData):
        raise ReadError("this operand must be data: VARIABLE:SHAPE", operand.position, "as in V1:d32.xyzw")
    s.taken.take(operand, "variable", "offset", "shape")
    mask = sum(1 << "xyzw".index(letter) for letter in found.group(1))
    return s.raw(syntax.RawOperand(operand.variable, operand.offset, operand.position)), Channels(mask)


def _texels(s: Statement, operand: syntax.Operand) -> tuple[str, Coordinates]:
    """The image, and the coordinates that are written."""
    unit = unit_of(s)
    if isinstance(operand, syntax.LscAddress):  # one coordinate is written as an address is
        if operand.scale != 1:
            raise NotModelled(f"{s.instruction.opcode}.{unit} with a scale", operand.position)
        s.taken.take(operand, "model", "variable", "offset", "scale", "immediate", "size", "base")
        parts = [(syntax.RawOperand(operand.variable, operand.offset, operand.position), operand.immediate)]
    elif isinstance(operand, syntax.LscPlace):
        s.taken.take(operand, "model", "base", "parts", "moved", "size")
        parts = list(zip(operand.parts, operand.moved, strict=True))
    else:
        raise ReadError("this operand must be the place of a texel: MODEL[U,V]:SIZE", operand.position)
    if operand.size != ("a32u" if s.platform >= Platform.Xe3P else "a32"):  # unsigned dwords, by either name
        raise NotModelled(f"{s.instruction.opcode}.{unit} with coordinates :{operand.size}", operand.position)
    if operand.model not in ("bti", "surf" if s.platform >= Platform.Xe3P else "bss"):
        raise NotModelled(f"{s.instruction.opcode}.{unit} {operand.model}", operand.position)
    if unit != "tgm" or operand.base is None:
        raise NotModelled(f"{s.instruction.opcode}.{unit} {operand.model}[U,V]", operand.position)
    surface = state_surface(s, operand.model, operand.base, operand.position)
    return surface, tuple(Coordinate(s.raw(part), moved) for part, moved in parts)
