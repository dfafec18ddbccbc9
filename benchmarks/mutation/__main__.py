"""Derives mutants of both writings and says which are noticed: `python -m benchmarks.mutation [PATTERN …]`.

Exits with 1 where a mutant survives that `equivalent.toml` does not list, or a listed one does not survive.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.mutation.derive import Mutant, mutants_of
from benchmarks.mutation.killers import (
    ClaimCost,
    Kill,
    Killer,
    Manner,
    attempt,
    claim_costs,
    cross_check,
    install,
    killers_of,
)
from benchmarks.mutation.pool import side_by_side
from benchmarks.mutation.results import Result, complaints, document, table
from benchmarks.mutation.survivors import equivalent
from benchmarks.mutation.targets import ALL, PAGES, Target

PRELOADED = ("z3", "hypothesis", "pytest", "msgspec", "lark")
"""What a mutant's process needs and does not depend on the mutant."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    targets = ALL if options.all else PAGES
    mutants = [mutant for target in targets for mutant in mutants_of(target)]
    chosen = [mutant for mutant in mutants if _matches(mutant, options.pattern)][:: options.every]
    if options.list:
        print(*(mutant.id for mutant in chosen), sep="\n")
        return 0
    for name in PRELOADED:
        import_module(name)
    results = run(chosen, options.jobs)
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
    parser.add_argument("pattern", nargs="*", help="only mutants whose id has one of these in it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th mutant")
    parser.add_argument("--all", action="store_true", help="also the states and the effects that the pages run on")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write each mutant and what noticed it")
    return parser.parse_args(arguments)


def _matches(mutant: Mutant, patterns: list[str]) -> bool:
    return not patterns or any(pattern in mutant.id for pattern in patterns)


# ---------------------------------------------------------------- running


def unchanged(targets: dict[str, Target], jobs: int) -> list[ClaimCost]:
    """What each claim costs on the unchanged model; on it nothing may be noticed, or a kill would mean nothing."""
    instructions = {name for target in targets.values() for name in target.instructions}

    def check(target: Target | None, send: Callable[[Any], None]) -> None:
        send(cross_check(target) if target else claim_costs(instructions))

    costs: list[ClaimCost] = []
    for ended in side_by_side([None, *targets.values()], check, jobs):
        if ended.exitcode or (ended.task and ended.sent[0]):
            raise SystemExit(f"the unchanged model is not as expected: {ended.sent or 'see above'}")
        costs += ended.sent[0] or []
    return costs


def run(mutants: Sequence[Mutant], jobs: int) -> list[Result]:
    """Every mutant's result, in the order given."""
    costs = unchanged({mutant.target.name: mutant.target for mutant in mutants}, jobs)

    def check(mutant: Mutant, send: Callable[[Any], None]) -> None:
        install(mutant)
        for killer in killers_of(mutant):
            send((killer, attempt(killer, mutant, costs)))

    results: dict[str, Result] = {}
    for ended in side_by_side(mutants, check, jobs):
        kills: dict[Killer, Kill | None] = dict(ended.sent)
        if ended.exitcode:
            manner = Manner.ENDLESS if ended.out_of_time else Manner.RAISES
            missing = next(killer for killer in killers_of(ended.task) if killer not in kills)
            kills[missing] = Kill(manner, f"exit code {ended.exitcode}")
        results[ended.task.id] = Result(ended.task, kills)
        if not results[ended.task.id].killed:
            print(f"survives: {ended.task.id}", file=sys.stderr)
        if len(results) % 50 == 0:
            print(f"{len(results)} of {len(mutants)} mutants", file=sys.stderr)
    return [results[mutant.id] for mutant in mutants]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
