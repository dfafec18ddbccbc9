"""`visaproof check`: read kernels and hold their memory messages against the pages."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from visaproof.cli.arguments import Subparsers, add_format, platform
from visaproof.cli.errors import show_read_error
from visaproof.cli.exit_codes import ExitCode, worst
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform

DEFAULT_PLATFORM = Platform.DG2
"""A file does not say which device it is for; this one has registers of 32 bytes and every modelled page."""

EPILOG = """examples:
  visaproof check kernel.visaasm
  visaproof check --platform PVC dumps/*.visaasm
  visaproof check --types any kernel.visaasm     accept operand types that Intel's tools accept
  visaproof check --rules igc kernel.visaasm     what Intel's parser and verifier accept of the four pages
  visaproof check kernel.visaasm --format json

A rejection names the operand, the rule with its id, and the source of the rule.  A hazard is an instruction that
Intel's verifier accepts and that is then emitted with another meaning than its page has; it is shown with its
evidence under both rules, and does not change the exit code.  The pages' own spelling (TYPED_ATOMIC.IMAX, T5, V0.0) is
read with a note under the pages' rules; Intel's parser rejects it.
Opcodes without semantics in visaproof are listed as "not modelled", with their number; they are no error here.
exit codes:
  0  every memory message is legal on the platform; hazards and notes may be shown
  1  a message breaks a rule of its page, or Intel's parser or verifier rejects it (--rules igc)
  2  a file or an instruction cannot be read
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "check",
        help="parse kernels and check their memory messages",
        description="Parses .visaasm files and checks their memory messages against the rules of the pages.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .visaasm file")
    parser.add_argument(
        "--platform", type=platform, metavar="NAME", help=f"the device (default: {DEFAULT_PLATFORM.name})"
    )
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
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.engine.legality import legality
    from visaproof.kernel.source import read_text
    from visaproof.kernel.validity import Mode
    from visaproof.report.check import CheckReport

    mode = Mode(arguments.rules)
    device = DEFAULT_PLATFORM if arguments.platform is None else arguments.platform
    as_text = arguments.format == "text"
    report = CheckReport(sys.stdout, device, assumed=arguments.platform is None, as_text=as_text, mode=mode)
    codes: list[ExitCode] = []
    for path in arguments.files:
        try:
            found = legality(read_text(path), str(path), device, mode, any_type=arguments.types == "any")
        except ReadError as error:
            show_read_error(error)
            report.unreadable(path, error)
            codes.append(ExitCode.USAGE)
            continue
        report.add(found)
        for error in found.malformed:
            show_read_error(error, found.source_lines)
        codes += [ExitCode.REFUTED] * bool(found.findings) + [ExitCode.USAGE] * bool(found.malformed)
    code = worst(codes)
    report.finish(code)
    return code
