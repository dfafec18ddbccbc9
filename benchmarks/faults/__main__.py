"""Plants faults in the targets of proved pairs of the corpus and asks about each: `python -m benchmarks.faults`.

python -m benchmarks.faults [--count 600] [--seed 0]    faults; exits with 1 where one is neither refuted nor equivalent
python -m benchmarks.faults --pairs [--runs 1000]       random runs of the proved pairs; exits with 1 for a difference
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic

from benchmarks.faults.ask import RUNS, Answer, ask_fault, ask_pair, ask_runs
from benchmarks.faults.plan import Pair, listed_pairs, plan
from benchmarks.faults.store import FILE, Record, Store, version
from benchmarks.faults.table import OPEN, table
from visaproof.engine.answer_file import AnswerFile

TOLD_EVERY = 50


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    with AnswerFile(options.results, "faults") as answers:
        return _asked(Store(answers, version(), options.keep), options)


def _asked(store: Store, options: Namespace) -> int:
    timeout_ms = round(1000 * options.timeout)
    pairs = listed_pairs()
    told = _all(store, ((f"pair: {pair.id}", lambda pair=pair: ask_pair(pair, timeout_ms)) for pair in pairs), ())
    proved = [pair for pair, record in zip(pairs, told, strict=True) if record["answer"] == Answer.EQUIVALENT.value]
    print(f"{len(proved)} of {len(pairs)} pairs are proved", file=sys.stderr)
    if options.pairs:
        return _runs(store, proved, options.runs)
    faults = plan(proved, options.count, options.seed)
    print(f"{len(faults)} faults", file=sys.stderr)
    questions = ((planted.id, lambda planted=planted: ask_fault(planted, timeout_ms)) for planted in faults)
    records = _all(store, questions, options.again)
    print("\n".join(table(records)))
    return int(any(Answer(record["answer"]) in OPEN for record in records))


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--count", type=int, default=600, help="faults to plant (default: 600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", action="store_true", help="no faults: random runs of the proved pairs")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each pair (default: {RUNS})")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for one question to a solver")
    parser.add_argument("--results", type=Path, default=FILE, help="the file that results are added to")
    parser.add_argument("--keep", action="store_true", help="count earlier results although something has changed")
    parser.add_argument("--again", action="append", default=[], help="ask those again that had this answer")
    return parser.parse_args(arguments)


def _all(store: Store, questions: Iterable[tuple[str, Callable[[], Record]]], again: Sequence[str]) -> list[Record]:
    """The answer to each question, from the file or asked now."""
    started, records, asked = monotonic(), list[Record](), 0
    for name, ask in questions:
        known = store.get(name)
        if known is None or known["answer"] in again:
            known, asked = store.add(name, ask()), asked + 1
            if asked % TOLD_EVERY == 0:
                print(f"{asked} asked, {monotonic() - started:.0f} s", file=sys.stderr)
        records.append(known)
    return records


def _runs(store: Store, proved: Sequence[Pair], runs: int) -> int:
    questions = ((f"runs {runs}: {pair.id}", lambda pair=pair: ask_runs(pair, runs)) for pair in proved)
    records = _all(store, questions, ())
    wrong = [record for record in records if record["answer"] != Answer.EQUIVALENT.value]
    made, telling = (sum(record.get(name, 0) for record in records) for name in ("runs", "telling"))
    silent = sum(not record.get("telling") for record in records)
    for record in wrong:
        print(f"{record['answer']}: {record['id']}: {record.get('shown') or record.get('detail')}")
    print(
        f"{len(records)} proved pairs, {made} runs, {telling} of them with a source that has a meaning "
        f"and stays inside of its buffers; {silent} pairs without such a run; {len(wrong)} differ or cannot be run"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
