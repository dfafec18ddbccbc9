"""Derives mutants of both writings and says which are noticed: `python -m benchmarks.mutation [PATTERN …]`.

Exits with 1 where a mutant survives that `equivalent.toml` does not list, or a listed one does not survive.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutation.derive import Mutant, mutants_of
from benchmarks.mutation.results import complaints, document, table
from benchmarks.mutation.run import run
from benchmarks.mutation.store import FILE, Store, sources
from benchmarks.mutation.survivors import equivalent
from benchmarks.mutation.targets import ALL, ENGINE, PAGES, RULES, Target

PATTERN = (
    "only mutants whose id has one of these in it; those of the normal form are asked for by `smt`, and those of what "
    "the engine makes of addresses and loads by `kernel` and `queries`"
)
ASKED_FOR = {"smt": RULES, "kernel": ENGINE[:1], "queries": ENGINE[1:]}
"""What is tried only for a pattern that begins so."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    targets = ALL if options.all else PAGES
    for prefix, others in ASKED_FOR.items():
        if any(pattern.startswith(prefix) for pattern in options.pattern):
            targets = (*targets, *others)
    reached = [target for target in targets if may_match(target, targets, options.pattern)]
    mutants = [mutant for target in reached for mutant in mutants_of(target)]
    chosen = [mutant for mutant in mutants if _matches(mutant, options.pattern)][options.first :: options.every]
    if options.list:
        print(*(mutant.id for mutant in chosen), sep="\n")
        return 0
    results = run(chosen, options.jobs, Store(options.results, sources()), options.each_killer)
    reasons = equivalent()
    wrong = complaints(results, reasons, {mutant.id for mutant in mutants} if options.all else None)
    if options.json:
        text = json.dumps(document(results, reasons), indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    print(table(results, reasons))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("pattern", nargs="*", help=PATTERN)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th mutant")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begin with the N-th mutant, counted from 0")
    parser.add_argument("--all", action="store_true", help="also the states and the effects that the pages run on")
    parser.add_argument("--each-killer", action="store_true", help="ask the claims too about what is noticed already")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write each mutant and what noticed it")
    parser.add_argument(
        "--results", type=Path, default=FILE, metavar="FILE", help=f"go on from these results ({FILE.name})"
    )
    return parser.parse_args(arguments)


def may_match(target: Target, targets: Sequence[Target], patterns: Sequence[str]) -> bool:
    """Whether a mutant of a module may match: not if each pattern begins with another's name, in a word not in here."""
    if not patterns or any(not pattern.startswith(tuple(f"{one.name}." for one in targets)) for pattern in patterns):
        return True
    if any(pattern.startswith(f"{target.name}.") for pattern in patterns):
        return True
    here = target.name + target.path.read_text(encoding="utf-8")
    return any(pattern.split()[0] in here for pattern in patterns)


def _matches(mutant: Mutant, patterns: list[str]) -> bool:
    return not patterns or any(pattern in mutant.id for pattern in patterns)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
