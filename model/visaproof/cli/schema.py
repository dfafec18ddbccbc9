"""`visaproof schema`: the JSON Schema of what a command prints under `--format json`."""

import json
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING

from visaproof.cli.options.errors import UsageError, proposal
from visaproof.cli.options.exit_codes import ExitCode

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

EPILOG = """examples:
  visaproof schema conflicts           of one command
  visaproof schema                     of all, by command
  visaproof conflicts k.visaasm --format json | check-jsonschema --schemafile conflicts.schema.json -

Draft 2020-12, made of the records of this version.  Within one value of `schema` in the output keys are only added.

exit codes: 0 done, 2 no such command."""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "schema",
        help="the JSON Schema of a command's output",
        description="Prints the JSON Schema of what a command prints under --format json.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("of", metavar="COMMAND", nargs="*", help='as in conflicts, or "prove --list" (default: all)')


def run(arguments: Namespace) -> int:
    """Prints one schema, or an object of them."""
    from visaproof.report.records.schema import DOCUMENTS, schema_of, schemas

    command = " ".join(arguments.of)
    if command and command not in DOCUMENTS:
        raise UsageError(f"{command} prints no JSON", proposal(command, list(DOCUMENTS), 1))
    sys.stdout.write(json.dumps(schema_of(command) if command else schemas(), indent=2) + "\n")
    return ExitCode.OK
