"""Reads `.ze_info`: the section of a zebin, or its YAML text.  Source: the ze_info specification in IGC, 1.0 to 1.20+.

    kernels:
      - name: vadd
        execution_env: {simd_size: 32, …}
        payload_arguments: [{arg_type: buffer_address, offset: 32, size: 8, arg_index: 0}, …]
        per_thread_payload_arguments: [{arg_type: local_id, offset: 0, size: 192}]
        binding_table_indices: [{bti_value: 0, arg_index: 0}, …]
    kernels_misc_info:
      - name: vadd
        args_info: [{index: 0, name: a, address_qualifier: __global, type_name: 'int*;8', …}, …]

A file is not trusted: sizes and depth are limited, and YAML anchors, which ze_info never has, are refused because a
few of them can stand for gigabytes.
"""

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import noted_platforms
from visaproof.launch.constants import Constant, Section, Symbol, constants_of
from visaproof.launch.ids.local_ids import NO_ORDER, ORDERS, Order
from visaproof.launch.input_meaning import Argument, SamplerModes
from visaproof.launch.kernel_info import ONE_SPACE, PRIVATE_SPACE, SCRATCH_TYPE, KernelInfo, PayloadArgument
from visaproof.launch.overlap import ArgumentInfo
from visaproof.launch.payload import SIMD_SIZES
from visaproof.launch.struct_members import Place, by_value, is_pointer, members, number_bytes, without_classes
from visaproof.launch.yaml_tree import Node, read_tree
from visaproof.visaasm.device import Said

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

SECTION_LIMIT = 16 * 2**20
"""Bytes of a `.ze_info` section; one kernel takes about 3,000."""

_RECOMPILE = "compile with `ocloc compile … --format zebin`; the older patch-token format has no such section"

_BUILD_OPTIONS = ".misc.buildOptions"
UNIFORM_GROUPS, _STANDARD = "-cl-uniform-work-group-size", "-cl-std=CL"

_PRODUCT_FAMILY, _CORE_FAMILY, _IP_VERSION = 1, 2, 6
"""Types of the IntelGT notes that name the device."""


def read_zebin(blob: bytes, path: str, name: str) -> KernelInfo:
    """What the `.ze_info` section of an ELF file says of the kernel `name`."""
    section, notes, options, constants = _sections(blob, path)
    if len(section) > SECTION_LIMIT:
        raise ReadError(f".ze_info has {len(section)} bytes, more than {SECTION_LIMIT}", Position(path, 1, 1))
    try:
        text = section.decode()
    except UnicodeDecodeError:
        raise ReadError(".ze_info is not UTF-8 text", Position(path, 1, 1)) from None
    info = read_ze_info(text, f"{path}:.ze_info", name, _said(notes, path))
    return replace(info, constants=constants, uniform=is_uniform(options))


def is_uniform(options: bytes | None) -> bool | None:
    """Whether a program of these build options refuses smaller last groups: by the option, or as in OpenCL 1.x.

    Source: compute-runtime, `Program::updateNonUniformFlag`; the API then answers CL_INVALID_WORK_GROUP_SIZE.
    """
    if options is None:
        return None
    words = options.decode(errors="replace").replace("\0", " ").split()
    standard = next((word.removeprefix(_STANDARD) for word in words if word.startswith(_STANDARD)), "1.2")
    return UNIFORM_GROUPS in words or standard.startswith("1.")


def said_by_zebin(blob: bytes, path: str) -> tuple[Said, ...]:
    """What the notes of an ELF file say of the device.  Raises ReadError."""
    return _said(_sections(blob, path)[1], path)


def read_ze_info(text: str, path: str, name: str, device: tuple[Said, ...] = ()) -> KernelInfo:
    """What the YAML of a `.ze_info` section says of the kernel `name`."""
    if len(text) > SECTION_LIMIT:
        raise ReadError(f"{len(text)} characters are too many for ze_info", Position(path, 1, 1))
    root = read_tree(text, path)
    kernels = root.get("kernels")
    if kernels is None:
        raise ReadError("this is no ze_info: it has no `kernels`", root.position, _RECOMPILE)
    named = {kernel["name"].text: kernel for kernel in kernels.items()}
    if name not in named:
        found = ", ".join(list(named)[:20]) or "none"
        raise ReadError(f"no kernel {name} in this ze_info", kernels.position, f"kernels found: {found}")
    infos = _argument_infos(root, name)
    names = _argument_names(root, name)
    nodes = _items(named[name], "payload_arguments")
    info = _kernel_info(named[name], names, members(nodes, names, infos), device)
    return replace(info, infos=without_classes(nodes, infos))


