"""From what a user passes to a kernel to its values and memory: numbers as bytes, buffers with addresses."""

import math
import struct
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from msgspec import Struct, field

from visaproof.decode.texels import Outside
from visaproof.execution.images import ImageContent
from visaproof.execution.memory import PRIVATE_ROOM, Allocation
from visaproof.execution.payload import Program, Values
from visaproof.execution.run import Memory
from visaproof.execution.shape import Shape
from visaproof.isa.errors import ReadError, in_option
from visaproof.isa.types import DataType
from visaproof.launch.launch import (
    Argument,
    ArgumentValue,
    BufferAddress,
    LaunchValue,
    SlmAddress,
    Surface,
    TableSurface,
)
from visaproof.launch.local_memory import LARGEST_LOCAL
from visaproof.launch.matching import is_linked

ARG, BUFFER = "--arg", "--buffer"

PRIVATE_BASE = 0x7000_0000_0000
RUNTIME_BASES = {
    LaunchValue.INDIRECT_DATA: 0x7100_0000_0000,
    LaunchValue.SCRATCH_POINTER: 0x7200_0000_0000,
    LaunchValue.IMPLICIT_ARGUMENTS: 0x7300_0000_0000,
    LaunchValue.LOCAL_ID_TABLE: 0x7400_0000_0000,
}
"""Where memory is that the runtime fills, of which is not modelled what it holds."""
RUNTIME_ROOM = 1 << 32

MODULE_DATA = (LaunchValue.CONST_BASE, LaunchValue.GLOBAL_BASE, LaunchValue.PRINTF_BUFFER)
"""The variables of the program and the buffer for `printf`, which are passed as the linker's symbols are."""

PRINTF_CONTENT = (4).to_bytes(4, "little") + bytes((1 << 16) - 4)
"""The first dword of the buffer for `printf` counts the bytes that are in use: at first its own."""

BUFFER_DISTANCE = 1 << 36
"""From the start of one buffer to that of the next."""
FIRST_BYTE, ALIGNMENT = 0xFFFF_F000, 128
"""Behind each multiple of the distance: addresses cross 4 GiB within a buffer, so that carries matter."""

FIRST_SYMBOL = 1 << 16
"""Number of the first symbol; no kernel has as many arguments."""

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


class LocalBytes(Struct, frozen=True):
    """A `local` argument: it points to so many bytes of shared local memory."""

    size: int


class PartOf(Struct, frozen=True):
    """What another argument points to, from a byte on: both share it."""

    argument: int
    offset: int = 0


Content = bytes | LocalBytes | ImageContent | PartOf
"""What is passed for a pointer or an image."""


class Slot(Struct, frozen=True):
    """Bytes of a by-value argument, and the type that the kernel declares for them."""

    argument: Argument
    offset: int
    size: int
    type: DataType


class Parameters(Struct, frozen=True):
    """The arguments that a kernel takes, as far as its launch says it."""

    values: Mapping[int, tuple[Slot, ...]]
    buffers: tuple[int, ...]
    locals: tuple[int, ...]
    names: Mapping[int, str]
    symbols: Mapping[int, str] = field(default_factory=dict[int, str])
    """Constants of the program, by what holds their address; numbered behind all arguments."""

    def index(self, name: str, option: str) -> int:
        """The argument with a name or an index.  Raises ReadError."""
        known = sorted({*self.values, *self.buffers, *self.locals})
        by_name = {
            text: index for index, variable in self.symbols.items() for text in (variable, variable.removeprefix("&"))
        }
        by_name |= {text: index for index, text in self.names.items()} | {f"arg{index}": index for index in known}
        index = int(name) if name.isascii() and name.isdecimal() and len(name) < 5 else by_name.get(name, -1)
        if index in known or index in self.symbols:
            return index
        shown = ", ".join(self.shown(index) for index in known) or "none; `--launch FILE` says what it takes"
        close = get_close_matches(name[:200], list(by_name), n=1, cutoff=0.6)
        hint = f"did you mean {close[0]}? " if close else ""
        raise ReadError(f"no argument {name!r}", in_option(option), f"{hint}arguments: {shown}")

    def shown(self, index: int) -> str:
        return self.names.get(index) or self.symbols.get(index) or f"arg{index}"


