"""The command line.  A command's module is light; solvers, grammar and terminal load when the command runs."""

import atexit
import gc
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from io import FileIO, TextIOWrapper
from itertools import pairwise
from threading import enumerate as enumerate_threads
from threading import main_thread
from typing import NoReturn, TextIO, cast

from visaproof.cli.options.ascii import register
from visaproof.cli.options.colour import Coloured, as_chosen, wanted
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.cli.parser import UsageStop, parsed

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
    "cache",
    "dump",
    "triage",
    "doctor",
    "report",
    "schema",
    "completion",
    "watch",
)
"""Each is a module here with `add_parser(subparsers)` and `run(arguments) -> int`."""

OPTIONS_OF_ANOTHER = (
    "--source-options",
    "--target-options",
    "--source-internal-options",
    "--target-internal-options",
    "--options",
    "--internal-options",
)
"""Their values are command lines of another program."""

OLD_NAMES = {
    "--grid": "--global-size",
    "--group": "--local-size",
    "--offset": "--global-offset",
    "--scalar": "--arg",
}
"""Of `run`, before its options had OpenCL's names."""


IN_COLOUR = ("conflicts", "bounds", "check", "refine", "ocloc", "run", "rules", "replay", "explain")
"""The others print tables with colours of their own."""

AS_IT_IS = ("print", "schema", "completion")
"""They write for programs: no line is folded."""

GARBAGE_COLLECTED_EVERY = 200_000
"""Allocations.  Terms hold no cycles, and the collector's usual iterations over them cost a sixth of a symbolic run."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; no exception passes."""
    _open_closed_streams()
    _print_anything()
    argv = sys.argv[1:] if argv is None else argv
    try:
        arguments = _parsed(argv)
        code = _in_colour(arguments) if isinstance(arguments, Namespace) else arguments
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_stdout()
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")  # `print` is a command's module here
        return ExitCode.INTERRUPTED
    except (Exception, SystemExit) as error:  # a claim may call sys.exit: that is no verdict
        code = _failed(error)
        _print_error(argv, code, getattr(error, "message", str(error)), getattr(error, "hint", ""))
        return code
    finally:
        _forget_options()


def entry() -> NoReturn:
    """`main`, as a process: it ends without taking the interpreter apart.

    That would free millions of terms one by one, and crash where a solver that was given up is still at work.
    """
    code = int(main())
    if any(not one.daemon for one in enumerate_threads() if one is not main_thread()) or sys.getprofile() is not None:
        sys.exit(code)
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # pools end their processes there
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _parsed(argv: Sequence[str]) -> Namespace | int:
    """The arguments, or an exit code where argparse has said what there is to say."""
    try:
        return parsed(_with_options(argv), COMMANDS)
    except UsageStop as stop:
        _print_error(argv, ExitCode.USAGE, stop.message, stop.hint)
        return ExitCode.USAGE
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


def _in_colour(arguments: Namespace) -> int:
    with as_chosen(vars(arguments).pop("color")):
        return _run(arguments)


def _run(arguments: Namespace) -> int:
    from visaproof.report.text.hints import OPTIONS

    module = import_module(f"{__name__}.{arguments.command}")
    gc.set_threshold(GARBAGE_COLLECTED_EVERY)
    OPTIONS.set(options_of(arguments.command))
    plain = sys.stdout
    if arguments.command not in AS_IT_IS and getattr(arguments, "format", "text") == "text":
        if plain.isatty():
            from visaproof.cli.options.wrapping import Wrapped

            sys.stdout = cast(TextIO, Wrapped(plain))
        if arguments.command in IN_COLOUR and wanted(plain):
            sys.stdout = cast(TextIO, Coloured(sys.stdout))
    try:
        with _cross_checked(arguments):
            return cast(Callable[[Namespace], int], module.run)(arguments)
    finally:
        sys.stdout.flush()
        sys.stdout = plain


def _cross_checked(arguments: Namespace) -> AbstractContextManager[None]:
    """Raises UsageError where there is no second solver."""
    if not getattr(arguments, "cross_check", False):
        return nullcontext()
    from visaproof.cli.options.errors import UsageError
    from visaproof.smt.solvers import cross_checked, has_both

    if not has_both():
        raise UsageError("--cross-check: bitwuzla is not installed, and z3 alone cannot be checked")
    return cross_checked()


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


def _print_error(argv: Sequence[str], code: int, message: str, hint: str) -> None:
    """The error as a document, where programs read what is printed: stdout is never empty then."""
    if not ("--format=json" in argv or ("--format", "json") in pairwise(argv)):
        return
    from visaproof.report.text.documents import document

    with suppress(BrokenPipeError):
        error = {"message": message, "hint": hint}
        sys.stdout.write(
            document(next(iter(argv), ""), code, [message], error=error) + "\n"
        )  # `print` is a command's module here


def _print_anything() -> None:
    """A character that the terminal's encoding lacks is shown by one like it, or escaped; it does not end the run."""
    handler = register()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=handler)


def _open_closed_streams() -> None:
    """A stream that is closed when the run begins has nothing to read, and drops what is written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # opened under the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, TextIOWrapper(FileIO(os.devnull, mode), encoding="utf-8"))


def _drop_stdout() -> None:
    """Nobody reads it any more, so that the interpreter need not complain when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
