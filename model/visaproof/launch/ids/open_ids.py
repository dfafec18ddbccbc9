"""The local ids of a thread of groups of any size: from lane to lane.

Lane l + 1 runs the item behind that of lane l: the fastest id counts up, and where it comes to its size it is 0 and the
next one counts; which is fastest, or whether there are tiles, depends on the size.  A thread may begin at any item:
that is more than launches do, so that a refutation asks whether one has such ids.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from visaproof.launch.ids.group_shape import GroupShape, rows_of
from visaproof.launch.ids.launched_words import (
    ANY_ORDER,
    BITS,
    THREAD,
    TILES,
    LaunchedIds,
    between,
    first_id,
    first_id_name,
    first_lanes,
    first_of,
    known_words,
    place_name,
    size_name,
    size_of,
    size_places,
    size_values,
    words_of,
)
from visaproof.launch.ids.local_ids import ORDERS, TILE_SIDE, XYZ, LaidOut, Order, Triple, tile_columns
from visaproof.launch.input_meaning import DIMENSIONS, LaunchValue
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    bit_and,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    false,
    implies,
    ite,
    ite_bool,
    neg,
    scale,
    sub,
    symbol,
    true,
    ule,
    ult,
    zero_extend,
)

USUAL_SIZES: tuple[Triple, ...] = (
    (256, 1, 1), (16, 16, 1), (8, 8, 1), (1, 1, 1), (32, 4, 1), (32, 8, 1), (64, 4, 1), (64, 1, 1), (48, 8, 1),
    (4, 4, 4), (8, 8, 4), (6, 8, 1), (12, 12, 1), (1, 256, 1), (1, 64, 4), (10, 10, 1), (20, 1, 1), (1, 1, 64),
    (18, 4, 1), (34, 4, 1), (2, 2, 1), (3, 3, 1), (4, 4, 1), (2, 2, 2), (4, 16, 1),
)  # fmt: skip
"""Of groups: where the size is open, refutations are looked for among them.