def parameters(program: Program) -> Parameters:
    """What the payload and the binding table name."""
    launch, kernel = program.launch, program.kernel
    values: dict[int, list[Slot]] = {}
    buffers, local = set(launch.binding_table.values()), set[int]()
    module = set[str]()
    for item in kernel.inputs:
        register = kernel.registers.get(item.variable)
        for piece in launch.pieces(item.variable):
            match piece.meaning:
                case ArgumentValue(argument, offset) if register is not None:
                    values.setdefault(argument.index, []).append(Slot(argument, offset, piece.size, register.type))
                case BufferAddress(argument) | Surface(argument):
                    buffers.add(argument.index)
                case SlmAddress(argument):
                    local.add(argument.index)
                case LaunchValue() as value if value in MODULE_DATA:
                    module.add(value.value)
                case TableSurface(table):
                    module.add(table.value)
                case _:
                    pass
    slots = {index: tuple(sorted(found, key=lambda slot: slot.offset)) for index, found in values.items()}
    linked = (name for name in kernel.registers if is_linked(name))
    symbols = dict(enumerate((*sorted(linked), *sorted(module)), FIRST_SYMBOL))
    every = (*sorted(buffers), *symbols)
    return Parameters(slots, every, tuple(sorted(local)), launch.arg_names, symbols)


