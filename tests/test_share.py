"""The share of the slow tests that CI runs: seeded, and over all seeds every test."""

import pytest

from tests.conftest import in_share

NAMES = [f"tests/test_{number}.py::test" for number in range(200)]


def test_a_share_is_about_so_large_and_the_same_for_one_seed() -> None:
    half = in_share(NAMES, "1/2", "one")
    assert 70 < sum(half) < 130
    assert half == in_share(NAMES, "1/2", "one")
    assert half != in_share(NAMES, "1/2", "other")
    assert all(in_share(NAMES, "1/1", "one"))


def test_every_test_is_in_the_share_of_some_seed() -> None:
    found = [in_share(NAMES, "1/2", str(seed)) for seed in range(20)]
    assert all(any(one) for one in zip(*found, strict=True))


@pytest.mark.parametrize("share", ["0/2", "3/2", "half"])
def test_no_share_is_an_error(share: str) -> None:
    with pytest.raises(ValueError, match="is no share such as 1/2"):
        in_share(NAMES, share, "")
