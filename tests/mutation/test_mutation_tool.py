"""The tool that makes mutants of the two writings and tries what notices them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.mutation.__main__ import may_match
from benchmarks.mutation.derive import Mutant, mutants_of
from benchmarks.mutation.killers import Kill, Killer, Manner, killers_of
from benchmarks.mutation.pool import OutOfTime, at_most, side_by_side
from benchmarks.mutation.results import Result, complaints, summary
from benchmarks.mutation.run import complete
from benchmarks.mutation.store import Store
from benchmarks.mutation.survivors import equivalent
from benchmarks.mutation.targets import ALL, PAGES, RULES, Writing

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mutants() -> dict[str, Mutant]:
    every = [mutant for target in ALL for mutant in mutants_of(target)]
    by_id = {mutant.id: mutant for mutant in every}
    assert len(by_id) == len(every), "an id names one mutant"
    return by_id


@pytest.fixture(scope="module")
def of_a_page() -> dict[str, Mutant]:
    return {mutant.id: mutant for mutant in mutants_of(PAGES[0])}


@pytest.mark.slow
def test_each_page_has_mutants_of_both_writings(mutants: dict[str, Mutant]) -> None:
    for target in PAGES:
        writings = [mutant.writing for mutant in mutants.values() if mutant.target is target]
        assert min(map(writings.count, (Writing.EXECUTE, Writing.FOOTPRINT))) >= 30, target.name
    assert sum(mutant.target in PAGES for mutant in mutants.values()) >= 300


@pytest.mark.parametrize("name", ["smt.copies", "smt.halves.sums"])
def test_rules_of_the_normal_form_have_mutants_that_claims_and_tests_are_asked_about(name: str) -> None:
    (target,) = (target for target in RULES if target.name == name)
    found = mutants_of(target)
    assert len(found) >= 50
    assert {killers_of(mutant) for mutant in found} == {(Killer.CLAIMS, Killer.TESTS)}
    assert not any("dict[Term, int]()" in mutant.changed for mutant in found), "the type of an empty one is no choice"


@pytest.mark.slow
def test_each_kind_of_change_is_made_to_the_line_that_is_shown(mutants: dict[str, Mutant]) -> None:
    """A few that the pages' own pitfalls suggest."""
    changes = {(mutant.operator, mutant.line, mutant.changed) for mutant in mutants.values()}
    aligned = "return start, eq(truncate(start, 3), const(0, 3))"
    assert ("constant", aligned, "return start, eq(truncate(start, 2), const(0, 3))") in changes
    assert ("guard", "guard=enabled,", "guard=true(),") in changes
    block = "block = scale(zero_extend(first_oword, ADDRESS_BITS), 16)"
    assert ("signedness", block, block.replace("zero", "sign")) in changes
    assert ("stride", block, block.replace("16", "32")) in changes


@pytest.mark.slow
def test_what_is_listed_as_equivalent_is_a_mutant(mutants: dict[str, Mutant]) -> None:
    assert equivalent().keys() <= mutants.keys()
    assert all(len(reason) > 20 for reason in equivalent().values())


