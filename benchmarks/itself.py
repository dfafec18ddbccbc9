"""Asks of each dump of the corpus whether it refines itself: python -m benchmarks.itself [--timeout 2] [--name vadd]

Prints the seconds of processor time, after the imports, and each dump that is not proved with the reason.
"""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.pairs import CORPUS
from visaproof.engine.pairs import Pair
from visaproof.engine.refinement_scope import Scope
from visaproof.kernel.assumptions import Assume
from visaproof.report.pair_answers import Answer, Asker, Row

PROVED = (Answer.REFINES, Answer.CONDITIONAL)


def dumps(corpus: Path, name: str) -> list[Path]:
    """The kernels; a file beside one, with a function that it calls, is no kernel."""
    found = sorted(corpus.glob("visaasm/*/*.visaasm"))
    return [path for path in found if "." not in path.stem and name in f"{path.parent.name}/{path.stem}"]


def ask(paths: Iterable[Path], manifest: Path, timeout_ms: int) -> list[Row]:
    """The answer of each; the first one is asked before, for what is imported late."""
    paths = list(paths)
    asker = Asker(Scope(Assume.IDS), timeout_ms)
    pairs = [Pair("", path, path, shown, shown, manifest, manifest) for path in paths if (shown := _shown(path))]
    for pair in pairs[:1]:
        Asker(Scope(Assume.IDS), timeout_ms)(pair)
    return [asker(pair) for pair in pairs]


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def table(rows: Sequence[Row]) -> Iterable[str]:
    counts = Counter(row.answer.value for row in rows)
    yield f"{len(rows)} dumps: {', '.join(f'{count} {answer}' for answer, count in counts.most_common())}"
    for what, seconds in (("asking", [row.asking for row in rows]), ("with reading", [_both(row) for row in rows])):
        low, high, most = (_share(seconds, share) for share in (0.5, 0.9, 1))
        slowest = max(zip(seconds, rows, strict=True), key=lambda one: one[0])[1].source
        yield f"{what}: median {low:.3f} s, 90 % within {high:.3f} s, {slowest} {most:.2f} s, all {sum(seconds):.1f} s"
    for row in rows:
        if row.answer not in PROVED:
            yield f"{row.answer.value}: {row.source}: {row.detail}"


def _both(row: Row) -> float:
    return row.reading + row.asking


def _share(seconds: Sequence[float], share: float) -> float:
    """The smallest number of seconds within which this share of them is."""
    return sorted(seconds)[max(0, -(-round(1000 * share) * len(seconds) // 1000) - 1)]


def _options() -> Namespace:
    parser = ArgumentParser("benchmarks.itself", description=__doc__)
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds for one question to a solver")
    parser.add_argument("--name", default="", help="only dumps whose kernel or variant contains this")
    return parser.parse_args()


def main() -> None:
    options = _options()
    rows = ask(dumps(CORPUS, options.name), CORPUS / "manifest.json", round(1000 * options.timeout))
    print("\n".join(table(rows)) if rows else "no such dump")


if __name__ == "__main__":
    main()
