"""A kernel with what its launch is known to do: what the commands that ask about whole kernels read."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.arguments import add_float, positive, seconds
from visaproof.cli.errors import UsageError
from visaproof.cli.exit_codes import ExitCode, worst
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform, platform_named

if TYPE_CHECKING:
    from visaproof.kernel.launch import Launch
    from visaproof.kernel.syntax import Kernel

Ask = Callable[[Path, Namespace, Platform | None, list[dict[str, Any]]], ExitCode]
"""Asks about a file, shows what it finds or adds a record of it, and says how it went."""

DEFAULT_PLATFORM = Platform.DG2
"""For a file of which neither `--platform` nor `--launch` names the device."""


def add_kernel_options(parser: ArgumentParser) -> None:
    """The launch, the device, and how much is asked."""
    parser.add_argument("--launch", metavar="FILE", type=Path, help="a zebin, its .ze_info, or a manifest.json")
    parser.add_argument(
        "--input", action="append", default=[], metavar="VAR=MEANING", help="what an input holds, e.g. V0038=local_id_x"
    )
    parser.add_argument("--platform", metavar="NAME", help="the device, where --launch does not say it (default: DG2)")
    parser.add_argument(
        "--unroll", type=positive, default=4, metavar="N", help="rounds of a loop of unknown length (default: 4)"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question (default: 20)"
    )
    add_float(parser)


def ask_each(command: str, ask: Ask, arguments: Namespace, words: Mapping[ExitCode, str]) -> int:
    """Asks about each file in turn; what is computed is shown before the next one starts, and kept after Ctrl-C.

    `words` says what the exit code of a file means.
    """
    platform = platform_option(arguments.platform)
    codes: list[ExitCode] = []
    records: list[dict[str, Any]] = []
    try:
        for path in arguments.files:
            codes.append(ask(path, arguments, platform, records))
    except KeyboardInterrupt:
        codes.append(ExitCode.INTERRUPTED)
    code = worst(codes)
    if arguments.format == "json":
        _print_json(command, records, code)
    elif len(arguments.files) > 1:
        counted = ", ".join(f"{codes.count(one)} {word}" for one, word in words.items() if one in codes)
        print(f"\n{len(arguments.files)} files: {counted}")
    return code


def _print_json(command: str, records: list[dict[str, Any]], code: ExitCode) -> None:
    import json

    from visaproof import __version__

    document = {"visaproof": __version__, "schema": 1, "command": command, "exit_code": int(code), "files": records}
    print(json.dumps(document, indent=2))


def show_stop(stopped: NotModelled, what: str) -> None:
    """Why a kernel was not read to its end; `what` is then left out."""
    sys.stdout.flush()
    print(f"error: not modelled: {stopped}", file=sys.stderr)
    print(f"  hint: the {what} behind this statement were not asked about", file=sys.stderr)


def milliseconds(timeout: float) -> int:
    return round(1000 * timeout)


def platform_option(name: str | None) -> Platform | None:
    """The platform of `--platform`."""
    if name is None:
        return None
    try:
        return platform_named(name)
    except KeyError:
        known = ", ".join(platform.name for platform in Platform)
        raise UsageError(f"no platform {name!r}", f"one of {known}") from None


def read_with_launch(path: Path, arguments: Namespace, platform: Platform | None) -> "tuple[Kernel, Launch]":
    """The kernel, and its launch by `--launch` and `--input`.  Raises ReadError."""
    from visaproof.kernel.launch import NOTHING_KNOWN, parse_input_option, read_launch
    from visaproof.kernel.linking import read_program

    kernel = read_program(path, grf_bytes=None if platform is None else platform.grf_bytes)
    launch = read_launch(arguments.launch, kernel, platform) if arguments.launch else NOTHING_KNOWN
    options = [parse_input_option(option) for option in arguments.input]
    return kernel, launch.with_inputs(kernel, options)