def run(results: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.mutation", *arguments, "--jobs", "1", "--results", str(results)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_sample_is_noticed_by_the_cross_check_and_by_the_claims(tmp_path: Path) -> None:
    """An operand order, a bound, a stride and a sign of the block read; what is known is not tried again."""
    patterns = [
        "oword_ld.OwordLd.execute bounds-of-a-range: for dword in range(4): => for dword in range(1,",
        "oword_ld.OwordLd.footprint signedness: block = scale",
        "oword_ld.OwordLd.footprint guard: inside=inside, => inside=true()",
        "oword_ld.OwordLd.footprint stride: block = scale",
    ]
    arguments = [*patterns, "--each-killer", "--json", str(tmp_path / "results.json")]
    ran = run(tmp_path / "results.jsonl", *arguments)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    document = json.loads((tmp_path / "results.json").read_text())
    results = document["mutants"]
    assert len(results) == 5
    assert document["summary"]["killed"] == document["summary"]["mutants"] == len(results)
    assert document["summary"]["text"] in ran.stdout
    for result in results:
        by_claims = result["writing"] != "execute"
        assert result["by"]["cross-check"]["manner"] == "differs", result
        assert not by_claims or result["by"]["claims"]["manner"] == "not as expected", result
    again = run(tmp_path / "results.jsonl", *arguments)
    assert (again.stdout, again.returncode) == (ran.stdout, 0)
    assert "5 mutants tried before, 0 to try" in again.stderr


@pytest.mark.slow
def test_code_of_another_reading_is_noticed_by_the_cross_check_alone(tmp_path: Path) -> None:
    """The claims have the default readings, under which no oword address wraps."""
    pattern = "oword_ld.OwordLd.footprint stride: block = zero_extend(scale"
    ran = run(tmp_path / "results.jsonl", pattern, "--each-killer", "--json", str(tmp_path / "results.json"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for result in json.loads((tmp_path / "results.json").read_text())["mutants"]:
        assert "oword-address-wraps=wraps" in result["by"]["cross-check"]["detail"], result
        assert result["by"]["claims"] is None, result


def test_results_last_until_the_sources_change(tmp_path: Path) -> None:
    """And then they still say what to try first; a line that was cut off is as if it had not been tried."""
    file, kill = tmp_path / "results.jsonl", Kill(Manner.DIFFERS, "on a state", "shape 1 2")
    with Store(file, "old") as store:
        store.add("one", {Killer.CROSS_CHECK: None, Killer.CLAIMS: kill})
        store.add("one", {Killer.CROSS_CHECK: kill})
        store.add("other", {Killer.CROSS_CHECK: None})
    file.write_text(file.read_text()[:-5])
    same, later = Store(file, "old"), Store(file, "new")
    assert same.kills("one") == {Killer.CROSS_CHECK: kill}
    assert (later.kills("one"), later.hints("one")) == ({}, {Killer.CROSS_CHECK: "shape 1 2"})
    assert (same.kills("other"), same.hints("other")) == ({}, {})
    with later:
        later.add("one", {Killer.CROSS_CHECK: None})
    assert Store(file, "new").kills("one") == {Killer.CROSS_CHECK: None}
    assert len(file.read_text().splitlines()) == 2


@pytest.mark.slow
def test_a_mutant_is_done_when_one_killer_notices_it_or_all_were_asked(of_a_page: dict[str, Mutant]) -> None:
    mutant = next(mutant for mutant in of_a_page.values() if mutant.writing is Writing.FOOTPRINT)
    kill, limit = Kill(Manner.DIFFERS, ""), Kill(Manner.LIMIT, "")
    assert complete(mutant, {Killer.CROSS_CHECK: kill}, each_killer=False)
    assert not complete(mutant, {Killer.CROSS_CHECK: kill}, each_killer=True)
    assert not complete(mutant, {Killer.CROSS_CHECK: limit}, each_killer=False), "a limit is no kill"
    assert complete(mutant, {Killer.CROSS_CHECK: None, Killer.CLAIMS: None}, each_killer=False)


def test_what_takes_too_long_is_left_in_the_midst_of_it() -> None:
    def spin() -> None:
        with at_most(0.05):
            while True:
                pass

    with pytest.raises(OutOfTime):
        spin()


@pytest.mark.slow
def test_the_share_leaves_out_the_equivalent_ones(of_a_page: dict[str, Mutant]) -> None:
    killed, listed, survivor = list(of_a_page.values())[:3]
    kill = Kill(Manner.DIFFERS, "")
    results = [
        Result(killed, {Killer.CROSS_CHECK: kill, Killer.CLAIMS: kill}),
        Result(listed, {Killer.CROSS_CHECK: None}),
        Result(survivor, {Killer.CROSS_CHECK: None, Killer.CLAIMS: Kill(Manner.UNKNOWN, "")}),
    ]
    found = summary(results, {listed.id})
    assert (found.mutants, found.killed, found.equivalent, found.survive) == (3, 1, 1, 1)
    assert (found.by_cross_check, found.by_claims_alone) == (1, 0)
    assert (found.share, found.share_of_others) == ("33.3 %", "50.0 %")
    reasons = {listed.id: "a reason", killed.id: "a wrong one", "gone": "stale"}
    assert [line.partition(":")[0] for line in complaints(results, reasons, of_a_page)] == [
        "survives",
        "killed, but listed in equivalent.toml",
        "no such mutant, but listed in equivalent.toml",
    ]


def test_a_process_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.mutation.pool.CPU_SECONDS", 0.2)

    def spin(forever: bool, send: object) -> None:
        while forever:
            pass

    ended = list(side_by_side([True, False], spin, jobs=2))
    assert {each.task: (each.out_of_time, each.exitcode == 0) for each in ended} == {
        True: (True, False),
        False: (False, True),
    }


def test_an_interrupted_run_leaves_no_process() -> None:
    pids: list[int] = []

    def sleep(_: int, send: object) -> None:
        while True:
            pass

    def started() -> None:
        from multiprocessing import active_children

        pids.extend(child.pid or 0 for child in active_children())

    def tasks():
        yield 1
        yield 2
        started()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(side_by_side(tasks(), sleep, jobs=3))
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern", ["oword_ld.OwordLd.footprint stride", "stride: block", "qw_scatter.QwScatter.execute"]
)
def test_modules_that_are_left_out_have_no_mutant_that_matches(mutants: dict[str, Mutant], pattern: str) -> None:
    """Their mutants need not be made."""
    matching = {mutant.target.name for mutant in mutants.values() if pattern in mutant.id}
    made = {target.name for target in ALL if may_match(target, ALL, [pattern])}
    assert matching <= made
    assert (len(made) < len(ALL)) is ("." in pattern)
