"""`visaproof vectors`: hold what other implementations did against both writings of the pages."""

import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.arguments import Subparsers, add_format
from visaproof.cli.options.errors import show_read_error
from visaproof.cli.options.exit_codes import ExitCode, worst
from visaproof.isa.errors import ReadError

if TYPE_CHECKING:
    from visaproof.report.claims.vectors import VectorsReport

EPILOG = """examples:
  visaproof vectors sample.jsonl                    one JSON object on each line
  visaproof vectors vectors/*.jsonl.gz --format json

exit codes:
  0  every vector that can be compared agrees with execute and with the footprint
  1  one disagrees
  2  a file cannot be read, or a line is no vector
  5  no vector can be compared: an agreement would say nothing
"""


def add_parser(subparsers: Subparsers) -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "vectors",
        help="compare with what other implementations did",
        description="Runs before/after vectors of other implementations through execute and through the footprint.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="a .jsonl or .jsonl.gz file")
    add_format(parser)


def run(arguments: Namespace) -> int:
    """Compares each file in turn; a line that is no vector ends its file."""
    from visaproof.report.claims.vectors import VectorsReport

    report = VectorsReport(sys.stdout, as_text=arguments.format == "text")
    codes = [_file(path, report) for path in arguments.paths]
    if not report.compared:
        codes.append(ExitCode.VACUOUS)
    code = worst(codes)
    report.finish(code)
    return code


def _file(path: Path, report: "VectorsReport") -> ExitCode:
    from visaproof.vectors.comparison import Disagrees, compare, read_rows

    code = ExitCode.OK
    try:
        for position, row in read_rows(path):
            answer = compare(row, position)
            report.add(position, row, answer)
            if isinstance(answer, Disagrees):
                code = ExitCode.REFUTED
    except ReadError as error:
        report.unreadable(error)
        show_read_error(error)
        return worst((code, ExitCode.USAGE))
    return code
