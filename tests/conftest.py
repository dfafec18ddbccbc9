"""Settings of every test: Hypothesis draws the same examples in each run, and takes the time it needs.

@pytest.mark.slow(but=2) leaves two cases of a test quick, of those that are spread over its parameters.

--share 1/2 --seed WORD runs that share of the slow tests, another one for each seed: what CI has time for.
"""

from collections.abc import Iterable
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")


@pytest.fixture
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the runs that look for a difference, one in nine: for tests of what must not be proved, which runs only hide.

    Not for tests that say that no run is a difference.
    """
    for name, count in (("TESTS", 8), ("LAST_TESTS", 60), ("LAST_RUNS", 60)):
        monkeypatch.setattr(f"visaproof.refinement.strategies.differences.{name}", count)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", default="1/1", metavar="N/M", help="of the slow tests, N in M are run")
    parser.addoption("--seed", default="", metavar="WORD", help="which of them")


def in_share(names: Iterable[str], share: str, seed: str) -> list[bool]:
    """Whether each of these tests is in a share such as `1/2`.  Raises ValueError for what is none."""
    taken, of = (int(word) if word.isdecimal() else 0 for word in f"{share}/".split("/")[:2])
    if not 0 < taken <= of:
        raise ValueError(f"--share {share} is no share such as 1/2")
    return [crc32(f"{seed} {name}".encode()) % of < taken for name in names]


def quick_cases(count: int, but: int) -> list[int]:
    """Which of so many cases are quick under `@pytest.mark.slow(but=2)`: that many, spread over them."""
    return [count * place // but for place in range(min(but, count))] if count > but else list(range(count))


def _take_mark_from_quick_cases(items: list[pytest.Item]) -> None:
    cases: dict[tuple[object, ...], list[pytest.Item]] = {}
    for item in items:
        marker = item.get_closest_marker("slow")
        if marker is not None and marker.kwargs:
            cases.setdefault((item.parent, getattr(item, "originalname", item.name), marker.kwargs["but"]), []).append(
                item
            )
    for (*_, but), of_one in cases.items():
        for place in quick_cases(len(of_one), int(str(but))):
            of_one[place].own_markers = [mark for mark in of_one[place].own_markers if mark.name != "slow"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _take_mark_from_quick_cases(items)
    slow = [item for item in items if item.get_closest_marker("slow") is not None]
    kept = in_share((item.nodeid for item in slow), str(config.getoption("--share")), str(config.getoption("--seed")))
    left_out = {item for item, is_kept in zip(slow, kept, strict=True) if not is_kept}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
