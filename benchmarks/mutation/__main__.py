"""Derives mutants of both writings and says which are noticed: `python -m benchmarks.mutation [PATTERN …]`.

Exits with 1 where a mutant survives that `equivalent.toml` does not list, or a listed one does not survive.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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
from benchmarks.mutation.survivors import FILE, equivalent
from benchmarks.mutation.targets import ALL, PAGES, Target

PRELOADED = ("z3", "hypothesis", "pytest", "msgspec", "lark")
"""What a mutant's process needs and does not depend on the mutant."""


@dataclass(frozen=True, slots=True)
class Result:
    """A mutant, and what each killer said: None where it noticed nothing, absent where it was not asked."""

    mutant: Mutant
    kills: dict[Killer, Kill | None]

    @property
    def killed(self) -> bool:
        return any(map(self.killed_by, Killer))

    def killed_by(self, killer: Killer) -> bool:
        kill = self.kills.get(killer)
        return kill is not None and kill.counts

    @property
    def ill_formed(self) -> bool:
        """Only exceptions: a mutant that no run could have missed."""
        return all(kill is not None and kill.manner is Manner.RAISES for kill in self.kills.values())


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
    wrong = _complaints(results, mutants, whole=options.all)
    if options.json:
        options.json.write_text(json.dumps(_document(results), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table(results))
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


# ---------------------------------------------------------------- saying


def _complaints(results: Sequence[Result], mutants: Sequence[Mutant], whole: bool) -> list[str]:
    """Survivors without a reason, and reasons without a survivor."""
    reasons, known = equivalent(), {mutant.id for mutant in mutants}
    survivors = [f"survives: {each.mutant.id}" for each in results if not each.killed and each.mutant.id not in reasons]
    killed = [f"killed, but listed in {FILE.name}: {each.mutant.id}" for each in results if each.killed]
    gone = [f"no such mutant, but listed in {FILE.name}: {name}" for name in reasons if whole and name not in known]
    return [*survivors, *(line for line in killed if line.partition(": ")[2] in reasons), *gone]


def table(results: Sequence[Result]) -> str:
    """One row for each module, in Markdown."""
    head = [
        "mutants", "killed", "by the cross-check", "by the claims", "by both", "by exceptions alone", "survive",
    ]  # fmt: skip
    lines = [f"| module | {' | '.join(head)} |", f"|---|{'---|' * len(head)}"]
    names = dict.fromkeys(result.mutant.target.name for result in results)
    for name in names:
        lines.append(_row(name, [result for result in results if result.mutant.target.name == name]))
    lines.append(_row("all", results))
    manners = Counter(kill.manner.value for result in results for kill in result.kills.values() if kill)
    return "\n".join([*lines, "", "noticed by: " + ", ".join(f"{count} {name}" for name, count in manners.items())])


def _row(name: str, results: Sequence[Result]) -> str:
    by = {killer: {r.mutant.id for r in results if r.killed_by(killer)} for killer in Killer}
    cross, claims = by[Killer.CROSS_CHECK], by[Killer.CLAIMS]
    killed = sum(result.killed for result in results)
    share = f"{killed} ({100 * killed / len(results):.1f} %)" if results else "0"
    ill_formed = sum(result.ill_formed for result in results)
    cells: Iterable[object] = (
        name, len(results), share, len(cross), len(claims), len(cross & claims), ill_formed, len(results) - killed,
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _document(results: Sequence[Result]) -> list[dict[str, Any]]:
    return [
        {
            "id": result.mutant.id,
            "writing": result.mutant.writing.value,
            "killed": result.killed,
            "by": {
                killer.value: kill and {"manner": kill.manner.value, "detail": kill.detail[:300]}
                for killer, kill in result.kills.items()
            },
        }
        for result in results
    ]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
