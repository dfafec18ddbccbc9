"""Reads launch information from a `manifest.json`: a list of compiled files, each with its ze_info in short.

{"kernels": [{"kernel": "vadd", "args": ["a", "b", "c"]}],
 "entries": [{"kernel": "vadd", "file": "visaasm/vadd/tgllp-O2.visaasm", "platform": "TGLLP", "sha256": "…",
              "zeinfo": {"env": {"simd_size": 32},
                         "payload": ["buffer_address@32+8 arg0", "per_thread:local_id@0+192"],
                         "bti": {"0": 0}}}]}
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath

import msgspec

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import PLATFORM_NAMES, Platform, platform_named
from visaproof.launch.ids.local_ids import NO_ORDER, ORDERS, Order
from visaproof.launch.input_meaning import Argument
from visaproof.launch.kernel_info import PRIVATE_SPACE, KernelInfo, PayloadArgument
from visaproof.launch.payload import SIMD_SIZES
from visaproof.visaasm.device import Said
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of, place_in_json


class _Environment(msgspec.Struct):
    simd_size: int
    required_work_group_size: tuple[int, int, int] | None = None
    inline_data_payload_size: int = 0
    slm_size: int = 0
    work_group_walk_order_dimensions: Order | None = None


class _ZeInfo(msgspec.Struct):
    env: _Environment
    payload: list[str]
    bti: dict[int, int] = {}
    private: list[tuple[str, int]] = []
    """Use and bytes for each work item."""


class _Entry(msgspec.Struct):
    kernel: str
    file: str
    zeinfo: _ZeInfo
    platform: str | None = None
    sha256: str = ""

    @property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.file)


class _KernelNames(msgspec.Struct):
    kernel: str
    args: list[str | None] = []


class _Manifest(msgspec.Struct):
    entries: list[_Entry]
    kernels: list[_KernelNames] = []


_PAYLOAD = re.compile(
    r"(?P<per_thread>per_thread:)?(?P<kind>\w+)@(?P<offset>\d{1,9})\+(?P<size>\d{1,9})"
    r"(?: arg(?P<index>\d{1,9}))?(?: (?P<mode>\w+))?"
)


def read_manifest(blob: bytes, path: str, visaasm: Path) -> KernelInfo:
    """What a manifest says of the file `visaasm`."""
    manifest = _decode(blob, path)
    entry = _entry_of(manifest.entries, visaasm, path)
    place = Position(path, 1, 1)
    if entry.zeinfo.env.simd_size not in SIMD_SIZES:
        raise ReadError(f"{entry.file}: simd_size {entry.zeinfo.env.simd_size}", place, "1, 8, 16 or 32")
    names = _argument_names(manifest, entry.kernel)
    parsed = list(_arguments(entry, names, place))
    return KernelInfo(
        name=entry.kernel,
        simd=entry.zeinfo.env.simd_size,
        arguments=tuple(argument for per_thread, argument in parsed if not per_thread),
        per_thread=tuple(argument for per_thread, argument in parsed if per_thread),
        binding_table=entry.zeinfo.bti,
        arg_names=names,
        group_size=entry.zeinfo.env.required_work_group_size,
        inline_bytes=max(0, entry.zeinfo.env.inline_data_payload_size),
        device=_said(entry, place),
        source=f"{path}, {entry.file}",
        position=place,
        slm_bytes=entry.zeinfo.env.slm_size,
        private_bytes=_private_bytes(entry.zeinfo),
        walk_order=_walk_order(entry.zeinfo.env, place),
        order_known=entry.zeinfo.env.work_group_walk_order_dimensions is not None,
    )


def _walk_order(environment: _Environment, place: Position) -> Order | None:
    order = environment.work_group_walk_order_dimensions
    if order == NO_ORDER:
        return None
    if order is not None and order not in ORDERS:
        raise ReadError(f"a walk order is 0, 1 and 2, not {list(order)}", place)
    return order


def _private_bytes(zeinfo: _ZeInfo) -> int:
    """Of all work items of a thread; the other uses (spilled registers) are not reached by addresses of the kernel."""
    return zeinfo.env.simd_size * sum(size for use, size in zeinfo.private if use == PRIVATE_SPACE)


def manifest_platforms(path: Path) -> Callable[[Path], Platform | None]:
    """The device of each `.visaasm` file, as far as the manifest says it.  Raises ReadError where it is none."""
    start = Position(str(path), 1, 1)
    entries = _decode(content_of(path, LAUNCH_LIMIT).removeprefix(b"\xef\xbb\xbf"), str(path)).entries

    def platform(visaasm: Path) -> Platform | None:
        try:
            return _platform(_entry_of(entries, visaasm, str(path)), start)
        except ReadError:  # which is said when its launch is read
            return None

    return platform


def said_by_manifest(blob: bytes, path: str, visaasm: Path) -> tuple[Said, ...]:
    """What a manifest says of the device of a file.  Raises ReadError where it does not list the file."""
    return _said(_entry_of(_decode(blob, path).entries, visaasm, path), Position(path, 1, 1))


def _said(entry: _Entry, place: Position) -> tuple[Said, ...]:
    platform = _platform(entry, place)
    return () if platform is None else (Said(f"{place.path}, {entry.file}", (platform,), place),)


def _decode(blob: bytes, path: str) -> _Manifest:
    try:
        return msgspec.json.decode(blob, type=_Manifest)
    except msgspec.ValidationError as error:
        raise ReadError(f"not a manifest: {error}", Position(path, 1, 1)) from error
    except msgspec.DecodeError as error:
        raise ReadError(f"not JSON: {error}", place_in_json(blob, path, error)) from error
    except (RecursionError, UnicodeDecodeError) as error:
        raise ReadError(f"not JSON: {error}", Position(path, 1, 1)) from error


def _argument_names(manifest: _Manifest, kernel: str) -> dict[int, str]:
    args = (enumerate(known.args) for known in manifest.kernels if known.kernel == kernel)
    return {index: name for each in args for index, name in each if name}


def _entry_of(entries: Sequence[_Entry], visaasm: Path, path: str) -> _Entry:
    """By `kernel/variant.visaasm`, else by content, else by file name: the first that any entry satisfies."""
    found = (
        [entry for entry in entries if entry.path.parts[-2:] == visaasm.parts[-2:]]
        or _same_content(entries, visaasm)
        or [entry for entry in entries if entry.path.name == visaasm.name]
    )
    if len(found) == 1:
        return found[0]
    shown = ", ".join(entry.file for entry in (found or entries)[:10]) or "none"
    more = ", …" if len(found or entries) > 10 else ""
    if found:
        raise ReadError(f"several entries may be meant by {visaasm}", Position(path, 1, 1), f"{shown}{more}")
    raise ReadError(f"no entry for {visaasm}", Position(path, 1, 1), f"entries: {shown}{more}")


def _same_content(entries: Sequence[_Entry], visaasm: Path) -> list[_Entry]:
    try:
        digest = sha256(content_of(visaasm, LAUNCH_LIMIT)).hexdigest()
    except ReadError:  # a kernel need not come from a file
        return []
    return [entry for entry in entries if entry.sha256 == digest]


def _arguments(entry: _Entry, names: Mapping[int, str], place: Position) -> Iterator[tuple[bool, PayloadArgument]]:
    """Each payload argument, and whether it is one per thread."""
    for text in entry.zeinfo.payload:
        found = _PAYLOAD.fullmatch(text)
        if found is None:
            raise ReadError(f"{entry.file}: payload argument {text!r}", place, "kind@offset+size [argN] [mode]")
        index = None if found["index"] is None else int(found["index"])
        yield (
            found["per_thread"] is not None,
            PayloadArgument(
                kind=found["kind"],
                offset=int(found["offset"]),
                size=int(found["size"]),
                argument=None if index is None else Argument(index, names.get(index)),
                address_mode=found["mode"] or "",
            ),
        )


def _platform(entry: _Entry, place: Position) -> Platform | None:
    if entry.platform is None:
        return None
    try:
        return platform_named(entry.platform)
    except KeyError:
        raise ReadError(
            f"{entry.file}: unknown platform {entry.platform!r}", place, f"known: {PLATFORM_NAMES}"
        ) from None