def _sections(blob: bytes, path: str) -> tuple[bytes, bytes, bytes | None, dict[str, Constant]]:
    """The bytes of `.ze_info`, those of the notes that name the device, the options with which it was built where they
    are there, and what the tables of the program hold."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        elf = ELFFile(io.BytesIO(blob))
        placed = {s.name: (s["sh_offset"], s["sh_size"]) for s in elf.iter_sections()}
        sections, symbols = _data_sections(elf), list(_symbols(elf))
    except ELFError as error:
        raise ReadError(f"damaged ELF file: {error}", Position(path, 1, 1)) from error
    except Exception as error:  # pyelftools meets damaged tables with whatever Python raises
        raise ReadError(f"damaged ELF file: {type(error).__name__}", Position(path, 1, 1)) from error
    if ".ze_info" not in placed:
        raise ReadError("this ELF file has no .ze_info section", Position(path, 1, 1), _RECOMPILE)
    offset, size = placed[".ze_info"]
    if offset + size > len(blob):
        raise ReadError("truncated ELF file: .ze_info ends behind the file", Position(path, 1, 1))
    notes_offset, notes_size = placed.get(".note.intelgt.compat", (0, 0))
    notes = blob[notes_offset : notes_offset + notes_size]
    options: bytes | None = None
    if _BUILD_OPTIONS in placed:
        options_offset, options_size = placed[_BUILD_OPTIONS]
        options = blob[options_offset : options_offset + options_size]
    return blob[offset : offset + size], notes, options, constants_of(blob, path, sections, symbols)


def _data_sections(elf: "ELFFile") -> dict[str, Section]:
    """The sections of data; one with a relocation section of its own is filled in by the loader."""
    headers = [(s.name, s["sh_offset"], s["sh_size"], s["sh_type"]) for s in elf.iter_sections()]
    names = {name for name, *_ in headers}
    return {
        name: Section(offset, size, not names.isdisjoint((f".rel{name}", f".rela{name}")), kind != "SHT_NOBITS")
        for name, offset, size, kind in headers
        if name.startswith((".data.", ".bss."))
    }


def _symbols(elf: "ELFFile") -> Iterator[Symbol]:
    """The named pieces of its sections."""
    from elftools.elf.sections import SymbolTableSection

    count = elf.num_sections()
    for table in elf.iter_sections():
        for symbol in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
            index = symbol["st_shndx"]
            if isinstance(index, int) and 0 < index < count and symbol.name:
                yield Symbol(symbol.name, elf.get_section(index).name, symbol["st_value"], symbol["st_size"])


def _said(notes: bytes, path: str) -> tuple[Said, ...]:
    """What the IntelGT notes say of the device."""
    values = {kind: int.from_bytes(value, "little") for kind, value in _notes(notes) if len(value) == 4}
    family, core, version = (values.get(kind) for kind in (_PRODUCT_FAMILY, _CORE_FAMILY, _IP_VERSION))
    if family is None and core is None and version is None:
        return ()
    # major << 22 | minor << 14 | revision
    release = None if version is None else (version >> 22, version >> 14 & 0xFF)
    numbers = (
        ("product family", family),
        ("GfxCore family", core),
        ("IP version", release and "{}.{}".format(*release)),
    )
    source = f"{path} ({', '.join(f'{name} {number}' for name, number in numbers if number)})"
    return (Said(source, noted_platforms(family, core, release), Position(path, 1, 1)),)


def _notes(notes: bytes) -> Iterator[tuple[int, bytes]]:
    """Types and values.

    A note is its name's size, its value's size and its type (3 dwords), then both, each padded to dwords.
    """
    at = 0
    while at + 12 <= len(notes):
        name_size, value_size, kind = struct.unpack_from("<III", notes, at)
        value_at = at + 12 + (name_size + 3) // 4 * 4
        yield kind, notes[value_at : value_at + value_size]
        at = value_at + (value_size + 3) // 4 * 4


def _kernel_info(
    kernel: Node, names: Mapping[int, str], members: Mapping[Place, Argument], device: tuple[Said, ...]
) -> KernelInfo:
    environment = kernel["execution_env"]
    simd = environment["simd_size"]
    if simd.integer not in SIMD_SIZES:
        raise ReadError(f"simd_size {simd.integer}", simd.position, "1, 8, 16 or 32")
    return KernelInfo(
        name=kernel["name"].text,
        simd=simd.integer,
        arguments=tuple(_arguments(kernel.get("payload_arguments"), names, members)),
        per_thread=tuple(_arguments(kernel.get("per_thread_payload_arguments"), names, {})),
        binding_table={b["bti_value"].integer: b["arg_index"].integer for b in _items(kernel, "binding_table_indices")},
        arg_names={**names, **{one.index: one.name for one in members.values() if one.name}},
        group_size=_group_size(environment.get("required_work_group_size")),
        inline_bytes=max(0, environment.integer_or("inline_data_payload_size", 0)),
        device=device,
        source=kernel.position.path,
        position=kernel.position,
        slm_bytes=environment.integer_or("slm_size", 0),
        samplers={one["sampler_index"].integer: _sampler(one) for one in _items(kernel, "inline_samplers")},
        registers=None if environment.get("grf_count") is None else environment["grf_count"].natural,
        private_bytes=sum(_private_bytes(kernel, simd.integer)),
        scratch_bytes=sum(_scratch_bytes(kernel)),
        walk_order=_walk_order(kernel.get("user_attributes"), environment),
        order_known=True,
    )


def _private_bytes(kernel: Node, simd: int) -> Iterator[int]:
    """Of a hardware thread, of each buffer for private variables: its size is that of one work item, or of all."""
    for buffer in _items(kernel, "per_thread_memory_buffers"):
        if buffer.text_or("usage", "") == PRIVATE_SPACE:
            yield buffer["size"].natural * (simd if buffer.text_or("is_simt_thread", "false") == "true" else 1)


def _scratch_bytes(kernel: Node) -> Iterator[int]:
    """Of a hardware thread, of each buffer behind `%scratch` in which private variables are."""
    for buffer in _items(kernel, "per_thread_memory_buffers"):
        of_variables = buffer.text_or("usage", "") in (PRIVATE_SPACE, ONE_SPACE)
        if buffer.text_or("type", "") == SCRATCH_TYPE and of_variables:
            yield buffer["size"].natural


def _sampler(node: Node) -> SamplerModes:
    """One of `inline_samplers`; what is left out is ze_info's default."""
    normalized = node.text_or("normalized", "false") == "true"
    return SamplerModes(node.text_or("addrmode", "none"), node.text_or("filtermode", "nearest"), normalized)