Those of 18 and 34 have rows of two more items than a message has lanes: rows of a pitch of 17 or 33 overlap there.  The
last are small, as a stated bound may ask for.
"""

ENQUEUED = (LaunchValue.ENQUEUED_LOCAL_SIZE,)
OF_ALL_GROUPS = LaunchValue.GLOBAL_SIZE, LaunchValue.GROUP_COUNT

Alternative = tuple[Bool, tuple[int, ...]]
"""An order of dimensions, the fastest first, and under which sizes it is taken."""


def open_ids(shape: GroupShape) -> LaunchedIds:
    """Of groups of any size, or of any up to the required one."""
    read = shape.open
    sizes = {d: size_of(shape, d) for d in range(3)}
    facts = list(_size_facts(shape, sizes)) if shape.size is None else []
    walk = _walked(shape, read, sizes)
    words = {place: walk.ids[lane][d] for place, d, lane in shape.local_ids()} | known_words(shape)
    return LaunchedIds(
        words=words,
        ids=tuple((one[0], one[1], one[2]) for one in walk.ids),
        sizes=(sizes[0], sizes[1], sizes[2]),
        on=walk.on,
        facts=(*facts, *walk.facts),
        size_facts=tuple(facts),
        meanings=walk.meanings | {size_name(d): f"local size {DIMENSIONS[d]}" for d in read},
        ways=shape.ways() if walk.counted and len(read) > 1 else (),
        usual=tuple(_usual(shape, read)) if walk.counted else (),
        of_all_groups=tuple(
            frozenset(word for value in OF_ALL_GROUPS for word in words_of(shape, value, d)) for d in range(3)
        ),
        most=shape.most,
        told_apart=walk.counted,
        tiled=walk.tiled,
        digits=((_thread(shape), 1),) if walk.counted and len(read) == 1 else (),
    )


def _size_facts(shape: GroupShape, sizes: Mapping[int, BitVec]) -> Iterator[Bool]:
    """Between which sizes those lie that are open; no group is larger than the enqueued ones."""
    for d in shape.open:
        yield from between(sizes[d], shape.most_in(d))
        for place in first_of(shape.places(ENQUEUED, d)) if shape.launch.group_size is None and not shape.whole else ():
            enqueued = symbol(place_name(place), 32)
            yield ule(zero_extend(sizes[d], 32), enqueued)
            yield ule(enqueued, const(shape.most, 32))
        for place in size_places(shape, d):
            yield ule(symbol(place_name(place), 32), const(shape.most_in(d), 32))


class _Walk(Struct, frozen=True):
    """The ids of the lanes of a thread, one after another."""

    ids: list[list[BitVec]]
    on: tuple[Bool, ...]
    facts: tuple[Bool, ...]
    meanings: dict[str, str]
    tiled: Bool | None = None
    """Whether they are those of tiles, where they may be."""
    counted: bool = True
    """Whether lanes count through the items of a group, from one to the next."""


def _walked(shape: GroupShape, read: tuple[int, ...], sizes: Mapping[int, BitVec]) -> _Walk:
    if not shape.counted or not read:
        return _any_items(shape, read, sizes)
    return _row(shape, read[0], sizes) if len(read) == 1 else _walk(shape, read, sizes)


def _any_items(shape: GroupShape, read: tuple[int, ...], sizes: Mapping[int, BitVec]) -> _Walk:
    """Any work items of the group in any lanes; or ids that are not read, which tell no lanes apart."""
    on = tuple(lane_on(lane) for lane in range(shape.simd))
    names = [[f"local_id_{DIMENSIONS[d]}.{lane}" for d in range(3)] for lane in range(shape.simd)]
    ids = [[symbol(one[d], BITS) if d in read else const(0, BITS) for d in range(3)] for one in names]
    facts = [implies(on[lane], ult(one[d], sizes[d])) for lane, one in enumerate(ids) for d in read]
    if not shape.read and shape.counted:
        facts += first_lanes(on)
    meanings = {one[d]: f"local id {DIMENSIONS[d]} of lane {lane}" for lane, one in enumerate(names) for d in read}
    return _Walk(ids, on, tuple(facts), meanings, counted=False)


def _row(shape: GroupShape, dimension: int, sizes: Mapping[int, BitVec]) -> _Walk:
    """One dimension: lane l of thread t has the id simd · t + l."""
    number = _thread(shape)
    first = scale(zero_extend(number, BITS), shape.simd)
    ids = [[const(0, BITS)] * 3 for _ in range(shape.simd)]
    for lane, one in enumerate(ids):
        one[dimension] = add(first, const(lane, BITS))
    on = tuple(ult(one[dimension], sizes[dimension]) for one in ids)
    return _Walk(ids, on, (on[0],), {THREAD: "number of the thread in its group"})


def _thread(shape: GroupShape) -> BitVec:
    return symbol(THREAD, shape.id_bits - (shape.simd.bit_length() - 1))


def _walk(shape: GroupShape, read: tuple[int, ...], sizes: Mapping[int, BitVec]) -> _Walk:
    """Several dimensions: from item to item, in each order that the sizes allow; or in tiles."""
    current = [first_id(shape, d) if d in read else const(0, BITS) for d in range(3)]
    facts = [ult(current[d], sizes[d]) for d in read]
    orders = orders_of(shape, read, sizes)
    ids, on, past = [list(current)], [true()], false()
    for _ in range(shape.simd - 1):
        wraps = {d: eq(add(current[d], const(1, BITS)), sizes[d]) for d in read}
        past = disj(past, conj(*wraps.values()))
        current = [_next(d, current[d], wraps, orders) if d in read else current[d] for d in range(3)]
        ids.append(list(current))
        on.append(neg(past))
    walk = _Walk(ids, tuple(on), tuple(facts), {first_id_name(d): f"local id {DIMENSIONS[d]} of lane 0"
                                               for d in read})  # fmt: skip
    tiled = _tiled(shape, read, sizes)
    return walk if tiled is None else _in_tiles(shape.simd, walk, sizes, tiled)


def _next(
    dimension: int, word: BitVec, wraps: Mapping[int, Bool], orders: Sequence[tuple[Bool, tuple[int, ...]]]
) -> BitVec:
    """The id of the next lane: it counts where all that are faster come to their size."""
    counts = disj(*(conj(when, *(wraps[d] for d in order[: order.index(dimension)])) for when, order in orders))
    return ite(counts, ite(wraps[dimension], const(0, BITS), add(word, const(1, BITS))), word)


def orders_of(shape: GroupShape, read: tuple[int, ...], sizes: Mapping[int, BitVec]) -> list[Alternative]:
    """The orders of the dimensions that are read, each with the sizes under which it is taken."""
    ways, launch = shape.ways(), shape.launch
    default = tuple(d for d in launch.walk_order or XYZ if d in read)
    if launch.walk_order is not None or not any(way.by_hardware for way in ways):
        return [(true(), default)]
    free = true() if shape.order_known and launch.platform is not None else bool_symbol(ANY_ORDER)
    found: dict[tuple[int, ...], list[Bool]] = {}
    none_before = [free]
    for order in ORDERS:
        fits = _fits(order, ways[0].ids, sizes)
        short = tuple(d for d in order if d in read)
        if short != default:
            found.setdefault(short, []).append(conj(*none_before, fits))
        none_before.append(neg(fits))
    others = [(disj(*when), order) for order, when in found.items()]
    return [(neg(disj(*(when for when, _ in others))), default), *others]


def _fits(order: Order, ids: int, sizes: Mapping[int, BitVec]) -> Bool:
    """Whether the hardware can make ids in this order."""
    *faster, _ = [d for d in order if d < max(1, ids)]
    unread = (eq(sizes[d], const(1, BITS)) for d in range(ids, 3))
    return conj(*(_power_of_two(sizes[d]) for d in faster), *unread)


def _power_of_two(size: BitVec) -> Bool:
    return eq(bit_and(size, sub(size, const(1, BITS))), const(0, BITS))


def _tiled(shape: GroupShape, read: tuple[int, ...], sizes: Mapping[int, BitVec]) -> Bool | None:
    """Under which sizes the threads have tiles; None if never."""
    ways = shape.ways()
    if not any(way.tiles for way in ways) or read[:2] != (0, 1) or (shape.launch.walk_order or XYZ) != XYZ:
        return None
    by_driver = true()
    if all(way.by_hardware for way in ways):
        by_driver = neg(conj(_power_of_two(sizes[0]), _power_of_two(sizes[1])))
    stated = true() if all(way.tiles for way in ways) else bool_symbol(TILES)
    columns = const(tile_columns(shape.simd) - 1, BITS), const(TILE_SIDE - 1, BITS)
    whole = (eq(bit_and(sizes[d], mask), const(0, BITS)) for d, mask in enumerate(columns))
    return conj(stated, by_driver, *whole, eq(sizes[2], const(1, BITS)))


def _in_tiles(simd: int, walk: _Walk, sizes: Mapping[int, BitVec], tiled: Bool) -> _Walk:
    """Where there are tiles, lane l has column l mod w and row l div w of one; or of two of 4 × 4 side by side."""
    (left, top, _), columns = walk.ids[0], tile_columns(simd)
    side = simd // columns
    half = columns * TILE_SIDE
    low = eq(add(top, const(TILE_SIDE, BITS)), sizes[1]) if side > TILE_SIDE else false()
    ids, on = list[list[BitVec]](), list[Bool]()
    for lane in range(simd):
        aside = ite(low, const(columns * (lane // half), BITS), const(0, BITS))
        row = ite(low, const(lane % half // columns, BITS), const(lane // columns, BITS))
        tile = add(left, aside, const(lane % columns, BITS)), add(top, row)
        before = walk.ids[lane]
        ids.append([ite(tiled, tile[0], before[0]), ite(tiled, tile[1], before[1]), before[2]])
        on.append(ite_bool(tiled, ult(tile[0], sizes[0]), walk.on[lane]))
    aligned = conj(
        eq(bit_and(left, const(columns - 1, BITS)), const(0, BITS)),
        eq(bit_and(top, const(side - 1, BITS)), const(0, BITS)),
    )
    return _Walk(ids, tuple(on), (*walk.facts, implies(tiled, aligned)), walk.meanings, tiled)


def _usual(shape: GroupShape, read: tuple[int, ...]) -> Iterator[dict[Term, int]]:
    """The values of the symbols in usual launches, first threads first."""
    kinds = [
        (way, size, rows_of(way, size))
        for size in (*USUAL_SIZES, *([shape.launch.group_size] if shape.launch.group_size else []))
        if all(size[d] == 1 if d not in read else size[d] <= shape.most_in(d) for d in range(3))
        for way in shape.ways()
    ]
    deepest = max((len(rows) for _, _, rows in kinds), default=0)
    for thread in range(deepest):
        for way, size, rows in kinds:
            if thread < len(rows):
                yield values_of_thread(shape, read, way, size, thread)


def values_of_thread(
    shape: GroupShape, read: tuple[int, ...], way: LaidOut, size: Triple, thread: int
) -> dict[Term, int]:
    """The values of the symbols that say which thread of which groups it is."""
    values = size_values(shape, read, size)
    if len(read) == 1:
        return values | {_thread(shape): thread}
    first = rows_of(way, size)[thread][0]
    assert first is not None
    values |= {symbol(first_id_name(d), shape.id_bits): first[d] for d in read}
    values[bool_symbol(ANY_ORDER)] = int(way.by_hardware and way.demanded is None)
    values[bool_symbol(TILES)] = int(way.tiles)
    return values
