"""What the commands share that ask about each of several kernels: their options, and what is left out of an answer."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import groupby
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
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.cli.options.findings import add_undefined
from visaproof.cli.options.launch_files import add_launch
from visaproof.isa.errors import LimitReached

if TYPE_CHECKING:
    from visaproof.checking.limited import Stop
    from visaproof.program.statements import Origin


def add_kernel_options(parser: ArgumentParser) -> None:
    """The launch, the device, and how much is asked."""
    add_launch(parser)
    parser.add_argument(
        "--input", action="append", default=[], metavar="VAR=MEANING", help="what an input holds, e.g. V0038=local_id_x"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="in full: premises, readings, inputs, each part of a message"
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


def show_stop(stopped: "Stop", left_out: "Sequence[Origin]") -> ExitCode:
    """Why a kernel was not read to its end, and what is left out then; the exit code that goes with it."""
    sys.stdout.flush()
    limit = isinstance(stopped, LimitReached)
    if not limit:
        print(f"error: not modelled: {stopped}", file=sys.stderr)
        print("  hint: what is listed as not asked comes after this statement", file=sys.stderr)
    else:
        print(f"\n  {stopped}")
    why = str(LimitReached(stopped.seconds)) if limit else "the statement that is not modelled comes first"
    for path, several in groupby(left_out, lambda one: one.position.path):
        print(f"  not asked: {path}: {why}")
        for one in several:
            print(f"    line {one.position.line}: {one.opcode}")
    sys.stdout.flush()
    return ExitCode.UNKNOWN if limit else ExitCode.NOT_MODELLED


def nothing_asked(path: Path, reached: LimitReached) -> "tuple[ExitCode, dict[str, Any]]":
    """The limit was reached before there was anything to ask about."""
    return ExitCode.UNKNOWN, {"file": str(path), "error": not_asked(path, reached).message, "limit_reached": True}
