"""`python -m benchmarks.pocl [CORPUS] [--kernel NAME] [--engine NAME]`: kernels and variants against PoCL."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.pocl.comparison import PADDED, Answer, Comparison, Entry, Result
from benchmarks.pocl.oracle import NoOracle, oracle
from visaproof.execution.run import Engine

CORPUS = Path(__file__).parents[2] / ".." / "shared" / "corpus"


def entries(manifest: Path, sources: Path) -> Iterator[Entry]:
    """The files that a manifest lists."""
    content = json.loads(manifest.read_text())
    always = {kernel["kernel"]: kernel.get("always_option", "") for kernel in content["kernels"]}
    for entry in content["entries"]:
        file, source = manifest.parent / entry["file"], sources / entry["source"]
        if file.is_file():
            options = tuple(always.get(entry["kernel"], "").split())
            yield Entry(entry["kernel"], entry["variant"], file, source, options)


def main(argv: Sequence[str]) -> int:
    parser = ArgumentParser("benchmarks.pocl", description="Compares runs of compiled kernels with PoCL.")
    parser.add_argument("corpus", nargs="?", type=Path, default=CORPUS, help="a folder with manifest.json and src/")
    parser.add_argument("--kernel", action="append", help="only this kernel (repeatable)")
    parser.add_argument("--all", action="store_true", help="a line for each launch, not only for those that differ")
    engines = [engine.value for engine in Engine]
    parser.add_argument("--engine", choices=engines, default=Engine.ARRAYS.value, help="default: arrays")
    arguments = parser.parse_args(argv)
    try:
        device = oracle()
    except NoOracle as error:
        print(error, file=sys.stderr)
        return 2
    print(f"PoCL: {device.version}")
    comparison = Comparison(device, arguments.corpus / "manifest.json", Engine(arguments.engine))
    results: list[Result] = []
    for entry in entries(arguments.corpus / "manifest.json", arguments.corpus):
        if arguments.kernel and entry.kernel not in arguments.kernel:
            continue
        for result in comparison.compare(entry):
            results.append(result)
            if arguments.all or result.answer is Answer.DIFFER:
                _show(result)
    _table(results)
    return int(any(result.answer is Answer.DIFFER for result in results))


def _show(result: Result) -> None:
    print(f"{result.kernel:20} {result.variant:26} {result.case:18} {result.answer.value} {result.detail}", flush=True)


def _table(results: list[Result]) -> None:
    """A row for each kernel, and the reasons for what was not compared."""
    print(f"\n{'kernel':20} {'files':>5} {'launches':>8} {'agree':>6} {'differ':>6} {'not comparable':>14} {'ulps':>5}")
    for kernel in dict.fromkeys(result.kernel for result in results):
        mine = [result for result in results if result.kernel == kernel]
        counts = Counter(result.answer for result in mine)
        files, ulps = len({result.variant for result in mine}), max(result.ulps for result in mine)
        cells = f"{counts[Answer.AGREE]:6} {counts[Answer.DIFFER]:6} {counts[Answer.NOT_COMPARABLE]:14} {ulps:5}"
        print(f"{kernel:20} {files:5} {len(mine):8} {cells}")
    counts = Counter(result.answer for result in results)
    files = len({(result.kernel, result.variant) for result in results})
    print(f"\n{files} files, {len(results)} launches: " + ", ".join(f"{counts[a]} {a.value}" for a in Answer))
    whole = {(r.kernel, r.variant) for r in results} - {
        (r.kernel, r.variant) for r in results if r.answer is not Answer.AGREE
    }
    padded = {(r.kernel, r.variant) for r in results if r.detail == PADDED}
    print(f"{len(whole)} files agree in every launch, {len(whole & padded)} of them only {PADDED}")
    reasons = Counter((r.kernel, r.detail) for r in results if r.answer is Answer.NOT_COMPARABLE)
    for (kernel, reason), count in sorted(reasons.items()):
        print(f"  not comparable: {kernel} ({count}): {reason}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
