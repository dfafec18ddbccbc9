"""What put a byte where it is, as people read it."""

from collections.abc import Callable

from visaproof.refinement.testing.ran import Writer

Naming = Callable[[str], str]
"""What a surface is called."""


def written(writer: Writer | None) -> str:
    """The statement, and which lane of which thread it was."""
    if writer is None:
        return "not written: as it was"
    return f"line {writer.instruction.position.line}, {_lane(writer)}| {writer.instruction.text.strip()}"


def _lane(writer: Writer) -> str:
    thread = "" if writer.thread is None else f"thread {writer.thread}, "
    return (thread and f"{thread[:-2]} ") if writer.lane is None else f"{thread}lane {writer.lane} "
