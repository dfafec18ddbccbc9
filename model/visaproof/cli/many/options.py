"""Options of every command that asks about files or pairs: how many at once, what counts, and where results go."""

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.many.baseline import add_baseline
from visaproof.cli.many.cache import add_cache
from visaproof.cli.options.arguments import add_cross_check, count, seconds
from visaproof.report.results.formats import Format

if TYPE_CHECKING:
    from argparse import _ArgumentGroup  # pyright: ignore[reportPrivateUsage]

    from visaproof.report.results.outputs import Output

FORMATS = tuple(one.value for one in Format)
LEVELS = ("refuted", "unknown", "bounded", "vacuous", "not-modelled", "unreadable", "internal", "disagreement")
"""The values of `report.results.finding.Level`."""


def add_many(parser: ArgumentParser, old_cache: str | None = None) -> None:
    """All of them, in groups of their own."""
    which = parser.add_argument_group("which files, and how")
    which.add_argument("--jobs", type=count, default=1, metavar="N", help="processes (default: 1; 0: one per CPU)")
    which.add_argument(
        "--budget", type=seconds, metavar="SECONDS", help="for the whole run, by the clock: what is left is named"
    )
    which.add_argument(
        "--shard", type=shard, metavar="K/N", help="every Nth file from the Kth on: all N together are the whole"
    )
    which.add_argument(
        "--changed-since", metavar="REV", help="only files that differ from this revision of git, or are new"
    )
    which.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="ask on a Dask cluster, as in tcp://10.0.0.1:8786, whose machines see the same files under the same names",
    )  # fmt: skip
    add_cross_check(which)
    add_results(parser)
    add_baseline(parser)
    add_cache(parser, old_cache)


def add_results(parser: ArgumentParser) -> None:
    """Where results go, and which of them fail the run."""
    shown = parser.add_argument_group("results")
    shown.add_argument("--format", choices=FORMATS, default="text", help="of the output (default: text)")
    shown.add_argument(
        "--output", type=output, action="append", default=[], metavar="FORMAT:FILE",
        help=f"also write results there, whole or not at all (repeatable): {', '.join(FORMATS)}",
    )  # fmt: skip
    add_pictures(shown)
    shown.add_argument("-q", "--quiet", action="store_true", help="show only files with a finding")
    shown.add_argument(
        "--fail-on", type=levels, metavar="WHAT,…",
        help=f"exit codes other than 0 are for these alone: {', '.join(LEVELS)} (default: all)",
    )  # fmt: skip


def add_pictures(parser: "ArgumentParser | _ArgumentGroup") -> None:
    """Short for two of the outputs."""
    for name, what in (("html", "a page of the results, with pictures"), ("svg", "a picture of the first finding")):
        parser.add_argument(
            f"--{name}", dest="output", type=partial(_picture, name), action="append", metavar="FILE",
            help=f"also write {what}: short for --output {name}:FILE",
        )  # fmt: skip


def _picture(name: str, file: str) -> "Output":
    return output(f"{name}:{file}")


def shard(text: str) -> tuple[int, int]:
    """`2/5`."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ArgumentTypeError(f"{text!r} is not K/N with K from 1 to N, as in 2/5")
    return int(found[1]), int(found[2])


def output(text: str) -> "Output":
    """`sarif:found.sarif`; its folder is made."""
    from visaproof.report.results.outputs import Output

    name, colon, file = text.partition(":")
    if name not in FORMATS or not colon or not file:
        raise ArgumentTypeError(f"{text!r} is not FORMAT:FILE, with one of {', '.join(FORMATS)}")
    path = Path(file)
    if path.is_dir():
        raise ArgumentTypeError(f"{text}: {path} is a folder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentTypeError(f"{text}: no folder {path.parent}: {error.strerror}") from None
    return Output(Format(name), path)


def levels(text: str) -> frozenset[str]:
    """`refuted,unknown`; `none` is no level at all."""
    names = frozenset(text.split(",")) - {"none"}
    if wrong := sorted(names - set(LEVELS)):
        raise ArgumentTypeError(f"no such result: {', '.join(wrong)}; one or more of {', '.join(LEVELS)}, or none")
    return names


def jobs_of(arguments: Namespace) -> int:
    """How many processes there may be."""
    from os import cpu_count

    return arguments.jobs or cpu_count() or 1
