"""`python -m benchmarks.coverage [CORPUS] [--jobs N] [--save FILE] [--pocl FILE] [--write-readme]`: the coverage table.

Figures of files that `--save` already holds are not measured again; delete the file to do so.
"""

import json
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.coverage.measure import Row, measured
from benchmarks.coverage.table import markdown, pocl_answers

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"


def parsed(argv: Sequence[str]) -> Namespace:
    parser = ArgumentParser("benchmarks.coverage", description="Measures what the model covers of a corpus.")
    parser.add_argument("corpus", nargs="?", type=Path, default=CORPUS, help="a folder with manifest.json")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--timeout", type=float, default=3.0, metavar="SECONDS", help="for one question (default: 3)")
    parser.add_argument("--name", default="", help="only files whose path contains this")
    parser.add_argument("--save", type=Path, metavar="FILE", help="a line of JSON for each file, kept and resumed")
    parser.add_argument("--pocl", type=Path, metavar="FILE", help="what `python -m benchmarks.pocl --all` printed")
    parser.add_argument("--write-readme", action="store_true", help="replace the table in README.md")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """0 measured, 2 nothing to measure or an option that does not fit, 130 interrupted."""
    options = parsed(argv)
    manifest = options.corpus / "manifest.json"
    if not manifest.is_file():
        print(f"skipped: no corpus: {manifest} is not there", file=sys.stderr)
        return 2
    if options.write_readme and options.name:
        print("--write-readme needs the whole corpus, not --name", file=sys.stderr)
        return 2
    pocl = pocl_answers(options.pocl) if options.pocl else None
    if pocl == {}:
        print(
            f"{options.pocl}: no launches in it; it is what `python -m benchmarks.pocl --all` prints", file=sys.stderr
        )
        return 2
    content = json.loads(manifest.read_text(encoding="utf-8"))
    rows, complete = _rows(options, content)
    lines = list(markdown(rows, pocl))
    print("\n".join(lines))
    if not complete:
        print(f"interrupted: {len(rows)} files are measured", file=sys.stderr)
        return 130
    if options.write_readme:
        write_between_markers(ROOT / "README.md", lines)
    return 0


def _rows(options: Namespace, content: dict[str, Any]) -> tuple[list[Row], bool]:
    """The rows in the order of their names, and whether none is missing."""
    tags = {kernel["kernel"]: kernel["tags"] for kernel in content["kernels"]}
    entries = {entry["file"]: entry for entry in content["entries"] if options.name in entry["file"]}
    done = {row.file: row for row in _saved(options.save) if row.timeout == options.timeout and row.file in entries}
    left = [(entry, tags[entry["kernel"]]) for file, entry in entries.items() if file not in done]
    try:
        for row in _measured(options, left):
            done[row.file] = row
            if options.save:
                with options.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
    except KeyboardInterrupt:
        pass
    return [done[file] for file in sorted(done)], len(done) == len(entries)


def _saved(path: Path | None) -> Iterator[Row]:
    """What an earlier run has saved; a last line that it could not finish is left out."""
    for line in path.read_text(encoding="utf-8").splitlines() if path and path.is_file() else ():
        try:
            yield Row(**json.loads(line))
        except (ValueError, TypeError):
            print(f"{path}: a line that is no row is left out", file=sys.stderr)


def _measured(options: Namespace, left: Sequence[tuple[dict[str, Any], list[str]]]) -> Iterator[Row]:
    work = partial(_one, options.corpus, options.timeout)
    if options.jobs == 1:
        yield from map(work, left)
        return
    with get_context("fork").Pool(options.jobs, _leave_interrupts_to_the_parent) as pool:
        yield from pool.imap_unordered(work, left)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one(corpus: Path, timeout: float, entry: tuple[dict[str, Any], list[str]]) -> Row:
    return measured(corpus, *entry, timeout)


def write_between_markers(readme: Path, lines: Sequence[str]) -> None:
    """Puts the tables between the two markers."""
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{readme}: no {BEGIN} … {END}")
    readme.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
