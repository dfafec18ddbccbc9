"""Relations between arguments and the launch: stated ones bound the question, missing ones are named where proved."""

from pathlib import Path
from time import process_time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.rows import COLUMNS_ALIKE, PITCH, PLUS_X, ROWS, STORE, STRIDED, asked
from visaproof.analysis.conflicts import kernel
from visaproof.analysis.conflicts.any_items.products import without_products
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.lane_conditions import Excluded
from visaproof.analysis.conflicts.missing_relations import Missing, MissingRelations
from visaproof.analysis.conflicts.records import conflict_record
from visaproof.analysis.conflicts.verdicts import Conflict, Free, Undecided
from visaproof.checking.counterexample import Counterexample, read_counterexample, write_counterexample
from visaproof.checking.replay import replay
from visaproof.isa.errors import LimitReached
from visaproof.launch.assumptions import Assume
from visaproof.launch.relations.obeyed_relations import HeldName, ObeyedRelation
from visaproof.report.one_kernel.conflict_records import finding_record
from visaproof.report.one_kernel.conflicts import finding_lines
from visaproof.report.records.conflicts import Refuted
from visaproof.smt import Term, add, eq, evaluate, mul, scale, symbol, symbols_of, zero_extend
from visaproof.smt.limit import Limit

TWO_DWORDS = (
    PITCH
    + "    mad (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x2:uw A(0,0)<1;1,0>\n"
    + "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n"
    + "    scatter4_scaled.RG (M1, 8) T6 0x0:ud A.0 D.0\n    ret (M1, 1)\n"
)
"""Two dwords of each work item: places at other distances than 0 are compared as well."""
WIDE_ROWS = PITCH + "    mad (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x2:uw A(0,0)<1;1,0>\n" + STORE
FLAT = "    mov (M1, 8) A(0,0)<1> Y(0,0)<1;1,0>\n    mov (M1, 8) A(0,0)<1> X(0,0)<1;1,0>\n" + STORE
"""It reads ids in y, and writes at those in x."""
GUARDED = (
    "    cmp.eq (M1, 8) P1 N(0,0)<0;1,0> 0x0:ud\n"
    + PITCH
    + PLUS_X
    + STORE.replace("    scatter4_scaled", "    (P1) scatter4_scaled")
)
"""Nothing is written unless the pitch is 0."""


def verdict(answers: KernelAnswers) -> Free | Conflict | None:
    (finding,) = answers.answers()
    return finding.answer if isinstance(finding.answer, Free | Conflict) else None


def missing(body: str) -> Missing | None:
    (finding,) = asked(body).answers()
    assert isinstance(finding.answer, Conflict)
    return finding.missing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ROWS, "n >= local_size_x and n < 1048576"),
        (WIDE_ROWS, "n >= 2*local_size_x and n < 1048576"),
        (STRIDED, "n >= 1 and n < 1048576"),
        (FLAT, "local_size_y == 1"),
    ],
)
def test_the_missing_relation_is_named_and_suffices(body: str, expected: str) -> None:
    found = missing(body)
    assert found is not None
    assert str(found) == expected
    stated = verdict(asked(body, *map(str, found.relations)))
    assert isinstance(stated, Free)
    assert not stated.vacuous


@pytest.mark.parametrize(
    ("body", "weaker"),
    [
        (ROWS, ("n >= 1", "n == 3")),
        (ROWS, ("n >= local_size_y", "n == 2")),
        (WIDE_ROWS, ("n >= local_size_x", "n == 4")),
        (STRIDED, ("n < 1048576",)),
    ],
)
def test_what_comes_before_the_named_one_does_not_suffice(body: str, weaker: tuple[str, ...]) -> None:
    """A candidate that is too weak has a conflict of its own."""
    assert isinstance(verdict(asked(body, *weaker)), Conflict)


def test_rows_of_two_dwords_of_each_item_are_apart() -> None:
    found = verdict(asked(TWO_DWORDS, "n >= 4*local_size_x", "n < 0x4000"))
    assert isinstance(found, Free)


def test_rows_of_the_global_size_are_apart_where_they_do_not_wrap() -> None:
    """No host launches fewer work items in x than a group has, so that no lower bound is missing."""
    assert isinstance(verdict(asked(ROWS, "global_size_x < 0x100000", pitch="global_size")), Free)
    assert isinstance(verdict(asked(ROWS, "global_size_x >= 0x40000000", pitch="global_size")), Conflict)


def test_what_is_missing_stands_where_time_ends_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def over(*_: object) -> None:
        raise LimitReached(0)

    monkeypatch.setattr("visaproof.analysis.conflicts.search.Search._solved", over)
    (finding,) = (rows := asked(ROWS, pitch="global_size")).answers()
    assert str(finding.missing) == "global_size_x < 1048576"
    assert "free if global_size_x < 1048576 (proved" in "\n".join(
        finding_lines(rows, finding, finding_record(rows, finding))
    )


def test_a_conflict_stands_where_the_limit_ends_the_search_for_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is left for what is asked after the scatters, and the answer says that there may be relations."""

    def search(_: MissingRelations) -> None:
        while True:
            process_time()

    monkeypatch.setattr(MissingRelations, "find", search)
    limit = Limit(2.0)
    rows = replace(asked(ROWS), limit=limit)
    (finding,) = rows.answers()
    assert limit.left > 0.1
    assert isinstance(finding.answer, Conflict)
    record = finding_record(rows, finding)
    assert isinstance(record, Refuted)
    assert not record.searched
    assert "relations that would free it were not looked for to the end" in "\n".join(
        finding_lines(rows, finding, record)
    )


def test_relations_that_were_found_stand_where_the_limit_ends_all() -> None:
    rows = asked(ROWS)
    (finding,) = rows.answers()
    assert finding.searched
    assert rows.given_up(rows.positions[0], LimitReached(0)) == finding


@pytest.mark.parametrize("count", [3, 6])
def test_where_lanes_meet_is_kept_of_each_scatter_for_all_behind_it(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each it is asked whether its lanes only meet where those of one before it do."""
    kept = list[Excluded]()

    def begun() -> Excluded:
        kept.append(Excluded())
        return kept[-1]

    monkeypatch.setattr(kernel, "Excluded", begun)
    shift, scatter, end = STORE.splitlines(keepends=True)
    found = list(asked(PITCH + PLUS_X + count * (shift + scatter) + end).answers())
    assert len(found) == count
    assert len(kept) == count - 1
    assert all(one.added for one in kept)


