"""The headline of a finding about one kernel, and its pictures."""

from visaproof.report.one_kernel.collision import collision_of
from visaproof.report.pictures.conflict import NARROW, WIDE, conflict_picture
from visaproof.report.pictures.outside import outside_picture
from visaproof.report.records import bounds, conflicts
from visaproof.report.records.common import LaunchExample
from visaproof.report.text.buffer_words import Buffer

WIDTHS = ((WIDE, "wide"), (NARROW, "narrow"))


def conflict_pictures(one: conflicts.Refuted, name: str) -> tuple[str, tuple[str, ...]]:
    """Of the launch that was run, if one was, and else of the thread."""
    found = collision_of(one)
    first_lane = min((write.lane for write in found.writes), default=0)
    start = first_lane - first_lane % one.lanes if one.lanes else 0
    every = range(start, start + one.lanes)
    drawn = [conflict_picture(found, every, f"{name}-{kind}", room, one.data_type) for room, kind in WIDTHS]
    return found.headline, tuple(one.svg(kind) for one, (_, kind) in zip(drawn, WIDTHS, strict=True))


def outside_pictures(
    one: bounds.Message, answer: bounds.Refuted, buffer: Buffer, effect: str, name: str
) -> tuple[str, tuple[str, ...]]:
    """Of the launch that was run, if one was, and else of the thread."""
    launch, extent = one.launch, answer.extent if isinstance(answer.extent, str) else ""
    accesses = answer.accesses if isinstance(answer.accesses, list) else []
    if launch is not None and isinstance(launch.accesses, list) and launch.accesses:
        accesses = launch.accesses
        extent = _size_in(launch, buffer) or extent
    if not any(access.outside for access in accesses):
        return f"an access lies outside of {buffer.name}: {effect}", ()
    drawn = [outside_picture(accesses, buffer, extent, effect, f"{name}-{kind}", room) for room, kind in WIDTHS]
    pictures = tuple(one.svg(kind) for one, (_, kind) in zip(drawn, WIDTHS, strict=True))
    return f"{_lower(drawn[0].title)}, which has {extent}: {effect}", pictures


def _size_in(launch: LaunchExample, buffer: Buffer) -> str:
    """The bytes of a buffer in a launch; empty where that is not known."""
    text = launch.buffers.get(buffer.name, "") if isinstance(launch.buffers, dict) else ""
    _, _, size = text.partition(":")
    return f"{size} bytes" if size.isdecimal() else ""


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
