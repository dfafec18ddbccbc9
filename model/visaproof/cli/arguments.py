"""Options that several commands take, and how their values are read."""

from argparse import ArgumentParser, ArgumentTypeError
from re import fullmatch
from typing import TYPE_CHECKING

from visaproof.isa.platform import PLATFORM_NAMES, Platform, platform_named

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]  (argparse has no public name for it)

    Subparsers = _SubParsersAction[ArgumentParser]
else:
    Subparsers = object

MOST_SECONDS = 24 * 60 * 60


ASSUMPTIONS = ("none", "ids", "bounded")
"""What a launch may be assumed to do, each set with those before it: the values of `kernel.assumptions.Assume`."""


def add_format(parser: ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the output (default: text)")


FLOATS = ("uninterpreted", "ieee")
"""What results on floats may be taken for: the values of `kernel.float_results.Floats`."""


def add_float(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--float", choices=FLOATS, default="uninterpreted",
        help="results on floats: functions of their operands of which nothing is known (default), or IEEE 754's",
    )  # fmt: skip


def disjoint(text: str) -> tuple[str, str]:
    """Two arguments that share no byte, from `disjoint(A, B)`."""
    found = fullmatch(r"\s*disjoint\(([^(),]+),([^(),]+)\)\s*", text)
    names = [] if found is None else [name.strip() for name in found.groups()]
    if len(names) != 2 or not all(names):
        raise ArgumentTypeError(f"{text!r} is not 'disjoint(A, B)', with two arguments by name or number")
    return names[0], names[1]


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
