"""Seeded miscompilations: which faults are planted, that results are kept, and that wrong targets are refuted."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from benchmarks.faults import messages, registers, store
from benchmarks.faults.ask import Answer, agreement, ask_fault, ask_pair
from benchmarks.faults.asker import Asker, Progress
from benchmarks.faults.at_once import Launches, compared, random_launches
from benchmarks.faults.kinds import Kind, sites_of
from benchmarks.faults.plan import EDITS, Pair, Planted, faults_of, plan
from benchmarks.faults.store import Store, version
from benchmarks.faults.table import summary, table
from benchmarks.faults.tasks import OfFault, OfPair, Processes, Replies, Task
from benchmarks.itself import PROVED, ask, dumps, progress
from benchmarks.itself import table as table_of_dumps
from benchmarks.pairs import CORPUS
from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.launch.assumptions import Assume
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.runs import trial
from visaproof.report.two_kernels.pair_rows import Answer as PairAnswer
from visaproof.report.two_kernels.pair_rows import Row
from visaproof.visaasm.reader import read_kernel

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the shared corpus")

TEXT = """.version 4.1
.kernel "k"
.decl A v_type=G type=uq num_elts=1 align=GRF
.decl V1 v_type=G type=d num_elts=8 align=GRF
.decl V2 v_type=G type=d num_elts=16 align=GRF
.decl V3 v_type=G type=uq num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input V1 offset=32 size=32
.input V2 offset=64 size=64
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x1:ud
cmp.lt (M1, 8) P1 V1(0,0)<1;1,0> V2(0,0)<0;1,0>
shl (M1, 8) V2(0,0)<1> V2(1,0)<1;1,0> 0x2:d
addc (M1, 8) V2(0,0)<1> V2(1,0)<1> V1(0,0)<1;1,0> V1(0,0)<1;1,0>
add (M1, 8) V3(0,0)<1> V3(0,0)<1;1,0> 0x4:uq
(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud V1.0 V2.0
movs (M1_NM, 1) T6(0) 0x0:ud
svm_atomic.add (M1, 8) V3.0 V1.0 %null.0 %null.0
ret (M1, 1)
"""


def planted(kind: Kind) -> set[str]:
    """The lines that the faults of a kind put in the place of one."""
    kernel = read_kernel(TEXT, "k.visaasm", grf_bytes=32)
    faults = [fault for site in sites_of(kernel) for edit in EDITS for fault in edit(site) if fault.kind is kind]
    for fault in faults:
        read_kernel(fault.planted(TEXT), "k.visaasm", grf_bytes=32)
    return {"; ".join(lines) for fault in faults for lines in fault.lines.values()}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (Kind.LANE_OFFSET, "cmp.lt (M1, 8) P1 V1(0,0)<1;1,0> V2(0,1)<0;1,0>"),
        (Kind.CHANNEL, "(P1) scatter4_scaled.G (M1, 8) T6 0x0:ud V1.0 V2.0"),
        (Kind.CHANNEL, "shl (M1, 8) V2(0,0)<1> V2(0,0)<1;1,0> 0x2:d"),
        (Kind.MASK, "shl (M1_NM, 8) V2(0,0)<1> V2(1,0)<1;1,0> 0x2:d"),
        (Kind.MASK, "shl (M1, 4) V2(0,0)<1> V2(1,0)<1;1,0> 0x2:d"),
        (Kind.PREDICATE, "(!P1) scatter4_scaled.R (M1, 8) T6 0x0:ud V1.0 V2.0"),
        (Kind.PREDICATE, "cmp.ge (M1, 8) P1 V1(0,0)<1;1,0> V2(0,0)<0;1,0>"),
        (Kind.OPERAND_ORDER, "shl (M1, 8) V2(0,0)<1> 0x2:d V2(1,0)<1;1,0>"),
        (Kind.BOUND, "cmp.le (M1, 8) P1 V1(0,0)<1;1,0> V2(0,0)<0;1,0>"),
        (Kind.BOUND, "shl (M1, 8) V2(0,0)<1> V2(1,0)<1;1,0> 0x3:d"),
        (Kind.DROPPED_STORE, ""),
        (Kind.SURFACES, "movs (M1_NM, 1) T6(0) 0x0:ud"),
        (
            Kind.CARRY,
            "add (M1, 8) V2(0,0)<1> V1(0,0)<1;1,0> V1(0,0)<1;1,0>; mov (M1, 8) V2(1,0)<1> 0x0:ud",
        ),
        (
            Kind.NARROW,
            "add (M1, 8) V3(0,0)<1> V3(0,0)<1;1,0> 0x4:uq; and (M1, 8) V3(0,0)<1> V3(0,0)<1;1,0> 0xffffffff:uq",
        ),
        (
            Kind.DUPLICATED_STORE,
            "(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud V1.0 V2.0; (P1) scatter4_scaled.R (M1, 8) T6 0x4:ud V1.0 V2.0",
        ),
    ],
)
def test_each_kind_of_fault_is_planted_and_can_be_read(kind: Kind, line: str) -> None:
    assert line in planted(kind)


def test_a_source_is_not_moved_out_of_its_variable() -> None:
    assert not any("V1(0,1)<1;1,0>" in line for line in planted(Kind.LANE_OFFSET))
    assert not any("V1(1,0)" in line for line in planted(Kind.CHANNEL))


def test_only_stores_are_dropped() -> None:
    kernel = read_kernel(TEXT, "k.visaasm", grf_bytes=32)
    dropped = [site.instruction.opcode for site in sites_of(kernel) if list(messages.dropped_store(site))]
    assert dropped == ["scatter4_scaled"]
    assert not any(list(registers.carry(site)) for site in sites_of(kernel) if site.instruction.opcode == "add")


PAIRS = [
    Pair("vadd/tgllp-O2-simd8", "vadd/dg2-O2-simd8"),
    Pair("vadd/tgllp-O2-simd8", "vadd/tgllp-O2-simd8-a64"),
    Pair("swap_pairs/dg2-O2-lsc-simd8", "swap_pairs/tgllp-O2-simd8-bindless"),
]


def any_fault(planted: Planted) -> bool:
    return True


@needs_corpus
def test_the_same_seed_plants_the_same_faults_spread_over_kinds() -> None:
    chosen = plan(PAIRS, 24, 3, any_fault)
    assert [one.id for one in chosen] == [one.id for one in plan(PAIRS, 24, 3, any_fault)]
    assert [one.id for one in chosen] != [one.id for one in plan(PAIRS, 24, 4, any_fault)]
    assert len({one.id for one in chosen}) == 24
    assert max(Counter(one.fault.kind for one in chosen).values()) <= 4
    assert len({one.pair for one in chosen}) == len(PAIRS)


@pytest.mark.slow
@needs_corpus
def test_wrong_targets_are_refuted_and_the_right_one_is_not() -> None:
    pair = PAIRS[1]
    assert ask_pair(pair, 2000)["answer"] == Answer.EQUIVALENT.value
    found = agreement(compare(*pair.programs, Scope(Assume.IDS)), 40, seed=0)
    assert found.runs == 40
    assert found.telling > 5
    assert found.difference is None
    for kind in (Kind.DROPPED_STORE, Kind.CARRY, Kind.SURFACES):
        fault = next(fault for fault in faults_of(pair.target) if fault.kind is kind)
        assert ask_fault(Planted(pair, fault), 2000)["answer"] == Answer.REFUTED.value


@needs_corpus
@pytest.mark.parametrize("pair", PAIRS[1:], ids=["a64", "bindless"])
def test_launches_on_arrays_tell_what_those_one_by_one_tell(pair: Pair) -> None:
    """Of a right target nothing is suspected that a run confirms; a wrong one is noticed on arrays as well."""
    right = compare(*pair.programs, Scope(Assume.IDS))
    start = random_launches(right, 50, Random(2))
    found = compared(right, start)
    assert found.telling
    assert not any(_told_apart(right, start, one) for one in found.suspects)
    fault = next(fault for fault in faults_of(pair.target) if fault.kind is Kind.DROPPED_STORE)
    wrong = compare(pair.programs[0], Planted(pair, fault).target, Scope(Assume.IDS))
    assert any(_told_apart(wrong, start, one) for one in compared(wrong, start).suspects)


def _told_apart(comparison: Comparison, start: Launches, launch: int) -> bool:
    values, content = dict(start.values[launch]), start.content(launch)
    return bool(trial(comparison, values, content))


@needs_corpus
def test_a_message_for_bytes_is_not_put_in_the_place_of_one_for_texels() -> None:
    assert not [one for one in faults_of("vc_typed_atomic/tgllp-vc") if one.kind is Kind.SURFACES]


@pytest.mark.slow
@needs_corpus
def test_a_dump_refines_itself() -> None:
    rows = [row for _, row in ask(dumps(CORPUS, "vadd/tgllp-O2-simd8"), CORPUS / "manifest.json", 2000)]
    lines = list(table_of_dumps(rows))
    assert lines[0].startswith(f"{len(rows)} dumps: ")
    assert all(row.answer in PROVED for row in rows)
    assert len(lines) == 3


def test_slow_dumps_and_those_not_proved_are_named_as_they_are_answered() -> None:
    def said(done: int, answer: PairAnswer, seconds: float) -> str | None:
        row = Row(group="", flow="", source="k/a", target="k/a", answer=answer, detail="", asking=seconds)
        return progress(done, 50, row)

    assert said(3, PairAnswer.REFINES, 0.2) is None
    assert said(3, PairAnswer.REFINES, 1.25) == "3/50 k/a: refines, 1.25 s"
    assert said(3, PairAnswer.UNKNOWN, 0.2) == "3/50 k/a: unknown, 0.20 s"
    assert said(40, PairAnswer.REFINES, 0.2) == "40/50"
    assert said(50, PairAnswer.REFINES, 0.2) == "50/50"


def test_answers_are_kept_until_something_changes(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with VerdictCache(path, "faults") as answers:
        Store(answers, "now").add("one", {"answer": "refuted"})
    with VerdictCache(path, "faults") as answers:
        known = Store(answers, "now").get("one")
        assert known
        assert (known["id"], known["answer"]) == ("one", "refuted")
        assert Store(answers, "changed").get("one") is None
        assert Store(answers, "changed", keep=True).get("one")
        assert Store(answers, "now").get("other") is None


class Asked(NamedTuple):
    """What was asked, and a store that keeps the answers; the second pair is not proved."""

    names: list[str]
    places: dict[str, int]
    path: Path

    def ask(self, again: Sequence[str] = ()) -> tuple[list[str], int]:
        """The faults planted, of four, and how many more are no programs."""
        with VerdictCache(self.path, "faults") as answers:
            asker = Asker(Store(answers, "now"), self.answers, again, Progress(4))
            return [record["id"] for record in asker.faults(PAIRS[:2], 4, 3)], asker.illegal

    def answers(self, tasks: Sequence[Task]) -> Replies:
        for task in tasks:
            self.names.append(task.name)
            yield task, {"answer": self.answer(task).value}

    def answer(self, task: Task) -> Answer:
        """Every third fault is no program; before the fifth one the run is stopped."""
        if isinstance(task, OfPair):
            return Answer.EQUIVALENT if task.pair == PAIRS[0] else Answer.UNKNOWN
        if task.name not in self.places and len(self.places) == 4:
            self.places["stopped"] = 0
            raise KeyboardInterrupt
        place = self.places.setdefault(task.name, len(self.places))
        return Answer.ILLEGAL if place % 3 == 2 else Answer.UNKNOWN


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked([], {}, tmp_path / "results.jsonl")


@needs_corpus
def test_pairs_are_asked_when_a_fault_is_planted_and_a_run_that_was_stopped_goes_on(asked: Asked) -> None:
    """What is no program is no fault: another stands for it."""
    with pytest.raises(KeyboardInterrupt):
        asked.ask()
    before = len(asked.names)
    planted, illegal = asked.ask()
    assert (len(planted), illegal) == (4, 2)
    assert all(one.startswith(PAIRS[0].id) for one in planted)
    assert asked.names.count(f"pair: {PAIRS[0].id}") == 1
    assert len(set(asked.names[before:]) & set(asked.names[: before - 1])) == 0
    count = len(asked.names)
    assert asked.ask()[0] == planted
    assert len(asked.names) == count
    assert asked.ask(("unknown",))[0] == planted
    assert len(asked.names) == count + 4


@pytest.mark.slow
@needs_corpus
def test_a_question_has_the_same_answer_in_another_process() -> None:
    fault = next(fault for fault in faults_of(PAIRS[0].target) if fault.kind is Kind.DROPPED_STORE)
    tasks = [OfPair(PAIRS[0]), OfFault(Planted(PAIRS[0], fault))]
    found = {task.name: record["answer"] for task, record in Processes(2000, jobs=2)(tasks)}
    assert found == {tasks[0].name: Answer.EQUIVALENT.value, tasks[1].name: Answer.REFUTED.value}


def test_the_version_is_that_of_the_model_and_of_these_files(monkeypatch: pytest.MonkeyPatch) -> None:
    before = version()
    assert version() == before
    monkeypatch.setattr(store, "model_version", lambda: "another")
    assert version() != before


def test_the_table_counts_what_changes_something_and_leaves_out_what_is_no_program() -> None:
    answers = ("refuted", "refuted", "equivalent", "unknown", "illegal")
    records = [{"id": "x", "kind": "MASK", "target": "k", "answer": one, "detail": ""} for one in answers]
    lines = list(table(records))
    assert "| wrong mask | 4 | 2 | 1 | 1 | 0 | 0 | 0 |" in lines
    assert "66.7 %" in summary(records[:4])
    assert any(line.startswith("unknown: x") for line in lines)
