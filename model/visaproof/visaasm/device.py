"""Which device a kernel was compiled for: what its binary, its own text and the user say, and nothing else.

A dump of 2023 and later ends with a comment that names the device; older ones do not.

    //Platform: XE2
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import PLATFORM_NAMES, Platform, platform_named

OPTION = "--platform"
_COMMENT = re.compile(r"//Platform:[ \t]*(?P<word>\S+)")


class Said(Struct, frozen=True):
    """What one source says of the device."""

    source: str
    """Who says it, for messages."""
    platforms: tuple[Platform, ...]
    """The platforms that it allows; none where it names one that is unknown here."""
    position: Position


def said_in(lines: Iterable[str], path: str) -> tuple[Said, ...]:
    """What the comments in the text of a kernel say."""
    found = ((number, _COMMENT.match(line)) for number, line in enumerate(lines, 1) if line.startswith("//Platform:"))
    return tuple(
        Said(f"the comment {match.group()!r}", _named(match["word"]), Position(path, number, 1))
        for number, match in found
        if match is not None
    )


def _named(word: str) -> tuple[Platform, ...]:
    try:
        return (platform_named(word),)
    except KeyError:
        return ()


def said_by_option(platform: Platform | None, path: str) -> tuple[Said, ...]:
    """What the user says."""
    return () if platform is None else (Said(f"{OPTION} {platform.name}", (platform,), Position(path, 1, 1)),)


def decided(said: Iterable[Said]) -> Platform | None:
    """The device that all allow, None where nobody names one.  Raises ReadError where they contradict each other."""
    left: tuple[Platform, ...] = ()
    first: Said | None = None
    for one in said:
        if not one.platforms:
            continue
        both = tuple(platform for platform in left if platform in one.platforms)
        if first is not None and not both:
            raise ReadError(
                f"{first.source} says {_listed(left)}, but {one.source} says {_listed(one.platforms)}",
                one.position,
                "which device was this kernel compiled for?",
            )
        left, first = both or one.platforms, first or one
    return left[0] if left else None


def _listed(platforms: Iterable[Platform]) -> str:
    return " or ".join(platform.name for platform in platforms)


def required(platform: Platform | None, said: Iterable[Said], path: str) -> Platform:
    """The device, which has to be known.  Raises ReadError where it is not."""
    if platform is not None:
        return platform
    unknown = "".join(f"; {one.source} names none that is known here" for one in said)
    raise ReadError(
        f"the device of this kernel is not known{unknown}",
        Position(path, 1, 1),
        f"a zebin or a manifest.json (--launch) or {OPTION} NAME says it, NAME being one of {PLATFORM_NAMES}",
    )


def device_of(lines: Iterable[str], path: str, platform: Platform | None, launch: tuple[Said, ...] = ()) -> Platform:
    """The device by a launch file, a text and the user.  Raises ReadError where none knows, or they contradict."""
    said = (*launch, *said_in(lines, path))
    return required(decided((*said, *said_by_option(platform, path))), said, path)
