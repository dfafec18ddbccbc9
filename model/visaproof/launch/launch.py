"""What a launch puts into the inputs of a kernel, from a zebin, a ze_info text, a manifest or the user."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError, in_option
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.platform import Platform
from visaproof.isa.registers import Input
from visaproof.launch.constants import Constant, Constants
from visaproof.launch.ids.local_ids import Host, Order, Triple
from visaproof.launch.input_meaning import (
    DIMENSIONS,
    LAUNCH_VALUES,
    Argument,
    ArgumentValue,
    BufferAddress,
    BufferOffset,
    ImageExtent,
    LaunchValue,
    LocalId,
    Meaning,
    Piece,
    Property,
    Sampler,
    SamplerModes,
    SlmAddress,
    Surface,
    TableSurface,
    Unknown,
    natural_size,
)
from visaproof.launch.kernel_info import KernelInfo, samplers_of_launch, tables_of_launch
from visaproof.launch.overlap import NOTHING_SAID, ArgumentInfo
from visaproof.launch.payload import SIMD_SIZES, Pieces, place, width
from visaproof.launch.struct_members import members_of_inputs, names_of_members
from visaproof.program.kernel import Kernel
from visaproof.visaasm.device import Said, decided, device_of, required, said_by_option, said_in
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of

__all__ = [
    "NOTHING_KNOWN",
    "Argument",
    "ArgumentValue",
    "BufferAddress",
    "BufferOffset",
    "Launch",
    "LaunchValue",
    "LocalId",
    "Meaning",
    "Piece",
    "SlmAddress",
    "Surface",
    "TableSurface",
    "Unknown",
    "launch_of",
    "parse_input_option",
    "read_launch",
]

OPTION = "--input"


LOCAL_SIZE_OPTION = "--local-size"


class StatedGroups(Struct, frozen=True):
    """What the user states of the groups of a launch."""

    local_size: Triple | None = None
    host: Host | None = None


ANY_GROUPS = StatedGroups()


class Launch(Struct, frozen=True):
    """What is known of the payload of one kernel; bytes in no piece may hold anything."""

    simd: int | None = None
    """Lanes of a thread; 1 for a kernel of the VectorCompiler."""
    meanings: Pieces = field(default_factory=dict[str, tuple[Piece, ...]])
    binding_table: Mapping[int, int] = field(default_factory=dict[int, int])
    """Binding table index to argument index."""
    arg_names: Mapping[int, str] = field(default_factory=dict[int, str])
    group_size: tuple[int, int, int] | None = None
    """Work items of a group in x, y, z, where the source requires a size."""
    walk_order: Order | None = None
    """The order of the local ids that the kernel demands."""
    order_known: bool = False
    """Whether it is known which order is demanded, if any."""
    only_images: bool | None = None
    """Whether images are passed and no buffers; None where that is not known."""
    host: Host | None = None
    """Which API launches; None for any."""
    other_simd: int | None = None
    """Lanes of the kernel that the launch information is about, where the text has another number."""
    platform: Platform | None = None
    slm_bytes: int = 0
    """Shared local memory of a group, without what `local` arguments point to."""
    scratch_bytes: int = 0
    """What a thread has in `%scratch`; 0 where there is none, or nothing is said of it."""
    uniform: bool | None = None
    """Whether a launch with a smaller last group is refused, as far as that is known."""
    private_bytes: int = 0
    """Private memory of all work items of a hardware thread; 0 where there is none, or nothing is said of it."""
    constants: Constants = field(default_factory=dict[str, Constant])
    """What the tables and strings of the program hold, as far as it is known."""
    samplers: Mapping[int, SamplerModes | Argument] = field(default_factory=dict[int, SamplerModes | Argument])
    """What stands at each number of a sampler, as far as it is known: one of the source, or an argument."""
    tables: Mapping[int, str] = field(default_factory=dict[int, str])
    """Binding table index to the table of the program that stands there, by what the payload calls its address."""
    registers: int | None = None
    """Registers of a thread, where it is known."""
    infos: Mapping[int, ArgumentInfo] = field(default_factory=dict[int, ArgumentInfo])
    """What the source says of its arguments, by index."""
    source: str = "no launch information"
    file: Path | None = None
    """That of the launch information."""

    def pieces(self, variable: str) -> tuple[Piece, ...]:
        """What an input holds; nothing is known of one that is not listed."""
        return self.meanings.get(variable, ())

    def argument(self, index: int) -> Argument:
        return Argument(index, self.arg_names.get(index))

    def info(self, index: int) -> ArgumentInfo:
        """What the source says of an argument, as far as that is known."""
        return self.infos.get(index, NOTHING_SAID)

    def surface(self, binding_table_index: int) -> Argument | None:
        """The argument whose surface stands at this index."""
        index = self.binding_table.get(binding_table_index)
        return None if index is None else self.argument(index)

    def with_inputs(self, kernel: Kernel, options: Iterable[tuple[str, Meaning]]) -> "Launch":
        """This launch where the user says what some inputs of `kernel` hold (`--input V0038=local_id_x`)."""
        inputs = {item.variable: item for item in kernel.inputs}
        lanes = self.simd or _lanes(kernel)
        stated: dict[str, tuple[Piece, ...]] = {}
        for variable, meaning in options:
            if variable not in inputs:
                raise _bad_option(f"{variable} is no input of {kernel.name}", f"inputs: {', '.join(inputs)}")
            piece = _whole(inputs[variable], self._named(meaning), lanes)
            if stated.setdefault(variable, (piece,)) != (piece,):
                raise _bad_option(f"{variable} is given two meanings: {stated[variable][0]}; {piece}", "")
        if not stated:
            return self
        return replace(self, meanings={**self.meanings, **stated}, source=f"{self.source}, {OPTION}")

    def of_groups(self, stated: "StatedGroups") -> "Launch":
        """This launch with the local size and the host that the user states.  Raises ReadError."""
        size, host = stated.local_size or self.group_size, stated.host or self.host
        if self.group_size is not None and size != self.group_size:
            required = ",".join(map(str, self.group_size))
            message = f"the kernel requires groups of {required} work items"
            raise ReadError(message, in_option(LOCAL_SIZE_OPTION), f"{LOCAL_SIZE_OPTION} {required}")
        return self if (size, host) == (self.group_size, self.host) else replace(self, group_size=size, host=host)

    def _named(self, meaning: Meaning) -> Meaning:
        """The meaning with its argument's name, where it has an argument."""
        match meaning:
            case (
                BufferAddress()
                | BufferOffset()
                | SlmAddress()
                | Surface()
                | ImageExtent()
                | ArgumentValue()
                | Property()
            ):
                return replace(meaning, argument=self.argument(meaning.argument.index))
            case LocalId() | LaunchValue() | TableSurface() | Sampler() | Unknown():
                return meaning


