"""What the commands share that ask about each of several kernels: their options, and the loop over the files."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from visaproof.cli.arguments import add_float, positive, seconds
from visaproof.cli.exit_codes import ExitCode, worst
from visaproof.cli.kernel_files import platform_option
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform

Ask = Callable[[Path, Namespace, Platform | None, list[dict[str, Any]]], ExitCode]
"""Asks about a file, shows what it finds or adds a record of it, and says how it went."""


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
        from visaproof.report.documents import document

        print(document(command, code, files=records))
    elif len(arguments.files) > 1:
        counted = ", ".join(f"{codes.count(one)} {word}" for one, word in words.items() if one in codes)
        print(f"\n{len(arguments.files)} files: {counted}")
    return code


def show_stop(stopped: NotModelled, what: str) -> None:
    """Why a kernel was not read to its end; `what` is then left out."""
    sys.stdout.flush()
    print(f"error: not modelled: {stopped}", file=sys.stderr)
    print(f"  hint: the {what} behind this statement were not asked about", file=sys.stderr)
