"""Reads through the sampler, as far as they are modelled: which bytes they write.  Pages: 3D_LOAD.md, 3D_SAMPLE.md."""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from visaproof.decode.statement import Statement, execution_of
from visaproof.decode.surfaces import read_surface, sampler_handle
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.identity import Same
from visaproof.isa.operands import Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm.predefined import NULL
from visaproof.visaasm.syntax import Immediate, Instruction, Kernel, Label, Name, Operand, SubscriptedName, VectorSource
from visaproof.visaasm.syntax import RawOperand as RawText

LOAD = "load_lz"
"""Names texels, so that no sampler decides what it reads."""

WITH_LEVEL = "sample_l"
"""Names the level of detail, before the coordinates, as Intel's compiler passes it."""

_SURFACE = {LOAD: 1, "sample_lz": 2, WITH_LEVEL: 2}
"""The operand that is the surface: behind the texel offsets and, if there is one, the sampler."""

_TYPES = (DataType.HF, DataType.F, DataType.W, DataType.UW, DataType.D, DataType.UD)
"""Page: Dst "Must have type HF,F,W,UW,D,UD"."""

LANES_MAY_DIFFER = "divS"
"""The handle of the sampler may be another one in each lane: the compiler's note on a read that names a single one."""

_NULL_MASK = "pixel_null_mask"
_FLAGS = (_NULL_MASK, "cps", LANES_MAY_DIFFER)


class SamplerUse(Struct, frozen=True):
    """How a read through the sampler reads."""

    texel_offset: int
    number: int | None
    """Of the sampler; None where the texel is named, or the sampler by its handle."""
    handle: str = ""
    """The input with the handle of the sampler, `V0052.0`; empty where it has none."""


class SamplerRead(Struct, frozen=True):
    """What the destination of a read through the sampler looks like; where it reads is not modelled."""

    execution: Execution
    channels: Channels
    surface: str
    dst: RawOperand
    width: int
    """Bytes of an element: 2 or 4."""
    null_mask: bool
    """Page: "an additional GRF is returned after the sampler data"."""
    coordinates: tuple[tuple[RawOperand, DataType], ...] = ()
    """An element for each lane; none where an operand or its type is not of this form."""
    use: SamplerUse | None = None
    """None where the texel offset is no constant, or it is not known which number or handle names the sampler."""
    texel_offset: int | None = None
    """The first operand, where it is a constant."""
    variable: str = ""
    """The sampler's; empty where there is none."""

    @property
    def of_texels(self) -> bool:
        """Whether it is of a form that brings texels of 32-bit channels as they are, where their image is known."""
        return self.width == 4 and self.texel_offset == 0 and not self.null_mask and bool(self.coordinates)


def sampler_read(instruction: Instruction, kernel: Kernel, platform: Platform) -> SamplerRead:
    """The statement.  Raises ReadError for operands that do not fit, NotModelled for other forms."""
    statement = Statement(instruction, kernel, platform)
    *flags, _ = instruction.suffixes or ("",)
    if not set(flags) <= set(_FLAGS):
        raise NotModelled(f"{instruction.opcode}.{'.'.join(instruction.suffixes)}", instruction.position)
    place = _SURFACE[instruction.opcode]
    if len(instruction.operands) < place + 3:
        raise ReadError(f"{instruction.opcode} needs a surface, a destination and coordinates", instruction.position)
    surface, dst = instruction.operands[place : place + 2]
    data_type = statement.type_of(dst)
    if data_type not in _TYPES:
        raise NotModelled(f"{instruction.opcode} into data of this type", dst.position)
    channels = statement.channels(instruction.suffixes[-1] if instruction.suffixes else None)
    return SamplerRead(
        execution_of(instruction),
        channels,
        read_surface(statement, surface),
        statement.raw(dst),
        data_type.size,
        _NULL_MASK in flags,
        _coordinates(statement, instruction, place + 2 + _has_second_destination(instruction, place + 2)),
        _use(statement, instruction, place),
        offset.bits if isinstance(offset := instruction.operands[0], Immediate) else None,
        "".join(_variables(instruction, place)),
    )


def _has_second_destination(instruction: Instruction, place: int) -> bool:
    """Whether a `%null` stands between the destination and the coordinates.

    Not on the pages.  Seen: IGC 2.40 writes it in all of its messages, IGC 1.0 in none; PoCL agrees.
    """
    after = instruction.operands[place]
    return isinstance(after, RawText) and after.variable == NULL and len(instruction.operands) > place + 1


def _coordinates(statement: Statement, instruction: Instruction, first: int) -> tuple[tuple[RawOperand, DataType], ...]:
    found: list[tuple[RawOperand, DataType]] = []
    for operand in instruction.operands[first:]:
        data_type = statement.type_of(operand)
        if data_type not in _TYPES:
            return ()
        found.append((statement.raw(operand), data_type))
    return tuple(found)


def _variables(instruction: Instruction, surface: int) -> list[str]:
    """The sampler's name, if there is one: between the texel offset and the surface."""
    return [one.name for one in instruction.operands[1:surface] if isinstance(one, Name | SubscriptedName)]


def _use(s: Statement, instruction: Instruction, surface: int) -> SamplerUse | None:
    offset, *sampler = instruction.operands[:surface]
    names = _variables(instruction, surface)
    if not isinstance(offset, Immediate) or len(names) != len(sampler):
        return None
    if not names:
        return SamplerUse(offset.bits, None)
    anywhere, before = _bindings(Same(s.kernel), s.platform)
    last = before.get(instruction.position, {}).get(names[0])
    match [*anywhere.get(names[0], ())] if last is None else [last]:
        case [int(number)]:
            return SamplerUse(offset.bits, number)
        case [str(handle)] if handle:
            return SamplerUse(offset.bits, None, handle)
        case _:
            return None


_Bound = int | str
"""The number of a sampler, or the input with its handle; an empty text where it is neither."""

_CALLS = frozenset(("call", "fcall", "ifcall"))


@lru_cache(maxsize=4)
def _bindings(
    same: Same[Kernel], platform: Platform
) -> tuple[Mapping[str, set[_Bound]], Mapping[Position, Mapping[str, _Bound]]]:
    """What each `movs` binds to element 0 of which variable; and the last one before a read, where no way leads in
    between."""
    anywhere: dict[str, set[_Bound]] = {}
    before: dict[Position, Mapping[str, _Bound]] = {}
    last: dict[str, _Bound] = {}
    for one in same.it.statements:
        if isinstance(one, Label) or one.opcode in _CALLS:
            last = {}
        elif one.opcode in _SURFACE:
            before[one.position] = last
        elif one.opcode == "movs" and isinstance(target := one.operands[0], SubscriptedName) and not target.element:
            bound = _bound(same.it, one.operands[1], platform)
            anywhere.setdefault(target.name, set()).add(bound)
            always = one.execution is not None and one.execution.mask.no_mask
            last = {name: each for name, each in last.items() if name != target.name}
            last |= {target.name: bound} if always else {}
    return anywhere, before


def _bound(kernel: Kernel, source: Operand, platform: Platform) -> _Bound:
    match source:
        case Immediate(bits):
            return bits
        case VectorSource():
            return sampler_handle(kernel, source, platform)
        case _:
            return ""
