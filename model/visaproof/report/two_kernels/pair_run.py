"""Many pairs asked side by side; what an earlier run answered is not asked again."""

from collections.abc import Generator, Sequence
from contextlib import closing

from visaproof.checking.answer_file import AnswerFile
from visaproof.checking.task_pool import Answered, Lost, side_by_side
from visaproof.pairs.keys import PairKeys
from visaproof.pairs.lists import Pair
from visaproof.report.two_kernels.pair_answers import Answer, Asker, Row, from_kept, kept, row

STATE = "answers about pairs"
"""What a state file says that it is."""


def ask_pairs(
    pairs: Sequence[Pair], asker: Asker, jobs: int, limit_s: float, state: AnswerFile | None = None
) -> Generator[tuple[int, Row]]:
    """The number of each pair and its row: those that the file has first, then the others as they are answered."""
    keys = PairKeys(asker.options)
    open_pairs: list[tuple[int, str | None]] = []
    for index, pair in enumerate(pairs):
        key = keys.key(pair) if state is not None else None
        known = from_kept(pair, state.get(key)) if state is not None and key is not None else None
        if known is None:
            open_pairs.append((index, key))
        else:
            yield index, known
    with closing(side_by_side(asker, [pairs[index] for index, _ in open_pairs], jobs, limit_s)) as answers:
        for found in answers:
            index, key = open_pairs[found.index]
            result = _row(pairs[index], found)
            answer = kept(result) if isinstance(found, Answered) else None
            if state is not None and key is not None and answer is not None:
                state.add(key, answer)
            yield index, result


def _row(pair: Pair, found: Answered[Row] | Lost) -> Row:
    return row(pair, Answer.UNKNOWN, found.reason) if isinstance(found, Lost) else found.answer
