"""`visaproof readings`: the questions that the manual leaves open, their answers, and what each does."""

from argparse import Namespace, RawDescriptionHelpFormatter

from visaproof.cli.options.arguments import Subparsers, add_format
from visaproof.cli.options.errors import UsageError, proposal
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.isa.readings import READINGS, Readings, readings_from

EPILOG = """examples:
  visaproof readings                             every open question with its answers, the default first
  visaproof readings collision                   one of them
  visaproof prove --reading collision=last-wins  the claims under another answer
  visaproof prove --readings all                 every claim under every other answer

exit codes:
  0  listed
  2  no such reading
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "readings",
        help="list what is chosen where the manual is silent, and the alternatives",
        description="Lists the questions that the manual leaves open, with the default answer and its alternatives.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="one reading (default: all)")
    add_format(parser)


def run(arguments: Namespace) -> int:
    from visaproof.report.claims.readings import readings_json, readings_text

    if arguments.name is not None and arguments.name not in READINGS:
        raise _no_reading(arguments.name)
    names = list(READINGS) if arguments.name is None else [arguments.name]
    print(readings_json(names) if arguments.format == "json" else readings_text(names))
    return ExitCode.OK


def chosen_readings(settings: list[str]) -> Readings:
    """The readings that `--reading NAME=VALUE` options choose.  Raises UsageError with what was perhaps meant."""
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--reading {text!r} is not NAME=VALUE", "visaproof readings lists names and values")
        if name not in READINGS:
            raise _no_reading(name)
        reading = READINGS[name]
        if reading.default is None:
            raise UsageError(f"reading {name} has no alternatives", f"it is: {reading.chosen}")
        known = [reading.default.value, *(answer.value for answer in reading.alternatives)]
        if value not in known:
            raise UsageError(f"reading {name} has no answer {value!r}", f"one of {', '.join(known)}")
    return readings_from(settings)


def _no_reading(name: str) -> UsageError:
    return UsageError(f"no reading {name!r}", proposal(name, list(READINGS)) or "visaproof readings lists them")
