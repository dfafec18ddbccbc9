"""Verdicts in colour where stdout is a terminal: the word stays, so that nothing is said by colour alone.

NO_COLOR turns it off, FORCE_COLOR on (https://no-color.org, https://force-color.org); `--color` is stronger than both.
"""

import os
import re
from argparse import ArgumentParser
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO

RED, GREEN, YELLOW = "1;31", "1;32", "1;33"
VERDICTS = (
    (RED, "CONFLICT|OUTSIDE|UNDEFINED|DOES NOT REFINE|NOT LEGAL|RACE|DID NOT REPLAY|DISAGREES|VACUOUS|illegal|refuted"),
    (YELLOW, r"UNKNOWN|BOUNDED|ONLY IF|not modelled|not asked|limit of [\d.]+ s reached|free if|inside if|unknown"),
    (GREEN, "REFINES|free|in bounds|legal by its page|as stated|proved"),
)
"""What a line may begin with, and its colour.  The first that fits counts."""
_BEGIN = re.compile(rf"(\s*)(?:{'|'.join(f'({words})' for _, words in VERDICTS)})(?=[\s:(,;]|$)")


WHEN = ("auto", "always", "never")
_OFF, _ON = "NO_COLOR", "FORCE_COLOR"
_VARIABLES = {"always": {_ON: "1"}, "never": {_OFF: "1"}}


def add_color(parser: ArgumentParser) -> None:
    """The option, which every command has."""
    parser.add_argument(
        "--color", choices=WHEN, default="auto",
        help="auto: on terminals, and as NO_COLOR and FORCE_COLOR say (default: auto)",
    )  # fmt: skip


@contextmanager
def as_chosen(when: str) -> Generator[None]:
    """What is written within it, here and by processes that are started, is in colour or not."""
    if when not in _VARIABLES:
        yield
        return
    before = {name: os.environ.pop(name, None) for name in (_OFF, _ON)}
    os.environ.update(_VARIABLES[when])
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def coloured(line: str) -> str:
    """The line with its verdict in colour, if it begins with one."""
    found = _BEGIN.match(line)
    if found is None:
        return line
    colour = next(colour for (colour, _), word in zip(VERDICTS, found.groups()[1:], strict=True) if word)
    blank, end = found[1], found.end()
    return f"{blank}\x1b[{colour}m{line[len(blank) : end]}\x1b[0m{line[end:]}"


def wanted(stream: IO[str]) -> bool:
    """Whether what is written there should be in colour."""
    if os.environ.get(_OFF):
        return False
    if os.environ.get(_ON):
        return True
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


class Coloured:
    """A stream of text whose lines are coloured as they are written; all else is the stream's."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._begins = True

    def write(self, text: str) -> int:
        """Colours the verdict of each line that begins here."""
        lines = text.splitlines(keepends=True)
        for line in lines:
            self._stream.write(coloured(line) if self._begins else line)
            self._begins = line.endswith("\n")
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