NOTHING_KNOWN = Launch()
"""The launch of which nothing is known."""


def read_launch(path: Path, kernel: Kernel, platform: Platform | None = None) -> Launch:
    """What the file at `path` says of the inputs of `kernel`; its kind is told from its content.

    The file names the device, else the kernel's own text does, else `platform`.  Raises ReadError, whatever the file
    contains, and where they contradict each other.
    """
    info = _read(content_of(path, LAUNCH_LIMIT), str(path), kernel)
    device = decided((*info.device, *_said_of(kernel), *said_by_option(platform, kernel.path)))
    simd = width(info, kernel)
    meanings = members_of_inputs(place(info, kernel, device), kernel.registers, info.arg_names, info.infos)
    return Launch(
        simd=simd,
        other_simd=None if info.simd == simd else info.simd,
        meanings=meanings,
        binding_table=info.binding_table,
        arg_names={**info.arg_names, **names_of_members(meanings)},
        group_size=info.group_size,
        walk_order=info.walk_order,
        order_known=info.order_known,
        only_images=info.only_images,
        platform=device,
        slm_bytes=info.slm_bytes,
        private_bytes=info.private_bytes,
        scratch_bytes=info.scratch_bytes,
        uniform=info.uniform,
        constants=info.constants,
        samplers=samplers_of_launch(info),
        tables=tables_of_launch(info),
        registers=info.registers,
        infos=info.infos,
        source=info.source,
    )


def launch_of(path: Path | None, kernel: Kernel, platform: Platform | None) -> tuple[Launch, Platform]:
    """What a launch file says, if there is one, and the device.  Raises ReadError, also where none is named."""
    if path is None:
        device = device_of(kernel.source_lines, kernel.path, platform)
        return replace(NOTHING_KNOWN, platform=device), device
    launch = replace(read_launch(path, kernel, platform), file=path)
    if launch.platform is not None:
        return launch, launch.platform
    device = required(None, (*said_by_launch(path, Path(kernel.path)), *_said_of(kernel)), kernel.path)
    return replace(launch, platform=device), device


def _said_of(kernel: Kernel) -> tuple[Said, ...]:
    """What a kernel itself says of its device."""
    return said_in(kernel.source_lines, kernel.path)


