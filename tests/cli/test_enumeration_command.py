"""`visaproof prove --enumerate`: both counts, exit codes, files and formats."""

import json
from time import process_time

import pytest

from visaproof.checking.claims.enumeration import BatchResult, Finding
from visaproof.checking.verdict import Unknown

ALL_SHAPES = 400
"""Of `typed_atomic add`, for each form of its predicate."""


def test_both_counts_are_printed_together(visaproof):
    """47 shapes of OWORD_LD are the 47 families themselves: the page has no mask, predicate or channels."""
    ran = visaproof("prove", "--enumerate", "oword_ld")
    assert ran.code == 0
    batch, parametric, enumerated, shared = ran.out.splitlines()
    assert batch.startswith("ok ")
    assert batch.endswith(" s  oword_ld: 47 shapes, 282 obligations")
    verdicts = "obligations: {0} proved, 0 refuted, 0 unknown, 0 vacuous"
    assert parametric == f"parametric: 47 families, 235 {verdicts.format(235)}"
    assert enumerated.startswith(f"enumerated: 47 shapes, 282 {verdicts.format(282)} in ")
    assert shared == "of these, 282 were true as written; the others share 0 formulas"
    assert ran.err == ""


@pytest.mark.slow
def test_two_processes_say_the_same_as_one(visaproof):
    arguments = ("prove", "--enumerate", "qw_scatter SIMD16 (P1", "--format", "json")
    alone, together = (json.loads(visaproof(*arguments, "--jobs", jobs).out) for jobs in ("1", "2"))
    assert alone["totals"] == together["totals"]
    assert [batch["name"] for batch in alone["batches"]] == [batch["name"] for batch in together["batches"]]


def test_the_json_has_both_counts_in_each_batch(visaproof):
    ran = visaproof("prove", "--enumerate", "qw_scatter SIMD16 un", "--format", "json")
    document = json.loads(ran.out)
    assert (document["command"], document["exit_code"], document["asked"]) == ("prove --enumerate", 0, 1)
    (batch,) = document["batches"]
    assert batch["totals"] == document["totals"]
    assert batch["totals"]["shapes"] == 24
    assert batch["totals"]["enumerated"] == {
        "obligations": 144,
        "proved": 144,
        "refuted": 0,
        "unknown": 0,
        "vacuous": 0,
    }


def test_batches_are_named_without_being_decided(visaproof):
    ran = visaproof("prove", "--enumerate", "--list", "xor")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == ["typed_atomic xor unpredicated", "typed_atomic xor (P1)"]


def test_a_pattern_that_names_no_batch_is_an_error_with_a_hint(visaproof):
    ran = visaproof("prove", "--enumerate", "gather4")
    assert ran.code == 2
    assert "no batch of shapes matches 'gather4'" in ran.err
    assert "hint: " in ran.err


@pytest.mark.parametrize(("answer", "code"), [("refuted", 1), ("unknown", 3), ("vacuous", 5)])
def test_anything_but_a_proof_has_its_exit_code(visaproof, monkeypatch, answer: str, code: int):
    from collections import Counter

    from visaproof.checking.claims import enumeration

    finding = Finding("a shape", "data-are-the-pages", Unknown("a reason"))
    result = BatchResult("oword_ld", 1, 1, Counter(), Counter({answer: 1}), 0, 1, (finding,), 0.0)
    monkeypatch.setattr(enumeration, "decide_batch", lambda *_: result)
    ran = visaproof("prove", "--enumerate", "oword_ld")
    assert ran.code == code
    assert "FAIL" in ran.out
    assert "data-are-the-pages: a shape" in ran.out
    assert f"1 {answer}" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_batch_ends_within_the_limit(visaproof, jobs: str):
    """What is decided is counted, and the rest is unknown by name."""
    arguments = ("prove", "--enumerate", "typed_atomic add", "--limit", "0.5", "--jobs", jobs, "--format", "json")
    start = process_time()
    ran = visaproof(*arguments)
    assert process_time() - start < 30
    assert ran.code == 3
    for batch in json.loads(ran.out)["batches"]:
        counted = batch["totals"]["enumerated"]
        assert counted["unknown"] == 1
        assert counted["proved"] < 6 * ALL_SHAPES
        (finding,) = batch["findings"]
        assert finding["obligation"] == "every obligation that is left"
        assert "limit of 0.5 s reached" in finding["reason"]


def test_an_interrupted_run_says_how_far_it_came(visaproof, monkeypatch):
    from visaproof.checking.claims import enumeration

    def interrupted(*_: object) -> BatchResult:
        raise KeyboardInterrupt

    monkeypatch.setattr(enumeration, "decide_batch", interrupted)
    ran = visaproof("prove", "--enumerate", "qw_scatter SIMD1 ")
    assert ran.code == 130
    assert "interrupted: 0 of 7 batches decided" in ran.out
