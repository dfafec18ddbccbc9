"""Tries mutants, several at a time, and writes down what became of each as soon as it is known."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from time import monotonic
from typing import Any

from benchmarks.mutation.derive import Mutant
from benchmarks.mutation.install import install
from benchmarks.mutation.killers import (
    TESTS,
    ClaimCost,
    Kill,
    Killer,
    Manner,
    attempt,
    claim_costs,
    cross_check,
    killers_of,
    run_tests,
    tests_of,
)
from benchmarks.mutation.pool import Ended, side_by_side
from benchmarks.mutation.results import Result
from benchmarks.mutation.store import Kills, Store
from benchmarks.mutation.targets import Target

PRELOADED = ("z3", "hypothesis", "pytest", "msgspec", "lark")
"""What a mutant's process needs and does not depend on the mutant."""
TOLD_EVERY = 50


def run(mutants: Sequence[Mutant], jobs: int, store: Store, each_killer: bool = False) -> list[Result]:
    """Every mutant's result, in the order given; unless `each_killer`, the first killer that notices one suffices."""
    missing = [mutant for mutant in mutants if not complete(mutant, store.kills(mutant.id), each_killer)]
    print(f"{len(mutants) - len(missing)} mutants tried before, {len(missing)} to try", file=sys.stderr)
    if missing:
        with store:
            _try(missing, jobs, store, each_killer)
    return [Result(mutant, store.kills(mutant.id)) for mutant in mutants]


def complete(mutant: Mutant, kills: Kills, each_killer: bool) -> bool:
    """Whether nothing is left to ask."""
    if not each_killer and any(kill and kill.counts for kill in kills.values()):
        return True
    return kills.keys() == set(killers_of(mutant))


def unchanged(targets: dict[str, Target], jobs: int) -> list[ClaimCost]:
    """What each claim costs on the unchanged model; on it nothing may be noticed, or a kill would mean nothing."""
    instructions = {name for target in targets.values() for name in target.instructions}

    tested = {files for target in targets.values() if (files := tests_of(target))}
    checked = [target for target in targets.values() if TESTS.keys().isdisjoint(target.roots)]

    def check(task: Target | tuple[str, ...] | None, send: Callable[[Any], None]) -> None:
        match task:
            case None:
                send(claim_costs(instructions))
            case tuple():
                send(run_tests(task))
            case Target():
                send(cross_check(task))

    costs: list[ClaimCost] = []
    for ended in side_by_side([None, *checked, *tested], check, jobs):
        if ended.exitcode or (ended.task and ended.sent[0]):
            raise SystemExit(f"the unchanged model is not as expected: {ended.sent or 'see above'}")
        costs += ended.sent[0] or []
    return costs


def _try(mutants: Sequence[Mutant], jobs: int, store: Store, each_killer: bool) -> None:
    for name in PRELOADED:
        import_module(name)
    started = monotonic()
    costs = unchanged({mutant.target.name: mutant.target for mutant in mutants}, jobs)

    def check(mutant: Mutant, send: Callable[[Any], None]) -> None:
        known, hints = store.kills(mutant.id), store.hints(mutant.id)
        install(mutant)
        for killer in killers_of(mutant):
            kill = known[killer] if killer in known else attempt(killer, mutant, costs, hints.get(killer, ""))
            send((killer, kill))
            if kill and kill.counts and not each_killer:
                return

    for count, ended in enumerate(side_by_side(mutants, check, jobs), 1):
        kills = _kills_of(ended)
        store.add(ended.task.id, kills)
        if not any(kill and kill.counts for kill in kills.values()):
            print(f"survives: {ended.task.id}", file=sys.stderr)
        if count % TOLD_EVERY == 0:
            print(f"{count} of {len(mutants)} mutants, {monotonic() - started:.0f} s", file=sys.stderr)


def _kills_of(ended: Ended[Mutant]) -> Kills:
    """What was sent; the killer that a process did not survive has noticed nothing that counts."""
    kills: dict[Killer, Kill | None] = dict(ended.sent)
    if ended.exitcode:
        missing = [killer for killer in killers_of(ended.task) if killer not in kills]
        reason = "no end within the limit of processor time" if ended.out_of_time else f"exit code {ended.exitcode}"
        kills |= {killer: Kill(Manner.LIMIT, reason) for killer in missing}
    return kills
