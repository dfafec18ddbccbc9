"""Groups whose rows are a few items longer than a pitch: where an item stands where the next row begins."""

import pytest

from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS
from visaproof.launch.ids.open_ids import MESSAGE_LANES, MOST_MORE, row_and_thread


def meet(pitch: int, row: int, rows: int, first: int, end: int) -> bool:
    """Whether two items of a message, from `first` on, are at one place."""
    places = [item // row * pitch + item % row for item in range(first, end) if item < row * rows]
    return len(set(places)) < len(places)


@pytest.mark.parametrize(("simd", "part"), [(8, 0), (16, 0), (32, 0), (32, 16)])
@pytest.mark.parametrize("pitch", [3, 16, 31, 96, 100, 225, 500, 1000])
def test_a_message_has_two_items_at_one_place_if_one_of_such_a_group_has(simd: int, part: int, pitch: int) -> None:
    lanes = part, min(simd, part + MESSAGE_LANES)
    found = row_and_thread(pitch, simd, part)
    if found is not None:
        row, rows, thread = found
        assert row * rows <= MOST_GROUP_ITEMS
        assert meet(pitch, row, rows, *(thread * simd + lane for lane in lanes))
        return
    for row in range(pitch + 1, pitch + MOST_MORE):
        for begin in range(0, MOST_GROUP_ITEMS, simd):
            assert not meet(pitch, row, MOST_GROUP_ITEMS // row, *(begin + lane for lane in lanes))