def prepare(
    program: Program,
    shape: Shape,
    arguments: Mapping[int, str],
    buffers: Mapping[int, Content],
    *,
    sampler: Outside | None = None,
    pad: bool = False,
) -> tuple[Values, Memory]:
    """The values and the memory of a launch.  Raises ReadError where an argument is missing or does not fit."""
    takes = parameters(program)
    buffers = {**_constants(program, takes), **buffers}
    _require_all(takes, arguments, buffers)
    pointed = {name: index for index, name in takes.symbols.items()}
    if (printf := pointed.get(LaunchValue.PRINTF_BUFFER.value)) is not None:
        buffers = {printf: PRINTF_CONTENT, **buffers}
    memory = {
        index: Allocation(_described(program, takes, index), _base(place), bytearray(_bytes_of(content)))
        for place, (index, content) in enumerate(sorted(buffers.items(), key=lambda one: one[0]), start=1)
        if not isinstance(content, LocalBytes | PartOf)
    }
    for index, content in buffers.items():
        if isinstance(content, PartOf):
            memory[index] = _part(content, _described(program, takes, index), memory, buffers, takes)
    images = {index: content.shape for index, content in buffers.items() if isinstance(content, ImageContent)}
    local_addresses, end = dict[int, int](), program.launch.slm_bytes
    for index, content in sorted(buffers.items(), key=lambda one: one[0]):
        if isinstance(content, LocalBytes):
            local_addresses[index] = -(-end // 64) * 64
            end = local_addresses[index] + content.size
    symbols = {name: memory[index].base for name, index in pointed.items() if index in memory}
    values = Values(
        shape,
        {index: argument_bytes(takes, index, text) for index, text in arguments.items()},
        {index: buffer.base for index, buffer in memory.items()},
        local_addresses,
        {name: address for name, address in symbols.items() if name in program.kernel.registers},
        {
            LaunchValue.PRIVATE_BASE: PRIVATE_BASE,
            **RUNTIME_BASES,
            **{value: symbols[value.value] for value in MODULE_DATA if value.value in symbols},
        },
        {index: shape.whole for index, shape in images.items()},
        pad,
    )
    slm = bytearray(_slm_bytes(program, end))
    private = Allocation("private memory", PRIVATE_BASE, bytearray(), PRIVATE_ROOM, uninitialised=True)
    local = Allocation("shared local memory", 0, slm, uninitialised=True)
    return values, Memory(memory, private, local, images, sampler, _runtime_memory(), pointed)


def _slm_bytes(program: Program, known: int) -> int:
    """Bytes of shared local memory: by the launch, else by the kernel's own attribute, else as many as there may be."""
    own = program.kernel.local_bytes
    if known or own is None:
        return known or (0 if program.launch.meanings else LARGEST_LOCAL)
    return own


def _part(
    part: PartOf, name: str, memory: Mapping[int, Allocation], buffers: Mapping[int, Content], takes: Parameters
) -> Allocation:
    """A buffer that is the end of another one.  Raises ReadError where that has no such bytes of its own."""
    whole, shown = buffers.get(part.argument), takes.shown(part.argument)
    if not isinstance(whole, bytes):
        raise _bad(BUFFER, f"{shown} has no bytes of its own that another buffer may share", "")
    if part.offset >= len(whole):
        raise _bad(BUFFER, f"{shown} has {len(whole)} bytes, and no byte {part.offset}", "")
    of = memory[part.argument]
    return Allocation(name, of.base + part.offset, memoryview(of.data)[part.offset :], part_of=of)


def _runtime_memory() -> tuple[Allocation, ...]:
    return tuple(
        Allocation(f"the {value}", base, bytearray(), RUNTIME_ROOM, modelled=False)
        for value, base in RUNTIME_BASES.items()
    )


def _constants(program: Program, takes: Parameters) -> Mapping[int, Content]:
    """The tables and strings whose contents are known: where none is given for them, they hold those.

    One with addresses that the loader fills in has to be given.
    """
    found = {index: program.launch.constants.get(name) for index, name in takes.symbols.items()}
    return {index: one.content for index, one in found.items() if one is not None and not one.is_relocated}


def _bytes_of(content: bytes | ImageContent) -> bytes:
    return content.content if isinstance(content, ImageContent) else content


def _base(place: int) -> int:
    """The address of a buffer; their low dwords differ too, since they may serve as bindless handles."""
    return BUFFER_DISTANCE * place + FIRST_BYTE + ALIGNMENT * place


def _described(program: Program, takes: Parameters, index: int) -> str:
    symbol = takes.symbols.get(index)
    return str(program.launch.argument(index)) if symbol is None else f"the constant {symbol}"


def _require_all(takes: Parameters, arguments: Mapping[int, str], buffers: Mapping[int, Content]) -> None:
    given = set(arguments)
    for index in given - set(takes.values):
        content = arguments[index] if ":" in arguments[index] else "zeros:BYTES"
        raise _bad(ARG, f"{takes.shown(index)} is a pointer", f"`{BUFFER} {takes.shown(index)}={content}`")
    for index, content in buffers.items():
        if index in takes.values and index not in (*takes.buffers, *takes.locals):
            raise _bad(BUFFER, f"{takes.shown(index)} is passed by value", f"`{ARG} {takes.shown(index)}=VALUE`")
        if isinstance(content, LocalBytes) != (index in takes.locals):
            form = "local:BYTES" if index in takes.locals else "zeros:BYTES"
            raise _bad(BUFFER, f"{takes.shown(index)} needs {form}", "")
    options = {index: f"{ARG} {takes.shown(index)}=VALUE" for index in takes.values if index not in given}
    options |= {index: f"{BUFFER} '{takes.shown(index)}=@FILE'" for index in _linked(takes)}
    options |= {index: f"{BUFFER} {takes.shown(index)}=zeros:BYTES" for index in _arguments(takes)}
    options |= {index: f"{BUFFER} {takes.shown(index)}=local:BYTES" for index in takes.locals}
    missing = {takes.shown(index): option for index, option in options.items() if index not in buffers}
    if missing:
        raise _bad("--arg, --buffer", f"missing: {', '.join(missing)}", " ".join(missing.values()))


def _linked(takes: Parameters) -> Iterable[int]:
    """The symbols of the linker: an instruction names them, so that the kernel needs them."""
    return (index for index, name in takes.symbols.items() if is_linked(name))


def _arguments(takes: Parameters) -> Iterable[int]:
    """The buffers that are arguments."""
    return (index for index in takes.buffers if index not in takes.symbols)


def argument_bytes(takes: Parameters, index: int, text: str) -> bytes:
    """The bytes of a by-value argument: a number, or those of a vector with commas between them."""
    slots = takes.values[index]
    end = max(slot.offset + slot.size for slot in slots)
    words = [word.strip() for word in text.split(",")]
    if end % len(words):
        raise _bad(ARG, f"{takes.shown(index)} has {end} bytes, which {len(words)} numbers do not fill", "")
    width = end // len(words)
    floating = slots[0].type.floating
    return b"".join(_number(takes.shown(index), word, width, floating) for word in words)


def _number(name: str, text: str, width: int, floating: bool) -> bytes:
    """One number; it is a floating-point number if the kernel declares so, or if it is written as one."""
    try:
        whole = int(text, 0)
    except ValueError:
        whole = None
    if whole is not None and (not floating or text.lower().startswith(("0x", "-0x"))):
        if not -(1 << 8 * width - 1) <= whole < 1 << 8 * width:
            raise _bad(ARG, f"{text} does not fit the {width} bytes of {name}", "")
        return (whole % (1 << 8 * width)).to_bytes(width, "little")
    try:
        value = float(text)
    except ValueError:
        raise _bad(ARG, f"{text!r} is no number for {name}", "for example 3, -1, 0x10, 0.5 or 1,2,3,4") from None
    if width not in _FLOATS:
        raise _bad(ARG, f"{name} has {width} bytes, which is no floating-point number", "")
    try:
        content = struct.pack(_FLOATS[width], value)
    except OverflowError:
        content = struct.pack(_FLOATS[width], math.copysign(math.inf, value))
    return content


def _bad(option: str, message: str, hint: str) -> ReadError:
    return ReadError(message, in_option(option), hint)
