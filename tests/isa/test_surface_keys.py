"""A surface's name is read by what made it, and by nothing else."""

import pickle

import pytest

from visaproof.isa.surface_keys import (
    AtPayloadByte,
    HandleNumber,
    ObservedRegister,
    OfArgument,
    StateAt,
    SurfaceKey,
    TableEntry,
    argument_number,
    by_handle,
    surface_key,
)
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner

KEYS: list[SurfaceKey] = [
    TableEntry(3),
    StateAt("V0034", 20),
    StateAt("V0034", 20, line=7),
    HandleNumber(64),
    OfArgument(2),
    AtPayloadByte(32),
    ObservedRegister("V 1.2"),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_key_is_read_back_from_its_name(key: SurfaceKey) -> None:
    assert surface_key(str(key)) == key


@pytest.mark.parametrize(
    "name", ["%slm", "flat", "T6", "bti V.8", "bti 3 after barrier 1", "bindless 64", "argument x"]
)
def test_other_names_say_nothing(name: str) -> None:
    assert surface_key(name) is None
    assert argument_number(name) is None


def test_a_handle_that_is_a_constant_is_one_too() -> None:
    assert by_handle("bindless 64")
    assert by_handle(str(StateAt("V0034", 20, line=7)))
    assert not by_handle(str(TableEntry(1)))


def test_an_argument_of_the_same_text_is_no_inner_name() -> None:
    stride = InnerName(Kind.STRIDE, 0)
    assert is_inner(stride, Kind.STRIDE)
    assert not is_inner(stride, Kind.COUNTER)
    assert not is_inner("stride 0", Kind.STRIDE)


def test_an_inner_name_survives_the_way_to_another_process() -> None:
    name = pickle.loads(pickle.dumps(InnerName(Kind.COUNTER, 2)))
    assert (name, name.kind, name.number) == ("loop 2", Kind.COUNTER, 2)
