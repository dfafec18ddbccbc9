"""`visaproof completion`: what a shell completes, and the manual page, both made of the parser."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from visaproof import __version__
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.cli.parser import DESCRIPTION, whole_parser

if TYPE_CHECKING:
    from argparse import _SubParsersAction  # pyright: ignore[reportPrivateUsage]

SHELLS = ("bash", "zsh", "tcsh")
EPILOG = """examples:
  visaproof completion bash > ~/.local/share/bash-completion/completions/visaproof
  visaproof completion zsh > ~/.zfunc/_visaproof
  visaproof completion man > ~/.local/share/man/man1/visaproof.1

exit codes: 0 done."""


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Registers the command."""
    parser = subparsers.add_parser(
        "completion",
        help="completion for a shell, or the manual page",
        description="Prints what a shell completes, or the manual page, made of the options of every command.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=(*SHELLS, "man"))


def run(arguments: Namespace) -> int:
    """Prints one text."""
    from visaproof.cli import COMMANDS

    parser = whole_parser(COMMANDS)
    if arguments.what == "man":
        sys.stdout.write("\n".join(_manual(parser)) + "\n")
        return ExitCode.OK
    import shtab

    sys.stdout.write(shtab.complete(parser, arguments.what) + "\n")
    return ExitCode.OK


def _manual(parser: ArgumentParser) -> Iterator[str]:
    """In the macros of man(7): a section for the program, one for each command."""
    yield f'.TH VISAPROOF 1 "" "visaproof {__version__}" "User Commands"'
    yield f".SH NAME\nvisaproof \\- {_roff(DESCRIPTION)}"
    yield ".SH SYNOPSIS\n.B visaproof\n.I COMMAND\n[options]"
    yield f".SH DESCRIPTION\n.nf\n{_roff(parser.format_help())}\n.fi"
    yield ".SH COMMANDS"
    subparsers = parser._subparsers  # pyright: ignore[reportPrivateUsage]
    assert subparsers is not None
    for action in subparsers._group_actions:  # pyright: ignore[reportPrivateUsage]
        for name, one in dict(action.choices or {}).items():  # pyright: ignore[reportArgumentType]
            yield f".SS visaproof {name}\n.nf\n{_roff(one.format_help())}\n.fi"


def _roff(text: str) -> str:
    """Nothing in it is a request: a backslash, and a period or an apostrophe that begins a line, are escaped."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in lines)
