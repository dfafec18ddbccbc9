"""`visaproof readings`, and `visaproof prove` under other readings."""

import json

import pytest

from visaproof.checking.counterexample import read_counterexample
from visaproof.isa.readings import READINGS


def test_every_reading_is_listed_with_the_default_first(visaproof):
    ran = visaproof("readings")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines() if not line.startswith(" ")] == list(READINGS)
    one = visaproof("readings", "collision").out.splitlines()
    assert one[0] == "collision  (D14)  Lanes that write the same address?"
    assert [line.split()[:2] for line in one[1:]] == [
        ["*", "undefined"],
        ["equal-allowed", "undefined"],
        ["last-wins", "lanes"],
        ["any-wins", "for"],
    ]


def test_the_json_has_the_same_table(visaproof):
    ran = visaproof("readings", "--format", "json")
    listed = {entry["name"]: entry for entry in json.loads(ran.out)["readings"]}
    assert list(listed) == list(READINGS)
    assert listed["oword-unit"]["alternatives"] == []
    assert listed["oword-unit"]["default"] is None
    assert listed["dword-misaligned"]["default"] == "undefined"
    assert [answer["value"] for answer in listed["dword-misaligned"]["alternatives"]] == [
        "floor",
        "byte-exact",
        "data-undefined",
    ]


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["readings", "colision"], "no reading 'colision'", "did you mean collision"),
        (["prove", "--reading", "colision=x"], "no reading 'colision'", "did you mean collision"),
        (["prove", "--reading", "collision=last"], "reading collision has no answer 'last'", "last-wins"),
        (["prove", "--reading", "collision"], "--reading 'collision' is not NAME=VALUE", "visaproof readings"),
        (["prove", "--reading", "oword-unit=bytes"], "reading oword-unit has no alternatives", "it is: owords"),
    ],
)
def test_what_does_not_exist_exits_2_and_says_what_does(visaproof, arguments, message, hint):
    ran = visaproof(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert hint in ran.err


CLAIM = "prove_a_loaded_dword_is_the_surfaces[[]oword_ld-1]"
OTHER = "oword-bounds-grain=whole-block"


def test_a_proof_that_fails_under_a_reading_exits_1_and_shows_it(visaproof):
    ran = visaproof("prove", CLAIM, "--reading", OTHER)
    assert ran.code == 1
    assert f"reading {OTHER} breaks oword_ld/loaded-dword-is-the-surfaces" in ran.out
    assert f"under {OTHER}" in ran.out.splitlines()


def test_several_readings_are_chosen_together(visaproof):
    ran = visaproof("prove", CLAIM, "--reading", OTHER, "--reading", "oword-rest=undefined", "--format", "json")
    assert json.loads(ran.out)["under"] == [OTHER, "oword-rest=undefined"]


def test_a_reading_that_is_the_default_changes_nothing(visaproof):
    ran = visaproof("prove", CLAIM, "--reading", "oword-rest=preserved")
    assert ran.code == 0
    assert "under" not in ran.out


def test_the_matrix_names_what_a_verdict_depends_on_and_saves_examples(visaproof, tmp_path):
    """A refutation under another reading is an answer, not a failure."""
    ran = visaproof("prove", CLAIM, "--readings", "all", "--save", tmp_path)
    assert ran.code == 0
    first = ran.out.splitlines()[0]
    assert first.startswith("proved   prove_a_loaded_dword_is_the_surfaces[oword_ld-1]  depends on: ")
    assert OTHER in first
    assert "loaded-dword-is-the-surfaces" in ran.out
    assert f"fails under {OTHER}: oword_ld (1) T6 " in ran.out
    assert "1 claims, 1 depend on a reading" in ran.out
    saved = sorted(tmp_path.iterdir())
    assert OTHER in [setting for path in saved for setting in read_counterexample(path).under]
    assert visaproof("replay", tmp_path).code == 0


def test_the_matrix_in_json(visaproof):
    ran = visaproof("prove", CLAIM, "--readings", "all", "--format", "json")
    document = json.loads(ran.out)
    assert document["command"] == "prove --readings all"
    (claim,) = document["claims"]
    assert claim["verdict"] == "proved"
    assert OTHER in claim["depends_on"]
    (asked,) = [one for one in claim["asked"] if one["reading"] == OTHER]
    assert asked["verdict"] == "refuted"
    assert asked["counterexample"]["under"] == [OTHER]
    assert document["summary"]["refuted"] == len(claim["depends_on"])


def test_a_question_that_nobody_decides_under_a_reading_exits_3(visaproof, proofs):
    ran = visaproof("prove", "--proofs", proofs("unknown"), "--readings", "all", "--timeout", "0.2")
    assert ran.code == 3
