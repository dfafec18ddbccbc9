"""Tasks in processes: one that ends, or never does, loses only its own task."""

import os
from contextlib import closing
from multiprocessing import active_children
from time import sleep

import pytest

from visaproof.checking.task_pool import Answered, Lost, in_order, side_by_side


def work(task: str) -> str:
    if task == "dies":
        os._exit(3)
    if task == "hangs":
        sleep(600)
    if task == "late":
        sleep(0.5)
    if task == "raises":
        raise ValueError("no such letter")
    return task.upper()


@pytest.mark.slow
def test_every_task_is_answered_or_lost():
    """A process that ends, or whose time is over, is another's place; the answers come with their numbers."""
    tasks = ["a", "dies", "b", "hangs", "c", "dies"]
    with closing(side_by_side(work, tasks, 2, 8.0)) as found:
        results = {one.index: one for one in found}
    assert [index for index in sorted(results) if isinstance(results[index], Lost)] == [1, 3, 5]
    assert results[0] == Answered(0, "A")
    assert results[4] == Answered(4, "C")
    assert results[3] == Lost(3, "no answer within 8 s")
    assert "its process ended (3)" in str(results[1])
    assert not active_children()


def test_no_process_is_left_when_nobody_asks_any_more():
    with closing(side_by_side(work, ["a", "hangs", "hangs"], 2, 600)) as found:
        assert next(found) == Answered(0, "A")
        assert active_children()
    assert not active_children()


def test_answers_in_order_wait_for_those_before_them():
    with closing(in_order(work, ["late", "a", "dies", "b"], 2)) as found:
        first, second, third, last = found
    assert (first, second, last) == (Answered(0, "LATE"), Answered(1, "A"), Answered(3, "B"))
    assert isinstance(third, Lost)


def test_what_a_task_raises_is_raised_where_its_answer_is_asked_for():
    """Its cause says where in the process."""
    with (
        pytest.raises(ValueError, match="no such letter") as raised,
        closing(in_order(work, ["a", "raises"], 2)) as found,
    ):
        list(found)
    assert "in work" in str(raised.value.__cause__)
    assert not active_children()


def test_nothing_to_do_starts_no_process():
    assert list(side_by_side(work, [], 2, 1)) == []
