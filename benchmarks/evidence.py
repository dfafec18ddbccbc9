"""How well the model is checked, in figures measured now: `make evidence`, or `python -m benchmarks.evidence [PART …]`.

Exits with 1 where a part finds what it should not: a disagreement, a survivor, a claim that is not as expected.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from visaproof import __version__

ROOT = Path(__file__).parents[1]
VECTORS = (ROOT.parent / "shared" / "vectors" / "sample.jsonl", *sorted((ROOT / "tests/data/vectors").glob("*.jsonl")))
"""The first file that exists is taken: vectors of other implementations, or the few worked by hand."""
CORPORA = (ROOT.parent / "shared" / "corpus" / "visaasm", ROOT / "tests" / "data" / "visaasm")
"""The first folder that exists is taken."""
GENERATED = 2_400


class Figure(Struct, frozen=True):
    """One row of the table."""

    what: str
    value: str
    how: str
    tool: str
    as_expected: bool = True
    """A part that cannot be measured here is not a failure; its value says why."""


OURS = f"visaproof {__version__}"


def vectors(_: argparse.Namespace) -> Figure:
    """Before/after vectors on which both writings do what another implementation did."""
    path = next(path for path in VECTORS if path.is_file())
    document, code = _json_of("visaproof", "vectors", str(path), "--format", "json")
    agree, disagree = (sum(group[key] for group in document["groups"]) for key in ("agree", "disagree"))
    reasons: Counter[str] = Counter()
    for group in document["groups"]:
        reasons.update(group["not_comparable"])
    value = f"{agree} agree, {disagree} disagree, {reasons.total()} not comparable"
    return Figure("vectors of other implementations", value, f"visaproof vectors {path.name}", OURS, not code)


def printed(_: argparse.Namespace) -> Figure:
    """Compiled files that are printed, from what was read of them, as they were but for blanks at the ends of lines."""
    from visaproof.visaasm.printing.document import read_document

    folder = next(folder for folder in CORPORA if folder.is_dir())
    texts = {path: path.read_text() for path in sorted(folder.glob("*/*.visaasm"))}
    same = [path for path, text in texts.items() if _lines(str(read_document(text, str(path)))) == _lines(text)]
    value = f"{len(same)} of {len(texts)}"
    return Figure("compiled files printed as they were read", value, folder.name, OURS, len(same) == len(texts))


def _lines(text: str) -> list[str]:
    return [line.rstrip(" ") for line in text.rstrip("\n").split("\n")]


def genx(_: argparse.Namespace) -> Figure:
    """Generated files that GenX_IR and `check --rules igc` both accept or both reject."""
    from tests.genx.disagreements import DOCUMENTED_DISAGREEMENTS
    from tests.genx.generator import cases
    from tests.genx.judged import broken_hazards, rejection, run_all
    from tests.genx.tool import REASON, TOOL

    what, documented = "files judged as GenX_IR judges them", {row.hazard for row in DOCUMENTED_DISAGREEMENTS}
    if TOOL is None:
        return Figure(what, f"skipped: {REASON}", "", "GenX_IR")
    generated = list(cases(GENERATED, seed=0))
    with TemporaryDirectory() as directory:
        runs = run_all(generated, Path(directory))
    found: Counter[str] = Counter()
    for case, run in zip(generated, runs, strict=True):
        if run.crashed:
            found["crash" if broken_hazards(case) & documented else "undocumented"] += 1
        elif run.accepted == bool(rejection(case)):
            found["differ"] += 1
        else:
            found["accepted" if run.accepted else "rejected"] += 1
    agree = found["accepted"] + found["rejected"]
    value = (
        f"{agree} of {agree + found['differ']} ({found['accepted']} accepted, {found['rejected']} rejected); "
        f"GenX_IR crashes on {found['crash'] + found['undocumented']}"
    )
    platforms = len({case.platform for case in generated})
    how = f"{GENERATED} files generated from seed 0, {platforms} platforms"
    return Figure(what, value, how, _genx_version(), not found["differ"] + found["undocumented"])


def _genx_version() -> str:
    """GenX_IR does not say its version; the package it came in does."""
    try:
        query = ["dpkg-query", "--show", "--showformat=${Version}", "libigc-tools"]
        return f"GenX_IR, libigc-tools {subprocess.run(query, capture_output=True, text=True, check=True).stdout}"
    except (OSError, subprocess.CalledProcessError):
        return "GenX_IR, version unknown"


def mutants(options: argparse.Namespace) -> Figure:
    """Wrong writings of the pages that the cross-check or the catalogue notices.

    About half an hour of processor time; what an earlier run of the same sources found is not tried again.
    """
    what, how = "mutants of the four pages", "python -m benchmarks.mutation"
    with TemporaryDirectory() as directory:
        file = Path(directory) / "mutants.json"
        command = [sys.executable, "-m", "benchmarks.mutation", "--jobs", str(options.jobs), "--json", str(file)]
        code = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode
        if not file.is_file():
            return Figure(what, f"the run failed with exit code {code}", "", OURS, False)
        summary: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["summary"]
    return Figure(what, summary["text"], how, OURS, not code)


def prove(options: argparse.Namespace) -> Figure:
    """The catalogue, with the processor time of all its processes."""
    before = _children_seconds()
    document, code = _json_of("visaproof", "prove", "--format", "json", "--jobs", str(options.jobs))
    seconds, summary = _children_seconds() - before, document["summary"]
    solvers = sorted({claim["decided_by"] for claim in document["claims"]} - {None, "normal form"})
    value = (
        f"{summary['proved']} proved, {summary['refuted_as_expected']} refuted as expected, "
        f"{summary['unknown']} unknown; {seconds:.1f} s of processor time"
    )
    how = f"visaproof prove --jobs {options.jobs}"
    return Figure("claims of the catalogue", value, how, f"{OURS}, {', '.join(solvers)}", not code)


def _json_of(*command: str) -> tuple[dict[str, Any], int]:
    ran = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    return json.loads(ran.stdout), ran.returncode


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


PARTS: dict[str, Callable[[argparse.Namespace], Figure]] = {
    "vectors": vectors,
    "printed": printed,
    "genx": genx,
    "mutants": mutants,
    "prove": prove,
}


def table(figures: Sequence[Figure]) -> str:
    rows = [f"| {figure.what} | {figure.value} | {figure.how} | {figure.tool} |" for figure in figures]
    return "\n".join(["| figure | value | how measured | tool |", "|---|---|---|---|", *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all if none is given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table as well")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}: choose from {', '.join(PARTS)}")
    figures = [measure(options) for name, measure in PARTS.items() if name in (options.parts or PARTS)]
    print(table(figures))
    if options.write:
        options.write.write_text(table(figures) + "\n", encoding="utf-8")
    return 0 if all(figure.as_expected for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
