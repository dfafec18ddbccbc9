"""A folder that Intel's compiler dumped into: which files are kernels of a binary, and what it gave up on the way."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from visaproof.isa.errors import ReadError
from visaproof.launch.beside import DUMPED, launch_beside, program_of
from visaproof.launch.zebin import read_ze_info, read_zebin
from visaproof.pairs.dumps import Dump, dumps_in
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of


class Kernel(Struct, frozen=True):
    """A kernel to ask about."""

    dump: Dump
    launch: Path | None


class SetAside(Struct, frozen=True):
    """A dump that is no kernel of the binary, and why."""

    path: Path
    reason: str


class Sorted(Struct, frozen=True):
    """All files of a folder."""

    kernels: tuple[Kernel, ...]
    aside: tuple[SetAside, ...]


def sorted_dumps(folder: Path, launch_of: Callable[[Path], Path | None] | None = None) -> Sorted:
    """The kernels of a folder, and the attempts that the compiler threw away; of each, the file with its launch."""
    find = launch_of or partial(launch_beside, root=folder)
    dumps, unreadable = dumps_in(folder)
    aside = [SetAside(folder / f"{name}.visaasm", reason) for name, reason in unreadable]
    groups: dict[tuple[Path, str, str], list[Dump]] = {}
    for one in dumps:
        groups.setdefault((one.path.parent, program_of(one.path), one.kernel), []).append(one)
    kernels: list[Kernel] = []
    for group in groups.values():
        launch = find(group[0].path)
        kept, thrown = _kept(group, launch)
        kernels += [Kernel(one, launch) for one in kept]
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


def _attempt(path: Path) -> int:
    found = DUMPED.match(path.stem)
    return int(found["attempt"] or 0) if found else 0
