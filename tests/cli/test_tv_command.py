"""`visaproof tv`: many pairs, each answered on its own, kept, and gone on with."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from visaproof.checking.kept.cache_care import stats
from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"
SIMD8 = "tgllp-O2-simd8"
PATIENCE_S = 120

REWRITE = {"kernel": "copy16", "rewrite": "copy16_b", "a": SIMD8, "b": SIMD8, "class": "rewrite"}
WRONG = {"kernel": "transpose_naive", "rewrite": "transpose_naive_bad", "a": SIMD8, "b": SIMD8, "class": "wrong"}


@pytest.fixture
def listed(tmp_path: Path) -> Callable[..., Path]:
    """Writes a list of pairs beside the test data."""
    (tmp_path / "visaasm").symlink_to(DATA / "visaasm")
    (tmp_path / "manifest.json").symlink_to(MANIFEST)

    def write(*pairs: dict[str, str]) -> Path:
        path = tmp_path / "pairs.json"
        path.write_text(json.dumps(pairs))
        return path

    return write


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """A folder of dumps, each by its name and the test file that it is a copy of."""

    def fill(name: str, **dumps: str) -> Path:
        into = tmp_path / name
        into.mkdir()
        for dump, origin in dumps.items():
            shutil.copy(DATA / "visaasm" / f"{origin}.visaasm", into / f"{dump}.visaasm")
        return into

    return fill


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    code = main(["tv", "--format", "json", *map(str, arguments)])
    document = json.loads(capsys.readouterr().out)
    assert document["exit_code"] == code
    return code, document


def answers(document: dict[str, Any]) -> list[str]:
    return [row["answer"] for row in document["asked"]]


@pytest.mark.slow
def test_a_list_is_asked_pair_by_pair(listed, capsys):
    """The worst answer gives the exit code, and every pair has its row in the order of the list."""
    code, document = asked(capsys, listed(WRONG, REWRITE), "--bidirectional")
    assert code == 1
    assert answers(document) == ["does not refine", "does not refine", "refines", "refines"]
    wrong, back, right, _ = document["asked"]
    assert (wrong["source"], wrong["target"]) == (back["target"], back["source"])
    assert wrong["verdict"]["example"]["after_source"]["byte"] != wrong["verdict"]["example"]["after_target"]["byte"]
    assert any("no other thread writes" in one for one in right["verdict"]["assumptions"])
    assert document["counts"] == {"refines": 2, "does not refine": 2}


@pytest.mark.slow
def test_the_text_has_the_table_and_what_wants_attention(listed, visaproof):
    found = visaproof("tv", listed(REWRITE, WRONG))
    assert found.code == 1
    assert "2 pairs: those that" in found.out
    assert "  class    refines" in found.out
    assert (
        "DOES NOT REFINE (1)\n    wrong: transpose_naive/tgllp-O2-simd8 → transpose_naive_bad/tgllp-O2-simd8"
        in found.out
    )
    assert "in full: visaproof refine " in found.out
    assert "copy16/" not in found.out.split("DOES NOT")[1]


@pytest.mark.slow
def test_a_class_selects_and_another_name_is_an_error(listed, visaproof, capsys):
    path = listed(REWRITE, WRONG)
    code, document = asked(capsys, path, "--class", "rewrite")
    assert (code, answers(document)) == (0, ["refines"])
    found = visaproof("tv", path, "--class", "rewirte")
    assert found.code == 2
    assert "did you mean rewrite" in found.err


@pytest.mark.slow
def test_bad_files_lose_no_other_pair(listed, tmp_path, capsys):
    """Garbage and a missing file are rows of their own, and the last pair is still answered."""
    (tmp_path / "garbage.visaasm").write_text("\x00 no kernel")
    vadd = f"visaasm/vadd/{SIMD8}.visaasm"
    garbage, missing = ({"source": vadd, "target": name} for name in ("garbage.visaasm", "nowhere.visaasm"))
    other = {"source": vadd, "target": "visaasm/vc_scatter4/tgllp-vc.visaasm"}
    code, document = asked(capsys, listed(garbage, missing, other, REWRITE))
    assert code == 2
    assert answers(document) == ["unreadable", "unreadable", "not modelled", "refines"]
    assert "nowhere" in document["asked"][1]["detail"]
    assert str(tmp_path) not in document["asked"][1]["detail"]


@pytest.mark.slow
def test_dumps_of_one_kernel_are_paired(folder, capsys):
    """The unoptimised one is the source; kernels of other names or widths are no pair."""
    dumps = folder(
        "dumps", a=f"vadd/{SIMD8}", b_O0="vadd/dg2-O2-simd8", c="vadd/tgllp-O2-simd16", other=f"copy16/{SIMD8}"
    )
    (dumps / "junk.visaasm").write_text("nothing\n")
    code, document = asked(capsys, dumps, "--platform", "tgllp")
    assert code == 2
    assert [(row["source"], row["target"], row["answer"]) for row in document["asked"]] == [
        ("junk", "", "unreadable"),
        ("b_O0", "a", "refines"),
    ]
    assert document["alone"] == ["c", "other"]
    assert "not optimised" in document["pairing"]
    _, chosen = asked(capsys, dumps, "--platform", "tgllp", "--source", "a*")
    assert (chosen["asked"][1]["source"], chosen["asked"][1]["target"]) == ("a", "b_O0")


@pytest.mark.slow
def test_two_folders_are_matched_by_path_then_by_kernel(folder, capsys):
    before = folder("before", same=f"vadd/{SIMD8}", old=f"copy16/{SIMD8}", lost=f"gray_bytes/{SIMD8}")
    after = folder("after", same="vadd/dg2-O2-simd8", new=f"copy16_b/{SIMD8}")
    (after / "new.visaasm").write_text((after / "new.visaasm").read_text().replace("copy16_b", "copy16"))
    code, document = asked(capsys, before, after, "--platform", "tgllp")
    assert code == 2
    found = {(row["source"], row["target"]): row["answer"] for row in document["asked"]}
    assert found == {
        ("before/lost", ""): "no counterpart",
        ("same", "same"): "refines",
        ("old", "new"): "refines",
    }


def test_two_folders_are_matched_across_widths_where_none_has_the_same(folder, capsys):
    before = folder("before", old=f"vadd/{SIMD8}", two_a=f"copy16/{SIMD8}")
    after = folder("after", new="vadd/tgllp-O2-simd16", two_b="copy16/tgllp-O2-simd16", two_c=f"copy16/{SIMD8}")
    main(["tv", str(before), str(after), "--list"])
    found = capsys.readouterr().out
    assert "vadd: old → new " in found
    assert "copy16: two_a → two_c " in found, "the same width comes first"
    assert "two_b" not in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no json", "not a list of pairs"),
        ('{"kernel": "vadd"}', "not a list of pairs"),
        ('[{"kernel": "vadd"}]', "pair 1 does not name two files"),
        ("[]", "no pair in"),
        ("[" * 100_000, "not a list of pairs"),
    ],
)
def test_what_is_no_list_is_a_usage_error(text, said, tmp_path, visaproof):
    path = tmp_path / "pairs.json"
    path.write_text(text)
    found = visaproof("tv", path)
    assert found.code == 2
    assert said in found.err


def test_no_such_path_and_folders_without_pairs_are_usage_errors(tmp_path, visaproof):
    assert visaproof("tv", tmp_path / "nothing").code == 2
    assert visaproof("tv", tmp_path).code == 2
    assert visaproof("tv", tmp_path, tmp_path / "x.json").code == 2
    assert visaproof("tv", tmp_path, "--class", "a").code == 2


# ---------------------------------------------------------------- state


def kept(cache: Path) -> int:
    """How many answers it has."""
    return sum(count for _, count, _ in stats(cache).kinds)


@pytest.mark.slow
def test_what_was_answered_is_not_asked_again(listed, tmp_path, capsys):
    """An answer counts for the same contents and options."""
    cache = tmp_path / "answers.sqlite"
    path = listed(REWRITE, WRONG)
    first = asked(capsys, path, "--cache", cache)
    assert kept(cache) == 2
    assert asked(capsys, path, "--cache", cache, "--cache-mode", "enforce") == first
    code, other = asked(capsys, path, "--cache", cache, "--cache-mode", "enforce", "--assume", "none")
    assert (code, answers(other)) == (3, ["unknown", "unknown"])
    _, old = asked(capsys, path, "--state", cache, "--cache-mode", "enforce")
    assert answers(old) == answers(first[1]), "the old name of the option"


@pytest.mark.slow
def test_a_change_in_a_file_or_in_its_launch_is_asked_again(folder, capsys):
    """Also in a function that lies beside it; the folder's own name does not matter."""
    dumps = folder("dumps", a=f"vadd/{SIMD8}", b="vadd/dg2-O2-simd8")
    cache = dumps / "answers.sqlite"

    def answered() -> int:
        code, document = asked(capsys, dumps, "--platform", "tgllp", "--cache", cache)
        assert (code, answers(document)) == (0, ["refines"])
        return kept(cache)

    assert answered() == 1
    assert answered() == 1
    (dumps / "b.visaasm").write_text((dumps / "b.visaasm").read_text() + "\n// changed\n")
    assert answered() == 2
    (dumps / "b.f0.visaasm").write_text((dumps / "b.visaasm").read_text().replace(".kernel ", ".global_function "))
    assert answered() == 3


