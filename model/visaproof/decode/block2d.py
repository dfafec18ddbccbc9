"""From `lsc_load_block2d` and `lsc_store_block2d` to their instructions.  Source: docs/pages/current-compiler.md §6."""

import re

from visaproof.decode.cache_options import CACHE_WORDS, MOST_LEVELS
from visaproof.decode.statement import Statement, root_byte
from visaproof.instructions.lsc.block2d import BlockPlace, BlockShape, place_in_payload
from visaproof.instructions.lsc.load_block2d import LscLoadBlock2d
from visaproof.instructions.lsc.store_block2d import LscStoreBlock2d
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.operands import RawOperand
from visaproof.visaasm import syntax

_SHAPE = re.compile(r"[du](8|16|32|64)\.(?:(\d+)x)?(\d+)x(\d+)([nt]?)([nt]?)")

BASE_BYTES, PART_BYTES = 8, 4


def load(s: Statement) -> LscLoadBlock2d:
    data, place = s.operands(2)
    _global(s)
    dst, shape = _data(s, data)
    return LscLoadBlock2d(s.execution(), _place(s, place), shape, dst)


def store(s: Statement) -> LscStoreBlock2d:
    place, data = s.operands(2)
    _global(s)
    src, shape = _data(s, data)
    return LscStoreBlock2d(s.execution(), _place(s, place), shape, src)


def _global(s: Statement) -> None:
    """The memory of 64-bit addresses; words on caches after it have no effect on what is read."""
    unit = s.suffix("SFID")
    if unit not in ("ugm", "ugml"):
        raise NotModelled(f"{s.instruction.opcode}.{unit}", s.position)
    levels = 1
    while levels <= MOST_LEVELS and s.has_suffix(levels, *CACHE_WORDS):
        levels += 1


def _data(s: Statement, operand: syntax.Operand) -> tuple[RawOperand, BlockShape]:
    found = _SHAPE.fullmatch(operand.shape) if isinstance(operand, syntax.LscData) else None
    if found is None or not isinstance(operand, syntax.LscData):
        raise ReadError("this operand must be data: VARIABLE:SHAPE", operand.position, "as in V1:d16.2x16x16nn")
    s.taken.take(operand, "variable", "offset", "shape")
    bits, blocks, width, height, transposed, vnni = found.groups()
    raw = s.raw(syntax.RawOperand(operand.variable, operand.offset, operand.position))
    return raw, BlockShape(int(bits), int(width), int(height), int(blocks or 1), transposed == "t", vnni == "t")


def _place(s: Statement, operand: syntax.Operand) -> BlockPlace:
    match operand:
        case syntax.LscPayload("flat", variable, offset, x, y):
            s.taken.take(operand, "model", "variable", "offset", "moved_x", "moved_y")
            root, start = root_byte(s.kernel, variable, offset)
            return place_in_payload(root, start, x, y)
        case syntax.LscPlace("flat", None, parts, (0, 0, 0, 0, x, y), ""):
            s.taken.take(operand, "model", "parts", "moved", "size")
            base = _part(s, parts[0], BASE_BYTES)
            width, height, pitch, first_x, first_y = (_part(s, one, PART_BYTES) for one in parts[1:])
            return BlockPlace(base, width, height, pitch, first_x, first_y, x, y)
        case _:
            raise NotModelled(f"{s.instruction.opcode} at a place in this form", operand.position)


def _part(s: Statement, part: syntax.LscBase, size: int) -> RawOperand | int:
    if isinstance(part, syntax.Number):
        s.taken.take(part, "value")
        return part.value
    if isinstance(part, syntax.VectorSource):
        return s.integer(part, size, "a part of a place")
    data_type = s.type_of(part)
    if data_type is None or data_type.size != size or data_type.floating:
        raise NotModelled(f"a part of a place that is no integer of {size} bytes", part.position)
    return s.raw(part)