_ZEBIN, _BOM = b"\x7fELF", b"\xef\xbb\xbf"


def said_by_launch(path: Path, visaasm: Path) -> tuple[Said, ...]:
    """What a launch file says of the device of a file, which need not be readable.  Raises ReadError."""
    blob = content_of(path, LAUNCH_LIMIT)
    if blob.startswith(_ZEBIN):
        from visaproof.launch.zebin import said_by_zebin

        return said_by_zebin(blob, str(path))
    if _is_manifest(blob):
        from visaproof.launch.manifest import said_by_manifest

        return said_by_manifest(blob.removeprefix(_BOM), str(path), visaasm)
    return ()


def _is_manifest(blob: bytes) -> bool:
    return blob.removeprefix(_BOM).lstrip().startswith((b"{", b"["))


def _read(blob: bytes, path: str, kernel: Kernel) -> KernelInfo:
    start = Position(path, 1, 1)
    if blob.startswith(_ZEBIN):
        from visaproof.launch.zebin import read_zebin

        return read_zebin(blob, path, kernel.name)
    if blob.startswith(b"!<arch>"):
        raise ReadError("this is an archive for several devices", start, "extract one zebin with `ar x`")
    if _is_manifest(blob):
        from visaproof.launch.manifest import read_manifest

        return read_manifest(blob.removeprefix(_BOM), path, Path(kernel.path))
    try:
        text = blob.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(
            "neither a zebin, a ze_info text nor a manifest",
            start,
            "a zebin is an ELF file with a section .ze_info",
        ) from None
    from visaproof.launch.zebin import read_ze_info

    return read_ze_info(text, path, kernel.name)


# ---------------------------------------------------------------- --input

_OF_ARGUMENT = {
    "arg_byvalue": ArgumentValue,
    "arg_bypointer": BufferAddress,
    "buffer_address": BufferAddress,
    "buffer_offset": BufferOffset,
    "local_address": SlmAddress,
    "surface": Surface,
}

_FORMS = ", ".join(
    [
        *(f"local_id_{dimension}[@LANE]" for dimension in DIMENSIONS),
        *LAUNCH_VALUES,
        *(f"{kind}:argN" for kind in _OF_ARGUMENT),
        "unknown",
    ]
)

_LOCAL_ID = re.compile(r"local_id_([xyz])(?:@(\d{1,2}))?")
_WITH_ARGUMENT = re.compile(r"(\w+):(?:arg)?(\d{1,4})")


def parse_input_option(text: str) -> tuple[str, Meaning]:
    """`V0038=local_id_x`, `V0039=local_id_x@16`, `V0040=buffer_address:arg0`: a variable and what it holds."""
    variable, equals, meaning = (part.strip() for part in text.partition("="))
    if not (variable and equals and meaning):
        raise _bad_option(f"{text!r} is not VARIABLE=MEANING", f"meanings: {_FORMS}")
    return variable, _meaning_named(meaning)


def _meaning_named(text: str) -> Meaning:
    if text in LAUNCH_VALUES:
        return LAUNCH_VALUES[text]
    if text == "unknown":
        return Unknown("stated to be unknown")
    if local_id := _LOCAL_ID.fullmatch(text):
        return LocalId(DIMENSIONS.index(local_id[1]), int(local_id[2] or 0))
    of_argument = _WITH_ARGUMENT.fullmatch(text)
    if of_argument and of_argument[1] in _OF_ARGUMENT:
        return _OF_ARGUMENT[of_argument[1]](Argument(int(of_argument[2])))
    raise _bad_option(f"unknown meaning {text!r}", f"meanings: {_FORMS}")


def _whole(item: Input, meaning: Meaning, lanes: int) -> Piece:
    """A piece for all of an input, or for as many of its bytes as a value of this meaning has."""
    size = natural_size(meaning)
    if isinstance(meaning, LocalId):
        if meaning.first_lane >= lanes:
            raise _bad_option(f"{meaning}: the thread has {lanes} lanes", "")
        size = 2 * (lanes - meaning.first_lane)
    return Piece(0, min(item.size, size or item.size), meaning)


def _lanes(kernel: Kernel) -> int:
    """Lanes of a thread by the kernel's own attribute; the most there can be where it has none."""
    simd = kernel.work_items
    return simd if simd in SIMD_SIZES else THREAD_LANES


def _bad_option(message: str, hint: str) -> ReadError:
    return ReadError(message, in_option(OPTION), hint)