def test_another_file_is_never_taken_for_a_cache(listed, tmp_path, visaproof):
    mine = tmp_path / "mine.txt"
    mine.write_text("precious\n")
    found = visaproof("tv", listed(REWRITE), "--cache", mine)
    assert found.code == 2
    assert "not a cache" in found.err
    assert mine.read_text() == "precious\n"


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def heed_signals() -> None:
    """Of the new process: whoever runs the tests may ignore some, as nohup does, and children would ignore them too."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "end",
    [
        lambda pid: os.killpg(pid, signal.SIGINT),
        lambda pid: os.kill(pid, signal.SIGTERM),
        lambda pid: os.kill(pid, signal.SIGHUP),
    ],
    ids=["ctrl-c", "kill", "hang-up"],
)
def test_ctrl_c_sigterm_and_sighup_keep_what_was_answered(end, listed, tmp_path):
    """It ends with 130, shows the rows so far, and leaves no process."""
    state = tmp_path / "answers.sqlite"
    path = listed(REWRITE, *[{**WRONG, "class": f"n{number}"} for number in range(200)])
    command = [sys.executable, "-m", "visaproof", "tv", str(path), "--cache", str(state), "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=heed_signals,
    ) as run:  # fmt: skip
        until = monotonic() + PATIENCE_S
        while not (state.is_file() and state.stat().st_size and kept(state) > 1) and monotonic() < until:
            sleep(0.05)
        end(run.pid)
        out, err = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert "interrupted: " in out
    assert err == ""
    while alive(run.pid) and monotonic() < until:  # what tracks resources ends a moment after its caller
        sleep(0.05)
    assert not alive(run.pid)
    assert kept(state) > 1
    assert active_children() == []


# ---------------------------------------------------------------- names and files


@pytest.mark.slow
def test_json_holds_names_that_are_no_text(folder, tmp_path, capsys):
    """Bytes that are no UTF-8 are escaped wherever they stand, in names of pairs and in their verdicts."""
    dumps = folder("dumps", a=f"transpose_naive/{SIMD8}", b=f"transpose_naive_bad/{SIMD8}")
    (dumps / "a.visaasm").rename(dumps / "a\udcff.visaasm")
    code, document = asked(capsys, dumps, "--platform", "TGLLP", "--cache", tmp_path / "answers\udcff")
    assert code == 1
    assert document["asked"][0]["source"] == "a\\udcff"
    assert document["asked"][0]["verdict"]["source"] == "a\\udcff"


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_loses_no_run(listed, tmp_path, visaproof):
    """As on a disk that is full: it is said, and the answers are shown."""
    found = visaproof("tv", listed(REWRITE), "--cache", tmp_path / "no such folder" / "answers")
    assert found.code == 0
    assert "the cache is not used any more" in found.err


def test_malformed_json_is_shown_where_it_is(tmp_path, visaproof):
    path = tmp_path / "pairs.json"
    path.write_text('[\n  {"source": "a", "target": b}\n]')
    found = visaproof("tv", path)
    assert found.code == 2
    assert f"error: {path}:2:29: not a list of pairs" in found.err


def test_two_kernels_are_for_refine(tmp_path, visaproof):
    found = visaproof("tv", tmp_path / "a.visaasm", tmp_path / "b.visaasm")
    assert found.code == 2
    assert f"visaproof refine {tmp_path / 'a.visaasm'} {tmp_path / 'b.visaasm'}" in found.err


@pytest.mark.slow
def test_files_without_a_pair_have_a_row_with_a_name(folder, visaproof):
    dumps = folder("dumps", a=f"vadd/{SIMD8}", b="vadd/dg2-O2-simd8")
    (dumps / "c.visaasm").write_text("")
    found = visaproof("tv", dumps, "--platform", "tgllp")
    assert found.code == 2
    assert any(line.startswith("  in no pair") for line in found.out.splitlines())


@pytest.mark.slow
def test_stats_count_what_each_strategy_decided(listed, visaproof):
    devices = {"kernel": "copy16", "rewrite": "copy16", "a": SIMD8, "b": "dg2-O2-simd8", "class": "devices"}
    found = visaproof("tv", listed(devices), "--stats")
    assert found.code == 0
    (line,) = (line for line in found.out.splitlines() if "in one memory: normal form" in line)
    assert line.split()[-3:-1] == ["1", "1"]  # tried and found, before the seconds
    assert "in one memory: normal form" not in visaproof("tv", listed(devices)).out
