"""The command that runs a launch of a kernel that a question is about."""

from argparse import Namespace
from pathlib import Path


def run_command(path: Path, arguments: Namespace) -> tuple[str, ...]:
    """`visaproof run` with what says which kernel and device it is."""
    words = ["visaproof", "run", str(path)]
    if arguments.launch is not None:
        words += ["--launch", str(arguments.launch)]
    for option in arguments.input:
        words += ["--input", option]
    if arguments.platform is not None:
        words += ["--platform", arguments.platform.name]
    if arguments.host is not None:
        words += ["--host", arguments.host]
    return tuple(words)