def test_no_relation_is_named_where_none_suffices() -> None:
    assert missing(COLUMNS_ALIKE) is None


def test_no_relation_is_named_that_keeps_the_scatter_from_being_reached() -> None:
    """Where the pitch is above 0 no lane writes."""
    assert missing(GUARDED) is None


def test_relations_that_contradict_each_other_prove_nothing() -> None:
    found = verdict(asked(ROWS, "n > 5", "n < 3"))
    assert isinstance(found, Free)
    assert found.vacuous


@pytest.mark.parametrize("assume", [Assume.LAUNCH, Assume.NONE])
def test_a_conflict_that_is_shown_obeys_what_is_stated(assume: Assume) -> None:
    answers = asked(ROWS, "n >= 3", "n % 2 == 1", assume=assume)
    found = verdict(answers)
    assert isinstance(found, Conflict)
    assert all(one.holds(found.values) for one in answers.start.where)
    assert int.from_bytes(found.state.registers["N"], "little") % 2 == 1
    assert int.from_bytes(found.state.registers["N"], "little") >= 3


# ---------------------------------------------------------------- replay


def recorded(*relations: str) -> Counterexample:
    answers = asked(ROWS, *relations)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Conflict)
    return conflict_record(answers, finding.question, finding.answer)


def test_a_saved_conflict_replays_under_its_relations(tmp_path: Path) -> None:
    write_counterexample(recorded("n >= 2", "n <= local_size_x"), tmp_path / "one.json")
    again = replay(read_counterexample(tmp_path / "one.json"), "one.json")
    assert not again.differences
    assert [one.relation for one in again.counterexample.where] == ["n >= 2", "n <= local_size_x"]


def test_a_conflict_that_was_found_without_the_relation_does_not_replay_under_it() -> None:
    """The net under the search: the state does not obey a relation that its pitch is too small for."""
    conflict = recorded()
    pitch = int.from_bytes(bytes.fromhex(conflict.state.registers.get("N", "")), "little")
    held = HeldName(pitch, [f"N.{byte}" for byte in range(4)])
    found = msgspec.structs.replace(conflict, where=[ObeyedRelation(f"n > {pitch}", {"n": held})])
    assert replay(found, "one.json").differences == (f"the state does not obey n > {pitch}: n = {pitch}",)


def test_a_number_that_the_state_does_not_hold_is_shown() -> None:
    conflict = recorded()
    pitch = int.from_bytes(bytes.fromhex(conflict.state.registers.get("N", "")), "little")
    held = HeldName(pitch + 7, [f"N.{byte}" for byte in range(4)])
    found = msgspec.structs.replace(conflict, where=[ObeyedRelation("n >= 0", {"n": held})])
    shown = f"the state holds other numbers than recorded for n >= 0: n = {pitch}"
    assert replay(found, "one.json").differences == (shown,)


# ---------------------------------------------------------------- products

WORD = st.sampled_from([0, 1, 2, 3, 1023, 1024, 65535])


@given(WORD, WORD, WORD, WORD, st.sampled_from([0, 1, 5, 2**20, 2**31, 2**32 - 1]))
def test_what_holds_with_products_holds_without(u: int, other: int, v: int, w: int, a: int) -> None:
    """A model of the question is one of the weaker one, in which a row is the integer that it stands for."""
    ids = [symbol(name, 16) for name in ("u", "u'", "v", "v'")]
    row, (x, x_other, y, y_other) = symbol("a", 32), (zero_extend(word, 32) for word in ids)
    question = eq(scale(add(mul(row, x), y), 4), scale(add(mul(row, x_other), y_other), 4))
    values: dict[Term, int] = dict(zip((*ids, row), (u, other, v, w, a), strict=True))
    weaker = without_products(question)
    rows = [one for one in symbols_of(weaker) if str(one.payload).startswith("row.")]
    for unknown in rows:
        first = str(unknown.payload).split(".")[2] == str(x.serial)
        values[unknown] = a * (u - other if first else other - u) % (1 << unknown.width)
    assert rows
    assert evaluate(weaker, values) >= evaluate(question, values)


LONG_LOOP = (
    "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> N(0,0)<0;1,0>\n    (!P1) goto (M1, 8) out\n"
    "    mov (M1, 8) D(0,0)<1> 0x0:ud\nagain:\n    add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x1:ud\n"
    "    cmp.lt (M1, 8) P1 D(0,0)<1;1,0> N(0,0)<0;1,0>\n    (P1) goto (M1, 8) again\n"
    + PITCH + PLUS_X + STORE.replace("    ret", "out:\n    ret")
)  # fmt: skip


@pytest.mark.slow
def test_lanes_that_only_meet_behind_a_loop_that_hardly_ends_are_free_if_no_product_wraps() -> None:
    """They meet where `y * n` wraps, behind so many iterations that no run is worth it."""
    (found,) = asked(LONG_LOOP).answers()
    assert isinstance(found.answer, Undecided)
    assert found.answer.stuck
    assert found.missing is not None
    assert any(one.sign == "<" for one in found.missing.relations)
