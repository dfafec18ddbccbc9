"""The headline of a finding about one kernel, and its pictures."""

import msgspec

from visaproof.report.pictures.conflict import NARROW, WIDE, conflict_picture
from visaproof.report.pictures.outside import outside_picture
from visaproof.report.pictures.words import Buffer
from visaproof.report.records import bounds, conflicts
from visaproof.report.records.common import LaunchExample, Write

WIDTHS = ((WIDE, "wide"), (NARROW, "narrow"))


def conflict_pictures(one: conflicts.Refuted, name: str) -> tuple[str, tuple[str, ...]]:
    """Of the launch that was run, if one was, and else of the thread."""
    writes, pair, items, surface = _collision(one)
    widths = {write.bytes for write in writes}
    (width,) = widths if len(widths) == 1 else (0,)
    buffer = Buffer(surface, width if isinstance(width, int) else 0)
    first_lane = min((write.lane for write in writes), default=0)
    start = first_lane - first_lane % one.lanes if one.lanes else 0
    every = range(start, start + one.lanes)
    drawn = [
        conflict_picture(writes, pair, every, buffer, items, f"{name}-{kind}", room, one.data_type)
        for room, kind in WIDTHS
    ]
    who = "work items" if items else "lanes"
    numbers = [items.get(lane, lane) for lane in pair]
    what = drawn[0].title.partition(" write ")[2]
    pictures = tuple(one.svg(kind) for one, (_, kind) in zip(drawn, WIDTHS, strict=True))
    return f"{who} {numbers[0]} and {numbers[1]} both write {what}", pictures


def _collision(one: conflicts.Refuted) -> tuple[list[Write], tuple[int, int], dict[int, int], str]:
    """Who writes what, the two that collide, the work items, and where."""
    launch = one.launch
    if launch is not None and isinstance(launch.writes, list):
        pair = _pair(launch.writes)
        if pair is not None:
            surface = launch.surface if isinstance(launch.surface, str) else one.surface
            return [_from(launch.base, write) for write in launch.writes], pair, _items(launch), surface
    return one.writes, one.colliding_lanes, {}, one.surface


def _from(base: object, write: Write) -> Write:
    """The write, with the distance from the beginning of its buffer."""
    if not isinstance(base, int) or not isinstance(write.address, int):
        return write
    return msgspec.structs.replace(write, address=write.address - base)


def _items(launch: LaunchExample) -> dict[int, int]:
    return launch.items if isinstance(launch.items, dict) else {}


def _pair(writes: list[Write]) -> tuple[int, int] | None:
    """The first two lanes that write one place."""
    seen: dict[object, int] = {}
    for one in writes:
        places: list[object] = [(one.texel, one.channel)]
        if isinstance(one.address, int) and isinstance(one.bytes, int):
            places = list(range(one.address, one.address + one.bytes))
        for place in places:
            if (other := seen.setdefault(place, one.lane)) != one.lane:
                return other, one.lane
    return None


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
