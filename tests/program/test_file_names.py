"""Names of files made of names that C++ gives."""

from pathlib import Path

import pytest

from visaproof.isa.errors import Position
from visaproof.program.file_names import LONGEST, file_name, place_name
from visaproof.visaasm.linking.names import functions_beside

LONG = "_ZTSN4sycl3_V16detail" + "18RoundedRangeKernel" * 20


def test_a_short_name_stays_but_for_what_no_file_should_have() -> None:
    assert file_name("vadd") == "vadd"
    assert file_name("a::b<int>/c") == "a__b_int__c"


def test_long_names_are_told_apart_by_what_is_cut_off() -> None:
    one, other = file_name(f"{LONG}1"), file_name(f"{LONG}2")
    assert one != other
    assert len(one) == len(other) == LONGEST
    assert one.startswith(LONG[:100])


def test_a_place_in_a_kernel_with_a_long_name_fits_a_file_system() -> None:
    assert len(place_name(LONG, Position(f"{LONG}.visaasm", 12, 1)).encode()) < 200
    assert place_name("vadd", Position("dumps/vadd_b.visaasm", 12, 1)) == "vadd-vadd_b-line-12"


@pytest.mark.parametrize("length", [240, 251, 300])
def test_a_file_whose_functions_would_have_too_long_names_has_none(length: int, tmp_path: Path) -> None:
    assert functions_beside(tmp_path / f"{'k' * length}.visaasm") == {}
