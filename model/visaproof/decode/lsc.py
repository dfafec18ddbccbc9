"""From `lsc_*` statements to the instructions of page LSC_UNTYPED."""

import re
from collections.abc import Callable

from visaproof.decode import block2d
from visaproof.decode.cache_options import CACHE_WORDS, MOST_LEVELS
from visaproof.decode.scratch import is_scratch_handle
from visaproof.decode.statement import Statement, root_byte
from visaproof.decode.surfaces import bindless_name, first_byte
from visaproof.instructions.family import LscAtomic, LscLoad, LscLoadBlock2d, LscStore, LscStoreBlock2d
from visaproof.instructions.lsc.atomic import OPERATIONS
from visaproof.instructions.lsc.untyped import VECTOR_SIZES, Addresses, DataShape, DataSize, Extension
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.operands import SCRATCH, RawOperand
from visaproof.isa.surface_keys import TableEntry
from visaproof.visaasm import predefined, syntax

LscMessage = LscAtomic | LscLoad | LscStore | LscLoadBlock2d | LscStoreBlock2d

Register = syntax.RawOperand | syntax.VectorSource
"""What stands in the parentheses of a model and is no constant."""

SLM = "%slm"

_SHAPE = re.compile(r"[du](8u32|8c32|16u32|16c32|32|64)(?:x(\d+))?(t?)")
"""`c32` is how older tools print `u32`; Intel's grammar takes `d` and `u` for the same."""

OVERFETCH = "ov"
"""After the caches of a load: more than was asked for may be fetched, which has no effect on what it loads."""

SIZES = {
    "a32": (32, None),
    "a64": (64, None),
    "a32u": (64, Extension.ZERO),
    "a32s": (64, Extension.SIGN),
}
"""The bits of the sum, and how each element becomes as wide; a16 is not modelled."""


_OF_SURFACES = ("bti", "ss", "bss", "surf")
"""The models of which each reach is inside a surface."""


def unit_of(s: Statement) -> str:
    """The memory that the message goes to; takes the words on caches after it, which have no effect on this thread."""
    unit = s.suffix("SFID")
    levels = 1
    while levels <= MOST_LEVELS and s.has_suffix(levels, *CACHE_WORDS):
        levels += 1
    if s.instruction.opcode.startswith("lsc_load"):
        s.has_suffix(levels, OVERFETCH)
    return unit


def _shape(data: syntax.LscData) -> DataShape:
    found = _SHAPE.fullmatch(data.shape)
    if found is None:
        raise NotModelled(f"LSC data of shape {data.shape}", data.position)
    size, elements, transposed = found.groups()
    shape = DataShape(DataSize[f"D{size.replace('c32', 'u32').upper()}"], int(elements or 1), bool(transposed))
    if shape.elements not in VECTOR_SIZES:
        raise ReadError(f"{elements} elements", data.position, f"one of {VECTOR_SIZES}")
    return shape


def _data(s: Statement, operand: syntax.Operand) -> tuple[RawOperand, DataShape]:
    if not isinstance(operand, syntax.LscData):
        raise ReadError("this operand must be data: VARIABLE:SHAPE", operand.position)
    s.taken.take(operand, "variable", "offset", "shape")
    return s.raw(syntax.RawOperand(operand.variable, operand.offset, operand.position)), _shape(operand)


def place_of(s: Statement, operand: syntax.Operand) -> tuple[str, Addresses]:
    """The surface, by the name of what it is bound to, and the addresses in it."""
    if isinstance(operand, syntax.LscPlace):
        raise NotModelled(f"{s.instruction.opcode} {operand.model}[U,V]", operand.position)
    if not isinstance(operand, syntax.LscAddress):
        raise ReadError("this operand must be an address: MODEL[VARIABLE]:SIZE", operand.position)
    if operand.size not in SIZES or operand.variable == predefined.NULL:
        raise NotModelled(f"LSC addresses :{operand.size}", operand.position)
    s.taken.take(operand, "model", "variable", "offset", "scale", "immediate", "size")
    surface, base = _surface_and_base(s, operand)
    element = RawOperand(*root_byte(s.kernel, operand.variable, operand.offset))
    bits, extension = SIZES[operand.size]
    addresses = Addresses(element, bits, operand.scale, operand.immediate, extension, base)
    if surface != FLAT and bits == 64 and not addresses.is_small:
        raise NotModelled("LSC addresses that are scaled or moved beyond 2^39", operand.position)
    return surface, addresses


