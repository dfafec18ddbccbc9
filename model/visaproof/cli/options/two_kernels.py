"""The options of a question about two kernels, wherever they come from."""

from argparse import ArgumentParser
from pathlib import Path

from visaproof.cli.many.options import add_pictures
from visaproof.cli.options.arguments import (
    add_assume,
    add_cross_check,
    add_float,
    add_format,
    add_groups,
    add_limit,
    add_where,
    positive,
    relation_or_disjoint,
    seconds,
)
from visaproof.cli.options.findings import undefined


def add_question(parser: ArgumentParser) -> None:
    """The options of a question about two kernels, wherever they come from."""
    parser.add_argument("--bidirectional", action="store_true", help="ask also whether SOURCE refines TARGET")
    add_assume(parser)
    add_groups(parser)
    parser.add_argument(
        "--timeout", type=seconds, default=20.0, metavar="SECONDS", help="for one question to a solver (default: 20)"
    )
    add_limit(parser, "one question about two kernels")
    add_cross_check(parser)
    parser.add_argument("--save", metavar="DIR", type=Path, help="write a difference as a file that replays")
    parser.add_argument("-v", "--verbose", action="store_true", help="premises in full, and what is matched")
    parser.add_argument("--stats", action="store_true", help="show which strategies were tried, and what each took")
    add_undefined(parser)
    add_float(parser)
    add_format(parser)
    parser.set_defaults(output=[])
    add_pictures(parser)


def add_undefined(parser: ArgumentParser) -> None:
    """What is undefined, which buffers may overlap, and how far loops are run."""
    parser.add_argument(
        "--alias", choices=("may", "none"), default="may",
        help="whether buffers of different arguments may overlap (default: may, but for restrict and constant ones)",
    )  # fmt: skip
    more = ", or arguments that share no byte: 'disjoint(A, B)'"
    add_where(parser, relation_or_disjoint, "RELATION", more)
    parser.add_argument(
        "--unroll", type=positive, default=4, metavar="N", help="iterations of a loop of unknown length (default: 4)"
    )
    parser.add_argument(
        "--undefined", type=undefined, action="append", default=[], metavar="KIND=allow|forbid",
        help="whether a kind of undefined behaviour is allowed (repeatable); `visaproof refine --help` names the kinds",
    )  # fmt: skip
