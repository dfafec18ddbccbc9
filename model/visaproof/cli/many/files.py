"""Which files a command is asked about: those that are named, and those of folders; changed ones, or a share."""

import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from visaproof.cli.many.config import entries_of, stated_of
from visaproof.cli.options.errors import UsageError
from visaproof.launch.beside import launch_for

T = TypeVar("T")

SOURCES = {
    ".cl": "OpenCL C",
    ".clcpp": "C++ for OpenCL",
    ".cpp": "C++",
    ".spv": "SPIR-V",
    ".bc": "LLVM bitcode",
    ".ll": "LLVM",
}
"""What is compiled to vISA, by its suffix."""
SUFFIX = ".visaasm"
_FUNCTION = re.compile(r"[._]f\d+$")
"""The end of the stem of a called function's file, which belongs to another."""
_PSEUDO_KERNEL = "Intel_Symbol_Table_Void_Program"


class Task(Struct, frozen=True):
    """One file to ask about, and what says how it is launched."""

    path: Path
    launch: Path | None
    stated: tuple[tuple[str, Any], ...] = ()
    """Options that `visaproof.toml` states of it."""


def tasks_of(arguments: Namespace) -> list[Task]:
    """What the command line names, in the order in which it is asked.  Raises UsageError."""
    found: list[Task] = []
    for path in arguments.files:
        if path.is_dir():
            found += _in_folder(path, arguments.launch)
        elif path.suffix in SOURCES:
            raise UsageError(
                f"{path}: this is {SOURCES[path.suffix]}, and the question is about vISA",
                f"`visaproof dump {path}` compiles it with Intel's compiler",
            )
        else:
            found.append(Task(path, launch_for(arguments.launch, path)))
    return chosen_of(with_stated(found, arguments), inputs_of, arguments)


def with_stated(tasks: list[Task], arguments: Namespace) -> list[Task]:
    """With what the configuration says of each.  Raises ReadError and UsageError."""
    entries = entries_of(arguments)
    if not entries:
        return tasks
    found: list[Task] = []
    for task in tasks:
        stated = stated_of(task.path, entries, arguments)
        launch = stated.pop("launch", None) if arguments.launch is None else None
        found.append(
            Task(task.path, launch_for(launch, task.path) if launch else task.launch, tuple(sorted(stated.items())))
        )
    return found


def chosen_of(tasks: Sequence[T], inputs: Callable[[T], Sequence[Path]], arguments: Namespace) -> list[T]:
    """Those that have changed, and of these the share of this run.  Raises UsageError."""
    found = list(tasks)
    if arguments.scheduler is not None and arguments.budget is not None:
        raise UsageError("--budget is by the clock of this machine, and --scheduler asks others", "--limit SECONDS")
    if arguments.changed_since is not None:
        from visaproof.cli.many.changed import changed_since

        found = changed_since(found, inputs, arguments.changed_since)
    if arguments.shard is not None:
        first, step = arguments.shard
        found = found[first - 1 :: step]
    return found


def _in_folder(folder: Path, launch: Path | None) -> list[Task]:
    """The kernels of a folder and the folders in it, by name.  Raises UsageError where there is none."""
    found = [Task(path, launch_for(launch, path, folder)) for path in kernels_in(folder)]
    if not found:
        sources = sorted({path.suffix for path in folder.rglob("*") if path.suffix in SOURCES})
        hint = "`visaproof dump` compiles a source with Intel's compiler" if sources else ""
        raise UsageError(f"no {SUFFIX} file in {folder}", hint or "Intel's compiler dumps them: docs/how-to/dump.md")
    return found


def kernels_in(folder: Path) -> Iterator[Path]:
    """The files of kernels, without those of functions that they call."""
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        stem = _FUNCTION.search(path.stem)
        if path.is_file() and not (stem and _has_caller(path, stem)) and _PSEUDO_KERNEL not in path.name:
            yield path


def one_kernel(path: Path) -> Path:
    """The file; of a folder, as `visaproof dump` makes one, the only kernel in it.  Raises UsageError."""
    if not path.is_dir():
        return path
    found = [task.path for task in _in_folder(path, None)]
    if len(found) > 1:
        raise UsageError(f"{path} has {len(found)} kernels, and this is about one", f"name it, as in {found[0]}")
    return found[0]


def _has_caller(path: Path, end: "re.Match[str]") -> bool:
    return path.with_name(path.stem[: end.start()] + SUFFIX).is_file()


def inputs_of(task: Task) -> Sequence[Path]:
    """The files that are read to answer it: the kernel, the functions it may call, and the launch."""
    return [task.path, *called_by(task.path), *([task.launch] if task.launch else [])]


def called_by(path: Path) -> list[Path]:
    """The files of functions that a kernel may call."""
    from glob import escape

    return sorted(path.parent.glob(f"{escape(path.stem)}[._]f*{path.suffix}"))
