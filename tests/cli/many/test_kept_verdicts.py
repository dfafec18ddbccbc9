"""`--cache` of `prove`, `refine` and `rules`: nothing is asked twice, and nothing wrong is believed."""

import sqlite3
import zlib
from pathlib import Path

import msgspec
import pytest

from visaproof.checking.kept.verdict_cache import code_of

DATA = Path(__file__).parents[2] / "data"
PAIR = [DATA / "visaasm" / f"{name}/tgllp-O2-simd8.visaasm" for name in ("transpose_naive", "transpose_naive_bad")]
RULES = """rule: mine
platform: dg2
var: off ud[8], data ud[8]
surface: S
  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
=>
  scatter4_scaled.G (M1, 8) S 0x0:ud off.0 data.0
"""
DOUBLED = """rule: mine
var: x ud[8]
observe: x
  add (M1, 16) x(0,0)<1> x(0,0)<1;1,0> x(0,0)<1;1,0>
=>
  shl (M1, 16) x(0,0)<1> x(0,0)<1;1,0> 0x1:ud
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def no_solver(monkeypatch):
    """From here on nothing can be decided."""

    def refuse() -> None:
        def asked(*_: object, **__: object) -> None:
            raise AssertionError("asked")

        monkeypatch.setattr("visaproof.checking.claims.workers.decide", asked)
        monkeypatch.setattr("visaproof.refinement.decision.decide_within", asked)
        monkeypatch.setattr("visaproof.rules.decision.check_within", asked)

    return refuse


def _changed(cache: Path, change, *, signed: bool) -> None:
    """Changes what each row says; one that is signed passes as an answer of visaproof."""
    with sqlite3.connect(cache) as base:
        for key, kind, content, code in base.execute("SELECT key, kind, content, code FROM answers").fetchall():
            new = zlib.compress(msgspec.json.encode(change(msgspec.json.decode(zlib.decompress(content)))), 1)
            now = code_of(b"visaproof", key, kind, new) if signed else code
            base.execute("UPDATE answers SET content = ?, code = ? WHERE key = ?", (new, now, key))
    base.close()


def _without_times(text: str) -> str:
    return text.rpartition(" in ")[0]


def test_a_second_prove_asks_nothing_and_says_the_same(visaproof, proofs, cache, no_solver):
    folder = proofs("proved", "refuted")
    first = visaproof("prove", "--proofs", folder, "--cache", cache)
    no_solver()
    second = visaproof("prove", "--proofs", folder, "--cache", cache)
    assert (first.code, _without_times(first.out)) == (second.code, _without_times(second.out))
    assert visaproof("prove", "--proofs", folder, "--cache", cache, "--cache-mode", "enforce").code == 0


def test_a_counterexample_from_the_cache_is_shown_and_saved(visaproof, proofs, cache, no_solver, tmp_path):
    folder = proofs("wrong")
    visaproof("prove", "--proofs", folder, "--cache", cache)
    no_solver()
    ran = visaproof("prove", "--proofs", folder, "--cache", cache, "--save", tmp_path / "found")
    assert ran.code == 1
    assert "FAIL refuted" in ran.out
    (saved,) = (tmp_path / "found").glob("*.json")
    assert visaproof("replay", saved).code == 0


@pytest.mark.slow
def test_claims_of_changed_files_and_other_options_are_asked_again(visaproof, proofs, cache):
    folder = proofs("proved")
    enforced = ("--proofs", folder, "--cache", cache, "--cache-mode", "enforce")
    visaproof("prove", "--proofs", folder, "--cache", cache)
    assert visaproof("prove", *enforced).code == 0
    assert visaproof("prove", *enforced, "--timeout", "19").code == 3
    (folder / "helper.txt").write_text("read by a claim")
    assert visaproof("prove", *enforced).code == 3


def test_a_module_beside_the_folder_that_a_claim_imports_is_in_the_key(visaproof, proofs, cache, monkeypatch, tmp_path):
    beside = tmp_path / "beside"
    beside.mkdir()
    helper = beside / "helper_of_kept_claims.py"
    helper.write_text("X = 1\n")
    monkeypatch.syspath_prepend(str(beside))
    folder = proofs("proved")
    for path in folder.glob("m*.py"):
        path.write_text(f"import helper_of_kept_claims\n{path.read_text()}")
    visaproof("prove", "--proofs", folder, "--cache", cache)
    enforced = ("prove", "--proofs", folder, "--cache", cache, "--cache-mode", "enforce")
    assert visaproof(*enforced).code == 0
    helper.write_text("X = 2\n")
    assert visaproof(*enforced).code == 3


@pytest.mark.parametrize("signed", [False, True])
def test_a_forged_refutation_of_a_claim_is_not_believed(visaproof, proofs, cache, signed):
    """Its counterexample does not replay, so that the claim is asked again."""
    folder = proofs("refuted")
    visaproof("prove", "--proofs", folder, "--cache", cache)

    def forge(row):
        for run in row["refuted"]["runs"]:
            run["outcome"]["changes"] = {"T6[0x0]": "0x2a"}
        return row

    _changed(cache, forge, signed=signed)
    ran = visaproof("prove", "--proofs", folder, "--cache", cache)
    assert (ran.code, "asked again" in ran.err) == (0, True)
    assert visaproof("prove", "--proofs", folder, "--cache", cache, "--cache-mode", "enforce").code == 0


def test_a_row_with_two_verdicts_or_of_another_claim_is_none(visaproof, proofs, cache):
    folder = proofs("refuted")
    for forged in ({"proved": "normal form"}, {"claim": "prove_another"}):
        visaproof("prove", "--proofs", folder, "--cache", cache)
        _changed(cache, lambda row, forged=forged: row | forged, signed=True)
        assert visaproof("prove", "--proofs", folder, "--cache", cache, "--cache-mode", "enforce").code == 3


@pytest.mark.parametrize("options", [["--enumerate"], ["--readings", "all"]])
def test_prove_refuses_a_cache_where_it_keeps_nothing(visaproof, cache, options):
    assert visaproof("prove", *options, "--cache", cache).code == 2


def _refine(visaproof, cache, *options):
    return visaproof("refine", *PAIR, "--launch", DATA / "manifest.json", "--cache", cache, *options)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("options", [[], ["--format", "json"], ["--stats"]])
def test_a_second_refine_asks_nothing_and_says_the_same(visaproof, cache, no_solver, options):
    first = _refine(visaproof, cache, *options)
    no_solver()
    assert _refine(visaproof, cache, *options) == first
    assert first.code == 1


@pytest.mark.slow
def test_other_options_of_refine_are_another_question(visaproof, cache):
    _refine(visaproof, cache)
    for options in (["--bidirectional"], ["--format", "json"], ["--unroll", "3"]):
        assert _refine(visaproof, cache, "--cache-mode", "enforce", *options).code == 3
    assert _refine(visaproof, cache, "--cache-mode", "enforce").code == 1


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("signed", [False, True])
def test_a_difference_that_does_not_replay_is_asked_again(visaproof, cache, signed):
    first = _refine(visaproof, cache)

    def forge(row):
        row["text"] = "REFINES\n"
        row["examples"][0]["differs"] = {"place": "nowhere"}
        return row

    _changed(cache, forge, signed=signed)
    again = _refine(visaproof, cache)
    assert (again.code, again.out) == (first.code, first.out)
    assert "asked again" in again.err


def test_a_second_run_of_rules_asks_nothing_and_says_the_same(visaproof, cache, no_solver, tmp_path):
    file = tmp_path / "mine.rule"
    file.write_text(RULES)
    first = visaproof("rules", file, "--cache", cache)
    assert first.code == 1
    file.write_text(f"# another\n{RULES}")
    assert visaproof("rules", file, "--cache", cache, "--cache-mode", "enforce").code == 3
    file.write_text(RULES)
    no_solver()
    assert visaproof("rules", file, "--cache", cache) == first
    _changed(cache, lambda row: row | {"seconds": 0.0}, signed=False)
    assert visaproof("rules", file, "--cache", cache).code == 70  # it had to ask


def test_a_kept_proof_of_a_rule_names_the_lanes_that_it_does_not_cover(visaproof, cache, no_solver, tmp_path):
    file = tmp_path / "mine.rule"
    file.write_text(DOUBLED)
    first = visaproof("rules", file, "--cache", cache)
    assert "nothing is shown of lanes 8..15" in first.out
    no_solver()
    assert visaproof("rules", file, "--cache", cache) == first


@pytest.mark.parametrize("forged", ["inputs", "instance", "proof", "rule"])
def test_a_forged_refutation_of_a_rule_is_not_believed(visaproof, cache, tmp_path, forged):
    """Both sides run again on the inputs in the cache: where they leave the same, the rule is asked again."""
    file = tmp_path / "mine.rule"
    file.write_text(RULES)
    first = visaproof("rules", file, "--cache", cache)

    def forge(row):
        run = row["verdict"]["refuted"]
        match forged:
            case "inputs":  # every lane is off
                run["inputs"] = {}
            case "instance":
                run["instance"] = "PVC"
            case "proof":
                row["verdict"]["proved"] = ["a solver"]
            case _:  # the row of a rule with a condition
                row["when_right"] = {"proved": ["a solver"], "instances": 1}
        return row

    _changed(cache, forge, signed=True)
    again = visaproof("rules", file, "--cache", cache)
    assert "asked again" in again.err
    assert (again.code, again.out.split("mine")[2:]) == (1, first.out.split("mine")[2:])


def test_a_right_rule_is_not_refuted_by_a_run_from_the_cache(visaproof, cache, tmp_path):
    """The run of a wrong rule shows nothing of a right one."""
    file, kept = tmp_path / "mine.rule", []
    file.write_text(RULES)
    visaproof("rules", file, "--cache", cache)
    _changed(cache, lambda row: (kept.append(row), row)[1], signed=True)
    file.write_text(RULES.replace("scaled.G", "scaled.R"))
    assert visaproof("rules", file, "--cache", cache).code == 0
    _changed(cache, lambda row: kept[0], signed=True)
    assert visaproof("rules", file, "--cache", cache).code == 0


SWAPPED = """rule: mine
platform: dg2
var: off ud[8], data ud[8]
surface: S, T
  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
  scatter4_scaled.R (M1, 8) T 0x0:ud off.0 off.0
