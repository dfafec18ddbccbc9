"""The words of a thread of an arbitrary launch: its local ids, the local size, and which lanes are on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from visaproof.launch.ids.group_shape import LOCAL_SIZES, GroupShape, rows_of
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS, LaidOut, Triple
from visaproof.launch.input_meaning import DIMENSIONS, LaunchValue
from visaproof.launch.premises import premise
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    conj,
    const,
    disj,
    eq,
    iff,
    implies,
    neg,
    scale,
    symbol,
    true,
    truncate,
    ule,
    ult,
    zero_extend,
)
from visaproof.smt.evaluate import Evaluation, evaluate_all

FEW_GROUPS = 4
"""Of a usual launch, in each dimension."""
BITS = 16
"""IGC passes local ids as words.  Source: docs/pages/payload.md §2."""
NUMBER_BITS = 16
"""More than the number of a thread has: a group has fewer than 2^16 work items."""
THREAD = "thread_in_group"
ANY_ORDER, TILES = "no_order_demanded", "host_lays_out_tiles"
"""What may be so where nothing says it."""
FIRST_LANES = premise("first-lanes")


NO_NAMES: Mapping[Term, BitVec] = {}


@dataclass(frozen=True, slots=True)
class LaunchedIds:
    """What the lanes of a thread get, and which lanes it has."""

    words: Mapping[tuple[str, int], BitVec]
    """By their place in the payload: local ids, and sizes that are known."""
    ids: tuple[tuple[BitVec, BitVec, BitVec], ...]
    """Of each lane."""
    sizes: tuple[BitVec, BitVec, BitVec]
    """The local size."""
    on: tuple[Bool, ...]
    """Whether each lane is on."""
    facts: tuple[Bool, ...]
    size_facts: tuple[Bool, ...] = ()
    """Those of them that are about the local size alone."""
    meanings: Mapping[str, str] = field(default_factory=dict[str, str])
    ways: tuple[LaidOut, ...] = ()
    """Who may lay out the ids, where it is not sure that a launch has them."""
    usual: tuple[Mapping[Term, int], ...] = ()
    """Launches that exist, by the values of the symbols; lanes aside."""
    of_all_groups: tuple[frozenset[Term], ...] = ()
    """The symbols in these that say how large the whole launch is, by dimension: ids do not depend on it."""
    most: int = MOST_GROUP_ITEMS
    """Work items of a group."""
    told_apart: bool = True
    """Whether the ids tell the lanes apart that are on."""
    tiled: Bool | None = None
    """Whether the lanes run tiles, where they may."""
    digits: tuple[tuple[BitVec, int], ...] = ()
    """The number of the thread in its group, where it is a sum: words, and what one counts in each."""
    in_group: dict[tuple[int, int], bool] = field(
        default_factory=dict[tuple[int, int], bool], init=False, compare=False
    )
    """What was found of whether the id of a lane in a dimension is below the local size: each question needs it."""

    def number(self) -> BitVec | None:
        """The low byte of the number of the thread, where it is such a sum."""
        if not self.digits:
            return None
        return truncate(add(*(scale(zero_extend(word, NUMBER_BITS), weight) for word, weight in self.digits)), 8)

    def possible(self, lanes: Sequence[Bool]) -> Iterator[Bool]:
        """What holds in every launch."""
        yield from self.facts
        yield from (iff(lane, on) for lane, on in zip(lanes, self.on, strict=False))

    def same_item(self, one: int, other: int, names: Mapping[Term, BitVec] = NO_NAMES) -> Bool | None:
        """Whether two lanes have the same ids, which no two that are on have; None where no id tells lanes apart.

        An id may stand under a name: before they are compared, as an equation of a case distinction is taken apart.
        """
        if not self.told_apart or not max(one, other) < len(self.ids):
            return None
        mine, theirs = ([names.get(word, word) for word in self.ids[lane]] for lane in (one, other))
        return conj(*map(eq, mine, theirs))

    def exists(self, values: Mapping[Term, int]) -> bool:
        """Whether some launch has such ids; what is missing is 0."""
        if not self.ways:
            return True
        x, y, z = evaluate_all(self.sizes, values)
        if not 0 < x * y * z <= self.most:
            return False
        row = self._row(values)
        return any(row in rows_of(way, (x, y, z)) for way in self.ways)

    def numbers(self, values: Mapping[Term, int]) -> list[int]:
        """Which number the thread may have in its group; none where its ids do not tell it."""
        if not self.ways:
            words = evaluate_all([word for word, _ in self.digits], values)
            return [sum(word * weight for word, (_, weight) in zip(words, self.digits, strict=True))] if words else []
        row, (x, y, z) = self._row(values), evaluate_all(self.sizes, values)
        layouts = (rows_of(way, (x, y, z)) for way in self.ways) if 0 < x * y * z <= self.most else ()
        return [rows.index(row) for rows in layouts if row in rows]

    def _row(self, values: Mapping[Term, int]) -> tuple[Triple | None, ...]:
        now = Evaluation(values)
        return tuple((now.of(x), now.of(y), now.of(z)) if now.of(on) else None
                     for (x, y, z), on in zip(self.ids, self.on[: len(self.ids)], strict=True))  # fmt: skip

    def launches(self, lanes: Sequence[Bool]) -> Iterator[dict[Term, int]]:
        """The usual launches, with the lanes of their threads."""
        yield from (self.with_lanes(values, lanes) for values in self.usual)

    def some_launch(self, which: int, lanes: Sequence[Bool]) -> dict[Term, int]:
        """One of the usual launches for any number; empty if there is none."""
        return self.with_lanes(self.usual[which % len(self.usual)], lanes) if self.usual else {}

    def with_lanes(self, values: Mapping[Term, int], lanes: Sequence[Bool]) -> dict[Term, int]:
        """These values, and which lanes of such a thread are on."""
        on = evaluate_all(self.on[: len(lanes)], values)
        return dict(values) | {lane: bit for lane, bit in zip(lanes, on, strict=False) if lane.payload is not None}

    def is_usual(self) -> Bool:
        """That the groups are those of one of the usual launches."""
        if not self.ways:
            return true()
        whole = frozenset[Term]().union(*self.of_all_groups)
        groups = ([(term, value) for term, value in values.items() if term not in whole] for values in self.usual)
        return disj(*(conj(*(_is(term, value) for term, value in group)) for group in groups))


def _is(term: Term, value: int) -> Bool:
    if isinstance(term, Bool):
        return term if value else neg(term)
    assert isinstance(term, BitVec)
    return eq(term, const(value, term.width))


def first_lanes(lanes: Sequence[Bool]) -> Iterator[Bool]:
    """At least the first lane is on, and no lane behind one that is off."""
    yield lanes[0]
    yield from (implies(later, lane) for lane, later in pairwise(lanes))


def first_id(shape: GroupShape, dimension: int) -> BitVec:
    """The id of a first lane."""
    return zero_extend(symbol(first_id_name(dimension), shape.id_bits), BITS)


def first_id_name(dimension: int) -> str:
    """Of the symbol of the local id of the first lane."""
    return f"first_local_id_{DIMENSIONS[dimension]}"


def size_word(shape: GroupShape, dimension: int) -> BitVec:
    """Where the kernel gets to know it, that word."""
    for place in size_places(shape, dimension):
        return truncate(symbol(place_name(place), 32), BITS)
    return symbol(size_name(dimension), BITS)


def size_name(dimension: int) -> str:
    """Of the symbol of a local size that the kernel does not get to know."""
    return f"local_size_{DIMENSIONS[dimension]}"


def size_places(shape: GroupShape, dimension: int) -> list[tuple[str, int]]:
    """The place of the payload that holds the size of the group; none where the kernel does not get to know it."""
    return first_of(shape.places(LOCAL_SIZES if shape.whole else LOCAL_SIZES[:1], dimension))


def size_values(shape: GroupShape, read: tuple[int, ...], size: Triple) -> dict[Term, int]:
    """What the words hold that say the sizes of a launch of a few groups, in the dimensions that are read."""
    apart = [d for d in read if not size_places(shape, d)]
    found: dict[Term, int] = {symbol(size_name(d), BITS): size[d] for d in apart}
    found |= {symbol(place_name(place), 32): size[d] for d in read for place in shape.places(LOCAL_SIZES, d)}
    for dimension in range(3):
        items = size[dimension] if dimension in read else 1
        found |= dict.fromkeys(words_of(shape, LaunchValue.GLOBAL_SIZE, dimension), FEW_GROUPS * items)
        found |= dict.fromkeys(words_of(shape, LaunchValue.GROUP_COUNT, dimension), FEW_GROUPS)
    return found


def words_of(shape: GroupShape, value: LaunchValue, dimension: int) -> Iterator[BitVec]:
    """Those of the payload that hold a value of 32 bits of the launch."""
    return (symbol(place_name(place), 32) for place in shape.places((value,), dimension))


def size_of(shape: GroupShape, dimension: int) -> BitVec:
    """The local size in a dimension: known, or a word."""
    if shape.size is not None:
        return const(shape.size[dimension], BITS)
    return size_word(shape, dimension) if dimension in shape.open else const(1, BITS)


def known_words(shape: GroupShape) -> dict[tuple[str, int], BitVec]:
    """The local sizes in the payload that are known, or one and the same; the enqueued one where one is required."""
    stated, words = shape.launch.group_size, dict[tuple[str, int], BitVec]()
    if shape.open:
        words = known_sizes(shape, {d: const(1, 32) for d in range(3) if d not in shape.open})
    if shape.size is not None:
        return known_sizes(shape, {d: const(shape.size[d], 32) for d in range(3)})
    if shape.whole:
        return words | known_sizes(shape, {d: zero_extend(size_word(shape, d), 32) for d in shape.open})
    if stated is not None:
        enqueued = (LaunchValue.ENQUEUED_LOCAL_SIZE,)
        words |= {place: const(stated[d], 32) for d in range(3) for place in shape.places(enqueued, d)}
    return words


def between(size: BitVec, most: int) -> Iterator[Bool]:
    yield ult(const(0, BITS), size)
    yield ule(size, const(most, BITS))


def known_sizes(shape: GroupShape, known: Mapping[int, BitVec]) -> dict[tuple[str, int], BitVec]:
    return {place: word for d, word in known.items() for place in shape.places(LOCAL_SIZES, d)}


def first_of(places: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return list(places)[:1]


def place_name(place: tuple[str, int]) -> str:
    """Of the symbol that stands at a place of the payload."""
    return f"{place[0]}.{place[1]}"
