"""What a thread of a launch that exists starts with, beside its arguments, and on what that rests."""

from collections.abc import Iterator, Mapping
from itertools import combinations, islice

from msgspec import Struct, field

from visaproof.isa.platform import THREAD_NUMBER_BYTE
from visaproof.launch.assume import INT_IDS
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_ids import launched_ids
from visaproof.launch.ids.launched_words import LaunchedIds, place_name
from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS, XYZ
from visaproof.launch.ids.work_items import GROUP_IDS, Group
from visaproof.launch.input_meaning import DIMENSIONS, LaunchValue
from visaproof.launch.launch import Launch
from visaproof.launch.premises import Premise, premise
from visaproof.program.kernel import Kernel
from visaproof.smt import BitVec, Bool, add, const, implies, mul, symbol, ule, ult, value_of, zero_extend

GLOBAL_BITS = 32
WIDE = 44
"""Bits of a group id times a local size."""


class LaunchedStart(Struct, frozen=True):
    """The words that a launch puts into registers, and what is known of them."""

    words: Mapping[tuple[str, int], BitVec] = field(default_factory=dict[tuple[str, int], BitVec])
    meanings: Mapping[str, str] = field(default_factory=dict[str, str])
    group: Group | None = None
    assumed: tuple[Premise, ...] = ()


NOTHING_LAUNCHED = LaunchedStart()


def most_items(int_ids: bool) -> int:
    """How large a global size is at most where the offset is 0: no id is negative as `int`, or none wraps."""
    return 1 << (31 if int_ids else 32)


def launched_start(kernel: Kernel, launch: Launch, simd: int, lifted: frozenset[str] = frozenset()) -> LaunchedStart:
    """Nothing where not even the number of lanes of a thread is known; without the `lifted` premises."""
    if not simd:
        return NOTHING_LAUNCHED
    shape = GroupShape(kernel, launch, simd, lifted)
    ids = launched_ids(shape)
    words = dict(ids.words)
    for dimension in range(3):
        if "global-ids" not in lifted:
            offsets = shape.places((LaunchValue.GLOBAL_ID_OFFSET,), dimension)
            words |= {place: const(0, GLOBAL_BITS) for place in offsets}
        words["%group_id_" + DIMENSIONS[dimension], 0] = GROUP_IDS[dimension]
    if shape.numbered and (number := ids.number()) is not None:
        words["%r0", THREAD_NUMBER_BYTE] = number
    facts = tuple(fact for dimension in range(3) for fact in _below_the_count(shape, dimension))
    if "global-ids" not in lifted:
        most = most_items(INT_IDS not in lifted)
        facts += tuple(fact for dimension in range(3) for fact in _not_behind(shape, ids, dimension, most))
        facts += tuple(fact for dimension in range(3) for fact in _below_the_global_size(shape, ids, dimension, most))
        facts += tuple(_not_too_many_items(shape))
    assumed = tuple(one for one in _assumed(shape) if one.name not in lifted)
    return LaunchedStart(words, ids.meanings, Group((), ids, facts), assumed)


def _below_the_count(shape: GroupShape, dimension: int) -> Iterator[Bool]:
    """A group id is below the number of groups."""
    for place in shape.places((LaunchValue.GROUP_COUNT,), dimension):
        yield ult(GROUP_IDS[dimension], symbol(place_name(place), GLOBAL_BITS))


def _below_the_global_size(shape: GroupShape, ids: LaunchedIds, dimension: int, most: int) -> Iterator[Bool]:
    """No group ends behind the global size that the kernel gets to know."""
    for place in shape.places((LaunchValue.GLOBAL_SIZE,), dimension):
        first = mul(zero_extend(GROUP_IDS[dimension], WIDE), zero_extend(stride_of(shape, ids, dimension), WIDE))
        end = add(first, zero_extend(ids.sizes[dimension], WIDE))
        size = zero_extend(symbol(place_name(place), GLOBAL_BITS), WIDE)
        yield ule(end, size)
        yield ule(size, const(most, WIDE))


