"""Pairs found in folders of dumps: one kernel, compiled with different options."""

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from msgspec import Struct

from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.beside import KERNEL
from visaproof.launch.manifest import manifest_platforms
from visaproof.pairs.lists import Pair
from visaproof.visaasm.attributes import VECTOR_COMPILER
from visaproof.visaasm.device import said_in
from visaproof.visaasm.source import read_text

SUFFIX = ".visaasm"
PLAIN = re.compile(r"(?<![a-z0-9])(o0|noopt|no-optimize|opt-disable)(?![a-z0-9])", re.IGNORECASE)
"""In the name of a file: it was compiled without optimisation."""

PSEUDO_KERNEL = "Intel_Symbol_Table_Void_Program"
"""What a program with constants at module scope dumps besides its kernels."""

_FUNCTION = re.compile(r"\.f\d+$")
"""The end of the stem of a called function's file, which belongs to another."""
_WIDTH = re.compile(r"^[ \t]*\.kernel_attr[ \t]+SimdSize[ \t]*=[ \t]*(\d+)", re.MULTILINE)
_ONE_ITEM = re.compile(rf'^[ \t]*\.kernel_attr[ \t]+Target[ \t]*=[ \t]*"{VECTOR_COMPILER}"', re.MULTILINE)
"""Of ESIMD: the SimdSize of such a kernel is that of its widest instruction."""

ONE_FOLDER = (
    "kernels of one name, SIMD width and device; the source is the first file that is named as not optimised (O0, "
    "noopt), else the first by name"
)
CHOSEN_SOURCE = "kernels of one name, SIMD width and device; the source is the first file whose name matches {}"
TWO_FOLDERS = (
    "files of the same path in both folders; of the others, kernels of which each folder has one of that name and "
    "width, then one of that name"
)


class Dump(Struct, frozen=True):
    """A file, and what pairs it with others."""

    path: Path
    name: str
    """Its path in the folder, without the suffix."""
    kernel: str
    width: int
    """Work items of a thread."""
    device: Platform | None


class Found(Struct, frozen=True):
    """The pairs of folders, and the files that have none."""

    rule: str
    pairs: tuple[Pair, ...]
    alone: tuple[str, ...]
    """No other file is of the same kernel, width and device."""
    missing: tuple[str, ...]
    """Files of one of two folders without a counterpart in the other."""
    unreadable: tuple[tuple[str, str], ...]
    """Files of which not even the kernel's name can be read, and why."""


def in_folder(folder: Path, launch: Path | None, source_like: str = "") -> Found:
    """Each group of dumps: one is the source of all others; `launch` may tell of which device each is.

    Raises ReadError for a manifest that cannot be read.
    """
    dumps, unreadable = dumps_in(folder, _devices(launch))
    groups: dict[tuple[str, int, Platform | None], list[Dump]] = {}
    for dump in dumps:
        groups.setdefault((dump.kernel, dump.width, dump.device), []).append(dump)
    pairs: list[Pair] = []
    alone: list[str] = []
    for group in groups.values():
        source = _source(group, source_like)
        if len(group) == 1 or source is None:
            alone += [dump.name for dump in group]
        else:
            pairs += [_pair(source, target) for target in group if target is not source]
    rule = CHOSEN_SOURCE.format(source_like) if source_like else ONE_FOLDER
    return Found(rule, tuple(pairs), tuple(alone), (), unreadable)


def in_two_folders(source: Path, target: Path) -> Found:
    """The dumps of the first folder as sources, those of the second as targets."""
    sources, unreadable = dumps_in(source)
    targets, others = dumps_in(target)
    by_name = {dump.name: dump for dump in targets}
    pairs = [(dump, by_name[dump.name]) for dump in sources if dump.name in by_name]
    left = [dump for dump in sources if dump.name not in by_name]
    names = {dump.name for dump in sources}
    free = [dump for dump in targets if dump.name not in names]
    for kind in (_kind, _name):  # a pass may compile to another width, which refinement compares as well
        for dump in tuple(left):
            alike = [[one for one in side if kind(one) == kind(dump)] for side in (left, free)]
            if [len(side) for side in alike] == [1, 1]:
                pairs.append((dump, alike[1][0]))
                left.remove(dump)
                free.remove(alike[1][0])
    missing = [f"{source.name}/{dump.name}" for dump in left] + [f"{target.name}/{dump.name}" for dump in free]
    return Found(
        TWO_FOLDERS,
        tuple(_pair(one, other) for one, other in pairs),
        (), tuple(missing), (*unreadable, *others),
    )  # fmt: skip


def _kind(dump: Dump) -> tuple[str, int]:
    return dump.kernel, dump.width


def _name(dump: Dump) -> tuple[str, int]:
    return dump.kernel, 0


def _pair(source: Dump, target: Dump) -> Pair:
    return Pair(source.kernel, source.path, target.path, source.name, target.name)


def _source(group: Sequence[Dump], like: str) -> Dump | None:
    if like:
        return next((dump for dump in group if fnmatch(dump.name, like) or fnmatch(dump.path.name, like)), None)
    return next((dump for dump in group if PLAIN.search(dump.name)), group[0])


def _devices(launch: Path | None) -> Callable[[Path], Platform | None]:
    """The device of each file, where a manifest says it."""
    return manifest_platforms(launch) if launch and launch.suffix == ".json" else lambda _: None


def dumps_in(
    folder: Path, device: Callable[[Path], Platform | None] = lambda _: None
) -> tuple[list[Dump], tuple[tuple[str, str], ...]]:
    """The kernels of a folder and the folders in it, by name, without called functions; and what is unreadable."""
    dumps: list[Dump] = []
    unreadable: list[tuple[str, str]] = []
    for path in _files(folder):
        name = path.relative_to(folder).as_posix().removesuffix(SUFFIX)
        try:
            text = read_text(path)
        except ReadError as error:
            unreadable.append((name, error.message))
            continue
        kernel, width = KERNEL.search(text), _WIDTH.search(text)
        if kernel is None:
            if "\n.global_function" not in text:
                unreadable.append((name, "no kernel in it"))
            continue
        if kernel[1] != PSEUDO_KERNEL:
            items = int(width[1]) if width and not _ONE_ITEM.search(text) else 1
            dumps.append(Dump(path, name, kernel[1], items, device(path) or _own_device(text)))
    return dumps, tuple(unreadable)


def _own_device(text: str) -> Platform | None:
    """The device that the comments in a dump agree on."""
    named = {platform for said in said_in(text.split("\n"), "") for platform in said.platforms}
    return named.pop() if len(named) == 1 else None


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob(f"*{SUFFIX}")) if path.is_file() and not _FUNCTION.search(path.stem))
