"""Reads `.ze_info`: the section of a zebin, or its YAML text.  Source: the ze_info specification in IGC, 1.0 to 1.20+.

    kernels:
      - name: vadd
        execution_env: {simd_size: 32, …}
        payload_arguments: [{arg_type: buffer_address, offset: 32, size: 8, arg_index: 0}, …]
        per_thread_payload_arguments: [{arg_type: local_id, offset: 0, size: 192}]
        binding_table_indices: [{bti_value: 0, arg_index: 0}, …]
    kernels_misc_info:
      - name: vadd
        args_info: [{index: 0, name: a, …}, …]

A file is not trusted: sizes and depth are limited, and YAML anchors, which ze_info never has, are refused because a
few of them can stand for gigabytes.
"""

import io
import struct
from collections.abc import Iterator, Mapping, Sequence

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import Platform
from visaproof.kernel.meaning import Argument
from visaproof.kernel.payload import PRIVATE_SPACE, SIMD_SIZES, KernelInfo, PayloadArgument
from visaproof.kernel.yaml_tree import Node, read_tree

SECTION_LIMIT = 16 * 2**20
"""Bytes of a `.ze_info` section; one kernel takes about 3,000."""

_RECOMPILE = "compile with `ocloc compile … --format zebin`; the older patch-token format has no such section"

_PRODUCT_FAMILY = 1
"""Type of the IntelGT note that names the device."""

_PLATFORM_OF_FAMILY = {
    16: Platform.BDW,
    18: Platform.SKL,
    19: Platform.SKL,  # kbl
    20: Platform.SKL,  # cfl, whl
    22: Platform.BXT,  # apl
    23: Platform.BXT,  # glk
    26: Platform.ICLLP,
    27: Platform.ICLLP,  # lkf
    28: Platform.ICLLP,  # ehl
    29: Platform.TGLLP,
    30: Platform.TGLLP,  # rkl
    31: Platform.TGLLP,  # adl-s
    32: Platform.TGLLP,  # adl-p
    33: Platform.TGLLP,  # adl-n
    1210: Platform.TGLLP,  # dg1
    1270: Platform.DG2,
    1271: Platform.PVC,
}
"""The product families that ocloc 22.43 writes for its devices."""


def read_zebin(blob: bytes, path: str, name: str) -> KernelInfo:
    """What the `.ze_info` section of an ELF file says of the kernel `name`."""
    section, notes = _sections(blob, path)
    if len(section) > SECTION_LIMIT:
        raise ReadError(f".ze_info has {len(section)} bytes, more than {SECTION_LIMIT}", Position(path, 1, 1))
    try:
        text = section.decode()
    except UnicodeDecodeError:
        raise ReadError(".ze_info is not UTF-8 text", Position(path, 1, 1)) from None
    return read_ze_info(text, f"{path}:.ze_info", name, _platform(notes))


def read_ze_info(text: str, path: str, name: str, platform: Platform | None = None) -> KernelInfo:
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
    return _kernel_info(named[name], _argument_names(root, name), platform)


def _sections(blob: bytes, path: str) -> tuple[bytes, bytes]:
    """The bytes of `.ze_info`, and of the notes that name the device."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        elf = ELFFile(io.BytesIO(blob))
        placed = {s.name: (s["sh_offset"], s["sh_size"]) for s in elf.iter_sections()}
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
    return blob[offset : offset + size], blob[notes_offset : notes_offset + notes_size]


def _platform(notes: bytes) -> Platform | None:
    """The platform that the IntelGT notes name, if they do.

    A note is its name's size, its value's size and its type (3 dwords), then both, each padded to dwords.
    """
    at = 0
    while at + 12 <= len(notes):
        name_size, value_size, kind = struct.unpack_from("<III", notes, at)
        value_at = at + 12 + (name_size + 3) // 4 * 4
        if kind == _PRODUCT_FAMILY and value_size == 4:
            return _PLATFORM_OF_FAMILY.get(int.from_bytes(notes[value_at : value_at + 4], "little"))
        at = value_at + (value_size + 3) // 4 * 4
    return None


def _kernel_info(kernel: Node, names: Mapping[int, str], platform: Platform | None) -> KernelInfo:
    environment = kernel["execution_env"]
    simd = environment["simd_size"]
    if simd.integer not in SIMD_SIZES:
        raise ReadError(f"simd_size {simd.integer}", simd.position, "1, 8, 16 or 32")
    return KernelInfo(
        name=kernel["name"].text,
        simd=simd.integer,
        arguments=tuple(_arguments(kernel.get("payload_arguments"), names)),
        per_thread=tuple(_arguments(kernel.get("per_thread_payload_arguments"), names)),
        binding_table={b["bti_value"].integer: b["arg_index"].integer for b in _items(kernel, "binding_table_indices")},
        arg_names=names,
        group_size=_group_size(environment.get("required_work_group_size")),
        passes_inline_data=environment.integer_or("inline_data_payload_size", 0) > 0,
        platform=platform,
        source=kernel.position.path,
        position=kernel.position,
        slm_bytes=environment.integer_or("slm_size", 0),
        private_bytes=sum(_private_bytes(kernel, simd.integer)),
    )


def _private_bytes(kernel: Node, simd: int) -> Iterator[int]:
    """Of a hardware thread, of each buffer for private variables: its size is that of one work item, or of all."""
    for buffer in _items(kernel, "per_thread_memory_buffers"):
        if buffer.text_or("usage", "") == PRIVATE_SPACE:
            yield buffer["size"].natural * (simd if buffer.text_or("is_simt_thread", "false") == "true" else 1)


def _items(node: Node, key: str) -> Sequence[Node]:
    found = node.get(key)
    return () if found is None else found.items()


def _argument_names(root: Node, name: str) -> dict[int, str]:
    kernels = (kernel for kernel in _items(root, "kernels_misc_info") if kernel["name"].text == name)
    return {a["index"].integer: a["name"].text for kernel in kernels for a in _items(kernel, "args_info")}


def _arguments(nodes: Node | None, names: Mapping[int, str]) -> Iterator[PayloadArgument]:
    for node in () if nodes is None else nodes.items():
        index = node.integer_or("arg_index", -1)
        yield PayloadArgument(
            kind=node["arg_type"].text,
            offset=node["offset"].natural,
            size=node["size"].natural,
            argument=Argument(index, names.get(index)) if index >= 0 else None,
            address_mode=node.text_or("addrmode", ""),
            address_space=node.text_or("addrspace", ""),
            source_offset=max(0, node.integer_or("source_offset", 0)),  # -1 is ze_info's default
        )


def _group_size(node: Node | None) -> tuple[int, int, int] | None:
    """The required size; [0, 0, 0] is ze_info's default and requires nothing."""
    if node is None:
        return None
    sizes = [size.natural for size in node.items()]
    if len(sizes) != 3:
        raise ReadError(f"a group size has 3 numbers, not {len(sizes)}", node.position)
    x, y, z = sizes
    return (x, y, z) if any(sizes) else None
