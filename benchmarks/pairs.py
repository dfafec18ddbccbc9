"""Asks whether kernels of the corpus refine each other, and prints how many do, by class, with reasons and seconds.

python -m benchmarks.pairs [--class same-layout] [--flow straight] [--jobs 2] [--timeout 5]
"""

import re
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from time import perf_counter

import msgspec

from visaproof.engine.pairs.lists import read_pairs
from visaproof.engine.refinement.scope import Scope
from visaproof.kernel.assumptions import Assume
from visaproof.report.pair_answers import Answer, Asker, Row
from visaproof.report.pair_run import ask_pairs

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
COLUMNS = {
    "refines": (Answer.REFINES, Answer.CONDITIONAL),
    "differs": (Answer.DIFFERS,),
    "bounded": (Answer.BOUNDED,),
    "vacuous": (Answer.VACUOUS,),
    "unknown": (Answer.UNKNOWN,),
    "not modelled": (Answer.NOT_MODELLED,),
    "unmatched": (Answer.UNMATCHED, Answer.UNREADABLE),
    "failed": (Answer.FAILED,),
}
LIMIT_S = 600.0


def table(rows: Iterable[Row], verbose: bool) -> None:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.group, row.flow), []).append(row)
    print(f"{'class':28} {'flow':9}" + "".join(f"{one:>13}" for one in COLUMNS) + f"{'asking s':>10} {'slowest':>8}")
    for (kind, flow), found in sorted(groups.items()):
        counts = Counter(column_of(row) for row in found)
        total, slowest = sum(row.asking for row in found), max(row.asking for row in found)
        print(f"{kind:28} {flow:9}" + "".join(f"{counts[one]:13}" for one in COLUMNS) + f"{total:10.1f} {slowest:8.2f}")
        reasons = Counter((column_of(row), _general(row.detail)) for row in found)
        for (answer, detail), count in reasons.most_common():
            print(f"    {count:4}  {answer}: {detail}")
            if verbose or answer == "failed":
                for row in found:
                    if (column_of(row), _general(row.detail)) == (answer, detail):
                        print(f"            {row.source} ~ {row.target} {row.asking:.2f}")


def column_of(row: Row) -> str:
    return next(name for name, answers in COLUMNS.items() if row.answer in answers)


def _general(detail: str) -> str:
    """A reason without the places in it."""
    detail = re.sub(r"^\S+:\d+:\d+:\s*", "", detail)
    return re.sub(r"V\d+(\[\d+\]|\.\d+)?|0x[0-9a-f]+|line \d+|argument \d+", "_", detail)[:150]


def arguments() -> Namespace:
    parser = ArgumentParser()
    parser.add_argument("--class", dest="kinds", action="append", help="of the list; all if not given")
    parser.add_argument("--flow", choices=("straight", "branches", "loops"))
    parser.add_argument("--name", default="", help="only pairs whose kernel or variants contain this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for one question to a solver")
    parser.add_argument("--backwards", action="store_true", help="ask the other direction")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--save", type=Path, help="a file for one line of JSON per pair")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    pairs = [
        pair.reversed() if options.backwards else pair
        for pair in read_pairs(CORPUS / "pairs.json", CORPUS / "manifest.json", None)
        if (not options.kinds or pair.group in options.kinds)
        and (not options.flow or pair.flow == options.flow)
        and options.name in f"{pair.source_name} {pair.target_name}"
    ]
    start = perf_counter()
    asker = Asker(Scope(Assume.IDS), round(1000 * options.timeout))
    with closing(ask_pairs(pairs, asker, options.jobs, LIMIT_S)) as answers:
        rows = [row for _, row in sorted(answers, key=lambda answer: answer[0])]
    table(rows, options.verbose)
    print(f"{len(rows)} pairs, {perf_counter() - start:.1f} s by the clock")
    if options.save:
        options.save.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


if __name__ == "__main__":
    main()
