"""What was asked before is forgotten: an answer does not depend on it."""

import subprocess
import sys
from pathlib import Path

import pytest

from visaproof.cli import main
from visaproof.smt import bit_and, const, kept, symbol, terms

DATA = Path(__file__).parents[1] / "data"
KERNEL = DATA / "visaasm" / "permute_scatter" / "tgllp-O2.visaasm"
BEFORE = KERNEL.with_name("tgllp-O2-simd8.visaasm")
LAUNCH = ("--launch", str(DATA / "manifest.json"))


def _living() -> set[terms.Term]:
    return {term for entry in list(terms._interned.values()) if (term := entry()) is not None}


@pytest.mark.parametrize(
    "command",
    [
        "conflicts",
        pytest.param("bounds", marks=pytest.mark.slow),
        "refine",
        pytest.param("rules", marks=pytest.mark.slow),
    ],
)
def test_no_cache_keeps_a_term_of_an_earlier_question(command, capsys):
    """One that is not emptied would keep some: `kept` instead of `lru_cache` empties it."""
    files = {"refine": (str(BEFORE), str(KERNEL), *LAUNCH), "rules": ()}.get(command, (str(KERNEL), *LAUNCH))
    asked = (command, *files)
    main([*asked])  # what it imports has terms of its own
    terms.forget()
    before = _living()
    main([*asked])
    terms.forget()
    assert _living() <= before


def test_what_is_kept_is_forgotten():
    calls = []

    @kept(4)
    def masked(number: int) -> terms.BitVec:
        calls.append(number)
        return bit_and(symbol("x", 8), const(number, 8))

    assert masked(3) is masked(3)
    terms.forget()
    masked(3)
    assert calls == [3, 3]


@pytest.mark.slow
def test_an_answer_is_that_of_a_new_process(capsys):
    """Of these two kernels the second had another example where the first was asked before."""
    fresh = subprocess.run(
        [sys.executable, "-m", "visaproof", "conflicts", str(KERNEL), *LAUNCH], stdout=subprocess.PIPE, text=True
    )
    main(["conflicts", str(BEFORE), *LAUNCH])
    capsys.readouterr()
    assert main(["conflicts", str(KERNEL), *LAUNCH]) == fresh.returncode
    assert capsys.readouterr().out == fresh.stdout
