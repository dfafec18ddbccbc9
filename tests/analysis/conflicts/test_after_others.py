"""Scatters whose lanes collide where those of an earlier scatter do."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.support.rows import PITCH, PLUS_X, asked, launch, rows
from visaproof.analysis.conflicts import verdicts
from visaproof.analysis.conflicts.after_others import (
    candidates,
    evaluated,
    excluded_by_others,
    solved,
    whatever_is_stored,
)
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.thread_states import Values
from visaproof.analysis.conflicts.verdicts import Answer, Conflict, Free
from visaproof.checking.shrink import minimised
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.machine.concrete.run import Outcome, run
from visaproof.report.one_kernel.conflict_records import finding_record
from visaproof.report.one_kernel.conflicts import finding_lines
from visaproof.report.one_kernel.launch_search import LaunchSearch
from visaproof.report.records.conflicts import Refuted
from visaproof.smt import Bool, conj, symbol
from visaproof.smt.answers import Satisfiable
from visaproof.smt.evaluate import all_hold
from visaproof.smt.solvers import solve

BYTES = "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n"
STORE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
FURTHER = "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x40:ud\n"
BY_DATA = "    gather4_scaled.R (M1, 8) T6 0x0:ud A.0 D.0\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>\n"
OF_LONG_ROWS = "    cmp.eq (M1, 8) P1 N(0,0)<0;1,0> 0x400:ud\n    (P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n"
AGAIN = "    cmp.lt (M1, 8) P1 A(0,0)<1;1,0> 0x10000:ud\n    (P1) goto (M1, 8) again{0}\n"
LOOP = "again{0}:\n    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> N(0,0)<0;1,0>\n" + AGAIN
LOOP_OVER_DATA = "again{0}:\n" + BY_DATA + AGAIN
RET = "    ret (M1, 1)\n"
LEFT_OPEN = "    mov (M1_NM, 1) D(0,0)<1> P1\n"
PLUS_OPEN = "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> D(0,0)<0;1,0>\n"
ROWS = PITCH + PLUS_X + BYTES + STORE


def positions(rows: KernelAnswers) -> tuple[Position, Position]:
    first, second = rows.positions
    return first, second


def answer_of(rows: KernelAnswers, position: Position) -> Answer:
    return next(one.answer for one in rows.answers() if one.question.instruction.position == position)


def evaluated_of(rows: KernelAnswers, values: Values) -> Iterator[tuple[int, Values]]:
    return evaluated(rows.questions[1], rows.asked, [values])


def test_one_launch_shows_the_conflicts_of_two_scatters_at_a_distance() -> None:
    """Only with a first store outside of its surface would the lanes of the second collide alone."""
    rows = asked(ROWS + FURTHER + STORE + RET)
    first, second = positions(rows)
    found = answer_of(rows, second)
    assert isinstance(found, Conflict)
    assert found.after == first
    alone = run(rows.kernel, found.state.copy())
    assert alone.undefined is not None
    assert alone.undefined.position == first
    past = run(rows.kernel, found.state.copy(), past_collisions=True)
    assert past.undefined is None
    assert [past.performed[place].instruction.position for place in past.collided] == [first, second]


def test_a_scatter_whose_rows_are_long_is_free_after_a_conflict() -> None:
    rows = asked(ROWS + FURTHER + OF_LONG_ROWS + RET)
    first, second = positions(rows)
    assert isinstance(answer_of(rows, first), Conflict)
    assert isinstance(answer_of(rows, second), Free)


def test_lanes_that_collide_where_earlier_ones_do_are_free() -> None:
    """The same place again: the run is undefined before."""
    rows = asked(ROWS + STORE + RET)
    _, second = positions(rows)
    assert isinstance(answer_of(rows, second), Free)
    assert excluded_by_others(rows.questions[1], range(len(rows.questions[1].pairs)), lambda: "")


@pytest.mark.parametrize(("body", "whatever"), [(FURTHER, True), (BY_DATA, False)])
def test_what_colliding_lanes_store_may_decide_where_others_do(body: str, whatever: bool) -> None:
    rows = asked(ROWS + body + STORE + RET)
    first, _ = positions(rows)
    question = rows.questions[1]
    condition = conj(*question.premises, question.pairs[0].meet)
    assert whatever_is_stored(rows.asked.trace, first, condition) == whatever


@pytest.mark.parametrize(
    ("before", "between", "whatever"),
    [
        (LOOP, FURTHER, True),
        (LOOP_OVER_DATA, FURTHER, True),
        ("", LOOP_OVER_DATA, False),
        (LOOP, LOOP_OVER_DATA, False),
        (LOOP, BY_DATA, False),
    ],
)
def test_what_a_loop_leaves_is_there_before_a_message_that_depends_on_it(
    before: str, between: str, whatever: bool
) -> None:
    """A loop behind the first scatter may load what the lanes of that store."""
    body = ROWS.removesuffix(STORE) + before.format(1) + STORE + between.format(2) + STORE + RET
    rows = asked(body, timeout_ms=500)
    first, *_, last = rows.positions
    question = next(one for one in reversed(rows.questions) if one.instruction.position == last)
    condition = conj(*question.premises, question.pairs[0].meet)
    assert whatever_is_stored(rows.asked.trace, first, condition) == whatever


@pytest.mark.parametrize(("before", "between", "whatever"), [(LEFT_OPEN, "", True), ("", LEFT_OPEN, False)])
def test_what_was_left_open_before_a_message_stays_what_it_was(before: str, between: str, whatever: bool) -> None:
    """The upper bits of D; behind the first scatter they may be whatever its lanes stored."""
    rows = asked(ROWS.removesuffix(STORE) + before + STORE + between + PLUS_OPEN + STORE + RET, timeout_ms=500)
    first, last = positions(rows)
    question = rows.questions[-1]
    assert whatever_is_stored(rows.asked.trace, first, conj(*question.premises, question.pairs[0].meet)) == whatever
    found = answer_of(rows, last)
    assert (isinstance(found, Conflict) and found.after == first) == whatever


def test_what_an_iteration_finds_may_depend_on_what_those_before_stored() -> None:
    """Both scatters speak of the loop that is around them."""
    within = "    goto (M1, 8) test\nagain2:\n" + STORE + FURTHER + STORE + BY_DATA + "test:\n" + AGAIN.format(2)
    code = rows(ROWS.removesuffix(STORE) + within + RET)
    found = ask_kernel(code, Platform.TGLLP, launch(code), Assume.LAUNCH, 500, unroll=0)
    first, second = positions(found)
    question = next(one for one in found.questions if one.instruction.position == second)
    assert question.performed.any_round
    assert not whatever_is_stored(found.asked.trace, first, question.pairs[0].meet)


@pytest.mark.parametrize(("body", "offered"), [(FURTHER, True), (BY_DATA, False)])
def test_values_that_no_run_can_confirm_are_not_tried(body: str, offered: bool) -> None:
    """Those that show the conflict of the first scatter, where data leads the lanes of the second to one place."""
    rows = asked(ROWS + body + STORE + RET)
    first, _ = positions(rows)
    shown = answer_of(rows, first)
    assert isinstance(shown, Conflict)
    found = [values for _, values in candidates(rows.questions[1], rows.asked, evaluated_of(rows, shown.values))]
    assert any(not all_hold(rows.questions[1].earlier, values) for values in found) == offered


def test_values_under_which_nothing_is_undefined_before_are_tried() -> None:
    """Data leads the lanes of the second scatter to one place, and those of the first are apart."""
    question = (rows := asked(ROWS + BY_DATA + STORE + RET)).questions[1]
    answer = solve([*question.premises, *question.earlier, question.pairs[0].meet], 20_000)
    assert isinstance(answer, Satisfiable)
    found = [values for _, values in candidates(question, rows.asked, evaluated_of(rows, answer.values))]
    assert any(all_hold(question.earlier, values) for values in found)


def test_values_are_made_smaller_beside_earlier_messages_only_where_these_are_defined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def smaller(values: Values, assumptions: Sequence[Bool], goal: Bool) -> Values:
        assert all_hold(assumptions, values)
        return minimised(values, assumptions, goal)

    rows = asked(ROWS + FURTHER + STORE + RET)
    shown = answer_of(rows, rows.positions[0])
    assert isinstance(shown, Conflict)
    monkeypatch.setattr(verdicts, "minimised", smaller)
    question, confirmed = rows.questions[1], verdicts._confirmed  # pyright: ignore[reportPrivateUsage]
    index, values = next(candidates(question, rows.asked, evaluated_of(rows, shown.values)))
    assert not all_hold(question.earlier, values)
    premise, pair = conj(*question.premises), question.pairs[index]
    assert confirmed(question, rows.asked, premise, pair, values, lambda *_: None) is None


def test_data_that_was_loaded_before_does_not_depend_on_colliding_lanes() -> None:
    rows = asked(PITCH + PLUS_X + BYTES + BY_DATA + STORE + FURTHER + STORE + RET)
    first, _ = positions(rows)
    question = rows.questions[1]
    assert whatever_is_stored(rows.asked.trace, first, question.pairs[0].meet)


def test_a_run_ends_at_the_first_collision_unless_it_is_to_go_on() -> None:
    rows = asked(ROWS + STORE + RET)
    first, _ = positions(rows)
    found = answer_of(rows, first)
    assert isinstance(found, Conflict)
    ended = run(rows.kernel, found.state.copy())
    assert (len(ended.performed), ended.collided) == (1, ())
    went_on = run(rows.kernel, found.state.copy(), past_collisions=True)
    assert (len(went_on.performed), went_on.collided) == (2, (0, 1))


def test_the_answer_names_the_scatter_whose_lanes_collide_before() -> None:
    rows = asked(ROWS + FURTHER + STORE + RET)
    _, second = list(rows.answers())
    assert isinstance(second.answer, Conflict)
    launch = LaunchSearch(rows, ()).of_conflict(second)
    assert launch is not None
    assert list(launch.lines()) == [
        f"no launch is shown: a run of one ends at the conflict of line {rows.positions[0].line}"
    ]
    record = finding_record(rows, second)
    assert isinstance(record, Refuted)
    assert record.after == rows.positions[0].line
    text = "\n".join(finding_lines(rows, second, record))
    assert f"(replayed after the conflict of line {record.after})" in text


LONG = """    mov (M1_NM, 1) D(0,0)<1> 0x0:ud
again:
    add (M1_NM, 1) D(0,0)<1> D(0,0)<0;1,0> 0x1:ud
    cmp.lt (M1_NM, 8) P1 D(0,0)<0;1,0> 0x4000:ud
    (P1) goto (M1, 1) again
