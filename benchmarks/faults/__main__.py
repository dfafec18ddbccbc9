"""Plants faults in the targets of proved pairs of the corpus and asks about each: `python -m benchmarks.faults`.

python -m benchmarks.faults [--count 600] [--seed 0]    faults; exits with 1 where one is neither refuted nor equivalent
python -m benchmarks.faults --pairs [--runs 1000]       random runs of the proved pairs; exits with 1 for a difference

`--sample N` asks about N pairs of the list, drawn with the seed.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from random import Random

from benchmarks.faults.ask import RUNS, Answer
from benchmarks.faults.asker import Asker, Progress
from benchmarks.faults.plan import Pair, listed_pairs
from benchmarks.faults.store import FILE, Store, version
from benchmarks.faults.table import OPEN, table
from benchmarks.faults.tasks import Processes
from visaproof.checking.kept.verdict_cache import VerdictCache

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    with VerdictCache(options.results, "faults") as answers:
        return _asked(Store(answers, version(), options.keep), options)


def _asked(store: Store, options: Namespace) -> int:
    ask = Processes(round(1000 * options.timeout), options.jobs)
    asker = Asker(store, ask, options.again, Progress(options.count))
    pairs = listed_pairs()
    if options.sample is not None:
        pairs = Random(options.seed).sample(pairs, min(options.sample, len(pairs)))
    try:
        return _runs(asker, pairs, options.runs) if options.pairs else _faults(asker, pairs, options)
    except KeyboardInterrupt:
        print(f"stopped; {options.results} has the answers so far, and the same command goes on", file=sys.stderr)
        return INTERRUPTED


def _faults(asker: Asker, pairs: Sequence[Pair], options: Namespace) -> int:
    records = asker.faults(pairs, options.count, options.seed)
    print("\n".join(table(records)))
    if asker.illegal:
        print(f"{asker.illegal} others were no programs, and are not counted")
    return int(any(Answer(record["answer"]) in OPEN for record in records))


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--count", type=int, default=600, help="faults to plant (default: 600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", action="store_true", help="no faults: random runs of the proved pairs")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each pair (default: {RUNS})")
    parser.add_argument("--sample", type=int, metavar="N", help="so many pairs of the list alone (default: all)")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for one question to a solver")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--results", type=Path, default=FILE, help="the file that results are added to")
    parser.add_argument("--keep", action="store_true", help="count earlier results although something has changed")
    parser.add_argument("--again", action="append", default=[], help="ask those again that had this answer")
    return parser.parse_args(arguments)


def _runs(asker: Asker, pairs: Sequence[Pair], runs: int) -> int:
    proved = asker.proved(pairs)
    print(f"{len(proved)} of {len(pairs)} pairs are proved", file=sys.stderr)
    records = asker.runs(proved, runs)
    wrong = [record for record in records if record["answer"] != Answer.EQUIVALENT.value]
    made, telling = (sum(record.get(name, 0) for record in records) for name in ("runs", "telling"))
    silent = sum(not record.get("telling") for record in records)
    for record in wrong:
        print(f"{record['answer']}: {record['id']}: {record.get('shown') or record.get('detail')}")
    print(
        f"{len(records)} proved pairs, {made} runs, {telling} of them with a source that is defined "
        f"and stays inside of its buffers; {silent} pairs without such a run; {len(wrong)} differ or cannot be run"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
