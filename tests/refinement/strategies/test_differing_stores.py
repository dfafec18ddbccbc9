"""One store that a solver finds another than the source's: only a run of both makes it a difference."""

import pytest

from tests.refinement.test_refinement import APART, STORE_B, program
from tests.refinement.test_refinement_loops import ADD, STORE_NEXT, looping
from visaproof.checking.stages import GaveUp
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.obligations import open_surfaces, stores_of
from visaproof.refinement.scope import Scope
from visaproof.refinement.strategies import differences
from visaproof.refinement.strategies.differences import differing_store
from visaproof.refinement.strategies.strategy import Asked, Stages
from visaproof.refinement.verdicts import Difference
from visaproof.smt import Bool

OWN = STORE_B.replace("X.0", "Z.0")
SKIPPED = "(P1) goto (M1, 8) none\n"
ENTERED = f"add (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\ncmp.le (M1, 8) P1 Z(0,0)<1;1,0> X(0,0)<1;1,0>\n{SKIPPED}"
"""Lanes enter the loop where X < X + Y, which may wrap."""
WITHOUT_WRAPPING = f"cmp.le (M1, 8) P1 Y(0,0)<1;1,0> 0x0:d\n{SKIPPED}"
STORED_IN_TWO_WAYS = f"""mov (M1, 8) Z(0,0)<1> 0x7:d
cmp.eq (M1, 8) P2 X(0,0)<1;1,0> 0x63:d
(P2) {OWN}(!P2) {OWN}"""


def asked(source: str, target: str) -> Asked:
    return Asked(compare(program(source), program(target), Scope(Assume.NONE)), 5000, Stages())


def stored(value: int) -> str:
    return f"mov (M1, 8) Z(0,0)<1> {value}:d\n{OWN}"


def stores_asked_about(question: Asked) -> int:
    pairs = (stores_of(question.question, surface) for surface in open_surfaces(question.question))
    return sum(one != other for pair in pairs for one, other in zip(*pair, strict=True))


def entered(condition: str) -> str:
    body = looping(ADD + STORE_NEXT).removeprefix(APART)
    return f"{APART}{condition}{body}none:\n"


@pytest.mark.slow
def test_a_bound_that_wraps_is_found_by_a_solver() -> None:
    question = asked(entered(ENTERED), entered(WITHOUT_WRAPPING))
    found = decide(question.comparison, 5000, question.stages)
    assert isinstance(found, Difference)
    assert [one.name for one in question.stages.tried if one.answer == "difference"] == ["a store that differs"]


def test_the_same_loops_have_no_store_that_differs() -> None:
    assert differing_store(asked(entered(ENTERED), entered(ENTERED))) is None


def test_a_store_that_is_overwritten_is_no_difference() -> None:
    """The solver's values alone would show one."""
    one, other = (looping(stored(value) + STORED_IN_TWO_WAYS) for value in (1, 2))
    question = asked(one, other)
    assert stores_asked_about(question)
    assert differing_store(question) is None


def test_what_the_source_may_choose_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stores an uninitialised register."""
    one, other = looping(ADD + STORE_NEXT.replace("X.0", "Z.0")), looping(ADD + STORE_NEXT)
    assert differing_store(asked(one, other)) is None
    monkeypatch.setattr(differences, "settled", lambda comparison, found: found)
    assert differing_store(asked(one, other)) is not None


def test_one_store_that_a_solver_gives_up_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    goals: list[Bool] = []

    def gave_up(assumed: tuple[Bool, ...], goal: Bool, timeout_ms: int) -> GaveUp:
        goals.append(goal)
        return GaveUp("too long")

    monkeypatch.setattr(differences, "uncut", gave_up)
    assert differing_store(asked(looping(ADD + STORE_NEXT), looping(STORE_NEXT + ADD))) is None
    assert len(goals) == 1
