"""The parser of the command line: whole options alone, a hint for what was misspelt, and commands in groups."""

import re
import shutil
import sys
from argparse import Action, ArgumentParser
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from visaproof import __version__
from visaproof.cli.options.colour import add_color
from visaproof.cli.options.exit_codes import TABLE
from visaproof.cli.options.wrapping import NARROWEST, wrapped_help

GROUPS = (
    ("Ask about a kernel", ("conflicts", "bounds", "check", "run", "triage", "dump", "print")),
    ("Compare", ("refine", "tv", "ocloc", "rules")),
    ("Look into the model", ("prove", "readings", "premises", "explain", "replay", "vectors")),
    ("Look after runs", ("watch", "report", "schema", "cache", "doctor", "completion")),
)
"""Every command under what one wants of it."""

DESCRIPTION = "A formal model of Intel's virtual GPU ISA (vISA): proofs, counterexamples, and checks of .visaasm files."
START = """The first to try:
  visaproof conflicts kernel.visaasm --launch kernel.bin
  visaproof bounds kernel.visaasm --launch kernel.bin
  visaproof refine before.visaasm after.visaasm --launch kernel.bin
`visaproof help COMMAND` shows the options of a command, with examples."""


class UsageStop(Exception):
    """The command line cannot be understood, as has been said."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


_CHOICES = re.compile(r" \(choose from .*\)$", re.DOTALL)
"""All that there are, which is a long list beside what was meant."""


class Parser(ArgumentParser):
    """An option is written out, or not at all: each new one would make another abbreviation ambiguous."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **({"allow_abbrev": False} | named))

    def format_help(self) -> str:
        """As wide as the terminal, the examples included."""
        width = max(NARROWEST, shutil.get_terminal_size().columns)
        return wrapped_help(super().format_help(), width)

    def error(self, message: str) -> NoReturn:
        """The shortest usage, what is wrong, and what may have been meant."""
        meant = _meant(message, self._actions)
        hint = meant or f"`{self.prog} --help` has examples"
        message = _CHOICES.sub("", message) if meant else message
        print(f"{self._short_usage()}\n{self.prog}: error: {message}\n  hint: {hint}", file=sys.stderr)
        raise UsageStop(message, hint)

    def _short_usage(self) -> str:
        """Without the options, of which there may be many."""
        words = [str(each.metavar or each.dest) for each in self._actions if not each.option_strings]
        return " ".join((f"usage: {self.prog}", "[options]", *words))


class _Top(Parser):
    """The program itself: its help has the commands in groups."""

    about: dict[str, str]

    def format_help(self) -> str:
        usage = "usage: visaproof [-h] [--version] COMMAND …"
        width = max(NARROWEST, shutil.get_terminal_size().columns)
        return wrapped_help("\n\n".join((usage, DESCRIPTION, *self._groups(), START, TABLE)), width) + "\n"

    def _groups(self) -> Iterator[str]:
        width = max(map(len, self.about))
        for purpose, names in GROUPS:
            yield "\n".join((f"{purpose}:", *(f"    {name:<{width}}  {self.about[name]}" for name in names)))


def parsed(argv: Sequence[str], commands: Sequence[str]) -> Any:
    """The arguments.  Raises UsageStop, and SystemExit once help or a version was shown."""
    if argv[:1] == ["--version"]:
        print(f"visaproof {__version__}")
        raise SystemExit(0)
    if argv[:1] == ["help"]:
        argv = [*argv[1:2], "--help"]
    top, choices = _parsers(argv, commands)
    if not argv:
        print(top.format_help(), end="", file=sys.stderr)
        raise UsageStop("no command", "`visaproof --help` names the commands")
    found, unknown = top.parse_known_args(argv)
    if unknown:
        choices.get(found.command, top).error(f"unrecognized arguments: {' '.join(unknown)}")
    return found


def _parsers(argv: Sequence[str], commands: Sequence[str]) -> tuple[Parser, dict[str, Parser]]:
    """The whole parser, of which only the command that is named is built, if one is."""
    top = _Top("visaproof")
    top.add_argument("--version", action="version", version=f"visaproof {__version__}")
    subparsers = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="visaproof", parser_class=Parser
    )
    for command in argv[:1] if argv[:1] and argv[0] in commands else commands:
        import_module(f"visaproof.cli.{command}").add_parser(subparsers)
    for parser in set(subparsers.choices.values()):
        add_color(parser)
    top.about = {each.dest: each.help or "" for each in subparsers._choices_actions}  # pyright: ignore[reportPrivateUsage]
    return top, dict(subparsers.choices)


def whole_parser(commands: Sequence[str]) -> Parser:
    """With every command: for completion and the manual page."""
    return _parsers((), commands)[0]


CALLED_ELSEWHERE = {
    "--out": ("--into", "--output", "--save"),
    "--out-dir": ("--into", "--save"),
    "--output": ("--into", "--save"),
    "--output-dir": ("--into", "--save"),
    "--device": ("--platform",),
    "--platform": ("--device",),
    "--env": ("--source-env", "--target-env"),
    "--grid": ("--global-size",),
    "--block": ("--local-size",),
    "--parallel": ("--jobs",),
    "--json": ("--format",),
}
"""What other tools, or other commands, call an option: those of these that the command has."""


def _meant_by(word: str, known: Sequence[str]) -> Sequence[str]:
    elsewhere = [name for name in CALLED_ELSEWHERE.get(word, ()) if name in known]
    return elsewhere[:2] or get_close_matches(word, known, 1, 0.6)


def _meant(message: str, actions: Sequence[Action]) -> str:
    """The options, or commands, most like what was written."""
    if message.startswith("unrecognized arguments: "):
        known = [name for action in actions for name in action.option_strings if name.startswith("--")]
        words = [word.partition("=")[0] for word in message.split()[2:] if word.startswith("--")]
        close = [match for word in words for match in _meant_by(word, known)]
    elif "invalid choice: '" in message:
        choices = [str(each) for action in actions for each in action.choices or ()]
        close = get_close_matches(message.split("'")[1], choices, 2, 0.5)
    else:
        close = []
    return f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else ""
