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
    from visaproof.checking.counterexample import Counterexample
    from visaproof.report.claims.replay import ReplayReport

LEDGER = "errata.toml"
"""The errata ledger in a folder of counterexamples."""

EPILOG = """examples:
  visaproof replay counterexamples                 every .json file of a folder, and of the folders in it; its errata
  visaproof replay counterexamples/errata.toml     where the manual, other sources and Intel's tool differ
  visaproof replay findings/*.json --format json
  visaproof replay found.json --emit pytest > test_found.py
  visaproof replay found.json --emit run --kernel k.visaasm --launch k.bin

exit codes:
  0  every counterexample replays: execute leaves what was recorded, and that shows the violation
  1  one does not replay; with --emit nothing is written then
  2  a file cannot be read, or is no counterexample
  3  one did not end within --limit, or --emit found no launch that shows it
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
    emit = "write one counterexample as a pytest file, a .visaasm with its state, an OpenCL host, or a `visaproof run`"
    parser.add_argument("--emit", choices=("pytest", "visaasm", "opencl", "run"), help=emit)
    parser.add_argument("--kernel", type=Path, metavar="FILE", help="with --emit: the .visaasm file of the kernel")
    launch = "with --emit run or opencl: a zebin, its .ze_info, or a manifest.json"
    parser.add_argument("--launch", type=Path, metavar="FILE", help=launch)
    parser.add_argument("--source", type=Path, metavar="FILE", help="with --emit opencl: the OpenCL C of the kernel")
    add_limit(parser, "one file")
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.report.claims.replay import ReplayReport
    from visaproof.smt.limit import Limit

    if arguments.emit:
        return _emit(arguments)
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
    from visaproof.api.files import replay_file

    again = replay_file(path)
    if again.run is not None:
        report.add(path, again.run)
    else:
        report.add_run(path, again.claim, again.shows, again.differences)
    return ExitCode.REFUTED if again.differences else ExitCode.OK


def _emit(arguments: Namespace) -> int:
    """The one file as something else, on stdout, once it has been replayed.  Raises ReadError and UsageError."""
    from visaproof.api.files import replay_file
    from visaproof.checking.counterexample import Counterexample
    from visaproof.report.emit.pytest_file import pytest_file
    from visaproof.report.emit.visaasm import visaasm

    paths = list(_files(arguments.paths))
    if len(paths) != 1 or paths[0].suffix == ".toml":
        raise UsageError("--emit is about one counterexample", "name one .json file")
    if arguments.kernel is not None and not arguments.kernel.is_file():
        raise UsageError(f"--kernel {arguments.kernel}: no such file", "the .visaasm file that the test is to watch")
    again = replay_file(paths[0])
    if again.differences:
        for line in (f"{paths[0]} does not replay:", *again.differences):
            print(line, file=sys.stderr)
        return ExitCode.REFUTED
    if arguments.emit == "pytest":
        sys.stdout.write(pytest_file(again.record, paths[0].name, str(arguments.kernel or "")))
        return ExitCode.OK
    if not isinstance(again.record, Counterexample):
        raise UsageError(f"--emit {arguments.emit}: {paths[0]} is not about one kernel or instruction", "--emit pytest")
    if arguments.emit == "visaasm":
        sys.stdout.write(visaasm(again.record))
        return ExitCode.OK
    return _launch(arguments, again.record)


def _launch(arguments: Namespace, found: "Counterexample") -> int:
    """A launch that shows the finding, as a command or a host."""
    from visaproof.execution.example_launch import NoLaunch
    from visaproof.execution.payload import Program
    from visaproof.launch.launch import launch_of
    from visaproof.report.emit.launch import launch_that_shows, opencl_program, run_command
    from visaproof.visaasm.linking.names import read_program

    if arguments.kernel is None or arguments.launch is None:
        needed = "--kernel FILE --launch FILE" + " --source FILE" * (arguments.emit == "opencl")
        raise UsageError(f"--emit {arguments.emit} needs the kernel and its launch information", needed)
    kernel = read_program(arguments.kernel)
    launch, platform = launch_of(arguments.launch, kernel, None)
    program = Program(kernel, launch, platform)
    shown = launch_that_shows(found, program)
    if isinstance(shown, NoLaunch):
        print(f"no launch is shown: {shown.reason}", file=sys.stderr)
        return ExitCode.UNKNOWN
    if arguments.emit == "run":
        print(run_command(shown, arguments.kernel, arguments.launch))
        return ExitCode.OK
    if arguments.source is None:
        raise UsageError("--emit opencl needs the OpenCL C of the kernel", "--source FILE")
    try:
        sys.stdout.write(opencl_program(found, shown, program, arguments.source.read_text("utf-8")))
    except (UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"--emit opencl: {error}") from None
    return ExitCode.OK


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
