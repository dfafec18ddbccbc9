"""What holds of the sizes of a launch, counted over whole launches, of which the last group may be smaller."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.launch import read_launch
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.smt import Term, evaluate, symbol, symbols_of
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[2] / "data" / "ends"
OWN, ENQUEUED, GLOBAL = "own", "enqueued", "global"
SYMBOLS = {  # which words stand for what
    "enqueued": {OWN: "local_size_x", ENQUEUED: "V0037.0", GLOBAL: "global_size_x"},
    "blocks": {OWN: "V0037.0", ENQUEUED: "enqueued_local_size_x", GLOBAL: "global_size_x"},
}


class Group(Struct, frozen=True):
    number: int
    own: int
    enqueued: int
    items: int


def groups() -> Iterator[Group]:
    for items in range(1, 25):
        for enqueued in range(1, 10):
            for first in range(0, items, enqueued):
                yield Group(first // enqueued, min(enqueued, items - first), enqueued, items)


def names_of(kernel: str) -> LaunchNames:
    read = read_kernel((DATA / f"{kernel}.visaasm").read_text(), kernel)
    launch = read_launch(DATA / "ends.ze_info", read)
    return LaunchNames(read, launch, start_of(read, launch, Assume.LAUNCH))


def values_of(names: LaunchNames, kernel: str, group: Group) -> dict[Term, int]:
    found: dict[Term, int] = {GROUP_IDS[0]: group.number}
    by_name = {str(one.payload): one for fact in names.found("global_size_x").facts for one in symbols_of(fact)}
    for what, value in ((OWN, group.own), (ENQUEUED, group.enqueued), (GLOBAL, group.items)):
        found[by_name.get(name := SYMBOLS[kernel][what]) or symbol(name, 32)] = value
    return found


@pytest.mark.parametrize("kernel", SYMBOLS)
def test_each_group_of_a_launch_is_granted(kernel: str) -> None:
    names = names_of(kernel)
    facts = names.found("global_size_x").facts
    assert all(evaluate(fact, values_of(names, kernel, one)) for one in groups() for fact in facts)


@pytest.mark.parametrize("kernel", SYMBOLS)
@pytest.mark.parametrize("other", [Group(0, 3, 8, 9), Group(1, 8, 8, 9), Group(1, 1, 8, 10)])
def test_a_group_that_no_launch_has_is_not(kernel: str, other: Group) -> None:
    """A first one that is smaller, a last one that is too large or too small."""
    names = names_of(kernel)
    facts = names.found("global_size_x").facts
    assert not all(evaluate(fact, values_of(names, kernel, other)) for fact in facts)


@pytest.mark.parametrize("kernel", SYMBOLS)
def test_the_local_size_is_that_of_the_host(kernel: str) -> None:
    names = names_of(kernel)
    values = values_of(names, kernel, last := Group(1, 1, 8, 9))
    assert evaluate(names.found("local_size_x").word.term, values) == last.enqueued
    assert evaluate(names.found(names.own_size(0)).word.term, values) == last.own
