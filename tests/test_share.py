"""The share of the slow tests that CI runs: seeded, and over all seeds every test."""

from pathlib import Path

import pytest

from tests.conftest import in_share, quick_cases

CONFTEST = Path(__file__).with_name("conftest.py")
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


def test_quick_cases_are_spread_over_all() -> None:
    assert quick_cases(10, 2) == [0, 5]
    assert quick_cases(3, 5) == [0, 1, 2]
    assert quick_cases(7, 3) == [0, 2, 4]


def test_a_slow_test_keeps_so_many_quick_cases(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST.read_text("utf-8"))
    pytester.makeini("[pytest]\nmarkers = slow\naddopts = -q")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.slow(but=1)
        @pytest.mark.parametrize("case", range(4))
        def test_cases(case): pass

        @pytest.mark.slow
        def test_alone(): pass
    """)
    quick = pytester.inline_run("-m", "not slow")
    slow = pytester.inline_run("-m", "slow")
    assert quick.countoutcomes() == [1, 0, 0]
    assert slow.countoutcomes() == [4, 0, 0]
