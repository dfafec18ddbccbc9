"""`visaproof cache`: what is kept of earlier answers, and how it is kept in order."""

from argparse import ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.many.cache import VARIABLE, cache_file
from visaproof.cli.options.arguments import Subparsers, add_format
from visaproof.cli.options.errors import UsageError
from visaproof.cli.options.exit_codes import ExitCode

if TYPE_CHECKING:
    from visaproof.checking.kept.cache_care import Stats

EPILOG = f"""examples:
  visaproof cache stats --cache answers.sqlite       how many answers of what, and whether any is damaged
  visaproof cache gc --older-than 30 --max-size 500  make room: what was not used for longest goes first
  visaproof cache export shared.sqlite               all answers in one file that can be copied
  visaproof cache import shared.sqlite               add those of another

The file is that of --cache, or of the variable {VARIABLE}.  Its keys hold the contents of all files, the
options and the versions of visaproof and of the solvers.  gc deletes answers of other versions, and damaged ones, too.
Rows are signed.  With a secret in VISAPROOF_CACHE_KEY only who knows it can make rows that count; without one, whoever
can write the file can make answers: take in files of those whom you trust.

exit codes: 0 done, 2 no such file, or one that is no cache."""

MIB = 2**20


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "cache",
        help="look after the answers of earlier runs",
        description="Shows what a cache of answers holds, makes room in it, and takes answers elsewhere.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=("stats", "gc", "export", "import"), help="what is done")
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="of export and import: the other file")
    parser.add_argument("--cache", type=Path, metavar="FILE", help=f"the cache (default: ${VARIABLE})")
    parser.add_argument(
        "--older-than", type=_number, metavar="DAYS", help="of gc: answers that were not used for so long"
    )
    parser.add_argument("--max-size", type=_number, metavar="MIB", help="of gc: how large all answers may be together")
    add_format(parser)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return value


def run(arguments: Namespace) -> int:
    """Does one thing with the cache."""
    import sqlite3

    path = cache_file(arguments)
    if path is None:
        raise UsageError("no cache is named", f"--cache FILE, or the variable {VARIABLE}")
    needs_file = arguments.action in ("export", "import")
    if needs_file != (arguments.file is not None):
        raise UsageError(f"cache {arguments.action} {'needs a' if needs_file else 'takes no'} FILE")
    if not path.is_file() and arguments.action != "import":
        raise UsageError(f"{path}: no such file", "a run with --cache writes it")
    try:
        said, document = _done(arguments, path)
    except sqlite3.Error as error:
        raise UsageError(f"{path}: {error}", "is it a cache of visaproof?") from None
    if arguments.format == "json":
        from visaproof.report.text.documents import document as as_json

        print(as_json("cache", ExitCode.OK, action=arguments.action, cache=str(path), **document))
    else:
        print(said)
    return ExitCode.OK


def _done(arguments: Namespace, path: Path) -> tuple[str, dict[str, Any]]:
    """What was done, for people and for programs."""
    from visaproof.checking.kept import cache_care

    match arguments.action:
        case "stats":
            found = cache_care.stats(path)
            return _shown(path, found), {"stats": _record(found)}
        case "gc":
            most = None if arguments.max_size is None else round(arguments.max_size * MIB)
            gone = cache_care.collect(path, older_than_days=arguments.older_than, most_bytes=most)
            return f"{gone} answers deleted", {"deleted": gone}
        case "export":
            count = cache_care.export(path, arguments.file)
            return f"{count} answers written to {arguments.file}", {"answers": count}
        case _:
            added, bad = cache_care.take_in(path, arguments.file)
            left_out = f", {bad} damaged or not signed with your secret left out" if bad else ""
            return f"{added} answers added{left_out}", {"added": added, "left_out": bad}


def _record(found: "Stats") -> dict[str, Any]:
    kinds = [{"kind": kind, "answers": count, "bytes": size} for kind, count, size in found.kinds]
    return {
        "file_bytes": found.file_bytes, "kinds": kinds, "of_this_version": found.of_this_version,
        "damaged": found.damaged, "oldest": found.oldest, "newest": found.newest,
    }  # fmt: skip


def _shown(path: Path, found: "Stats") -> str:
    total = sum(count for _, count, _ in found.kinds)
    lines = [f"{path}: {found.file_bytes / MIB:.1f} MiB, {total} answers, {found.of_this_version} of this version"]
    lines += [f"  {kind:<12} {count:>7}  {size / MIB:.1f} MiB" for kind, count, size in found.kinds]
    if found.damaged:
        lines.append(f"  {found.damaged} do not count: they are damaged, or not signed with your secret")
    return "\n".join(lines)
