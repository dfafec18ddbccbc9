"""The work item of a lane: its local ids are below the size of its group, where the kernel gets to know both."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from visaproof.kernel.launch import Launch
from visaproof.kernel.meaning import LaunchValue, LocalId
from visaproof.kernel.syntax import Kernel
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, Bool, Term, const, implies, symbols_of, ule, ult, zero_extend
from visaproof.smt.evaluate import evaluate

BELOW_THE_SIZE = "local sizes are at most 65536, and the local ids of lanes that are on are less than they are"
LOCAL_SIZES = (LaunchValue.LOCAL_SIZE, LaunchValue.ENQUEUED_LOCAL_SIZE)
LARGEST_SIZE = 1 << 16
"""Local ids are words.  Source: corpus README, payload_base."""


@dataclass(frozen=True, slots=True)
class IdOfLane:
    """A local id of a lane, and the size of its group in the same dimension."""

    lane: int
    word: BitVec
    size: BitVec
    """32 bits: one symbol, or more than it by a constant."""

    def within(self, lanes: Sequence[Bool]) -> Bool:
        """What holds in every launch: the lane is off, or its id below the size."""
        return implies(lanes[self.lane], ult(zero_extend(self.word, self.size.width), self.size))


@dataclass(frozen=True, slots=True)
class Group:
    """What a thread gets to know of its group."""

    local_ids: tuple[IdOfLane, ...]

    @property
    def sizes(self) -> tuple[BitVec, ...]:
        return tuple(dict.fromkeys(one.size for one in self.local_ids))

    def possible(self, lanes: Sequence[Bool]) -> Iterator[Bool]:
        """What holds in every launch."""
        yield from (ule(size, const(LARGEST_SIZE, size.width)) for size in self.sizes)
        yield from (one.within(lanes) for one in self.local_ids if one.lane < len(lanes))

    def with_room(self, lanes: Sequence[Bool], values: Mapping[Term, int]) -> dict[Term, int]:
        """The values with sizes for all lanes that are on, where these can be so large."""
        found = dict(values)
        for size in self.sizes:
            if (large := evaluate(size, found)) > LARGEST_SIZE:
                _add(found, size, large % LARGEST_SIZE - large)
        on = {lane for lane, one in enumerate(lanes) if evaluate(one, found)}
        for one in self.local_ids:
            missing = evaluate(one.word, found) + 1 - evaluate(one.size, found)
            if missing > 0 and one.lane in on:
                _add(found, one.size, missing)
        return found


NO_GROUP = Group(())


def _add(values: dict[Term, int], size: BitVec, more: int) -> None:
    for one in symbols_of(size):
        values[one] = max(0, min(values.get(one, 0) + more, (1 << one.width) - 1))


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
