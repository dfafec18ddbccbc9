"""Asks of each dump of the corpus whether it refines itself.

python -m benchmarks.itself [--timeout 2] [--name vadd] [--jobs 2] [--state FILE]

Prints the seconds of processor time, after the imports, and each dump that is not proved with the reason; on standard
error how far it is, with the dumps that are slow or not proved.  Ctrl-C prints what there is by then, and with a file
for the answers the next run goes on from there.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from msgspec import field

from benchmarks.pairs import CORPUS, LIMIT_S
from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.launch.assumptions import Assume
from visaproof.pairs.lists import Pair
from visaproof.refinement.scope import Scope
from visaproof.report.two_kernels.pair_answers import Asker
from visaproof.report.two_kernels.pair_cache import KIND
from visaproof.report.two_kernels.pair_rows import Answer, Row
from visaproof.report.two_kernels.pair_run import ask_pairs

PROVED = (Answer.REFINES, Answer.CONDITIONAL)
SLOW_S = 1.0
EVERY = 40
"""After so many dumps it is said how far the run is, though none was slow."""
INTERRUPTED = 130


class Warm(Asker, frozen=True):
    """Asks one pair before the first one that counts, for what is imported late."""

    first: Pair | None = None
    _warm: list[Pair] = field(default_factory=list[Pair])

    def __call__(self, pair: Pair) -> Row:
        if self.first is not None and not self._warm:
            self._warm.append(self.first)
            Asker(self.scope, self.timeout_ms)(self.first)
        return Asker.__call__(self, pair)


def dumps(corpus: Path, name: str) -> list[Path]:
    """The kernels; a file beside one, with a function that it calls, is no kernel."""
    found = sorted(corpus.glob("visaasm/*/*.visaasm"))
    return [path for path in found if "." not in path.stem and name in _shown(path)]


def ask(
    paths: Iterable[Path], manifest: Path, timeout_ms: int, jobs: int = 1, state: VerdictCache | None = None
) -> Generator[tuple[int, Row]]:
    """The number of each dump and its row, as it is answered."""
    pairs = [Pair("", path, path, _shown(path), _shown(path), manifest, manifest) for path in paths]
    asker = Warm(Scope(Assume.IDS), timeout_ms, first=pairs[0] if pairs else None)
    return ask_pairs(pairs, asker, jobs, LIMIT_S, state)


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


def progress(done: int, total: int, row: Row) -> str | None:
    """What is said of a dump as soon as it is answered: nothing of most."""
    remarkable = row.answer not in PROVED or row.asking > SLOW_S
    if not remarkable and done % EVERY and done < total:
        return None
    return f"{done}/{total}" + f" {row.source}: {row.answer.value}, {row.asking:.2f} s" * remarkable


def _both(row: Row) -> float:
    return row.reading + row.asking


def _share(seconds: Sequence[float], share: float) -> float:
    """The smallest number of seconds within which this share of them is."""
    return sorted(seconds)[max(0, -(-round(1000 * share) * len(seconds) // 1000) - 1)]


def _options() -> Namespace:
    parser = ArgumentParser("benchmarks.itself", description=__doc__)
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds for one question to a solver")
    parser.add_argument("--name", default="", help="only dumps whose kernel or variant contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--state", type=Path, help="a file that keeps the answers, which are not asked again")
    return parser.parse_args()


def main() -> int:
    options = _options()
    paths = dumps(CORPUS, options.name)
    rows: dict[int, Row] = {}
    code = 0
    with VerdictCache(options.state, KIND) if options.state else nullcontext() as state:
        asked = ask(paths, CORPUS / "manifest.json", round(1000 * options.timeout), options.jobs, state)
        try:
            with closing(asked) as answers:
                for index, row in answers:
                    rows[index] = row
                    if line := progress(len(rows), len(paths), row):
                        print(line, file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print(f"interrupted after {len(rows)} of {len(paths)} dumps", file=sys.stderr)
            code = INTERRUPTED
    print("\n".join(table([rows[index] for index in sorted(rows)])) if rows else "no such dump")
    return code


if __name__ == "__main__":
    sys.exit(main())
