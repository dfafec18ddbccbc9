"""Names of kernels in C++, as SYCL kernels have them."""

import string

import pytest

from visaproof.report.text.kernel_name import MOST_LETTERS, readable_name

DIGITS = "123456789" + string.ascii_uppercase


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_ZTSN3lib4copyIdLb0EEE", "lib::copy<double, false>"),
        ("_ZTSZ4mainEUlvE_", "main::{lambda()#1}"),
        ("_Z5scalePf", "scale(float*)"),
        ("copy", "copy"),
        ("_Zzzz", "_Zzzz"),
        ("", ""),
    ],
)
def test_a_mangled_name_is_shown_as_its_source_has_it(name: str, expected: str) -> None:
    assert readable_name(name) == expected


def doubled(times: int) -> str:
    """b<b<… a, a …>, b<… a, a …>>: each level is written out twice."""
    return "_ZTS1bI" + "S_I" * times + "1aS0_E" + "".join(f"S{digit}_E" for digit in DIGITS[:times])


def test_a_name_of_few_levels_is_readable() -> None:
    assert readable_name(doubled(1)) == "b<b<a, a>, b<a, a> >"


@pytest.mark.parametrize("times", [9, len(DIGITS)])
def test_a_short_name_of_which_much_would_come_stays_mangled(times: int) -> None:
    """6,000 letters, or more than there is memory."""
    assert readable_name(doubled(times)) == doubled(times)


def test_a_long_name_stays_mangled() -> None:
    long = "_ZTS" + "1a" * MOST_LETTERS
    assert readable_name(long) == long
