"""Measures and prints: properties by our encoding, by the naive probe, and by an array of stores; launches;
refinement by the length of kernels; one kernel by its length and the depth of its loops; start-up."""

import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks import baselines, growth, launches, refinement
from benchmarks.baselines import z3
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Proved
from visaproof.isa.platform import Platform
from visaproof.queries import bounds, frame, predication, value
from visaproof.queries.query import Query
from visaproof.queries.subject import Subject, scatter4_scaled
from visaproof.smt.solvers import forget_answers

TIMEOUT_S = 20
RUNS = 3

PROPERTIES: dict[str, Callable[[Subject], Query]] = {
    "out-of-bounds-write-is-dropped": bounds.out_of_bounds_write_is_dropped,
    "disabled-lane-touches-nothing": predication.disabled_lane_touches_nothing,
    "other-memory-is-unchanged": frame.other_memory_is_unchanged,
    "written-dword-is-the-lanes-datum": value.written_dword_is_the_lanes_datum,
}

Encoding = Callable[[list[baselines.Store], Any, Any], Any]


def ours(ask: Callable[[Subject], Query]) -> float:
    """Seconds from nothing to a verdict: building the subject and the query included."""
    forget_answers()
    start = perf_counter()
    verdict = decide(ask(scatter4_scaled(16, Platform.TGLLP, False)))
    assert isinstance(verdict, Proved), verdict
    return perf_counter() - start


def baseline(encoding: Encoding, name: str) -> float | None:
    """Seconds from nothing to unsat; None where z3 did not decide it in time."""
    start = perf_counter()
    stores = baselines.stores()
    probe, before = z3.BitVec("probe", 34), z3.BitVec("before", 32)
    solver = z3.SolverFor("QF_ABV" if encoding is baselines.array_after else "QF_BV")
    solver.set(timeout=TIMEOUT_S * 1000)
    solver.add(*baselines.questions(encoding(stores, probe, before), stores, probe, before)[name])
    answer = solver.check()
    assert answer != z3.sat, name
    return perf_counter() - start if answer == z3.unsat else None


def repeated(measure: Callable[[], float | None]) -> float | None:
    """The median of a few runs; None as soon as one is not decided."""
    times: list[float] = []
    for _ in range(RUNS):
        seconds = measure()
        if seconds is None:
            return None
        times.append(seconds)
    return median(times)


def ratio(theirs: float | None, mine: float) -> str:
    if theirs is None:
        return f"> {TIMEOUT_S / mine:,.0f}x (undecided in {TIMEOUT_S} s)"
    return f"{theirs / mine:,.1f}x ({theirs * 1000:,.0f} ms)"


def start_up(*arguments: str) -> float:
    """Seconds of a whole process, median of a few."""

    def once() -> float:
        start = perf_counter()
        subprocess.run([sys.executable, "-m", "visaproof", *arguments], check=True, stdout=subprocess.DEVNULL)
        return perf_counter() - start

    return median(once() for _ in range(7))


def main() -> None:
    ours(PROPERTIES["other-memory-is-unchanged"])  # loads z3
    print("SIMD16 RGBA scatter4_scaled, 64 stores, everything symbolic; time from nothing to the proof")
    print(f"{'property':34} {'ours':>8}  {'naive probe / ours':36} array of stores / ours")
    for name, ask in PROPERTIES.items():
        mine = repeated(lambda ask=ask: ours(ask))
        assert mine is not None
        probe = repeated(lambda name=name: baseline(baselines.probe_after, name))
        array = repeated(lambda name=name: baseline(baselines.array_after, name))
        print(f"{name:34} {mine * 1000:5.0f} ms  {ratio(probe, mine):36} {ratio(array, mine)}", flush=True)
    print(*refinement.table(), sep="\n", flush=True)
    for line in growth.table():
        print(line, flush=True)
    print(*launches.table(), sep="\n", flush=True)
    bare = median([_bare_python() for _ in range(7)])
    for arguments in (("--version",), ("prove", "--list")):
        seconds = start_up(*arguments)
        print(f"visaproof {' '.join(arguments):27} {seconds * 1000:5.0f} ms  {seconds / bare:.1f}x a bare interpreter")


def _bare_python() -> float:
    start = perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return perf_counter() - start


if __name__ == "__main__":
    main()
