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
  visaproof check --rules igc kernel.visaasm     what Intel's verifier accepts of the four pages, and the hazards in it
  visaproof check kernel.visaasm --format json

Opcodes without semantics in visaproof are listed as "not modelled", with their number; they are no error here.
exit codes:
  0  every memory message that visaproof models is legal on the platform
  1  one breaks its page, or Intel's verifier rejects it (--rules igc)
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
        help="operand types: those of the page, or any, as Intel's tools accept (default: page)",
    )
    parser.add_argument(
        "--rules",
        choices=("page", "igc"),
        default="page",
        help="whose rules: the pages', or those of Intel's parser and verifier (default: page)",
    )
    add_format(parser)


def run(arguments: Namespace) -> int:
    if arguments.rules == "igc":
        return _run_igc(arguments)
    return _run_page(arguments)


def _run_igc(arguments: Namespace) -> int:
    """What Intel's verifier accepts; a hazard is accepted, and shown."""
    from visaproof.kernel.hazards import hazards_of
    from visaproof.kernel.source import read_text
    from visaproof.kernel.validity import judged_by_igc
    from visaproof.report.check import CheckReport

    device = DEFAULT_PLATFORM if arguments.platform is None else arguments.platform
    as_text = arguments.format == "text"
    report = CheckReport(sys.stdout, device, assumed=arguments.platform is None, as_text=as_text, rules="igc")
    codes: list[ExitCode] = []
    for path in arguments.files:
        try:
            judged = judged_by_igc(read_text(path), str(path), device)
        except ReadError as error:
            show_read_error(error)
            report.unreadable(path, error)
            codes.append(ExitCode.USAGE)
            continue
        report.add_judged(judged, hazards_of(judged))
        codes += [ExitCode.REFUTED] * bool(judged.findings)
    code = worst(codes)
    report.finish(code)
    return code


def _run_page(arguments: Namespace) -> int:
    from visaproof.engine.legality import legality
    from visaproof.kernel.reader import read_kernel_file
    from visaproof.report.check import CheckReport

    device = DEFAULT_PLATFORM if arguments.platform is None else arguments.platform
    report = CheckReport(sys.stdout, device, assumed=arguments.platform is None, as_text=arguments.format == "text")
    codes: list[ExitCode] = []
    for path in arguments.files:
        try:
            kernel = read_kernel_file(path, grf_bytes=device.grf_bytes)
        except ReadError as error:
            show_read_error(error)
            report.unreadable(path, error)
            codes.append(ExitCode.USAGE)
            continue
        found = legality(kernel, device, any_type=arguments.types == "any")
        report.add(found)
        for error in found.malformed:
            show_read_error(error, kernel.source_lines)
        codes += [ExitCode.REFUTED] * bool(found.breaches) + [ExitCode.USAGE] * bool(found.malformed)
    code = worst(codes)
    report.finish(code)
    return code
