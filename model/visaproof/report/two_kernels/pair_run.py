"""Many pairs asked side by side; what an earlier run answered is not asked again."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.checking.task_pool import Answered, Lost, side_by_side
from visaproof.pairs.keys import PairKeys
from visaproof.pairs.lists import Pair
from visaproof.report.two_kernels.pair_answers import Asker
from visaproof.report.two_kernels.pair_cache import Open, recalled, remember
from visaproof.report.two_kernels.pair_rows import Answer, Row, row


def ask_pairs(
    pairs: Sequence[Pair], asker: Asker, jobs: int, limit_s: float, cache: VerdictCache | None = None
) -> Generator[tuple[int, Row]]:
    """The number of each pair and its row: those that the cache has first, then the others as they are answered."""
    rows, left = recalled(pairs, PairKeys(asker.options), cache)
    yield from rows.items()
    with closing(ask_open(pairs, left, asker, jobs, limit_s, cache)) as answers:
        yield from answers


def ask_open(
    pairs: Sequence[Pair],
    left: Sequence[Open],
    asker: Asker,
    jobs: int,
    limit_s: float,
    cache: VerdictCache | None,
    scheduler: str | None = None,
    files: Callable[[Pair], Sequence[Path]] = lambda _: (),
) -> Generator[tuple[int, Row]]:
    """The rows of the pairs that are open; one whose process died is asked once more."""
    again: list[Open] = []
    for chosen in (left, again):
        asked = [pairs[index] for index, _ in chosen]
        with closing(_pool(asker, asked, jobs, limit_s, scheduler, files)) as answers:
            for found in answers:
                index, key = chosen[found.index]
                if isinstance(found, Lost) and found.died and chosen is left:
                    again.append(chosen[found.index])
                    continue
                result = _row(pairs[index], found)
                if isinstance(found, Answered):
                    remember(cache, key, result)
                yield index, result


def _pool(
    asker: Asker,
    pairs: Sequence[Pair],
    jobs: int,
    limit_s: float,
    scheduler: str | None,
    files: Callable[[Pair], Sequence[Path]],
) -> Generator[Answered[Row] | Lost]:
    if scheduler is None:
        return side_by_side(asker, pairs, jobs, limit_s)
    from visaproof.checking.cluster.client import on_cluster

    return on_cluster(asker, pairs, scheduler, limit_s, files)


def _row(pair: Pair, found: Answered[Row] | Lost) -> Row:
    return row(pair, Answer.UNKNOWN, found.reason) if isinstance(found, Lost) else found.answer
