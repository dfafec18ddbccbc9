"""Threads whose lanes run any work items of one group, no two the same: more than any layout of local ids allows.

What holds of all of them holds of every launch, and all pairs of lanes are alike.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from visaproof.launch.assumptions import Start
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_words import BITS, LaunchedIds
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, Bool, conj, eq, implies, neg, symbol, ult

Ids = tuple[BitVec, BitVec, BitVec]


def with_any_items(start: Start, shape: GroupShape) -> Start:
    """The start of such threads, for one of a launch that exists."""
    launched = start.group.launched
    assert launched is not None
    ids = [any_ids(lane) for lane in range(shape.simd)]
    on = tuple(lane_on(lane) for lane in range(shape.simd))
    words = {place: ids[lane][d] for place, d, lane in shape.local_ids()}
    group = replace(
        start.group,
        launched=LaunchedIds(
            words={**launched.words, **words},
            ids=tuple(ids),
            sizes=launched.sizes,
            on=on,
            facts=launched.size_facts,
        ),
    )
    return replace(start, initial=_initial(start.initial, words), group=group)


def differ(start: Start, one: int, other: int) -> Bool:
    """That two lanes run different work items."""
    launched = start.group.launched
    assert launched is not None
    return neg(conj(*(eq(left, right) for left, right in zip(launched.ids[one], launched.ids[other], strict=True))))


def of_lanes(start: Start, lanes: tuple[int, ...]) -> tuple[Bool, ...]:
    """What holds of these lanes in every such launch."""
    launched = start.group.launched
    assert launched is not None
    return tuple(
        implies(launched.on[lane], ult(word, size))
        for lane in lanes
        for word, size in zip(launched.ids[lane], launched.sizes, strict=True)
    )


class AnyItemsId(Struct, frozen=True):
    """The local id of the work item that a lane runs."""

    dimension: int
    lane: int

    def __str__(self) -> str:
        return f"local_id_{DIMENSIONS[self.dimension]}.{self.lane}"


def any_ids(lane: int) -> Ids:
    """Also in dimensions that the kernel does not read: lanes may differ in these alone."""
    x, y, z = (symbol(AnyItemsId(dimension, lane), BITS) for dimension in range(3))
    return x, y, z


def _initial(
    initial: Callable[[str, int], Byte], words: Mapping[tuple[str, int], BitVec]
) -> Callable[[str, int], Byte]:
    """The words where they stand, and elsewhere what was there."""
    known = {(name, at + k): (word, k) for (name, at), word in words.items() for k in range(word.width // 8)}
    return lambda variable, byte: known.get((variable, byte)) or initial(variable, byte)
