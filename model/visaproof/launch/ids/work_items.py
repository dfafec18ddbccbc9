"""The work item of a lane: its local ids are below the size of its group, where the kernel gets to know both."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from visaproof.isa.execution import THREAD_LANES
from visaproof.launch.ids.launched_words import FEW_GROUPS, LaunchedIds
from visaproof.launch.input_meaning import GROUP_ID_BYTES, LaunchValue, LocalId
from visaproof.launch.launch import Launch
from visaproof.launch.premises import premise
from visaproof.program.kernel import Kernel
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    const,
    implies,
    is_false,
    is_true,
    symbol,
    symbols_of,
    ule,
    ult,
    zero_extend,
)
from visaproof.smt.evaluate import all_hold, evaluate, evaluate_all

LOCAL_SIZES = (LaunchValue.LOCAL_SIZE, LaunchValue.ENQUEUED_LOCAL_SIZE)
LARGEST_SIZE = 1 << 16
"""Local ids are words.  Source: docs/pages/payload.md §2."""
BELOW_THE_SIZE = premise("ids-below-size", most=LARGEST_SIZE)


GROUP_IDS = tuple(symbol(f"%r0.{byte}", 32) for byte in GROUP_ID_BYTES)
"""The words of r0 with the group ids."""


class IdOfLane(Struct, frozen=True):
    """A local id of a lane, and the size of its group in the same dimension."""

    lane: int
    word: BitVec
    size: BitVec
    """32 bits: one symbol, or more than it by a constant."""

    def within(self, lanes: Sequence[Bool]) -> Bool:
        """What holds in every launch: the lane is off, or its id below the size."""
        return implies(lanes[self.lane], ult(zero_extend(self.word, self.size.width), self.size))


class Group(Struct, frozen=True):
    """What a thread gets to know of its group."""

    local_ids: tuple[IdOfLane, ...]
    launched: LaunchedIds | None = None
    """The ids of a launch that exists; None where less is assumed."""
    facts: tuple[Bool, ...] = ()
    """What else holds in every launch, and what the user states of it."""

    @property
    def sizes(self) -> tuple[BitVec, ...]:
        return tuple(dict.fromkeys(one.size for one in self.local_ids))

    def known_lanes(self, lanes: Sequence[Bool]) -> tuple[Bool, ...]:
        """The lanes, with a constant for each that is on in every thread of a launch, or in none.

        possible ⇒ (lane k is on ⇔ on_k), so that lane k is on_k where that is constant.  A group of 64 work items has
        two threads of 32 lanes, all on.
        """
        on = () if self.launched is None else self.launched.on
        known = (one if is_true(one) or is_false(one) else lane for lane, one in zip(lanes, on, strict=False))
        return *known, *lanes[len(on) :]

    def possible(self, lanes: Sequence[Bool]) -> Iterator[Bool]:
        """What holds in every launch."""
        yield from self.facts
        if self.launched is not None:
            yield from self.launched.possible(lanes)
        yield from (ule(size, const(LARGEST_SIZE, size.width)) for size in self.sizes)
        yield from (one.within(lanes) for one in self.local_ids if one.lane < len(lanes))

    def has_room(self, lanes: Sequence[Bool], values: Mapping[Term, int]) -> bool:
        """Whether a launch has these values, of which all that are missing are 0."""
        if self.launched is not None:
            return all_hold(self.possible(lanes), values) and self.launched.exists(values)
        if not all_hold(self.facts, values):
            return False
        needed = self._needed(lanes, values).items()
        return all(least <= evaluate(size, values) <= LARGEST_SIZE for size, least in needed)

    def with_room(self, lanes: Sequence[Bool], values: Mapping[Term, int]) -> dict[Term, int]:
        """The values with sizes for all lanes that are on, where these can be so large."""
        found = dict(values)
        if self.launched is not None:
            return found if self.has_room(lanes, values) else self._usual(self.launched, lanes, found)
        for size, least in self._needed(lanes, values).items():
            before = evaluate(size, values)
            wanted = max(least, before if before <= LARGEST_SIZE else before % LARGEST_SIZE)
            for one in symbols_of(size) if wanted != before else ():
                found[one] = max(0, min(found.get(one, 0) + wanted - before, (1 << one.width) - 1))
        return found

    def _usual(self, launched: LaunchedIds, lanes: Sequence[Bool], values: dict[Term, int]) -> dict[Term, int]:
        """The values in one of the usual launches, with few groups."""
        small = {one: values[one] % FEW_GROUPS for one in GROUP_IDS if one in values}
        return values | small | launched.some_launch(sum(values.values()), lanes)

    def _needed(self, lanes: Sequence[Bool], values: Mapping[Term, int]) -> dict[BitVec, int]:
        """The least that each size may be: more than the ids of lanes that are on."""
        on = evaluate_all(lanes, values)
        least = dict.fromkeys(self.sizes, 0)
        for one, word in zip(self.local_ids, evaluate_all([one.word for one in self.local_ids], values), strict=True):
            if one.lane < len(on) and on[one.lane]:
                least[one.size] = max(least[one.size], word + 1)
        return least


NO_GROUP = Group(())


def group_of(
    kernel: Kernel, launch: Launch, known: Iterable[tuple[str, int]], initial: Callable[[str, int], Byte]
) -> Group:
    """The `known` places of the payload with words that are local ids, beside the sizes in their dimension."""
    sizes = list(_sizes(kernel, launch, initial))
    places, found = set(known), dict[IdOfLane, None]()
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if isinstance(meaning := piece.meaning, LocalId):
                for k in range(piece.size // 2):
                    place = item.variable, piece.offset + 2 * k
                    of_it = (size for dimension, size in sizes if dimension == meaning.dimension and place in places)
                    found |= {IdOfLane(meaning.first_lane + k, initial(*place)[0], size): None for size in of_it}
    return Group(tuple(found))


def _sizes(kernel: Kernel, launch: Launch, initial: Callable[[str, int], Byte]) -> Iterator[tuple[int, BitVec]]:
    """The dimension and the dword of each size."""
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            if piece.meaning in LOCAL_SIZES and piece.offset % 4 == 0 and piece.first_byte % 4 == 0:
                for start in range(0, piece.size - 3, 4):
                    yield (piece.first_byte + start) // 4, initial(item.variable, piece.offset + start)[0]


def launched_lanes(kernel: Kernel) -> tuple[Bool, ...]:
    """An arbitrary execution mask, `em.0` and so on; lanes that no thread of the kernel starts with are off."""
    return lanes_of_width(kernel.lanes)


def lanes_of_width(simd: int | None) -> tuple[Bool, ...]:
    """The same of a thread of so many lanes; of 32 where that is not said."""
    return tuple(lane_on(lane) for lane in range(THREAD_LANES if simd is None else simd))
