"""What put a byte where it is, as people read it."""

from visaproof.engine.refinement.exchanges import Writer


def written(writer: Writer | None) -> str:
    """The statement, and which lane of which thread it was."""
    if writer is None:
        return "nothing wrote it"
    return f"line {writer.instruction.position.line}, {_lane(writer)}| {writer.instruction.text.strip()}"


def _lane(writer: Writer) -> str:
    lane = lane_of(writer)
    thread = "" if writer.thread is None else f"thread {writer.thread}, "
    return (thread and f"{thread[:-2]} ") if lane is None else f"{thread}lane {lane} "


def lane_of(writer: Writer) -> int | None:
    """Counted from the first lane of the thread; None where the message writes as a whole."""
    execution = writer.instruction.execution
    first = execution.mask.lane_offset if execution else 0
    return None if writer.write.lane is None else first + writer.write.lane
