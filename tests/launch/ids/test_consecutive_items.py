"""What is said of two lanes of one message, against the items that threads of groups of all kinds run."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.launch.ids.test_launched_ids import kernel, known_of, launch
from visaproof.isa.platform import Platform
from visaproof.launch.ids.consecutive_items import in_one_message
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_words import BITS
from visaproof.launch.ids.local_ids import XYZ, LaidOut, Triple
from visaproof.smt import BitVec, const
from visaproof.smt.answers import Satisfiable
from visaproof.smt.solvers import solve

MOST = 15
SIDES = st.tuples(*(st.sampled_from((1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 64)) for _ in range(3)))
ORDERS = st.sampled_from((None, XYZ, (1, 0, 2), (2, 1, 0), (0, 2, 1)))
PLATFORMS = st.sampled_from((Platform.TGLLP, Platform.DG2))


def words(of: Triple) -> tuple[BitVec, BitVec, BitVec]:
    x, y, z = (const(one, BITS) for one in of)
    return x, y, z


def may_follow(way: LaidOut, size: Triple, one: Triple, other: Triple) -> bool:
    code = kernel(way.simd)
    shape = GroupShape(code, launch(code, way.simd, **known_of(way)), way.simd)
    formula = in_one_message(shape, *map(words, (size, one, other)), most=MOST)
    assert formula is not None
    return isinstance(solve([formula], 10_000), Satisfiable)


def items(way: LaidOut, size: Triple) -> list[Triple]:
    return list(way.items(size))


@given(platform=PLATFORMS, order=ORDERS, size=SIDES, data=st.data())
def test_it_holds_of_two_items_iff_they_are_less_than_a_message_apart(
    platform: Platform, order: tuple[int, int, int] | None, size: Triple, data: st.DataObject
) -> None:
    way = LaidOut(platform, 16, 3, False, order)
    found = items(way, size)
    assume(1 < len(found) <= 1024)
    first = data.draw(st.integers(0, len(found) - 1))
    near = st.integers(max(0, first - MOST - 2), min(len(found) - 1, first + MOST + 2))
    other = data.draw(st.one_of(near, st.integers(0, len(found) - 1)))
    assert may_follow(way, size, found[first], found[other]) == (0 < other - first <= MOST)


@pytest.mark.parametrize("size", [(1, 17, 2), (17, 2, 1), (3, 1, 40), (1, 1, 1024)])
def test_so_do_all_lanes_of_messages_in_groups_of_odd_sizes(size: Triple) -> None:
    way = LaidOut(Platform.DG2, 16, 3, False, XYZ)
    found = items(way, size)
    for first in range(0, min(len(found), 64), 7):
        for later in range(first + 1, min(len(found), first + MOST + 1)):
            assert may_follow(way, size, found[first], found[later])


def test_nothing_is_said_of_tiles() -> None:
    way = LaidOut(Platform.TGLLP, 16, 3, True, None)
    code = kernel(16, "XY")
    shape = GroupShape(code, launch(code, 16, **known_of(way)), 16)
    assert in_one_message(shape, *map(words, ((8, 8, 1), (0, 0, 0), (1, 0, 0))), most=MOST) is None