def _not_too_many_items(shape: GroupShape) -> Iterator[Bool]:
    """What follows for two global sizes from their product being at most 2^32, without a product.

    x ≥ 2^k  ⇒  y ≤ 2^(32 − k)      for each k: up to twice as many items pass
    """
    sizes = [symbol(place_name(place), GLOBAL_BITS) for place in _global_sizes(shape)]
    for one, other in combinations(sizes, 2):
        for bits in range(1, GLOBAL_BITS):
            large, most = const(1 << bits, GLOBAL_BITS), const(1 << (GLOBAL_BITS - bits), GLOBAL_BITS)
            yield implies(ule(large, one), ule(other, most))


def _global_sizes(shape: GroupShape) -> Iterator[tuple[str, int]]:
    """Where the payload has the global size of each dimension."""
    for dimension in range(3):
        yield from islice(shape.places((LaunchValue.GLOBAL_SIZE,), dimension), 1)


def _not_behind(shape: GroupShape, ids: LaunchedIds, dimension: int, most: int) -> Iterator[Bool]:
    """Global ids are below a power of 2: what is behind the last one of the group is at most that."""
    group, size = GROUP_IDS[dimension], stride_of(shape, ids, dimension)
    stated = value_of(size)
    if stated is not None:
        if most < 1 << GLOBAL_BITS or stated > 1:
            yield ult(group, const(most // stated, GLOBAL_BITS))
    else:
        first = mul(zero_extend(group, WIDE), zero_extend(size, WIDE))
        yield ule(add(first, zero_extend(ids.sizes[dimension], WIDE)), const(most, WIDE))


def stride_of(shape: GroupShape, ids: LaunchedIds, dimension: int) -> BitVec:
    """From one group to the next: the enqueued local size where the kernel gets to know it."""
    if shape.launch.group_size is not None:
        return const(shape.launch.group_size[dimension], GLOBAL_BITS)
    if value_of(ids.sizes[dimension]) is None and not shape.whole:
        for place in shape.places((LaunchValue.ENQUEUED_LOCAL_SIZE,), dimension):
            return symbol(place_name(place), GLOBAL_BITS)
    return zero_extend(ids.sizes[dimension], GLOBAL_BITS)


def _assumed(shape: GroupShape) -> Iterator[Premise]:
    read, size = shape.read, shape.launch.group_size
    if shape.simd == 1:
        yield premise("all-lanes")
    elif read:
        yield premise("local-ids", layout=_layout(shape))
    else:
        yield premise("first-lanes")
    if size is not None:
        yield premise("uniform-groups" if shape.launch.uniform else "whole-groups", size="×".join(map(str, size)))
    elif read:
        yield premise("local-size", most=MOST_GROUP_ITEMS)
        if "local-size" in shape.lifted:
            yield premise("ids-below-size", most=shape.most)
        if shape.whole:
            yield premise("uniform-groups", size="of the launch")
        unread = [DIMENSIONS[dimension] for dimension in range(3) if dimension not in read]
        if unread:
            yield premise("unread-dimensions", dimensions=" and ".join(unread))
    yield premise("global-ids")
    if "global-ids" not in shape.lifted:
        yield premise("int-ids")


def _layout(shape: GroupShape) -> str:
    """In words: who lays out the ids, and how."""
    ways, read = shape.ways(), shape.read
    if len(read) == 1 and shape.launch.group_size is None:
        return f"consecutive in {DIMENSIONS[read[0]]}"
    order = "-".join(DIMENSIONS[dimension] for dimension in shape.launch.walk_order or XYZ)
    found = [f"laid out in the order {order}"]
    if any(way.by_hardware and way.demanded is None for way in ways):
        found.append("or in that which the hardware takes for the local size")
    if any(way.tiles for way in ways):
        found.append("or in tiles, as the OpenCL driver does for kernels with images alone")
    return ", ".join(found)
