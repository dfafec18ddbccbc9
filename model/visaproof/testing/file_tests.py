"""File tests in the style of lit: a file says which commands to run on it, and what they print.

    // RUN: visaproof conflicts %s --launch %S/pairs.bin
    // EXPECT: refuted
    // CHECK: CONFLICT: lanes {{[0-9]+}} and
    // CHECK-NEXT: …
    // CHECK-NOT: internal error

`%s` is the file, `%S` its folder, `%t` a name in a folder that is made for the test and removed, `%%` a percent sign.
Lines belong to the RUN: above them; without EXPECT: the exit code has to be 0.  Blanks count as one, `{{…}}` is a
regular expression.  What is printed to stdout and stderr is searched as one text.
"""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct, field

from visaproof.cli import main
from visaproof.cli.options.exit_codes import ExitCode

PROGRAM = "visaproof"
EXPECTATIONS = {
    "proved": ExitCode.OK,
    "refuted": ExitCode.REFUTED,
    "unreadable": ExitCode.USAGE,
    "unknown": ExitCode.UNKNOWN,
    "not modelled": ExitCode.NOT_MODELLED,
    "vacuous": ExitCode.VACUOUS,
}
"""What EXPECT: may say, beside a number."""

_LINE = re.compile(r"(?:^|[\s/#;*])(RUN|EXPECT|CHECK|CHECK-NEXT|CHECK-NOT):[ \t]*(.*?)\s*$")
_SUBSTITUTED = re.compile(r"%[%sSt]")


class FileTestError(Exception):
    """A file test that fails, or cannot be read, as `file:line: message`."""


class Check(Struct, frozen=True):
    """One CHECK line."""

    line: int
    kind: str
    text: str

    def search(self, output: str, start: int) -> re.Match[str] | None:
        return re.compile(_pattern(self.text)).search(output, start)


class Command(Struct):
    """One RUN line with what is expected of it."""

    line: int
    text: str
    code: int = ExitCode.OK
    checks: list[Check] = field(default_factory=list[Check])


def commands_of(path: Path) -> list[Command]:
    """What the file asks for.  Raises FileTestError."""
    found: list[Command] = []
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
        match = _LINE.search(line)
        if match is None:
            continue
        kind, text = match.groups()
        if kind == "RUN":
            found.append(Command(number, text))
        elif not found:
            raise FileTestError(f"{path}:{number}: {kind}: stands above every RUN:")
        elif kind == "EXPECT":
            found[-1].code = _code(text, path, number)
        elif not text:
            raise FileTestError(f"{path}:{number}: {kind}: says nothing")
        else:
            found[-1].checks.append(Check(number, kind, _checked(text, path, number)))
    return found


def _checked(text: str, path: Path, line: int) -> str:
    """The text of a CHECK line, whose regular expressions can be read."""
    try:
        re.compile(_pattern(text))
    except re.error as error:
        raise FileTestError(f"{path}:{line}: CHECK: no regular expression: {error}") from None
    return text


def _code(text: str, path: Path, line: int) -> int:
    if text.isdecimal():
        return int(text)
    if text not in EXPECTATIONS:
        raise FileTestError(f"{path}:{line}: EXPECT: {text}: say one of {', '.join(EXPECTATIONS)}, or an exit code")
    return EXPECTATIONS[text]


def perform(path: Path) -> None:
    """Runs the commands of a file.  Raises FileTestError for the first thing that is not as the file says."""
    with TemporaryDirectory() as folder:
        for command in commands_of(path):
            words = _words(command, path, Path(folder))
            output = StringIO()
            with redirect_stdout(output), redirect_stderr(output):
                code = main(words)
            if code == ExitCode.INTERRUPTED:
                raise KeyboardInterrupt
            for problem in _problems(command, code, output.getvalue()):
                shown = "\n".join(f"  | {line}" for line in output.getvalue().splitlines())
                raise FileTestError(f"{path}:{problem}\n  the output of {shlex.join([PROGRAM, *words])}:\n{shown}")


def _words(command: Command, path: Path, folder: Path) -> list[str]:
    """The arguments of the command; nothing but visaproof is run, and no shell."""
    by = {"%%": "%", "%s": str(path), "%S": str(path.parent), "%t": str(folder / path.stem)}
    try:
        words = shlex.split(command.text)
    except ValueError as error:
        raise FileTestError(f"{path}:{command.line}: RUN: {error}") from None
    if words[:1] != [PROGRAM]:
        raise FileTestError(f"{path}:{command.line}: RUN: begins with {PROGRAM}: nothing else is run")
    return [_SUBSTITUTED.sub(lambda found: by[found.group()], word) for word in words[1:]]


def _problems(command: Command, code: int, printed: str) -> Iterator[str]:
    """What is not as expected, as `line: message`."""
    if code != command.code:
        names = {number: word for word, number in EXPECTATIONS.items()}
        expected, found = (
            f"{each} ({names[ExitCode(each)]})" if each in names else each for each in (command.code, code)
        )
        yield f"{command.line}: exit code {found}, expected {expected}"
    output = "\n".join(" ".join(line.split()) for line in printed.splitlines())
    at, forbidden = 0, list[Check]()
    for check in command.checks:
        if check.kind == "CHECK-NOT":
            forbidden.append(check)
            continue
        match = check.search(output, at)
        if match is None:
            yield f"{check.line}: {check.kind}: {check.text!r} is not in the output{' any more' * (at > 0)}"
            return
        if check.kind == "CHECK-NEXT" and output.count("\n", at, match.start()) != 1:
            yield f"{check.line}: CHECK-NEXT: {check.text!r} is not on the next line"
            return
        yield from _forbidden(forbidden, output[at : match.start()])
        at, forbidden = match.end(), []
    yield from _forbidden(forbidden, output[at:])


def _forbidden(checks: list[Check], output: str) -> Iterator[str]:
    for check in checks:
        if check.search(output, 0):
            yield f"{check.line}: CHECK-NOT: {check.text!r} is in the output"


def _pattern(text: str) -> str:
    """The regular expression of a CHECK line."""
    parts = re.split(r"\{\{(.*?)\}\}", " ".join(text.split()))
    return "".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts))
