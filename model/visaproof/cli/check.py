"""`visaproof check`: read kernels and hold their memory messages against the pages."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.arguments import (
    Subparsers,
    add_format,
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
from visaproof.isa.errors import LimitReached, ReadError

if TYPE_CHECKING:
    from visaproof.isa.platform import Platform
    from visaproof.launch.launch import Launch
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
  1  a message breaks a rule of its page, or Intel's parser or verifier rejects it (--rules igc); or undefined behaviour
     has an effect
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
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .visaasm file")
    parser.add_argument("--launch", metavar="FILE", type=Path, help="a zebin, its .ze_info, or a manifest.json")
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
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.analysis.findings.kernel import Uses, uses_of
    from visaproof.analysis.legality import legality
    from visaproof.launch.launch import said_by_launch
    from visaproof.report.kernels.check import CheckReport
    from visaproof.smt.limit import Limit
    from visaproof.visaasm.device import device_of
    from visaproof.visaasm.source import read_text
    from visaproof.visaasm.validity import Mode

    mode = Mode(arguments.rules)
    as_text = arguments.format == "text"
    report = CheckReport(sys.stdout, as_text=as_text, mode=mode)
    codes: list[ExitCode] = []
    for path in arguments.files:
        try:
            limit = Limit(arguments.limit)
            with limit.within():
                text = read_text(path)
                said = said_by_launch(arguments.launch, path) if arguments.launch else ()
                device = device_of(text.split("\n"), str(path), arguments.platform, said)
                found = legality(text, str(path), device, mode, any_type=arguments.types == "any")
                launch = _launch(found.kernel, arguments, device) if mode is Mode.PAGE and found.legal else None
        except ReadError as error:
            show_read_error(error)
            report.unreadable(path, error)
            codes.append(ExitCode.USAGE)
            continue
        except LimitReached as reached:
            report.unreadable(path, not_asked(path, reached))
            codes.append(ExitCode.UNKNOWN)
            continue
        uses = Uses()
        if mode is Mode.PAGE and found.legal:
            choices = dict(arguments.undefined)
            uses = uses_of(found.kernel, device, choices, milliseconds(arguments.timeout), limit, launch)
        report.add(found, device, uses)
        codes += codes_of_uses(uses, arguments)
        for error in found.malformed:
            show_read_error(error, found.source_lines)
        codes += [ExitCode.REFUTED] * bool(found.findings) + [ExitCode.USAGE] * bool(found.malformed)
    code = worst(codes)
    report.finish(code)
    return code


def _launch(kernel: "Kernel", arguments: Namespace, device: "Platform") -> "Launch | None":
    """What is known of its launch; None where nothing is stated of it.  Raises ReadError."""
    from visaproof.launch.launch import ANY_GROUPS, launch_of

    groups = groups_of(arguments)
    if arguments.launch is None and groups == ANY_GROUPS:
        return None
    return launch_of(arguments.launch, kernel, device)[0].of_groups(groups)
