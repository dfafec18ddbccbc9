"""Asks whether kernels of the corpus refine each other, and prints how many do, by class, with reasons and seconds.

python -m benchmarks.pairs [--class same-layout] [--flow straight] [--jobs 2] [--timeout 5]
python -m benchmarks.pairs --corpus corpus-2026 --sample 120 --as-refine --limit 10 --state FILE --verbose
python -m benchmarks.pairs --corpus corpus-2026 --every 20 --disjointness

The first two count; a sample is drawn from all classes, devices and control flows in turn, and with a file for the
answers the next run goes on where this one was cut.

The last says how many answers rest on buffers that share no byte: by the language (restrict, constant, kinds of
objects), or by nothing, so that the answer names the pairs.  Pairs are of one source: what that accesses outside of a
buffer is undefined.  Each pair is asked again with `--alias none`: the ratio of processor time is what it costs not to
assume that buffers are apart.
"""

import re
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from time import perf_counter

import msgspec
from msgspec.structs import replace

from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.launch.assumptions import Assume
from visaproof.pairs.lists import Pair, read_pairs
from visaproof.queries.kernels.undefined import FORBIDDEN, OF_THE_SOURCE
from visaproof.refinement.refines import Programs
from visaproof.refinement.scope import Alias, Scope
from visaproof.report.two_kernels.pair_answers import Asker
from visaproof.report.two_kernels.pair_cache import KIND
from visaproof.report.two_kernels.pair_rows import Answer, Row
from visaproof.report.two_kernels.pair_run import ask_pairs

SHARED = Path(__file__).parents[2] / "shared"
CORPUS = SHARED / "corpus"
APART = frozenset(("restrict", "constant-unwritten", "kinds-apart"))
"""The premises by which the language keeps buffers apart."""
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
CLOCK = 8
"""Seconds by the clock for one of processor time: other work may share the machine."""


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


def disjointness(rows: Iterable[Row]) -> None:
    """Prints how many answers rest on buffers that share no byte, and the seconds of each kind."""
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(_rests_on(row), []).append(row)
    for kind, found in sorted(kinds.items()):
        print(f"{len(found):5}  {kind:50} {sum(row.asking for row in found):10.1f} s")
        for row in found if kind.startswith("only if") else ():
            print(f"           {row.source} → {row.target}: {row.detail[:150]}")


def _rests_on(row: Row) -> str:
    if "needs_apart" in row.verdict:
        return "only if named pairs are apart: " + ("a run" if row.answer is Answer.DIFFERS else "undecided")
    if column_of(row) == "refines":
        return "refines: apart by the language" if APART.intersection(row.premises) else "refines: nothing is apart"
    return f"otherwise: {column_of(row)}"


def cost(rows: list[Row], apart: list[Row]) -> None:
    """Prints the processor time against that of the same questions where all buffers are apart."""
    both = [(may.asking, none.asking) for may, none in zip(rows, apart, strict=True) if column_of(none) == "refines"]
    total = sum(may for may, _ in both) / max(sum(none for _, none in both), 1e-9)
    ratios = sorted(may / max(none, 1e-9) for may, none in both)
    middle = ratios[len(ratios) // 2] if ratios else 0
    print(f"{len(both)} refine with --alias none; time without it: {total:.2f} times in all, median {middle:.2f}")


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
    parser.add_argument("--corpus", default="corpus", help="the folder beside the repository (default: corpus)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th pair of the list")
    parser.add_argument("--sample", type=int, metavar="N", help="only N pairs: of each class, device and flow in turn")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--as-refine", action="store_true", help="under the default assumptions of `visaproof refine`")
    parser.add_argument("--state", type=Path, help="a file that keeps the answers, which are not asked again")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds of processor time for one pair")
    parser.add_argument("--disjointness", action="store_true", help="print how many rest on buffers that are apart")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--save", type=Path, help="a file for one line of JSON per pair")
    return parser.parse_args()


def sample(pairs: Iterable[Pair], count: int, seed: int) -> list[Pair]:
    """So many pairs by chance, as many of each class, pair of devices and control flow as there are."""
    kinds: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        kinds.setdefault((pair.group, pair.flow, *_devices(pair)), []).append(pair)
    chance = Random(seed)
    for found in kinds.values():
        chance.shuffle(found)
    drawn: list[Pair] = []
    left = list(kinds.values())
    while left and len(drawn) < count:
        chance.shuffle(left)
        drawn += [found.pop() for found in left[: count - len(drawn)]]
        left = [found for found in left if found]
    return drawn


def _devices(pair: Pair) -> tuple[str, str]:
    source, target = (name.rpartition("/")[2].partition("-")[0] for name in (pair.source_name, pair.target_name))
    return source, target


def asked(pairs: list[Pair], asker: Asker, options: Namespace) -> list[Row]:
    """The answers in the order of the pairs."""
    with ExitStack() as files:
        state = files.enter_context(VerdictCache(options.state, KIND)) if options.state else None
        asking = ask_pairs(pairs, asker, options.jobs, CLOCK * options.limit, state)
        answers = files.enter_context(closing(asking))
        return [row for _, row in sorted(answers, key=lambda answer: answer[0])]


def main() -> None:
    options = arguments()
    corpus = SHARED / options.corpus
    pairs = [
        pair.reversed() if options.backwards else pair
        for pair in read_pairs(corpus / "pairs.json", corpus / "manifest.json", None)[:: options.every]
        if (not options.kinds or pair.group in options.kinds)
        and (not options.flow or pair.flow == options.flow)
        and options.name in f"{pair.source_name} {pair.target_name}"
    ]
    if options.sample is not None:
        pairs = sample(pairs, options.sample, options.seed)
    start = perf_counter()
    timeout_ms = round(1000 * options.timeout)
    assume, forbidden = (Assume.LAUNCH, FORBIDDEN) if options.as_refine else (Assume.IDS, FORBIDDEN | OF_THE_SOURCE)
    scope = Scope(assume, forbidden, timeout_ms=timeout_ms)
    asker = Asker(scope, timeout_ms, limit_s=options.limit)
    rows = asked(pairs, asker, options)
    table(rows, options.verbose)
    if options.disjointness:
        disjointness(rows)
        apart = replace(asker, scope=replace(scope, alias=Alias.NONE), programs=Programs())
        cost(rows, asked(pairs, apart, options))
    print(f"{len(rows)} pairs, {perf_counter() - start:.1f} s by the clock")
    if options.save:
        options.save.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


if __name__ == "__main__":
    main()