def _items(node: Node, key: str) -> Sequence[Node]:
    found = node.get(key)
    return () if found is None else found.items()


def _args_info(root: Node, name: str) -> Iterator[tuple[int, Node]]:
    """What is said of each argument of a kernel beside its payload, by index."""
    for kernel in _items(root, "kernels_misc_info"):
        if kernel["name"].text == name:
            yield from ((node["index"].integer, node) for node in _items(kernel, "args_info"))


def _argument_names(root: Node, name: str) -> dict[int, str]:
    """The names that the compiler knows: a SYCL kernel that was built without debug information has none."""
    named = ((index, node.get("name")) for index, node in _args_info(root, name))
    return {index: node.text for index, node in named if node is not None}


def _argument_infos(root: Node, name: str) -> dict[int, ArgumentInfo]:
    return {index: _info(node) for index, node in _args_info(root, name)}


def _info(node: Node) -> ArgumentInfo:
    """What the source says of an argument; a word that is missing, or `NONE`, says nothing."""

    def word(key: str) -> str:
        said = node.text_or(key, "")
        return "" if said == "NONE" else said

    return ArgumentInfo(
        address=word("address_qualifier"),
        access=word("access_qualifier"),
        type_name=word("type_name").partition(";")[0],
        qualifiers=frozenset(word("type_qualifiers").split()),
    )


def _arguments(
    nodes: Node | None, names: Mapping[int, str], members: Mapping[Place, Argument]
) -> Iterator[PayloadArgument]:
    for node in () if nodes is None else nodes.items():
        index = node.integer_or("arg_index", -1)
        found = PayloadArgument(
            kind=node["arg_type"].text,
            offset=node["offset"].natural,
            size=node["size"].natural,
            argument=Argument(index, names.get(index)) if index >= 0 else None,
            address_mode=node.text_or("addrmode", ""),
            address_space=node.text_or("addrspace", ""),
            source_offset=max(0, node.integer_or("source_offset", 0)),  # -1 is ze_info's default
            sampler=_natural(node, "sampler_index"),
            table_index=_natural(node, "bti_value"),
        )
        member = None if (place := by_value(node)) is None else members.get(place)
        if member is not None:
            kind, first = "buffer_address" if is_pointer(node) else found.kind, number_bytes(node)
            yield replace(found, kind=kind, argument=member, source_offset=0, size=first)
            if first < found.size:
                at, behind = found.offset + first, found.source_offset + first
                yield replace(found, offset=at, size=found.size - first, source_offset=behind)
        else:
            yield found


def _natural(node: Node, key: str) -> int | None:
    """A number that is not negative; -1, ze_info's default, is none."""
    found = node.integer_or(key, -1)
    return found if found >= 0 else None


def _walk_order(attributes: Node | None, environment: Node) -> Order | None:
    """What the source demands, or the compiler for it; the driver takes the environment's where it has one.

    [0, 0, 0] is ze_info's default and demands nothing.
    """
    node = environment.get("work_group_walk_order_dimensions")
    if node is None and attributes is not None:
        node = attributes.get("intel_reqd_workgroup_walk_order")
    if node is None:
        return None
    dimensions = tuple(one.natural for one in node.items())
    if dimensions == NO_ORDER:
        return None
    found = next((order for order in ORDERS if order == dimensions), None)
    if found is None:
        raise ReadError(f"a walk order is 0, 1 and 2, not {list(dimensions)}", node.position)
    return found


def _group_size(node: Node | None) -> tuple[int, int, int] | None:
    """The required size; [0, 0, 0] is ze_info's default and requires nothing."""
    if node is None:
        return None
    sizes = [size.natural for size in node.items()]
    if len(sizes) != 3:
        raise ReadError(f"a group size has 3 numbers, not {len(sizes)}", node.position)
    x, y, z = sizes
    return (x, y, z) if any(sizes) else None
