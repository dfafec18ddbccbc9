"""`visaproof check`: read kernels and hold their memory messages against the pages."""

from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visaproof.cli.many.config import add_config
from visaproof.cli.many.files import Task
from visaproof.cli.many.options import add_many
from visaproof.cli.many.run import Command, ask_each
from visaproof.cli.options.arguments import (
    Subparsers,
    add_groups,
    add_limit,
    add_platform,
    groups_of,
    seconds,
)
from visaproof.cli.options.errors import not_asked, show_read_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.cli.options.findings import KINDS_OF_ONE_KERNEL, add_undefined, codes_of_uses
from visaproof.cli.options.kernel_files import milliseconds
from visaproof.cli.options.launch_files import add_launch
from visaproof.isa.errors import LimitReached, ReadError

if TYPE_CHECKING:
    from visaproof.isa.platform import Platform
    from visaproof.launch.launch import Launch
    from visaproof.report.results.finding import Result
    from visaproof.visaasm.syntax import Kernel

EPILOG = """examples:
  visaproof check kernel.visaasm                 the device by the //Platform: comment of the file
  visaproof check --platform PVC dumps/*.visaasm
  visaproof check --launch kernel.bin kernel.visaasm
  visaproof check --types any kernel.visaasm     accept operand types that Intel's tools accept
  visaproof check --rules igc kernel.visaasm     what Intel's parser and verifier accept of the four pages
  visaproof check kernel.visaasm --format json

A rejection names the operand, the rule with its id, and the source of the rule.  A hazard is an instruction that
Intel's verifier accepts and that is then emitted with another meaning than its page has; it is shown with its
evidence under both rules, and does not change the exit code.  The pages' own spelling (TYPED_ATOMIC.IMAX, T5, V0.0) is
read with a note under the pages' rules; Intel's parser rejects it.

Opcodes without semantics in visaproof are listed as "not modelled", with their number; they are no error here.
A legal kernel is also run symbolically, for arbitrary inputs, or with --launch (or --local-size, --host) for those of
launches that hosts make: registers beyond a variable and uninitialised registers
are listed, and whether an address, a branch, a mask or an output depends on them; so are writes that no lane reaches.

exit codes:
  0  every memory message is legal on the platform; hazards and notes may be shown
  1  a message breaks a rule of its page, Intel's tools reject it (--rules igc), or undefined behaviour has an effect
  2  a file or an instruction cannot be read
  3  it is not known whether undefined behaviour has an effect
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "check",
        help="parse kernels and check their memory messages",
        description="Parses .visaasm files and checks their memory messages against the rules of the pages.",
        epilog=f"{EPILOG}\n{KINDS_OF_ONE_KERNEL}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE|DIR", help="a .visaasm file, or a folder of them")
    add_launch(parser)
    add_platform(parser)
    add_groups(parser)
    parser.add_argument(
        "--types",
        choices=("page", "any"),
        default="page",
        help="operand types: those of the page, or any; Intel's rules ask for none (default: page)",
    )
    parser.add_argument(
        "--rules",
        choices=("page", "igc"),
        default="page",
        help="whose rules: the pages', or those of Intel's parser and verifier (default: page)",
    )
    parser.add_argument(
        "--timeout", type=seconds, default=5.0, metavar="SECONDS", help="for one question to a solver (default: 5)"
    )
    add_limit(parser, "one file")
    add_undefined(parser)
    add_config(parser)
    add_many(parser)


def run(arguments: Namespace) -> int:
    """Checks each file in turn."""
    mode = arguments.rules
    return ask_each(Command("check", ask, partial(_summary, mode), partial(_more, mode)), arguments)


def _summary(mode: str, results: "Sequence[Result]") -> "Iterator[str]":
    from visaproof.report.kernels.check import summary

    yield summary([one.record for one in results], mode)


def _more(mode: str, results: "Sequence[Result]") -> dict[str, Any]:
    from visaproof.report.kernels.check import platforms_in

    platforms = platforms_in([one.record for one in results])
    return {"platform": platforms[0] if len(platforms) == 1 else None, "files": [], "rules": mode}


def ask(task: Task, arguments: Namespace) -> tuple[ExitCode, dict[str, Any]]:
    from visaproof.analysis.findings.kernel import Uses, uses_of
    from visaproof.analysis.legality import legality, with_functions
    from visaproof.launch.launch import said_by_launch
    from visaproof.report.kernels.check import checked_file, lines_of_file, unreadable_file
    from visaproof.smt.limit import Limit
    from visaproof.visaasm.device import device_of
    from visaproof.visaasm.linking.names import functions_beside
    from visaproof.visaasm.source import read_text
    from visaproof.visaasm.validity import Mode

    mode, path = Mode(arguments.rules), task.path
    try:
        limit = Limit(arguments.limit)
        with limit.within():
            text = read_text(path)
            said = said_by_launch(task.launch, path) if task.launch else ()
            device = device_of(text.split("\n"), str(path), arguments.platform, said)
            found = legality(text, str(path), device, mode, any_type=arguments.types == "any")
            launch = None
            if mode is Mode.PAGE and found.legal:
                found = with_functions(found, functions_beside(path, grf_bytes=device.grf_bytes))
                launch = _launch(found.program, task.launch, arguments, device)
    except ReadError as error:
        show_read_error(error)
        return ExitCode.USAGE, unreadable_file(path, error)
    except LimitReached as reached:
        return ExitCode.UNKNOWN, unreadable_file(path, not_asked(path, reached))
    uses = Uses()
    if mode is Mode.PAGE and found.legal:
        choices = dict(arguments.undefined)
        uses = uses_of(found.program, device, choices, milliseconds(arguments.timeout), limit, launch)
    record = checked_file(found, device, uses)
    for line in lines_of_file(found, record, uses):
        print(line)
    for error in found.malformed:
        show_read_error(error, found.source_lines)
    codes = codes_of_uses(uses, arguments)
    codes += [ExitCode.REFUTED] * bool(found.findings) + [ExitCode.USAGE] * bool(found.malformed)
    return worst(codes), record


def _launch(kernel: "Kernel", file: Path | None, arguments: Namespace, device: "Platform") -> "Launch | None":
    """What is known of its launch; None where nothing is stated of it.  Raises ReadError."""
    from visaproof.launch.launch import ANY_GROUPS, launch_of

    groups = groups_of(arguments)
    if file is None and groups == ANY_GROUPS:
        return None
    return launch_of(file, kernel, device)[0].of_groups(groups)
