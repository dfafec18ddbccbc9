"""Which work item a lane runs, against a second writing: counters that step from item to item, as in spec/local-ids."""

from collections.abc import Iterator
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.isa.platform import Platform
from visaproof.launch.ids.local_ids import LaidOut, Order, Triple

SIMD = (8, 16, 32)
BY_DRIVER = (Platform.SKL, Platform.TGLLP)
BY_HARDWARE = (Platform.DG2, Platform.MTL, Platform.PVC, Platform.Xe2)
POWERS = frozenset(1 << k for k in range(11))
PREFERRED = ("xyz", "xzy", "yxz", "zxy", "yzx", "zyx")


# ---------------------------------------------------------------- the second writing


def counted(kind: LaidOut, size: Triple) -> list[Triple]:
    """The ids of the items of a group, one after another."""
    word = fastest_first(kind, size)
    if word is None and tiled(kind, size):
        return list(tile_after_tile(size, kind.simd))
    if word is None:
        word = "".join("xyz"[d] for d in kind.demanded or (0, 1, 2))
    return list(odometer(size, word))


def fastest_first(kind: LaidOut, size: Triple) -> str | None:
    """The word of the hardware's order."""
    if kind.platform < Platform.XeHP_SDV or kind.simd == 1 or prod(size) > 1024:
        return None
    given_ids = "xyz"[: kind.ids]
    if any(extent != 1 for name, extent in zip("xyz", size, strict=True) if name not in given_ids):
        return None
    words = PREFERRED if kind.demanded is None else ("".join("xyz"[d] for d in kind.demanded),)
    for word in words:
        shown = [name for name in word if name in given_ids]
        if all(size["xyz".index(name)] in POWERS for name in shown[:-1]):
            return word
    return None


def tiled(kind: LaidOut, size: Triple) -> bool:
    x, y, z = size
    in_rows = kind.demanded in (None, (0, 1, 2))
    return kind.tiles and kind.simd > 1 and in_rows and z == 1 and y % 4 == 0 and x % (2 if kind.simd == 8 else 4) == 0


def odometer(size: Triple, word: str) -> Iterator[Triple]:
    wheels = {"x": 0, "y": 0, "z": 0}
    for _ in range(prod(size)):
        yield wheels["x"], wheels["y"], wheels["z"]
        for name in word:
            wheels[name] += 1
            if wheels[name] < size["xyz".index(name)]:
                break
            wheels[name] = 0


def tile_after_tile(size: Triple, simd: int) -> Iterator[Triple]:
    """Square by square of 4 × 4 (2 × 4 at 8 lanes): down as long as the tile goes, right, and then the rows below."""
    step, top = 2 if simd == 8 else 4, 0
    while top < size[1]:
        high = 8 if simd == 32 and size[1] - top >= 8 else 4
        for left in range(0, size[0], step):
            yield from ((left + across, top + down, 0) for down in range(high) for across in range(step))
        top += high


# ---------------------------------------------------------------- both agree


def agree(kind: LaidOut, size: Triple) -> None:
    expected = counted(kind, size)
    rows = kind.layout(size)
    assert [ids for row in rows for ids in row if ids is not None] == expected, (kind, size)
    assert [sum(ids is not None for ids in row) for row in rows] == [
        kind.lanes(size, thread) for thread in range(kind.threads(size))
    ]
    assert sorted(expected) == sorted(product(*map(range, size)))


KINDS = [
    LaidOut(platform, simd, ids, tiles, demanded)
    for platform in (Platform.TGLLP, Platform.DG2)
    for simd in (1, *SIMD)
    for ids in (1, 2, 3)
    for tiles in (False, True)
    for demanded in (None, (0, 1, 2), (1, 0, 2), (2, 1, 0))
]
SHAPES = [
    (1, 1, 1), (16, 16, 1), (8, 8, 1), (48, 1, 1), (6, 8, 1), (48, 8, 1), (6, 6, 1), (12, 12, 1), (32, 4, 1),
    (12, 4, 1), (4, 12, 1), (2, 12, 1), (20, 20, 1), (3, 4, 8), (8, 3, 4), (8, 8, 3), (5, 7, 3),
    (1024, 1, 1), (1, 12, 5),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_both_writings_agree_on_sizes_of_every_class(kind: LaidOut) -> None:
    """Powers of two and not, in each dimension; tiles that fill their band and not."""
    for size in SHAPES:
        agree(kind, size)


@st.composite
def sizes(draw: st.DrawFn) -> Triple:
    x = draw(st.integers(1, 1024))
    y = draw(st.integers(1, 1024 // x))
    z = draw(st.integers(1, 1024 // (x * y)))
    one, two, three = draw(st.permutations((x, y, z)))
    return one, two, three


ORDERS: list[Order | None] = [None, (0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


@given(
    st.builds(
        LaidOut,
        st.sampled_from(BY_DRIVER + BY_HARDWARE),
        st.sampled_from((1, *SIMD)),
        st.integers(0, 3),
        st.booleans(),
        st.sampled_from(ORDERS),
    ),
    sizes(),
)
def test_both_writings_agree(kind: LaidOut, size: Triple) -> None:
    """Any size up to 1,024 items."""
    agree(kind, size)


# ---------------------------------------------------------------- by hand, from the table


@pytest.mark.parametrize(
    ("platform", "size", "first", "last"),
    [
        (Platform.DG2, (16, 16, 1), (0, 0, 0), (15, 0, 0)),
        (Platform.DG2, (8, 8, 1), (0, 0, 0), (7, 1, 0)),
        (Platform.DG2, (48, 1, 1), (0, 0, 0), (15, 0, 0)),
        (Platform.DG2, (6, 8, 1), (0, 0, 0), (1, 7, 0)),
        (Platform.DG2, (48, 8, 1), (0, 0, 0), (1, 7, 0)),
        (Platform.TGLLP, (48, 8, 1), (0, 0, 0), (15, 0, 0)),
        (Platform.DG2, (6, 6, 1), (0, 0, 0), (3, 2, 0)),
    ],
)
def test_the_first_thread_of_16_lanes(platform: Platform, size: Triple, first: Triple, last: Triple) -> None:
    """The hardware takes y first where only y is a power of two, even if x is a multiple of the width."""
    row = LaidOut(platform, 16, 3).layout(size)[0]
    assert (row[0], row[-1]) == (first, last)


def test_opencl_lays_out_tiles_for_kernels_with_images_alone() -> None:
    """Groups of 32 × 4 at 8 lanes: lanes 0 and 2 have the same x; Level Zero has rows."""
    assert LaidOut(Platform.TGLLP, 8, 3, tiles=True).layout((32, 4, 1))[1] == (
        (2, 0, 0), (3, 0, 0), (2, 1, 0), (3, 1, 0), (2, 2, 0), (3, 2, 0), (2, 3, 0), (3, 3, 0),
    )  # fmt: skip
    assert LaidOut(Platform.TGLLP, 8, 3).layout((32, 4, 1))[1][0] == (8, 0, 0)


def test_lanes_past_the_size_of_the_group_are_off() -> None:
    """20 items at 16 lanes: the second thread has four."""
    kind = LaidOut(Platform.DG2, 16, 3)
    assert [kind.lanes((20, 1, 1), thread) for thread in range(3)] == [16, 4, 0]
    assert kind.layout((20, 1, 1))[1][3:5] == ((19, 0, 0), None)
