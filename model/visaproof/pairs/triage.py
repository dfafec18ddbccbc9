"""A folder that Intel's compiler dumped into: which files are kernels of a binary, and what it gave up on the way."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from visaproof.isa.errors import ReadError
from visaproof.launch.zebin import read_ze_info, read_zebin
from visaproof.pairs.dumps import Dump, dumps_in
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of

BINARIES = (".progbin", ".bin", ".zeinfo", ".ze_info")
"""What says how a kernel is launched, the best first."""
_HASH = re.compile(r"^(?P<program>.*?)(?:_(?P<attempt>\d+))?_simd\d+_")
"""The compiler's own names: `OCL_asm0123456789abcdef_simd16_entry_0001`; `…_1_simd16_…` is its second attempt."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel to ask about."""

    dump: Dump
    launch: Path | None


@dataclass(frozen=True, slots=True)
class SetAside:
    """A dump that is no kernel of the binary, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """All files of a folder."""

    kernels: tuple[Kernel, ...]
    aside: tuple[SetAside, ...]


def sorted_dumps(folder: Path, launch: Path | None = None) -> Sorted:
    """The kernels of a folder, and the attempts that the compiler threw away."""
    dumps, unreadable = dumps_in(folder)
    aside = [SetAside(folder / f"{name}.visaasm", reason) for name, reason in unreadable]
    groups: dict[tuple[Path, str, str], list[Dump]] = {}
    for one in dumps:
        groups.setdefault((one.path.parent, _program(one.path), one.kernel), []).append(one)
    kernels: list[Kernel] = []
    for group in groups.values():
        beside = launch or _launch_of(group[0].path, folder)
        kept, thrown = _kept(group, beside)
        kernels += [Kernel(one, beside) for one in kept]
        aside += thrown
    return Sorted(tuple(kernels), tuple(aside))


def _kept(group: Sequence[Dump], launch: Path | None) -> tuple[list[Dump], list[SetAside]]:
    """Those of the width that the binary has, and of each width the last attempt."""
    aside: list[SetAside] = []
    simd = simd_in(launch, group[0].kernel) if launch else None
    last: dict[int, Dump] = {}
    for one in sorted(group, key=lambda dump: (_attempt(dump.path), dump.path)):
        if simd is not None and one.width != simd and any(other.width == simd for other in group):
            aside.append(SetAside(one.path, f"an attempt with SIMD{one.width}: the binary has SIMD{simd}"))
            continue
        if one.width in last:
            aside.append(SetAside(last[one.width].path, "an earlier attempt with the same width"))
        last[one.width] = one
    return list(last.values()), aside


def simd_in(launch: Path, kernel: str) -> int | None:
    """The SIMD width of a kernel in a binary, or in its launch information; None where that says nothing."""
    try:
        blob = content_of(launch, LAUNCH_LIMIT)
        if blob.startswith(b"\x7fELF"):
            return read_zebin(blob, str(launch), kernel).simd
        text = blob.decode(errors="replace")
        return None if text.lstrip().startswith(("{", "[")) else read_ze_info(text, str(launch), kernel).simd
    except ReadError:
        return None


def _program(path: Path) -> str:
    """The hash of the program that was compiled; of a file with another name all of it."""
    found = _HASH.match(path.stem)
    return found["program"] if found else path.stem


def _attempt(path: Path) -> int:
    found = _HASH.match(path.stem)
    return int(found["attempt"] or 0) if found else 0


def _launch_of(path: Path, root: Path) -> Path | None:
    """The binary of the same compilation, or what lies beside and above it."""
    return next(_launches(path, root), None)


def _launches(path: Path, root: Path) -> Iterator[Path]:
    for suffix in BINARIES:
        yield from (one for one in (path.with_name(_program(path) + suffix), path.with_suffix(suffix)) if one.is_file())
    for folder in (one for one in (path.parent, *path.parent.parents) if one.is_relative_to(root)):
        if (folder / "manifest.json").is_file():
            yield folder / "manifest.json"
        for suffix in BINARIES:
            found = sorted(folder.glob(f"*{suffix}"))
            yield from found if len(found) == 1 else ()
