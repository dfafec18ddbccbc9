"""The two lanes of a conflict in the kernel's words, the same for text, page and SARIF: read off the record."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from visaproof.report.records.common import LaunchExample, Write
from visaproof.report.records.conflicts import Refuted
from visaproof.report.text.buffer_words import Buffer


class Collision(Struct, frozen=True):
    """In the launch that was run, if one was, and else in the run of a thread."""

    writes: Sequence[Write]
    """Of all lanes; addresses count from the beginning of the buffer."""
    lanes: tuple[int, int]
    items: dict[int, int]
    """The work item of each lane that writes; empty where that is not known."""
    buffer: Buffer

    @property
    def both(self) -> tuple[Write, Write]:
        """A write of either lane."""
        one, other = (next(each for each in self.writes if each.lane == lane) for lane in self.lanes)
        return one, other

    @property
    def what(self) -> str:
        """What both write: `out[0]`."""
        one, other = self.both
        if isinstance(one.texel, tuple):
            return f"texel {place_of(one)} of {self.buffer.name}"
        start, end = shared(one, other)
        return self.buffer.span(start, end - start)

    @property
    def headline(self) -> str:
        """`work items 0 and 1 both write out[0]`"""
        who = "work items" if self.items else "lanes"
        one, other = (self.items.get(lane, lane) for lane in self.lanes)
        return f"{who} {one} and {other} both write {self.what}"


def collision_of(one: Refuted) -> Collision:
    """Who writes what, the two that collide, and the work items."""
    launch, lanes, buffer, items = one.launch, one.colliding_lanes, Buffer.of(one), dict[int, int]()
    writes: list[Write] = one.writes
    if launch is not None and isinstance(launch.writes, list) and isinstance(launch.colliding_lanes, tuple):
        writes, lanes = [_from(launch.base, write) for write in launch.writes], launch.colliding_lanes
        items, buffer = launch.items if isinstance(launch.items, dict) else {}, _named(launch, buffer)
    widths = {write.bytes for write in writes}
    (width,) = widths if len(widths) == 1 else (0,)
    return Collision(writes, lanes, items, replace(buffer, element=width if isinstance(width, int) else 0))


def _named(launch: LaunchExample, buffer: Buffer) -> Buffer:
    if not isinstance(launch.surface, str):
        return buffer
    return replace(buffer, name=launch.surface, argument=launch.argument if isinstance(launch.argument, int) else None)


def _from(base: object, write: Write) -> Write:
    """The write, with the distance from the beginning of its buffer."""
    if not isinstance(base, int) or not isinstance(write.address, int):
        return write
    return msgspec.structs.replace(write, address=write.address - base)


def shared(first: Write, second: Write) -> tuple[int, int]:
    """The first byte that both write, and the one after the last."""
    (start, end), (other, last) = ends(first), ends(second)
    return max(start, other), min(end, last)


def ends(write: Write) -> tuple[int, int]:
    """Its first byte, and the one after the last."""
    assert isinstance(write.address, int)
    assert isinstance(write.bytes, int)
    return write.address, write.address + write.bytes


def place_of(write: Write) -> str:
    """The texel, without the coordinates of 0 at the end."""
    texel = list(write.texel) if isinstance(write.texel, tuple) else []
    while len(texel) > 2 and not texel[-1]:
        texel.pop()
    return f"({', '.join(map(str, texel))})"
