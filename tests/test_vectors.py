"""What other people's implementations did, against both writings of the pages.

The vectors come from Intel's C-for-Metal emulator, Mesa's lavapipe and llvmpipe, and PoCL; what each row may be
compared for is in its `check`, and which deviations the sources have is in the README beside it.
"""

from collections import Counter
from pathlib import Path

import pytest

from visaproof.vectors.comparison import Agrees, NotComparable, compare, read_rows

FILE = Path(__file__).parents[2] / "shared" / "vectors" / "sample.jsonl"

AGREE = {
    "SCATTER4_SCALED": 66,
    "GATHER4_SCALED": 74,
    "OWORD_LD": 31,
    "OWORD_ST": 27,
    "QW_SCATTER": 28,
    "QW_GATHER": 27,
    "TYPED_ATOMIC": 120,
    "DWORD_ATOMIC": 214,
    "SVM_ATOMIC": 23,
    "LSC_ATOMIC": 15,
}
"""How many rows there are of each kind: a row that is skipped without a reason would change them."""


@pytest.fixture(scope="module")
def answers() -> dict[str, list[object]]:
    if not FILE.is_file():
        pytest.skip(f"the vectors are not part of the repository: no {FILE}")
    found: dict[str, list[object]] = {}
    for position, row in read_rows(FILE):
        found.setdefault(row.instr, []).append(compare(row, position))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("page", AGREE)
def test_both_writings_do_what_other_implementations_did(page: str, answers: dict[str, list[object]]) -> None:
    others = [answer for answer in answers[page] if not isinstance(answer, Agrees)]
    assert [answer for answer in others if not isinstance(answer, NotComparable)] == []
    assert len(answers[page]) - len(others) == AGREE[page], Counter(map(str, others))
