"""`visaproof premises`: what answers rest on beside the kernels, and who grants it."""

from argparse import Namespace, RawDescriptionHelpFormatter

from visaproof.cli.options.arguments import Subparsers, add_format
from visaproof.cli.options.errors import UsageError, proposal
from visaproof.cli.options.exit_codes import ExitCode

EPILOG = """examples:
  visaproof premises                   every premise: its sentence, who grants it, and the option that asks without it
  visaproof premises buffers-apart     one of them, by the name that stands behind "assumed:"
  visaproof premises --format json     the same for programs
  visaproof conflicts k.visaasm --assume launch,-global-ids    a premise of a launch is lifted by its name

exit codes:
  0  listed
  2  no such premise
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "premises",
        help="list what answers rest on, and who grants it",
        description="Lists the premises of answers about kernels: the sentence, who grants it (the manual's page, the "
        "compiler, the driver, the language, the host program, you, or nobody), and the option that asks without it.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="one premise (default: all)")
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.launch.premise_table import PREMISES
    from visaproof.report.kernels.premises import table_json, table_text

    if arguments.name is not None and arguments.name not in PREMISES:
        hint = proposal(arguments.name, list(PREMISES)) or "visaproof premises lists them"
        raise UsageError(f"no premise {arguments.name!r}", hint)
    names = list(PREMISES) if arguments.name is None else [arguments.name]
    print(table_json(names) if arguments.format == "json" else table_text(names))
    return ExitCode.OK