=>
  scatter4_scaled.R (M1, 8) T 0x0:ud off.0 off.0
  scatter4_scaled.R (M1, 8) S 0x0:ud off.0 data.0
"""


def test_a_run_on_one_surface_shows_nothing_of_surfaces_that_are_apart(visaproof, cache, tmp_path):
    file, kept = tmp_path / "mine.rule", []
    file.write_text(SWAPPED)
    assert visaproof("rules", file, "--cache", cache).code == 1
    _changed(cache, lambda row: (kept.append(row), row)[1], signed=True)
    assert kept[0]["verdict"]["refuted"]["one_surface"] == [["S", "T"]]
    file.write_text(SWAPPED.replace("surface: S, T\n", "surface: S, T\npre: apart(S, T)\n"))
    assert visaproof("rules", file, "--cache", cache).code == 0
    _changed(cache, lambda row: kept[0], signed=True)
    assert visaproof("rules", file, "--cache", cache).code == 0


def test_refutations_of_texels_results_and_bytes_run_again_from_the_cache(visaproof, cache, no_solver):
    names = ("atomic16-result-is-not-a-dword", "dec-to-predec-used", "scatter4-to-oword-store")
    first = visaproof("rules", *names, "--cache", cache)
    no_solver()
    assert visaproof("rules", *names, "--cache", cache) == first
