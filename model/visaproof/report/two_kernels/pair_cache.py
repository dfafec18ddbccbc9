"""Pairs of which the answer is known from an earlier run."""

from collections.abc import Sequence

from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.pairs.keys import PairKeys
from visaproof.pairs.lists import Pair
from visaproof.report.two_kernels.pair_rows import Answer, Row, from_kept, kept, row

KIND = "pairs"
"""Of answers, in a cache."""

Open = tuple[int, str | None]
"""The number of a pair that has to be asked, and the key of its answer."""


def recalled(
    pairs: Sequence[Pair], keys: PairKeys, cache: VerdictCache | None, *, fresh: bool = False
) -> tuple[dict[int, Row], list[Open]]:
    """The rows that the cache has, by the number of the pair, and the open pairs: all, if they are wanted fresh."""
    rows: dict[int, Row] = {}
    left: list[Open] = []
    for index, pair in enumerate(pairs):
        key = keys.key(pair) if cache is not None else None
        known = None if cache is None or key is None or fresh else from_kept(pair, cache.get(key))
        if known is None:
            left.append((index, key))
        else:
            rows[index] = known
    return rows, left


def remember(cache: VerdictCache | None, key: str | None, found: Row) -> None:
    """Keeps an answer that the next run would give as well."""
    answer = kept(found)
    if cache is not None and key is not None and answer is not None:
        cache.add(key, answer)


def not_in_cache(pairs: Sequence[Pair], left: Sequence[Open]) -> dict[int, Row]:
    """What is said of pairs that may not be asked."""
    return {index: row(pairs[index], Answer.UNKNOWN, "not asked: no answer is in the cache") for index, _ in left}
