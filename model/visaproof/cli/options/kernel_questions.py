"""What the commands share that ask about each of several kernels: their options, and the loop over the files."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.options.arguments import (
    add_float,
    add_groups,
    add_limit,
    add_platform,
    add_where,
    positive,
    relation,
    seconds,
)
from visaproof.cli.options.errors import not_asked
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.findings import add_undefined
from visaproof.isa.errors import LimitReached

if TYPE_CHECKING:
    from visaproof.checking.limited import Stop
    from visaproof.visaasm.syntax import Instruction

Ask = Callable[[Path, Namespace, list[dict[str, Any]]], ExitCode]
"""Asks about a file, shows what it finds or adds a record of it, and says how it went."""


def add_kernel_options(parser: ArgumentParser) -> None:
    """The launch, the device, and how much is asked."""
    parser.add_argument("--launch", metavar="FILE", type=Path, help="a zebin, its .ze_info, or a manifest.json")
    parser.add_argument(
        "--input", action="append", default=[], metavar="VAR=MEANING", help="what an input holds, e.g. V0038=local_id_x"
    )
    add_platform(parser)
    add_groups(parser)
    parser.add_argument(
        "--unroll", type=positive, default=4, metavar="N", help="iterations of a loop of unknown length (default: 4)"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question (default: 20)"
    )
    add_limit(parser, "one file")
    add_where(parser, relation, "RELATION")
    add_undefined(parser)
    add_float(parser)


def ask_each(command: str, ask: Ask, arguments: Namespace, words: Mapping[ExitCode, str]) -> int:
    """Asks about each file in turn; what is computed is shown before the next one starts, and kept after Ctrl-C.

    `words` says what the exit code of a file means.
    """
    codes: list[ExitCode] = []
    records: list[dict[str, Any]] = []
    try:
        for path in arguments.files:
            codes.append(ask(path, arguments, records))
    except KeyboardInterrupt:
        codes.append(ExitCode.INTERRUPTED)
    code = worst(codes)
    if arguments.format == "json":
        from visaproof.report.text.documents import document

        print(document(command, code, files=records))
    elif len(arguments.files) > 1:
        counted = ", ".join(f"{codes.count(one)} {word}" for one, word in words.items() if one in codes)
        print(f"\n{len(arguments.files)} files: {counted}")
    return code


def show_stop(stopped: "Stop", left_out: "Sequence[Instruction]", text: bool) -> ExitCode:
    """Why a kernel was not read to its end, and what is left out then; the exit code that goes with it."""
    sys.stdout.flush()
    limit = isinstance(stopped, LimitReached)
    if not limit:
        print(f"error: not modelled: {stopped}", file=sys.stderr)
        print("  hint: what is listed as not asked comes after this statement", file=sys.stderr)
    elif text:
        print(f"\n  {stopped}")
    for one in left_out if text else ():
        why = str(LimitReached(stopped.seconds)) if limit else "the statement that is not modelled comes before it"
        print(f"  not asked: {one.position}: {one.opcode}: {why}")
    sys.stdout.flush()
    return ExitCode.UNKNOWN if limit else ExitCode.NOT_MODELLED


def nothing_asked(path: Path, reached: LimitReached, records: list[dict[str, Any]]) -> ExitCode:
    """The limit was reached before there was anything to ask about."""
    records.append({"file": str(path), "error": not_asked(path, reached).message})
    return ExitCode.UNKNOWN
