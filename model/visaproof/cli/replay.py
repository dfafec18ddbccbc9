"""`visaproof replay`: run counterexamples again, on `execute` alone."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.arguments import Subparsers, add_format, add_limit
from visaproof.cli.options.errors import UsageError, not_asked, show_read_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.isa.errors import LimitReached, ReadError

if TYPE_CHECKING:
    from visaproof.report.claims.replay import ReplayReport

LEDGER = "errata.toml"
"""The errata ledger in a folder of counterexamples."""

EPILOG = """examples:
  visaproof replay counterexamples                 every .json file of a folder, and of the folders in it; its errata
  visaproof replay counterexamples/errata.toml     where the manual, other sources and Intel's tool differ
  visaproof replay findings/*.json --format json

exit codes:
  0  every counterexample replays: execute leaves what was recorded, and that shows the violation
  1  one does not replay
  2  a file cannot be read, or is no counterexample
  3  one did not end within --limit
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "replay",
        help="replay counterexamples without a solver",
        description="Runs counterexamples again on execute alone, without a solver, and compares the outcomes.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|DIR", help="a counterexample, or a folder of them")
    add_limit(parser, "one file")
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.report.claims.replay import ReplayReport
    from visaproof.smt.limit import Limit

    report = ReplayReport(sys.stdout, as_text=arguments.format == "text")
    codes: list[ExitCode] = []
    for path in _files(arguments.paths):
        try:
            with Limit(arguments.limit).within():
                if path.suffix == ".toml":
                    codes += _ledger(path, report)
                else:
                    codes.append(_counterexample(path, report))
        except ReadError as error:
            show_read_error(error)
            report.unreadable(path, error)
            codes.append(ExitCode.USAGE)
        except LimitReached as reached:
            report.unreadable(path, not_asked(path, reached))
            codes.append(ExitCode.UNKNOWN)
    code = worst(codes)
    report.finish(code)
    return code


def _counterexample(path: Path, report: "ReplayReport") -> ExitCode:
    """One file.  Raises ReadError."""
    from visaproof.checking.claims.identity_record import SIDES_DIFFER, read_identity, replay_identity
    from visaproof.checking.counterexample import DOES_NOT_REFINE, read_counterexample, violation_of
    from visaproof.checking.replay import replay

    violation = violation_of(path)
    if violation == SIDES_DIFFER:
        sides = read_identity(path)
        differences = replay_identity(sides, str(path))
        report.add_run(path, sides.claim, sides.shows, differences)
    elif violation == DOES_NOT_REFINE:
        from visaproof.refinement.record import read_example
        from visaproof.refinement.replay import run_again

        again = run_again(read_example(path), str(path))
        differences = again.differences
        report.add_run(path, again.claim, again.shows, differences)
    else:
        found = replay(read_counterexample(path), str(path))
        differences = found.differences
        report.add(path, found)
    return ExitCode.REFUTED if differences else ExitCode.OK


def _ledger(path: Path, report: "ReplayReport") -> Iterator[ExitCode]:
    """Each entry of an errata ledger.  Raises ReadError."""
    from visaproof.checking.claims.errata import differences, read_ledger

    ledger = read_ledger(path)
    for finding in ledger.finding:
        found = tuple(differences(finding, ledger))
        report.add_finding(path, finding, found)
        yield ExitCode.REFUTED if found else ExitCode.OK


def _files(paths: list[Path]) -> Iterator[Path]:
    """The files asked for, and those of the folders, in the order of their names.  Raises UsageError for no file."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = [*sorted(path.rglob("*.json")), *sorted(path.rglob(LEDGER))]
        if not found:
            raise UsageError(f"no counterexample in {path}", "a counterexample is a .json file")
        yield from found
