"""`--scheduler`: on a Dask cluster the results are those of a local run, whatever happens to its workers."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct, field

from visaproof.checking.claims.model_version import model_version
from visaproof.checking.cluster.task import Died, Done, Order, Raised, TooLong, answered_there, digest
from visaproof.isa.errors import ReadError

pytest.importorskip("distributed")
DATA = Path(__file__).parents[2] / "data"
FOLDER = DATA / "visaasm" / "lane_conflict"
LAUNCH = ("--launch", DATA / "manifest.json")
WORKERS = 3
START_S = 60


class Cluster(Struct):
    """A scheduler and its workers, each a process on this machine."""

    address: str
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def workers(self) -> list["subprocess.Popen[bytes]"]:
        return self.processes[1:]


def _dask(*words: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    from distributed import Client

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    one = Cluster(f"tcp://127.0.0.1:{port}")
    try:
        one.processes.append(_dask("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"))
        for _ in range(WORKERS):
            options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
            one.processes.append(_dask("worker", one.address, *options))
        with Client(one.address, timeout=START_S, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=START_S)
        yield one
    finally:
        for process in one.processes:
            process.kill()
        for process in one.processes:
            process.wait()


def _local() -> tuple[int, str]:
    """The exit code and the text, of a process that has asked nothing before."""
    command = [sys.executable, "-m", "visaproof", "conflicts", str(FOLDER), *map(str, LAUNCH)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return ran.returncode, ran.stdout


@pytest.mark.slow
def test_the_results_are_those_of_a_local_run(visaproof, cluster, tmp_path):
    local = _local()
    there = visaproof("conflicts", FOLDER, *LAUNCH, "--scheduler", cluster.address)
    assert (there.code, there.out) == local
    assert there.code == 1
    cache = ("--cache", tmp_path / "answers.sqlite")
    assert visaproof("conflicts", FOLDER, *LAUNCH, "--scheduler", cluster.address, *cache).out == local[1]
    assert visaproof("conflicts", FOLDER, *LAUNCH, *cache, "--cache-mode", "enforce").out == local[1]


@pytest.mark.slow
def test_pairs_are_asked_there_too(visaproof, cluster, monkeypatch):
    asked = ("tv", FOLDER, FOLDER, *LAUNCH)
    here = visaproof(*asked)
    monkeypatch.setattr("visaproof.report.two_kernels.pair_run.side_by_side", None)  # nothing is asked here
    there = visaproof(*asked, "--scheduler", cluster.address)
    assert there.code == here.code
    assert [line.split()[:3] for line in there.out.splitlines()] == [line.split()[:3] for line in here.out.splitlines()]


@pytest.mark.slow
def test_a_worker_that_is_killed_in_mid_run_takes_no_answer_with_it(visaproof, cluster):
    """Each file has one result: none is lost, and none counts twice."""
    local = _local()
    command = [sys.executable, "-m", "visaproof", "conflicts", str(FOLDER), *map(str, LAUNCH)]
    ran = subprocess.Popen(
        [*command, "--scheduler", cluster.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    victim = cluster.workers[0]
    assert _children_within(victim.pid, START_S), "the worker was never at work"
    victim.send_signal(signal.SIGKILL)
    out, _ = ran.communicate(timeout=600)
    assert (ran.returncode, out) == local
    assert not _children_within(victim.pid, 0)


@pytest.mark.slow
def test_ctrl_c_leaves_no_process_on_the_workers(cluster):
    many = FOLDER.parent  # it has not ended when the signal comes
    command = [sys.executable, "-m", "visaproof", "conflicts", str(many), *map(str, LAUNCH)]
    ran = subprocess.Popen([*command, "--scheduler", cluster.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert _children_within(cluster.workers[0].pid, START_S)
    ran.send_signal(signal.SIGINT)
    ran.communicate(timeout=60)
    assert ran.returncode == 130
    end = time.monotonic() + 10
    while time.monotonic() < end and any(_children_within(one.pid, 0) for one in cluster.workers):
        time.sleep(0.1)
    assert not any(_children_within(one.pid, 0) for one in cluster.workers)


def _children_within(pid: int, seconds: float) -> list[str]:
    """The processes of tasks that a worker has, as soon as there are some."""
    end = time.monotonic() + seconds
    while True:
        listed = Path(f"/proc/{pid}/task/{pid}/children")
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children")) if listed.exists() else []
        found = [word for path in tasks for word in _words(path)]
        if found or time.monotonic() >= end:
            return found
        time.sleep(0.02)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def test_where_no_scheduler_answers_the_error_says_so(visaproof, monkeypatch):
    monkeypatch.setattr("visaproof.checking.cluster.client.CONNECT_S", 0.2)
    ran = visaproof("conflicts", FOLDER, *LAUNCH, "--scheduler", "tcp://127.0.0.1:1")
    assert (ran.code, ran.out) == (2, "")
    assert "error: --scheduler: no scheduler answers at tcp://127.0.0.1:1" in ran.err


def test_a_budget_by_this_clock_is_refused(visaproof):
    ran = visaproof("conflicts", FOLDER, *LAUNCH, "--scheduler", "tcp://127.0.0.1:1", "--budget", "9")
    assert (ran.code, "--budget is by the clock" in ran.err) == (2, True)


# ---------------------------------------------------------------- one task, in a process of its own


def _order(do, task, **changed) -> Order:
    from pickle import dumps

    from msgspec.structs import replace

    order = Order(dumps((do, task)), os.getcwd(), {}, {}, model_version(), 60, False)
    return replace(order, **changed)


def test_a_task_answers_raises_dies_or_is_ended():
    assert answered_there(_order(abs, -3)) == Done(3)
    raised = answered_there(_order(int, "x"))
    assert isinstance(raised, Raised)
    assert isinstance(raised.error, ValueError)
    assert answered_there(_order(os._exit, 7)) == Died(7)
    assert answered_there(_order(time.sleep, 60, limit_s=0.5)) == TooLong(0.5)


def test_another_visaproof_on_a_worker_answers_nothing():
    found = answered_there(_order(abs, -3, version="another"))
    assert isinstance(found, Raised)
    assert isinstance(found.error, ReadError)
    assert "a worker has another visaproof" in str(found.error)


def test_a_folder_that_a_worker_does_not_see_is_an_error(tmp_path):
    found = answered_there(_order(abs, -3, folder=str(tmp_path / "elsewhere")))
    assert isinstance(found, Raised)
    assert "does not see the folder" in str(found.error)


def test_other_contents_of_a_file_on_a_worker_are_an_error(tmp_path):
    (tmp_path / "k.visaasm").write_text(".version 4.1\n")
    known = {"k.visaasm": digest(tmp_path / "k.visaasm")}
    assert answered_there(_order(abs, -3, folder=str(tmp_path), files=known)) == Done(3)
    (tmp_path / "k.visaasm").write_text(".version 4.0\n")
    found = answered_there(_order(abs, -3, folder=str(tmp_path), files=known))
    assert isinstance(found, Raised)
    assert "a worker has other contents of k.visaasm" in str(found.error)
