"""`--baseline FILE` and `--write-baseline FILE`: a run fails only on what is new."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.errors import UsageError

if TYPE_CHECKING:
    from collections import Counter

    from visaproof.report.results.baseline import Entry
    from visaproof.report.results.finding import Result


def add_baseline(parser: ArgumentParser) -> None:
    """Both options."""
    known = parser.add_argument_group("known findings")
    known.add_argument("--baseline", type=Path, metavar="FILE", help="findings listed there do not fail the run")
    known.add_argument("--write-baseline", type=Path, metavar="FILE", help="list all findings there, and end with 0")


def known_findings(arguments: Namespace) -> "Counter[Entry] | None":
    """What the baseline lists, before anything is asked.  Raises UsageError and ReadError."""
    target: Path | None = arguments.write_baseline
    if target is not None:
        if arguments.shard or arguments.changed_since or arguments.budget:
            raise UsageError(
                "--write-baseline lists the findings of all files", "without --shard, --changed-since and --budget"
            )
        if not target.absolute().parent.is_dir() or target.is_dir():
            raise UsageError(f"--write-baseline {target}: no such folder, or no file")
    if arguments.baseline is None:
        return None
    from visaproof.report.results.baseline import read_baseline

    return read_baseline(arguments.baseline)


def without_known(
    results: "Sequence[Result]", known: "Counter[Entry] | None", arguments: Namespace, *, ended: bool
) -> "list[Result]":
    """The results without findings that are known, or that a new baseline lists.  Raises OSError."""
    if arguments.write_baseline is not None and ended:
        from visaproof.report.results.baseline import read_baseline, write_baseline

        count = write_baseline(arguments.write_baseline, results)
        print(f"{arguments.write_baseline}: {count} findings are listed", file=sys.stderr)
        known = read_baseline(arguments.write_baseline)
    elif arguments.write_baseline is not None:
        print(f"{arguments.write_baseline}: not written, as the run was interrupted", file=sys.stderr)
    if known is None:
        return list(results)
    from visaproof.report.results.baseline import compared

    found = compared(results, known)
    if arguments.write_baseline is None:
        whole = ended and not (arguments.shard or arguments.changed_since)
        gone = f", {found.gone} of them are gone: --write-baseline makes it shorter" if whole and found.gone else ""
        print(f"{found.known} findings are in {arguments.baseline}{gone}", file=sys.stderr)
    return found.results