def _surface_and_base(s: Statement, operand: syntax.LscAddress) -> tuple[str, RawOperand | int | None]:
    """The surface, and for 64-bit addresses what is added to each."""
    bits, _ = SIZES[operand.size]
    unit, base = unit_of(s), operand.base
    if unit in ("ugm", "ugml") and operand.model in _OF_SURFACES and _is_offset(operand):
        if base is None:
            raise ReadError(f"{operand.model} needs a surface", operand.position, f"as in {operand.model}(V1)[V2]:a32")
        s.taken.take(operand, "base")
        return state_surface(s, operand.model, base, operand.position), None
    s.taken.take(operand, "base")
    match ("global" if unit in ("ugm", "ugml") else unit), operand.model, bits, base:
        case "global", "flat", 64, None:
            return FLAT, None
        case "global", "flat", 64, syntax.Number() | syntax.RawOperand() | syntax.VectorSource():
            return FLAT, _base(s, base, bits)
        case "slm", "flat", 32, None:
            return SLM, None
        case "slm", "flat", 32, syntax.Number() | syntax.RawOperand() | syntax.VectorSource():
            return SLM, _base(s, base, bits)
        case _:
            pass
    form = f"{operand.model}{'' if base is None else '(…)'}[…]:{operand.size}"
    raise NotModelled(f"{s.instruction.opcode}.{unit} {form}", operand.position)


def _is_offset(operand: syntax.LscAddress) -> bool:
    """Whether the elements are as wide as the offsets in such a surface are."""
    bits, extension = SIZES[operand.size]
    return extension is not None if operand.model == "surf" else bits == 32


def state_surface(s: Statement, model: str, base: syntax.LscBase, position: Position) -> str:
    """The surface that the parentheses of `bti`, `ss`, `bss` and `surf` name."""
    match model, base:
        case "bti", syntax.Number(number):
            s.taken.take(base, "value")
            return str(TableEntry(number))
        case "ss", syntax.RawOperand() | syntax.VectorSource():
            if is_scratch_handle(s.kernel, _handle(s, base), s.platform):
                return SCRATCH
        case "bss", syntax.RawOperand() | syntax.VectorSource():
            return bindless_name(s.kernel, _handle(s, base), s.instruction, s.platform)
        case "surf", syntax.RawOperand() | syntax.VectorSource():
            return _surface_at(s, base)
        case _:
            pass
    raise NotModelled(f"{s.instruction.opcode} {model}(…)[…]", position)


def _surface_at(s: Statement, base: Register) -> str:
    """The surface whose state lies at a 64-bit address, or private memory."""
    place = _handle(s, base)
    if place == (predefined.SCRATCH_SURFACE, 0):
        return SCRATCH
    return bindless_name(s.kernel, place, s.instruction, s.platform, wide=True)


def _handle(s: Statement, base: Register) -> tuple[str, int]:
    """The root variable and the byte in it at which the handle of a surface lies."""
    if isinstance(base, syntax.RawOperand):
        operand = s.raw(base)
        return operand.variable, operand.offset
    s.taken.take(base, "variable", "row", "column", "region", "modifier")
    return first_byte(s.kernel, base, s.platform)


def _base(s: Statement, base: syntax.Number | Register, bits: int) -> RawOperand | int:
    """What is added to each address: as wide as the sum."""
    if isinstance(base, syntax.Number):
        s.taken.take(base, "value")
        return base.value
    if isinstance(base, syntax.VectorSource):
        return s.integer(base, bits // 8, "a base")
    data_type = s.type_of(base)
    if data_type is None or data_type.bits != bits or data_type.floating:
        raise NotModelled(f"a base that is no integer of {bits} bits", base.position)
    return s.raw(base)


def _load(s: Statement) -> LscMessage:
    data, place = s.operands(2)
    dst, shape = _data(s, data)
    return LscLoad(s.execution(), *place_of(s, place), shape, dst)


def _store(s: Statement) -> LscMessage:
    place, data = s.operands(2)
    src, shape = _data(s, data)
    return LscStore(s.execution(), *place_of(s, place), shape, src)


def _atomic(s: Statement) -> LscMessage:
    data, place, *rest = s.operands(4)
    dst, shape = _data(s, data)
    if shape not in (DataShape(DataSize.D32), DataShape(DataSize.D64)):
        raise NotModelled(f"{s.instruction.opcode} on {shape}", s.position)
    bits = 8 * shape.size.in_memory
    op = OPERATIONS[s.instruction.opcode.removeprefix("lsc_atomic_")]
    src1, src2 = (s.raw(operand) for operand in rest)
    return LscAtomic(s.execution(), op, *place_of(s, place), dst, src1, src2, bits)


DECODERS: dict[str, Callable[[Statement], LscMessage]] = {
    "lsc_load": _load,
    "lsc_store": _store,
    "lsc_load_block2d": block2d.load,
    "lsc_store_block2d": block2d.store,
    **{f"lsc_atomic_{name}": _atomic for name in OPERATIONS},
}
