"""The table of strategies: rows in order, each held to the verdicts that it is sound for."""

from collections.abc import Callable

import pytest

from tests.refinement.test_refinement import APART, STORE_B, program
from tests.refinement.test_refinement_loops import ADD, ADD_TWICE, looping
from tests.refinement.widths import test_refinement_widths, test_width_loops
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.strategies import differences, proofs, table
from visaproof.refinement.strategies.strategy import Asked, Stages, Strategy, UnsoundAnswer, first_answer
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Vacuous, Verdict

ADDED = APART + "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n" + STORE_B


def compared(target: str = ADDED) -> Comparison:
    return compare(program(APART + STORE_B), program(target), Scope(Assume.NONE))


def row(name: str, answer: Verdict | None, *gives: type, applies: bool = True) -> Strategy:
    return Strategy(name, lambda _: applies, lambda _: answer, gives, "nothing")


def asked() -> Asked:
    return Asked(compared(), 300, Stages())


def test_the_first_row_that_answers_decides() -> None:
    rows = row("silent", None, Refines), row("one", Refines("one"), Refines), row("two", Refines("two"), Refines)
    question = asked()
    assert first_answer(rows, question) == (rows[1], Refines("one"))
    assert [(one.name, one.answer) for one in question.stages.tried] == [("silent", ""), ("one", "refines")]


def test_a_row_that_does_not_apply_is_not_tried() -> None:
    question = asked()
    assert first_answer([row("other", Refines("other"), Refines, applies=False)], question) is None
    assert question.stages.tried == []


def test_unknown_is_kept_and_the_next_row_tried() -> None:
    rows = row("first", Unknown("why"), Refines), row("second", Unknown("other"), Refines)
    question = asked()
    assert first_answer(rows, question) is None
    assert question.unknown == Unknown("why")
    assert first_answer([*rows, row("third", Vacuous(), Vacuous)], question) is not None


def test_a_verdict_that_a_row_is_not_sound_for_raises() -> None:
    with pytest.raises(UnsoundAnswer, match="runs gives no refines"):
        first_answer([row("runs", Refines("no difference in many runs"), Difference)], asked())


def test_what_is_tried_before_an_error_is_counted() -> None:
    def stop(_: Asked) -> None:
        raise KeyboardInterrupt

    question = asked()
    with pytest.raises(KeyboardInterrupt):
        first_answer([Strategy("long", lambda _: True, stop, (Refines,), "all")], question)
    assert [one.name for one in question.stages.tried] == ["long"]


def test_stages_show_what_decided_and_within_what() -> None:
    stages = Stages()
    found = decide(compared(), 300, stages)
    assert isinstance(found, Difference)
    assert ("runs", "difference") in [(one.name, one.answer) for one in stages.tried]
    with stages.part("elsewhere"), stages.timed("runs") as told:
        told.append("nothing")
    assert (stages.tried[-1].name, stages.tried[-1].answer) == ("elsewhere: runs", "nothing")


XOR = "xor (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n"
LONG_XOR = """and (M1, 8) Z(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
or (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>
add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> (-)Z(0,0)<1;1,0>
"""


def xored(target: str) -> Asked:
    one, other = (program(APART + each + STORE_B) for each in (XOR, target))
    return Asked(compare(one, other, Scope(Assume.NONE)), 5_000, Stages())


def test_what_a_solver_shows_at_once_is_not_run_at_length() -> None:
    question = xored(LONG_XOR)
    assert isinstance(decide(question.comparison, 5_000, question.stages), Refines)
    tried = [one.name for one in question.stages.tried]
    assert table.SIMPLE_STORES.name in tried
    assert "runs" not in tried
    assert table.SIMPLE_STORES.run(xored(LONG_XOR.replace("Y(", "X("))) is None


def test_a_wrong_proof_of_simple_stores_is_found_by_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "one_by_one", lambda *_: True)
    with pytest.raises(AssertionError, match="runs differ"):
        table.SIMPLE_STORES.run(xored(ADD))


@pytest.mark.parametrize("rows", [table.STRATEGIES, table.ONLY_RUNS, table.IN_ONE_MEMORY, table.SOLVED_IN_ONE_MEMORY])
def test_rows_of_a_table_have_names_of_their_own(rows: tuple[Strategy, ...]) -> None:
    assert len({one.name for one in rows}) == len(rows)


def test_runs_come_before_a_proof_by_iterations() -> None:
    """They audit it."""
    names = [one.name for one in table.STRATEGIES]
    assert names.index("few runs") < names.index(table.IN_STEP.name)


@pytest.mark.parametrize("rows", [table.STRATEGIES, table.ONLY_RUNS])
def test_only_a_run_shows_a_difference(rows: tuple[Strategy, ...]) -> None:
    """What a solver finds is run as well before it counts."""
    confirmed = {"one arbitrary place"}
    for one in rows:
        assert one.gives in ((Refines,), (Difference,), (Vacuous,)) or one.name in confirmed


def of_widths(loops: bool) -> Comparison:
    """Of two narrow threads."""
    made = test_refinement_widths.stored, test_width_loops.stored
    change = test_width_loops.ADD
    return compare(made[loops](16, change), made[loops](8, change), Scope(Assume.IDS, unroll=1))


def with_loops() -> Comparison:
    return compare(program(looping(ADD)), program(looping(ADD_TWICE)), Scope(Assume.NONE, unroll=1))


@pytest.mark.parametrize(
    ("comparison", "counts"),
    [
        (compared, {differences.TESTS}),
        (with_loops, {differences.AUDITS, differences.TESTS}),
        (lambda: of_widths(False), {differences.AUDITS, differences.TESTS}),
        (lambda: of_widths(True), {differences.AUDITS, differences.TESTS}),
    ],
    ids=["one thread", "loops", "threads", "loops of threads"],
)
def test_the_same_runs_are_made_once(
    comparison: Callable[[], Comparison], counts: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question and a number of runs fix their inputs."""
    made: list[tuple[int, int]] = []

    def noted(_: Comparison, count: int, seed: int = 0, most: int | None = None) -> None:
        made.append((seed, count))

    monkeypatch.setattr(differences, "random_test", noted)
    question = Asked(comparison(), 300, Stages())
    for one in table.STRATEGIES:
        if one.gives == (Difference,) and one.applies(question.comparison):
            assert one.run(question) is None
    assert sorted(made) == sorted({(0, count) for count in counts} | {(1, differences.LAST_TESTS)})
