"""Options that several commands take, and how their values are read."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from visaproof.cli.options.errors import UsageError
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import PLATFORM_NAMES, Platform, platform_named

if TYPE_CHECKING:
    from argparse import _ActionsContainer, _SubParsersAction  # pyright: ignore[reportPrivateUsage]  (no public names)

    from visaproof.launch.launch import StatedGroups
    from visaproof.launch.relations.expressions import Disjoint, Relation

    Subparsers = _SubParsersAction[ArgumentParser]
else:
    Subparsers = object

MOST_SECONDS = 24 * 60 * 60


MOST_GROUP_ITEMS = 1024
"""Of `launch.ids.local_ids`."""


def add_assume(parser: ArgumentParser, *more: str, what: str = "") -> None:
    """What may be taken for granted of a launch."""
    from visaproof.launch.assume import SETS

    def assumed(text: str) -> str:
        return text if text in more else canonical(text)

    parser.add_argument(
        "--assume", type=assumed, default="launch", metavar="SET[,-PREMISE…]",
        help=f"of the launch: {', '.join((*SETS, *more))} (default: launch, what every host does), less the premises "
        "named with a minus, as in launch,-global-ids (`visaproof premises` lists them); SET,first-lanes: the lanes "
        f"that are on are the first ones{what}",
    )  # fmt: skip


def canonical(text: str) -> str:
    """A set of premises and what is lifted of it, as `launch.assume` spells it."""
    from visaproof.launch.assume import Assume

    try:
        return Assume.of(text).value
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def add_format(parser: ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the output (default: text)")


FLOATS = ("uninterpreted", "ieee")
"""What results on floats may be taken for: the values of `kernel.float_results.Floats`."""


def add_float(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--float", choices=FLOATS, default="uninterpreted",
        help="results on floats: functions of their operands of which nothing is known (default), or IEEE 754's",
    )  # fmt: skip


WHERE_OPTION = "--where"
"""Of `launch.relations.relations`."""


def add_where(parser: ArgumentParser, read: "Callable[[str], Relation | Disjoint]", form: str, more: str = "") -> None:
    """What the user states of arguments and the launch."""
    parser.add_argument(
        WHERE_OPTION, type=read, action="append", default=[], metavar=form,
        help=f"a relation between arguments and the launch, as in 'ld >= local_size_x'{more} (repeatable)",
    )  # fmt: skip


def relation_or_disjoint(text: str) -> "Relation | Disjoint":
    """`ld >= 32`, or two arguments that share no byte: `disjoint(A, B)`."""
    from visaproof.launch.relations.expression_reader import parse_relation

    try:
        return parse_relation(text, WHERE_OPTION)
    except ReadError as error:
        raise UsageError(f"{WHERE_OPTION}: {error.message}", error.hint) from None


def relation(text: str) -> "Relation":
    """`ld >= 32`, where there is but one kernel."""
    from visaproof.launch.relations.expressions import Relation

    found = relation_or_disjoint(text)
    if not isinstance(found, Relation):
        raise UsageError(f"{WHERE_OPTION}: {text}: of one kernel nothing depends on which buffers overlap",
                         "`visaproof refine` and `visaproof tv` take disjoint(A, B)")  # fmt: skip
    return found


def relations_in(parsed: "list[Relation | Disjoint]") -> "tuple[Relation, ...]":
    """Those of `--where` that compare numbers."""
    from visaproof.launch.relations.expressions import Relation

    return tuple(one for one in parsed if isinstance(one, Relation))


def disjoint_in(parsed: "list[Relation | Disjoint]") -> tuple[tuple[str, str], ...]:
    """Those of `--where` that keep two buffers apart."""
    from visaproof.launch.relations.expressions import Relation

    return tuple((one.one, one.other) for one in parsed if not isinstance(one, Relation))


def seconds(text: str) -> float:
    """A positive number of seconds, at most a day."""
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < value <= MOST_SECONDS:
        raise ArgumentTypeError(f"{text} is not between 0 and {MOST_SECONDS} seconds")
    return value


LIMIT_S = 60.0
"""By default for one file: of 488 kernels of the corpus the slowest takes a tenth of it."""


def add_limit(parser: ArgumentParser, of_what: str, default: float = LIMIT_S) -> None:
    """A limit on all questions about one thing together."""
    parser.add_argument(
        "--limit", type=seconds, default=default, metavar="SECONDS",
        help=f"processor time for {of_what}: then what is decided is shown, and the rest named (default: {default:g})",
    )  # fmt: skip


def add_cross_check(parser: "_ActionsContainer") -> None:
    """Both solvers instead of the faster one."""
    told = "ask both solvers: an answer counts only if both give it, and where they disagree the run fails with code 6"
    parser.add_argument("--cross-check", action="store_true", help=told)


def count(text: str) -> int:
    """A number that is not negative and fits 31 bits."""
    if not (text.isascii() and text.isdecimal()) or int(text[:20]) >= 2**31:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to {2**31 - 1}")
    return int(text)


def positive(text: str) -> int:
    """A count of at least one."""
    number = count(text)
    if not number:
        raise ArgumentTypeError("0 is not a number of at least 1")
    return number


def platform(name: str) -> Platform:
    """A platform by name, case ignored."""
    try:
        return platform_named(name)
    except KeyError:
        raise ArgumentTypeError(f"no platform {name!r}: one of {PLATFORM_NAMES}") from None


HOSTS = ("opencl", "level-zero")
"""The values of `kernel.local_ids.Host`."""


def triple(text: str) -> tuple[int, int, int]:
    """`16`, `8,8` or `8,8,1`: work items of a group, at most 1,024."""
    words = text.split(",")
    if len(words) > 3 or not all(word.isascii() and word.isdecimal() and len(word) < 6 for word in words):
        raise ArgumentTypeError(f"{text!r} is not one, two or three numbers, as in 16,16")
    x, y, z = (*map(int, words), 1, 1)[:3]
    if not 0 < x * y * z <= MOST_GROUP_ITEMS:
        raise ArgumentTypeError(f"{text}: a group has 1 to {MOST_GROUP_ITEMS} work items")
    return x, y, z


def add_groups(parser: ArgumentParser) -> None:
    """What is assumed of the launch, and what the user states of its groups."""
    parser.add_argument(
        "--local-size", type=triple, metavar="X[,Y[,Z]]",
        help="work items of a group (default: what the kernel requires, or any)",
    )  # fmt: skip
    add_host(parser)


def groups_of(arguments: Namespace) -> "StatedGroups":
    """What was stated of the groups of the launch, by options that not every command has."""
    from visaproof.launch.ids.local_ids import Host
    from visaproof.launch.launch import StatedGroups

    host: str | None = getattr(arguments, "host", None)
    return StatedGroups(getattr(arguments, "local_size", None), None if host is None else Host(host))


def add_host(parser: ArgumentParser) -> None:
    """The API that launches: it decides how local ids are laid out."""
    parser.add_argument(
        "--host", choices=HOSTS,
        help="the API that launches: with opencl, a kernel with images and no buffers gets its local ids in tiles",
    )  # fmt: skip


def add_platform(parser: ArgumentParser) -> None:
    """The device of a file."""
    parser.add_argument(
        "--platform", type=platform, metavar="NAME",
        help="the device, where neither --launch nor a //Platform: comment in the file says it",
    )  # fmt: skip
