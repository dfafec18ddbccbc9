"""One task on a worker of a cluster: a process of its own, which ends with the task, with the worker, or at a limit.

A worker runs tasks in threads, where no limit on processor time can interrupt, and a solver that fails would take the
worker with it.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from pickle import dumps, loads
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic, sleep
from traceback import format_exc
from typing import Any

from msgspec import Struct

POLL_S = 0.05
GONE = 113
"""The exit code of a process whose worker has ended."""


class Order(Struct, frozen=True):
    """What is done, where, and by which visaproof."""

    pickled: bytes
    """A function, and its argument."""
    folder: str
    """Relative names of files begin there."""
    files: dict[str, str]
    """The digests of those that are asked about."""
    environment: dict[str, str]
    version: str
    """Of the model: another one could answer otherwise."""
    limit_s: float | None
    """By the clock."""
    both_solvers: bool


class Done(Struct, frozen=True):
    """What the function gave."""

    answer: Any


class Raised(Struct, frozen=True):
    """What it raised instead."""

    error: BaseException
    traceback: str


class Died(Struct, frozen=True):
    """Its process ended with this code."""

    code: int


class TooLong(Struct, frozen=True):
    """It was ended at the limit."""

    seconds: float


def answered_there(order: Order) -> Done | Raised | Died | TooLong:
    """On a worker: what comes of an order."""
    if (mismatch := _mismatch(order)) is not None:
        return mismatch
    command = [sys.executable, "-m", __name__]
    environment = os.environ | order.environment
    with TemporaryFile() as out:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, cwd=order.folder, env=environment, start_new_session=True
        )
        try:
            assert process.stdin is not None
            content = dumps(order)
            process.stdin.write(len(content).to_bytes(8, "little") + content)
            process.stdin.flush()  # it stays open: where it is closed, the worker is gone
            if (stopped := _waited(process, order.limit_s)) is not None:
                return stopped
        except BrokenPipeError:
            process.wait()
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        answer = out.read()
    return Died(process.returncode) if process.returncode or not answer else loads(answer)


def _mismatch(order: Order) -> Raised | None:
    from visaproof.checking.claims.model_version import model_version
    from visaproof.isa.errors import ReadError, in_option

    here = model_version()
    if here != order.version:
        error = ReadError(
            f"a worker has another visaproof: {here}, not {order.version}", in_option("--scheduler"),
            "install the same version, and the same solvers, on every worker",
        )  # fmt: skip
        return Raised(error, "")
    if not os.path.isdir(order.folder):
        error = ReadError(
            f"a worker does not see the folder {order.folder}", in_option("--scheduler"),
            "all machines of the cluster need the same files under the same names",
        )  # fmt: skip
        return Raised(error, "")
    for name, known in order.files.items():
        if digest(Path(order.folder, name)) != known:
            error = ReadError(
                f"a worker has other contents of {name}", in_option("--scheduler"),
                "all machines of the cluster need the same files under the same names",
            )  # fmt: skip
            return Raised(error, "")
    return None


def digest(path: Path) -> str:
    """Of the contents of a file; empty where it cannot be read, which whoever asks about it says."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _waited(process: "subprocess.Popen[bytes]", limit_s: float | None) -> TooLong | None:
    """Until the process ends; it is left alone no longer than somebody wants its answer."""
    wanted, start = _wanted(), monotonic()
    while process.poll() is None:
        if limit_s is not None and monotonic() - start > limit_s:
            return TooLong(limit_s)
        if not wanted():
            return TooLong(monotonic() - start)
        sleep(POLL_S)
    return None


def _wanted() -> Callable[[], bool]:
    """Whether the scheduler still wants this task.  Without a worker, as in a test, it always does."""
    try:
        from distributed import get_worker

        worker: Any = get_worker()
        key = worker.get_current_task()
    except (ImportError, ValueError):
        return lambda: True

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return wanted


def main() -> None:
    """In the process: reads an order, and writes what came of it."""
    source, target = sys.stdin.buffer, os.dup(1)
    os.dup2(2, 1)  # what a claim prints is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order: Order = loads(source.read(int.from_bytes(source.read(8), "little")))
    Thread(target=_end_with_worker, args=(source,), daemon=True).start()
    from visaproof.smt.solvers import CROSS_CHECKED

    CROSS_CHECKED.set(order.both_solvers)
    found: Done | Raised
    try:
        do, task = loads(order.pickled)
        found = Done(do(task))
    except BaseException as error:
        found = Raised(error, format_exc())
    with open(target, "wb") as file:
        file.write(dumps(found))
    os._exit(0)


def _end_with_worker(source: Any) -> None:
    source.read(1)
    os._exit(GONE)


if __name__ == "__main__":
    from visaproof.checking.cluster import task

    task.main()  # not of `__main__`, whose records no other process can read
