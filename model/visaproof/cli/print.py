"""`visaproof print`: a kernel as it was read, in the spelling and the spacing of Intel's compiler."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.arguments import Subparsers, add_format, platform
from visaproof.cli.options.errors import UsageError, show_read_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.isa.errors import ReadError

if TYPE_CHECKING:
    from visaproof.report.kernels.printed import PrintReport

EPILOG = """examples:
  visaproof print kernel.visaasm > canonical.visaasm
  visaproof print --check kernels/*.visaasm            which files would change?

Each line is printed from what was read: names, types, strides, masks and numbers as the compiler spells them, constant
expressions as their values.  Comments stay as they are written, and so does what means nothing here: attributes of
declarations, .file and .loc, operands in a form that only instructions without semantics have.

exit codes:
  0  printed; with --check: every file is already spelled so
  1  with --check: a file would change
  2  a file cannot be read
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "print",
        help="write a kernel in the compiler's spelling",
        description="Prints a kernel from what was read of it, in the spelling of Intel's compiler.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="a .visaasm file; several with --check")
    parser.add_argument("--check", action="store_true", help="print nothing, but say which files would change")
    parser.add_argument(
        "--platform",
        type=platform,
        metavar="NAME",
        help="the device, for %%sizeof(GRF), where no //Platform: comment in the file says it",
    )
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.report.kernels.printed import PrintReport

    if len(arguments.paths) > 1 and not arguments.check:
        raise UsageError("several files would be printed as one", "one FILE, or --check")
    report = PrintReport(sys.stdout, as_text=arguments.format == "text", only_check=arguments.check)
    code = worst([_file(path, arguments, report) for path in arguments.paths])
    report.finish(code)
    return code


def _file(path: Path, arguments: Namespace, report: "PrintReport") -> ExitCode:
    from visaproof.visaasm.printing.document import read_document
    from visaproof.visaasm.source import read_text

    try:
        written = read_text(path)
        grf_bytes = arguments.platform.grf_bytes if arguments.platform else None
        printed = str(read_document(written, str(path), grf_bytes=grf_bytes))
    except ReadError as error:
        report.unreadable(path, error)
        show_read_error(error)
        return ExitCode.USAGE
    report.add(path, written, printed)
    return ExitCode.REFUTED if arguments.check and written != printed else ExitCode.OK