"""
"""More statements than a run may have."""


@pytest.mark.slow
def test_what_comes_after_the_collision_need_not_end() -> None:
    rows = asked(ROWS + FURTHER + STORE + LONG + RET)
    first, second = positions(rows)
    found = answer_of(rows, second)
    assert isinstance(found, Conflict)
    assert found.after == first


STRIDED = "    mul (M1, 8) A(0,0)<1> X(0,0)<1;1,0> N(0,0)<0;1,0>\n" + BYTES
GUARDED = "    cmp.{} (M1_NM, 8) P1 Y(0,7)<0;1,0> {}:uw\n    (P1) " + STORE.strip() + "\n"
TWO = STRIDED + GUARDED.format("gt", "0x0") + FURTHER + GUARDED.format("eq", "0x7") + RET
"""With a stride of 0 lanes collide; the second scatter needs another number beside it than any above 0."""


def test_where_one_run_does_not_end_other_values_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = asked(TWO, assume=Assume.NONE)
    first, second = positions(rows)
    past = list[bool]()

    def once_too_long(*arguments: Any, **options: Any) -> Outcome:
        past.append(options.get("past_collisions", False))
        if past[-1] and past.count(True) == 1:
            raise NotModelled("a run of more than 10000 statements", first)
        return run(*arguments, **options)

    monkeypatch.setattr(verdicts, "run", once_too_long)
    _, found = (one.answer for one in rows.answers() if one.question.instruction.position in (first, second))
    assert isinstance(found, Conflict)
    assert found.after == first
    assert past.count(True) > 1


def test_values_are_tried_that_are_0_where_those_of_a_conflict_are() -> None:
    rows = asked(TWO, assume=Assume.NONE)
    first, second = positions(rows)
    shown = answer_of(rows, first)
    assert isinstance(shown, Conflict)
    beside, question = symbol("beside", 32), rows.questions[1]
    index, values = next(
        candidates(question, rows.asked, solved(question, rows.asked, [{**shown.values, beside: 7}], {}))
    )
    assert all_hold([*question.premises, question.pairs[index].meet], values)
    assert not any(values.get(one) for one, value in shown.values.items() if one.width and not value)
    assert values[beside] == 7
    found = answer_of(rows, second)
    assert isinstance(found, Conflict)
    assert found.after == first
