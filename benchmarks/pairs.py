"""Asks whether kernels of the corpus refine each other, and prints how many do, by class, with reasons and seconds.

python -m benchmarks.pairs [--class same-layout] [--flow straight] [--jobs 2] [--timeout 5]
"""

import json
import re
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from visaproof.engine.refinement import Refines, Unknown, Vacuous, decide
from visaproof.engine.refinement_comparison import compare
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.kernel.assumptions import Assume
from visaproof.kernel.launch import read_launch
from visaproof.kernel.linking import read_program
from visaproof.kernel.matching import Program

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
ANSWERS = ("refines", "differs", "vacuous", "unknown", "not modelled", "unmatched", "failed")


@dataclass(frozen=True, slots=True)
class Row:
    """One pair in one direction."""

    kind: str
    flow: str
    source: str
    target: str
    answer: str
    detail: str
    reading: float
    asking: float
    """Seconds of processor time."""


@cache
def program(path: Path, grf_bytes: int) -> Program:
    kernel = read_program(path, grf_bytes=grf_bytes)
    launch = read_launch(CORPUS / "manifest.json", kernel)
    assert launch.platform is not None
    return Program(kernel, launch, launch.platform)


def path_of(kernel: str, variant: str) -> Path:
    return CORPUS / "visaasm" / kernel / f"{variant}.visaasm"


def ask(timeout_ms: int, backwards: bool, pair: dict[str, Any]) -> Row:
    """The row of one pair of the list."""
    names = [(pair["kernel"], pair["a"]), (pair.get("rewrite", pair["kernel"]), pair["b"])]
    if backwards:
        names.reverse()
    start = process_time()
    source, target = (program(path_of(*name), 64 if name[1].startswith("pvc") else 32) for name in names)
    read = process_time()
    answer, detail = _answer(source, target, timeout_ms)
    one, other = (f"{kernel}/{variant}" for kernel, variant in names)
    return Row(
        pair["class"], flow_of(pair), one, other, answer, detail, reading=read - start, asking=process_time() - read
    )


def _answer(source: Program, target: Program, timeout_ms: int) -> tuple[str, str]:
    try:
        comparison = compare(source, target, Assume.IDS)
        match decide(comparison, timeout_ms):
            case Refines(rung):
                return "refines", rung
            case Vacuous():
                return "vacuous", ""
            case Unknown(reason):
                return "unknown", reason
            case found:
                return "differs", found.undefined.message if found.undefined else found.surface
    except NotModelled as error:
        return "not modelled", re.sub(r"^\S*visaasm\S*:\s*", "", str(error))
    except ReadError as error:
        return "unmatched", str(error)
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"


def flow_of(pair: dict[str, Any]) -> str:
    if pair["loops"]:
        return "loops"
    return "straight" if pair["straight_line"] else "branches"


def table(rows: Iterable[Row], verbose: bool) -> None:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.kind, row.flow), []).append(row)
    print(f"{'class':28} {'flow':9}" + "".join(f"{one:>13}" for one in ANSWERS) + f"{'asking s':>10} {'slowest':>8}")
    for (kind, flow), found in sorted(groups.items()):
        counts = Counter(row.answer for row in found)
        total, slowest = sum(row.asking for row in found), max(row.asking for row in found)
        print(f"{kind:28} {flow:9}" + "".join(f"{counts[one]:13}" for one in ANSWERS) + f"{total:10.1f} {slowest:8.2f}")
        reasons = Counter((row.answer, _general(row.detail)) for row in found)
        for (answer, detail), count in reasons.most_common():
            print(f"    {count:4}  {answer}: {detail}")
            if verbose or answer == "failed":
                for row in found:
                    if (row.answer, _general(row.detail)) == (answer, detail):
                        print(f"            {row.source} ~ {row.target} {row.asking:.2f}")


def _general(detail: str) -> str:
    """A reason without the places in it."""
    detail = re.sub(r"\S+\.visaasm(:\d+:\d+)?:?", "FILE", detail)
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
        pair
        for pair in json.loads((CORPUS / "pairs.json").read_text(encoding="utf-8"))
        if (not options.kinds or pair["class"] in options.kinds)
        and (not options.flow or flow_of(pair) == options.flow)
        and options.name in f"{pair['kernel']}/{pair['a']} {pair.get('rewrite', '')}/{pair['b']}"
    ]
    start = perf_counter()
    work = partial(ask, round(1000 * options.timeout), options.backwards)
    if options.jobs == 1:
        rows = [work(pair) for pair in pairs]
    else:
        with get_context("fork").Pool(options.jobs) as pool:
            rows = pool.map(work, pairs, chunksize=4)
    table(rows, options.verbose)
    print(f"{len(rows)} pairs, {perf_counter() - start:.1f} s by the clock")
    if options.save:
        lines = [json.dumps({name: getattr(row, name) for name in Row.__slots__}) for row in rows]
        options.save.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
