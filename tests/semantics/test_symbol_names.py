"""What symbols stand for: kinds are told apart by their class, whatever they print."""

import pytest

from visaproof.semantics.symbolic.names import (
    Extent,
    LaneOn,
    SurfaceSize,
    extents_like,
    extents_of,
    is_extent,
    is_lane,
    is_of_memory,
    is_size,
    lane_on,
    surface_size,
)
from visaproof.smt import bool_symbol, symbol
from visaproof.smt.z3_backend import Lowering


def test_equal_names_are_one_symbol_and_print_as_before() -> None:
    assert surface_size("bti 1") is surface_size("bti 1")
    assert str(surface_size("bti 1").payload) == "size.bti 1"
    assert [str(one.payload) for one in extents_of("T6", 2)] == ["width.T6.2", "height.T6.2", "depth.T6.2"]
    assert lane_on(3).payload == LaneOn(3)


def test_a_register_called_size_is_no_size_of_a_surface() -> None:
    register, flag = symbol("size.0", 40), bool_symbol("em.0")
    assert not is_size(register)
    assert register is not surface_size("0")
    assert not is_lane(flag)
    assert flag is not lane_on(0)
    assert not is_of_memory(symbol("memory.0", 32))


def test_an_extent_is_a_size_and_a_size_in_bytes_no_extent() -> None:
    width = extents_of("T6", 0)[0]
    assert width.payload == Extent("width", "T6", 0)
    assert is_size(width)
    assert is_extent(width)
    assert isinstance(surface_size("T6").payload, SurfaceSize)
    assert not is_extent(surface_size("T6"))


def test_extents_like_others_have_their_widths() -> None:
    extents = extents_of("T6", 1, (8, 16, 32))
    assert [one.width for one in extents_like(extents, "T7", 0)] == [8, 16, 32]


def test_z3_refuses_two_symbols_that_print_alike() -> None:
    lowering = Lowering()
    lowering.lower(surface_size("0"))
    lowering.lower(surface_size("0"))
    lowering.lower(symbol("size.0", 32))  # of another width: z3 tells them apart
    with pytest.raises(ValueError, match="two symbols"):
        lowering.lower(symbol("size.0", 40))
