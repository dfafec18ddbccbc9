"""Runs generated kernels and compares them with PoCL: `python -m benchmarks.campaign DIR [--budget S] [--seed N]`."""

import sys
import warnings
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from time import monotonic

from benchmarks.campaign.batch import Bench, Found, needs_explanation
from benchmarks.campaign.generate import generated
from benchmarks.campaign.launches import SOUND, Answer
from benchmarks.campaign.store import FOUND, OtherCampaign, Record, Store
from benchmarks.campaign.targets import DEVICES, chosen, today
from benchmarks.pocl.oracle import NoOracle, oracle

PER_BATCH, TARGETS, QUESTIONS = 24, 8, 120
"""Kernels that are compiled together, targets of each batch, and kernels tried to reduce one."""
APART = 10_000_000
"""Seeds of two campaigns."""

Task = tuple[Path, int, int, tuple[str, ...], float]


def main(argv: Sequence[str]) -> int:
    parser = ArgumentParser("benchmarks.campaign", description="Compares generated kernels with PoCL.")
    parser.add_argument("folder", type=Path, help="what was run is kept here; the same command goes on")
    parser.add_argument("--budget", type=float, default=600.0, metavar="S", help="seconds by the clock; default: 600")
    parser.add_argument("--seed", type=int, default=0, help="another one gives other kernels; default: 0")
    parser.add_argument("--devices", default=",".join(DEVICES), help="of ocloc, with commas; default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--batches", type=int, help=f"at most so many, of {PER_BATCH} kernels each; default: any")
    arguments = parser.parse_args(argv)
    devices = tuple(arguments.devices.split(","))
    if unknown := set(devices) - set(DEVICES):
        parser.error(f"unknown device {', '.join(sorted(unknown))}; one of {', '.join(DEVICES)}")
    try:
        oracle()
        if not today().is_file():
            raise NoOracle(f"today's compiler is not at {today()}")
        store = Store.opened(arguments.folder, arguments.seed)
    except (NoOracle, OtherCampaign) as reason:
        print(reason, file=sys.stderr)
        return 2
    deadline = monotonic() + arguments.budget
    batches = range(arguments.batches) if arguments.batches is not None else count()
    tasks = ((arguments.folder, arguments.seed, batch, devices, deadline) for batch in batches)
    try:
        _all(tasks, arguments.jobs, deadline)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
    store = Store.opened(arguments.folder, arguments.seed)
    _table(store.records.values(), arguments.folder)
    return int(any(Answer(record["answer"]) not in SOUND for record in store.records.values()))


def _all(tasks: Iterable[Task], jobs: int, deadline: float) -> None:
    if jobs == 1:
        for task in tasks:
            for line in _batch(task):
                print(line, flush=True)
            if monotonic() > deadline:
                return
    else:
        with get_context("spawn").Pool(jobs, signal, (SIGINT, SIG_IGN)) as pool:
            for lines in pool.imap_unordered(_lines, _until(tasks, deadline, jobs)):
                print(*lines, sep="\n", end="\n" * bool(lines), flush=True)


def _until(tasks: Iterable[Task], deadline: float, jobs: int) -> Iterator[Task]:
    """The pool takes what it can get: so many batches at most wait."""
    for k, task in enumerate(tasks):
        if monotonic() > deadline or k > 10_000 * jobs:
            return
        yield task


def _lines(task: Task) -> list[str]:
    return list(_batch(task))


def _batch(task: Task) -> Iterator[str]:
    """Runs what is left of a batch, and says what needs an explanation."""
    folder, seed, batch, devices, deadline = task
    if monotonic() > deadline:
        return
    store = Store.opened(folder, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PoCL, about sources
        bench = Bench(today(), oracle())
        first = seed * APART + batch * PER_BATCH
        kernels = [generated(first + k) for k in range(PER_BATCH)]
        for found in bench.run(kernels, chosen(first, devices, TARGETS), store.done):
            explained = bench.reduced(found, QUESTIONS) if needs_explanation(found.outcome) else found
            store.add(explained)
            if needs_explanation(explained.outcome) or explained.outcome.answer is Answer.NOT_COMPILED:
                yield _shown(explained)
            if monotonic() > deadline:
                return


def _shown(found: Found) -> str:
    return f"{found.kernel.name} {found.target}: {found.outcome.answer.value}: {found.outcome.detail[-300:]}"


def _table(records: Iterable[Record], folder: Path) -> None:
    """Answers by device, and the reasons of what was not run."""
    records = list(records)
    kernels = len({record["seed"] for record in records})
    print(f"{kernels} kernels, {len(records)} runs")
    answers = Counter((record["target"].split()[0], record["answer"]) for record in records)
    for device in dict.fromkeys(device for device, _ in sorted(answers)):
        found = ", ".join(
            f"{answers[device, each.value]} {each.value}" for each in Answer if answers[device, each.value]
        )
        print(f"{device:8} {found}")
    known = Counter(record["detail"].split(":")[0] for record in records if record["answer"] == Answer.KNOWN.value)
    for fault, times in known.most_common():
        print(f"  known fault ({times}): {fault}, benchmarks/campaign/faults.toml")
    reasons = Counter(_reason(record) for record in records if record["answer"] == Answer.NOT_MODELLED.value)
    for reason, times in reasons.most_common(12):
        print(f"  not modelled ({times}): {reason}")
    open_ones = [record for record in records if Answer(record["answer"]) not in SOUND]
    print(f"{len(open_ones)} runs need an explanation" + f": {folder / FOUND}" * bool(open_ones))


def _reason(record: Record) -> str:
    """Without the place."""
    return record["detail"].split(": ", 1)[-1][:100]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
