"""`python -m benchmarks.coverage [CORPUS] [--jobs N] [--save FILE] [--no-pocl] [--write]`: the coverage table.

With `--save` an interrupted run goes on where it was; figures of another version of visaproof are measured again.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from benchmarks.coverage import measure
from benchmarks.coverage.launches import oracle_version
from benchmarks.coverage.measure import Row
from benchmarks.coverage.pool import measured_all
from benchmarks.coverage.table import markdown
from visaproof.checking.claims.model_version import model_version
from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.isa.errors import ReadError

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"
STATE = "coverage of a corpus"


def parsed(argv: Sequence[str]) -> Namespace:
    parser = ArgumentParser("benchmarks.coverage", description="Measures what the model covers of a corpus.")
    parser.add_argument("corpus", nargs="?", type=Path, default=CORPUS, help="a folder with manifest.json and src/")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument("--timeout", type=float, default=3.0, metavar="SECONDS", help="for one question (default: 3)")
    parser.add_argument("--name", default="", help="only files whose path contains this")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep what is measured, and go on from there")
    parser.add_argument("--no-pocl", action="store_true", help="run no kernel, and compare none with PoCL")
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/reference/coverage.md")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """0 measured, 1 a file that fails, 2 nothing to measure or an option that does not fit, 130 interrupted."""
    options = parsed(argv)
    manifest = options.corpus / "manifest.json"
    if not manifest.is_file():
        print(f"skipped: no corpus: {manifest} is not there", file=sys.stderr)
        return 2
    if options.write and options.name:
        print("--write needs the whole corpus, not --name", file=sys.stderr)
        return 2
    content = json.loads(manifest.read_text(encoding="utf-8"))
    try:
        rows, complete = _rows(options, content)
    except ReadError as error:
        print(error, file=sys.stderr)
        return 2
    lines = list(markdown(rows))
    print("\n".join(lines))
    if not complete:
        print(f"interrupted: {len(rows)} files are measured", file=sys.stderr)
        return 130
    if failed := [row.file for row in rows if row.failed]:
        print(f"{len(failed)} files failed: nothing is written", file=sys.stderr)
        return 1
    if options.write:
        write_between_markers(ROOT / "docs" / "reference" / "coverage.md", lines)
    return 0


def _rows(options: Namespace, content: dict[str, Any]) -> tuple[list[Row], bool]:
    """The rows in the order of their names, and whether none is missing."""
    always = {kernel["kernel"]: kernel.get("always_option", "") for kernel in content["kernels"]}
    tags = {kernel["kernel"]: kernel["tags"] for kernel in content["kernels"]}
    entries = {entry["file"]: entry for entry in content["entries"] if options.name in entry["file"]}
    done: dict[str, Row] = {}
    with ExitStack() as stack:
        saved = stack.enter_context(VerdictCache(options.save, STATE)) if options.save else None
        keys = {file: _key(options, entry) for file, entry in entries.items()} if saved else {}
        for file, key in keys.items():
            if saved and (row := saved.get(key)) is not None:
                done[file] = Row(**row)
        if saved and saved.damaged:
            print(f"{options.save}: {saved.damaged} damaged rows are left out", file=sys.stderr)
        left = [
            ({**entry, "always_option": always[entry["kernel"]]}, tags[entry["kernel"]])
            for file, entry in entries.items()
            if file not in done
        ]
        try:
            for row in measured_all(options.corpus, left, options.timeout, not options.no_pocl, options.jobs):
                done[row.file] = row
                if saved:
                    saved.add(keys[row.file], asdict(row))
        except KeyboardInterrupt:
            pass
    return [done[file] for file in sorted(done)], len(done) == len(entries)


def _key(options: Namespace, entry: dict[str, Any]) -> str:
    """All that a row depends on."""
    text = (options.corpus / entry["file"]).read_bytes()
    own = b"".join(path.read_bytes() for path in sorted(Path(measure.__file__).parents[1].glob("[cp]*/*.py")))
    oracle = "" if options.no_pocl else oracle_version()
    parts = [model_version(), sha256(own).hexdigest(), str(options.timeout), oracle, json.dumps(entry), text.hex()]
    return f"{entry['file']} {sha256(' '.join(parts).encode()).hexdigest()}"


def write_between_markers(page: Path, lines: Sequence[str]) -> None:
    """Puts the tables between the two markers."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page}: no {BEGIN} … {END}")
    page.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
