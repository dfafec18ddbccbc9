"""The command line.  A command's module is light; solvers, grammar and terminal load when the command runs."""

import gc
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from importlib import import_module
from io import FileIO, TextIOWrapper
from typing import cast

from visaproof import __version__
from visaproof.cli.options.exit_codes import TABLE, ExitCode

COMMANDS = (
    "prove",
    "readings",
    "premises",
    "replay",
    "check",
    "explain",
    "conflicts",
    "bounds",
    "refine",
    "tv",
    "ocloc",
    "rules",
    "run",
    "print",
    "vectors",
)
"""Each is a module here with `add_parser(subparsers)` and `run(arguments) -> int`."""

DESCRIPTION = "A formal model of Intel's virtual GPU ISA (vISA): proofs, counterexamples, and checks of .visaasm files."
EXAMPLES = """examples:
  visaproof prove                        decide every claim of ./proofs
  visaproof prove 'refute_*' --list      name the claims that a pattern selects
  visaproof readings                     what is chosen where the manual is silent
  visaproof premises                     what answers rest on beside the kernels, and who grants it
  visaproof replay counterexamples       replay every counterexample, without a solver
  visaproof check kernel.visaasm         parse a kernel and check its memory messages against their pages
  visaproof explain scatter4_scaled      a page, or one instruction, lane by lane
  visaproof conflicts kernel.visaasm     can two lanes of one scatter write the same byte?
  visaproof bounds kernel.visaasm        does every access stay inside its surface?
  visaproof refine a.visaasm b.visaasm   does b do what a does?
  visaproof tv dumps                     the same question for many pairs
  visaproof ocloc k.cl --target-options -cl-opt-disable   compiled twice: do both do the same?
  visaproof rules                        are the shipped rewrite rules right?
  visaproof run kernel.visaasm --global-size 64   run a whole launch concretely
  visaproof print kernel.visaasm         write a kernel in the compiler's spelling
  visaproof vectors vectors.jsonl        compare with what other implementations did
"""


OPTIONS_OF_ANOTHER = (
    "--source-options",
    "--target-options",
    "--source-internal-options",
    "--target-internal-options",
)
"""Their values are command lines of another program."""

OLD_NAMES = {
    "--grid": "--global-size",
    "--group": "--local-size",
    "--offset": "--global-offset",
    "--scalar": "--arg",
}
"""Of `run`, before its options had OpenCL's names."""


GARBAGE_COLLECTED_EVERY = 200_000
"""Allocations.  Terms hold no cycles, and the collector's usual iterations over them cost a sixth of a symbolic run."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; no exception passes."""
    _open_closed_streams()
    _print_anything()
    try:
        arguments = _parsed(argv)
        code = _run(arguments) if isinstance(arguments, Namespace) else arguments
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_stdout()
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")  # `print` is a command's module here
        return ExitCode.INTERRUPTED
    except (Exception, SystemExit) as error:  # a claim may call sys.exit: that is no verdict
        return _failed(error)
    finally:
        _forget_options()


def _parsed(argv: Sequence[str] | None) -> Namespace | int:
    """The arguments, or an exit code where argparse has said what there is to say."""
    try:
        return _parser().parse_args(_with_options(sys.argv[1:] if argv is None else argv))
    except SystemExit as stop:
        return ExitCode.USAGE if stop.code else ExitCode.OK


def _with_options(argv: Sequence[str]) -> list[str]:
    """`--source-options -O0` as `--source-options=-O0`: the value of such an option may begin with a dash.

    Options that have a new name are taken by the old one.
    """
    joined: list[str] = []
    for word in map(_of_today, argv) if argv[:1] == ["run"] else argv:
        if joined and joined[-1] in OPTIONS_OF_ANOTHER:
            joined[-1] = f"{joined[-1]}={word}"
        else:
            joined.append(word)
    return joined


def _of_today(word: str) -> str:
    """The new name of an option of `run` that has one."""
    name, equals, value = word.partition("=")
    return f"{OLD_NAMES.get(name, name)}{equals}{value}"


def _parser() -> ArgumentParser:
    epilog = f"{EXAMPLES}\n{TABLE}"
    parser = ArgumentParser(
        "visaproof", description=DESCRIPTION, epilog=epilog, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"visaproof {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        import_module(f"{__name__}.{command}").add_parser(subparsers)
    return parser


def _run(arguments: Namespace) -> int:
    from visaproof.report.text.hints import OPTIONS

    module = import_module(f"{__name__}.{arguments.command}")
    gc.set_threshold(GARBAGE_COLLECTED_EVERY)
    OPTIONS.set(options_of(arguments.command))
    return cast(Callable[[Namespace], int], module.run)(arguments)


def _forget_options() -> None:
    from visaproof.report.text.hints import OPTIONS

    OPTIONS.set(None)


def options_of(command: str) -> frozenset[str]:
    """The long options that the command takes."""
    subparsers = ArgumentParser().add_subparsers()
    import_module(f"{__name__}.{command}").add_parser(subparsers)
    (parser,) = subparsers.choices.values()
    words = parser.format_usage().translate(str.maketrans("[]()|", "     ")).split()
    return frozenset(("--help", *(word for word in words if word.startswith("--"))))


def _failed(error: BaseException) -> int:
    """The exit code of an error that a command let pass, once it has been shown."""
    from visaproof.cli.options.errors import show_error

    if os.environ.get("VISAPROOF_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    return show_error(error)


def _print_anything() -> None:
    """A character that the terminal's encoding lacks is escaped; it does not end the run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _open_closed_streams() -> None:
    """A stream that is closed when the run begins has nothing to read, and drops what is written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # opened under the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, TextIOWrapper(FileIO(os.devnull, mode), encoding="utf-8"))


def _drop_stdout() -> None:
    """Nobody reads it any more, so that the interpreter need not complain when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
