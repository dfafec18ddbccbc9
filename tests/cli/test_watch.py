"""`visaproof watch`: a change of a file asks again, and Ctrl-C ends everything."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from visaproof.cli import watch

DATA = Path(__file__).parents[1] / "data"
CONFLICT = DATA / "visaasm" / "lane_conflict" / "tgllp-O2-simd8.visaasm"
FREE = DATA / "visaasm" / "lane_conflict_fixed" / "tgllp-O2-simd8.visaasm"
MANIFEST = DATA / "manifest.json"
PATIENCE_S = 120


@pytest.fixture
def kernel(tmp_path):
    """A dump where the manifest finds its launch."""
    shutil.copy(MANIFEST, tmp_path)
    for one in (CONFLICT, FREE):
        folder = tmp_path / "visaasm" / one.parent.name
        folder.mkdir(parents=True)
        shutil.copy(one, folder)
    return tmp_path / "visaasm" / "lane_conflict" / CONFLICT.name


def _started(folder, *words) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "visaproof", "watch", *map(str, words)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _heard(process, text) -> str:
    """What it says on stderr until it says this."""
    said = ""
    for line in process.stderr:
        said += line
        if text in line:
            return said
    raise AssertionError(said)


@pytest.mark.slow
def test_a_change_asks_again_until_nothing_is_found(tmp_path, kernel):
    ran = _started(tmp_path, "--until-ok", "conflicts", kernel, "--launch", tmp_path / "manifest.json")
    try:
        assert "exit code 1; waiting" in _heard(ran, "waiting for a change")
        shutil.copy(FREE, kernel)
        out, said = ran.communicate(timeout=PATIENCE_S)
    finally:
        ran.kill()
    assert ran.returncode == 0
    assert f"changed: {kernel}" in said
    assert out.index("CONFLICT") < out.index("free: no two")


def test_ctrl_c_ends_the_watch_with_the_last_code(tmp_path, kernel):
    ran = _started(tmp_path, "conflicts", kernel, "--launch", tmp_path / "manifest.json", "-q")
    try:
        _heard(ran, "waiting for a change")
        ran.send_signal(signal.SIGINT)
        ran.communicate(timeout=PATIENCE_S)
    finally:
        ran.kill()
    assert ran.returncode == 1


def test_a_run_that_is_out_of_date_ends_and_leaves_no_process(tmp_path, monkeypatch):
    """And so does one that does not hear Ctrl-C."""
    (file := tmp_path / "k.visaasm").write_text("")
    started = []
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(flush=True); time.sleep(600)"

    def popen(command, **named):
        started.append(ran := subprocess_popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE))
        assert ran.stdout is not None
        ran.stdout.readline()
        os.utime(file, (1, 1))
        return ran

    subprocess_popen = subprocess.Popen
    monkeypatch.setattr(watch.subprocess, "Popen", popen)
    monkeypatch.setattr(watch, "END_S", 0.2)
    arguments = watch.Namespace(asked="check", words=[str(file)])
    begun = time.monotonic()
    assert watch._one_run(arguments, (), [file], watch._state([file])) is None
    assert time.monotonic() - begun < PATIENCE_S
    assert [one.returncode for one in started] == [-signal.SIGKILL]


def test_files_are_looked_at_and_what_is_written_is_not(tmp_path, monkeypatch, visaproof):
    (tmp_path / "k.visaasm").write_text("")
    (tmp_path / "k_f1.visaasm").write_text("")
    (tmp_path / "notes.txt").write_text("")
    assert watch._state([tmp_path]).keys() == watch._state([tmp_path / "k.visaasm"]).keys()
    before = watch._state([tmp_path])
    (tmp_path / "notes.txt").write_text("more")
    assert watch._state([tmp_path]) == before
    (tmp_path / "k_f1.visaasm").unlink()
    assert watch._changed(before, watch._state([tmp_path])) == [tmp_path / "k_f1.visaasm"]
    seen = []
    monkeypatch.setattr(watch, "_one_run", lambda arguments, sources, inputs, known: seen.append(inputs) or 0)
    written = ("--cache", tmp_path / "c.sqlite", "--output", f"json:{tmp_path}/o.json", "--save", tmp_path)
    ran = visaproof("watch", "--until-ok", "conflicts", tmp_path, *written, "--launch", MANIFEST)
    assert (ran.code, seen) == (0, [[tmp_path, MANIFEST]])


def test_the_launch_beside_a_kernel_is_looked_at(monkeypatch, visaproof):
    pairs = Path(__file__).parents[2] / "docs" / "examples" / "pairs.visaasm"
    seen = []
    monkeypatch.setattr(watch, "_one_run", lambda arguments, sources, inputs, known: seen.append(inputs) or 0)
    for words in ((), ("--launch", "none")):
        visaproof("watch", "--until-ok", "conflicts", pairs, *words)
    assert seen == [[pairs, pairs.with_suffix(".bin")], [pairs, Path("none")]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("conflict", "x"), "did you mean conflicts"),
        (("conflicts", "x", "--asume", "none"), "did you mean --assume"),
        (("prove",), "names no file to watch"),
        (("bounds", "a.cl", "b.cl"), "only one source"),
        ((), "COMMAND"),
        (("conflicts", "--help"), ""),
    ],
)
def test_a_wrong_command_line_is_an_error_before_anything_runs(visaproof, words, said):
    ran = visaproof("watch", *words)
    assert ran.code == (2 if said else 0)
    assert said in ran.err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ocloc") is None, reason="ocloc is not installed")
def test_a_source_is_compiled_each_time(tmp_path):
    source = "kernel void k(global int *out, int n) {{ int i = get_global_id(0); if (i < n) out[{}] = i; }}\n"
    (file := tmp_path / "k.cl").write_text(source.format("i / 2"))
    ran = _started(tmp_path, "--until-ok", "conflicts", "k.cl")
    try:
        assert "exit code 1;" in _heard(ran, "waiting for a change")
        file.write_text("kernel void k(")
        assert "exit code 2;" in _heard(ran, "waiting for a change")
        file.write_text(source.format("i"))
        out, _ = ran.communicate(timeout=PATIENCE_S)
    finally:
        ran.kill()
    assert ran.returncode == 0
    assert "k.dump/k.visaasm: kernel k" in out
