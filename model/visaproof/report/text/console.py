"""A terminal or a pipe to print to."""

from typing import IO, NoReturn

from rich.console import Console


class PipedConsole(Console):
    """A console that leaves a broken pipe to the command line."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def console_on(stream: IO[str]) -> Console:
    """Colours and widths where the stream is a terminal (and NO_COLOR is not set); plain lines anywhere else."""
    return PipedConsole(file=stream, highlight=False, markup=False, emoji=False)
