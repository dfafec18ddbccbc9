"""Which pairs `visaproof tv` asks about: those of a list, or those found in folders."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from visaproof.cli.options.errors import UsageError, proposal
from visaproof.launch.beside import MANIFEST, NO_LAUNCH, launch_for, launches_for

if TYPE_CHECKING:
    from visaproof.pairs.dumps import Found
    from visaproof.pairs.lists import Pair
    from visaproof.report.two_kernels.pair_rows import Row


class Asked(Struct, frozen=True):
    """The pairs, how they were found, and the rows of files that are in none."""

    pairing: str
    pairs: "tuple[Pair, ...]"
    others: "tuple[Row, ...]" = ()
    alone: tuple[str, ...] = ()
    one_source: bool = True
    """Whether both kernels of a pair are compiled from one source, and not one made from the other."""


def pairs_asked_for(arguments: Namespace) -> Asked:
    """What the command line names.  Raises UsageError, and ReadError for a list or a manifest that cannot be read."""
    paths: list[Path] = arguments.paths
    folders = [path for path in paths if path.is_dir()]
    if len(paths) > 2 or (len(paths) == 2 and len(folders) < 2):
        of_two = len(paths) == 2 and not folders
        hint = (
            f"of two kernels: visaproof refine {paths[0]} {paths[1]}" if of_two else "visaproof tv --help has examples"
        )
        raise UsageError("one folder, two folders, or one list of pairs", hint)
    if arguments.classes and folders:
        raise UsageError("--class selects from a list of pairs", "folders have no classes")
    if arguments.source and len(folders) != 1:
        raise UsageError("--source says which file of one folder is the source", "here the sources are known")
    asked = _of_folders(arguments, folders) if folders else _of_list(arguments, paths[0])
    if not asked.pairs and not asked.others:
        raise UsageError(f"no pair in {' and '.join(map(str, paths))}", f"pairs are {asked.pairing}")
    if not arguments.bidirectional:
        return asked
    return replace(asked, pairs=tuple(each for pair in asked.pairs for each in (pair, pair.reversed())))


def _of_list(arguments: Namespace, path: Path) -> Asked:
    from visaproof.pairs.lists import read_pairs

    pairs = read_pairs(path, _for_all(arguments, path.parent), arguments.launch_target)
    classes = sorted({pair.group for pair in pairs})
    for name in arguments.classes:
        if name not in classes:
            raise UsageError(
                f"no class {name!r} in {path}", proposal(name, classes) or f"classes: {', '.join(classes)}"
            )
    chosen = (pair for pair in pairs if not arguments.classes or pair.group in arguments.classes)
    return Asked(f"those that {path} names", tuple(chosen))


def _of_folders(arguments: Namespace, folders: list[Path]) -> Asked:
    from visaproof.pairs.dumps import in_folder, in_two_folders

    if len(folders) == 1:
        found = in_folder(folders[0], _for_all(arguments, folders[0]), arguments.source)
    else:
        found = in_two_folders(folders[0], folders[1])
    roots = folders[0], folders[-1]
    stated = arguments.launch, arguments.launch_target
    pairs = tuple(_launched(pair, launches_for(*stated, pair.source, pair.target, roots)) for pair in found.pairs)
    return Asked(found.rule, pairs, _without_pair(found), found.alone, len(folders) == 1)


def _launched(pair: "Pair", launches: tuple[Path | None, Path | None]) -> "Pair":
    return replace(pair, launch=launches[0], launch_target=launches[1])


def _without_pair(found: "Found") -> "tuple[Row, ...]":
    from visaproof.report.two_kernels.pair_rows import Answer, Row

    missing = ((name, Answer.MISSING, "only in this folder") for name in found.missing)
    unreadable = ((name, Answer.UNREADABLE, reason) for name, reason in found.unreadable)
    return tuple(
        Row(group="", flow="", source=name, target="", answer=answer, detail=detail)
        for name, answer, detail in (*missing, *unreadable)
    )


def _for_all(arguments: Namespace, folder: Path) -> Path | None:
    """What is stated, or the manifest of a folder: of all pairs, so that nobody looks for one beside each file."""
    manifest = folder / MANIFEST
    return launch_for(arguments.launch or (manifest if manifest.is_file() else NO_LAUNCH), folder)
