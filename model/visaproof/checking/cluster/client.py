"""Many tasks on a Dask cluster, as `task_pool` does them on one machine.  Needs the extra `visaproof[cluster]`."""

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from pickle import dumps
from typing import Any, TypeVar

from visaproof.checking.claims.model_version import model_version
from visaproof.checking.cluster.task import Died, Order, Raised, TooLong, answered_there, digest
from visaproof.checking.task_pool import Answered, ElsewhereError, Lost
from visaproof.checking.termination import interrupted_by_signals
from visaproof.isa.errors import ReadError, in_option
from visaproof.smt.solvers import CROSS_CHECKED

T = TypeVar("T")
R = TypeVar("R")

OPTION = "--scheduler"
CONNECT_S = 10
"""For the scheduler, and for its first worker."""
OF_THE_TERMINAL = ("NO_COLOR", "FORCE_COLOR", "TERM")


def on_cluster(
    do: Callable[[T], R],
    tasks: Sequence[T],
    address: str,
    limit_s: float | None = None,
    files: Callable[[T], Sequence[Path]] = lambda _: (),
) -> Generator[Answered[R] | Lost]:
    """What comes of each task, once, as it comes.  Close it: nothing of the tasks goes on afterwards.

    Workers have the same visaproof, and the `files` of a task under the same names.  A task whose worker ends is given
    to another one; a few times, since it may be what ends them.  Raises ReadError where there is no such cluster, or no
    such worker.
    """
    if tasks:
        with closing(_client(address)) as client, interrupted_by_signals():
            yield from _outcomes(client, _orders(do, tasks, limit_s, files))


def _client(address: str) -> Any:
    """Raises ReadError."""
    try:
        from distributed import Client
    except ImportError:
        hint = "pip install 'visaproof[cluster]'"
        raise ReadError("distributed is not installed", in_option(OPTION), hint) from None
    try:
        client: Any = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        hint = "its address is what `dask scheduler` prints, as in tcp://10.0.0.1:8786"
        raise ReadError(f"no scheduler answers at {address}: {error}", in_option(OPTION), hint) from None
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        client.close()
        hint = f"start some with `dask worker {address}`"
        raise ReadError(f"the scheduler at {address} has no workers", in_option(OPTION), hint) from None
    return client


def _orders(
    do: Callable[[T], R], tasks: Sequence[T], limit_s: float | None, files: Callable[[T], Sequence[Path]]
) -> Iterator[Order]:
    manner = {name: os.environ[name] for name in OF_THE_TERMINAL if name in os.environ}
    manner["COLUMNS"] = str(shutil.get_terminal_size().columns)
    digests: dict[Path, str] = {}
    for task in tasks:
        named = files(task)
        digests |= {path: digest(path) for path in named if path not in digests}
        known = {str(path): digests[path] for path in named}
        yield Order(dumps((do, task)), os.getcwd(), known, manner, model_version(), limit_s, CROSS_CHECKED.get())


def _outcomes(client: Any, orders: Iterator[Order]) -> Generator[Answered[Any] | Lost]:
    import distributed

    futures: dict[Any, int] = {
        client.submit(answered_there, order, pure=False): index for index, order in enumerate(orders)
    }
    left = set(futures.values())
    try:
        done: Any = distributed.as_completed(list(futures), loop=client.loop)
        for future in done:
            index = futures[future]
            if index in left:
                left.remove(index)
                yield _outcome(index, future)
    finally:
        if left:
            client.cancel([one for one, index in futures.items() if index in left], force=True)


def _outcome(index: int, future: Any) -> Answered[Any] | Lost:
    from distributed.scheduler import KilledWorker

    try:
        found = future.result()
    except KilledWorker as error:
        return Lost(index, f"its workers ended, one after another, the last {error.last_worker.address}")
    match found:
        case TooLong(seconds):
            return Lost(index, f"no answer within {seconds:g} s")
        case Died(code):
            return Lost(index, f"its process ended ({code}), perhaps for want of memory", died=True)
        case Raised(error, traceback):
            raise error from ElsewhereError(traceback)
        case _:
            return Answered(index, found.answer)
