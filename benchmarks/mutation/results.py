"""What became of the mutants: a table, a summary, and what is wrong with them or with the list of equivalent ones."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from benchmarks.mutation.derive import Mutant
from benchmarks.mutation.killers import Killer, Manner
from benchmarks.mutation.store import Kills
from benchmarks.mutation.survivors import FILE
from benchmarks.mutation.targets import Writing

COLUMNS = (
    "mutants", "killed", "by the cross-check", "by the claims alone", "by the tests alone", "by exceptions alone",
    "equivalent", "survive",
    "killed of all", "killed of those not equivalent",
)  # fmt: skip


class Result(Struct, frozen=True):
    """A mutant, and what each killer said."""

    mutant: Mutant
    kills: Kills

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


class Summary(Struct, frozen=True):
    """How many mutants there are of each kind."""

    mutants: int
    killed: int
    by_cross_check: int
    by_claims_alone: int
    """Not by the cross-check."""
    by_tests_alone: int
    """Of rules of the normal form: not by the claims."""
    by_exceptions_alone: int
    """Also counted by the killer that they were raised in."""
    equivalent: int
    """Not killed, and listed with a reason."""

    @property
    def survive(self) -> int:
        """Neither killed nor listed."""
        return self.mutants - self.killed - self.equivalent

    @property
    def share(self) -> str:
        return _percent(self.killed, self.mutants)

    @property
    def share_of_others(self) -> str:
        """Of those that are not equivalent."""
        return _percent(self.killed, self.mutants - self.equivalent)

    def __str__(self) -> str:
        return (
            f"{self.mutants} mutants, {self.killed} killed ({self.share}): {self.by_cross_check} by the cross-check, "
            f"{self.by_claims_alone} by the claims alone, {self.by_tests_alone} by the tests alone; "
            f"{self.equivalent} equivalent, {self.survive} survive; "
            f"{self.share_of_others} of those that are not equivalent are killed"
        )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def summary(results: Sequence[Result], reasons: Collection[str]) -> Summary:
    """`reasons` has the ids that are listed as equivalent."""
    by = {killer: {result.mutant.id for result in results if result.killed_by(killer)} for killer in Killer}
    cross, claims, tests = by[Killer.CROSS_CHECK], by[Killer.CLAIMS], by[Killer.TESTS]
    return Summary(
        mutants=len(results),
        killed=len(cross | claims | tests),
        by_cross_check=len(cross),
        by_claims_alone=len(claims - cross),
        by_tests_alone=len(tests - cross - claims),
        by_exceptions_alone=sum(result.ill_formed for result in results),
        equivalent=sum(not result.killed and result.mutant.id in reasons for result in results),
    )


def complaints(
    results: Sequence[Result], reasons: Mapping[str, str], known: Collection[str] | None = None
) -> list[str]:
    """Survivors without a reason, and reasons without a survivor; `known` has the ids of all mutants there are."""
    survivors = [f"survives: {each.mutant.id}" for each in results if not each.killed and each.mutant.id not in reasons]
    listed = [each.mutant.id for each in results if each.killed and each.mutant.id in reasons]
    killed = [f"killed, but listed in {FILE.name}: {name}" for name in listed]
    gone = [] if known is None else [name for name in reasons if name not in known]
    return [*survivors, *killed, *(f"no such mutant, but listed in {FILE.name}: {name}" for name in gone)]


def table(results: Sequence[Result], reasons: Collection[str]) -> str:
    """One row for each module, in Markdown; how they were noticed; and the summary."""
    lines = [f"| module | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    names = dict.fromkeys(result.mutant.target.name for result in results)
    for name in names:
        lines.append(_row(name, summary([result for result in results if result.mutant.target.name == name], reasons)))
    whole = summary(results, reasons)
    manners = Counter(kill.manner.value for result in results for kill in result.kills.values() if kill)
    noticed = ", ".join(f"{count} {name}" for name, count in manners.items())
    return "\n".join([*lines, _row("all", whole), "", f"noticed by: {noticed}", *_claims(results), str(whole)])


def _claims(results: Sequence[Result]) -> list[str]:
    """What the claims would notice without the cross-check, where they were asked about each footprint."""
    of_footprints = [result for result in results if result.mutant.writing in (Writing.FOOTPRINT, Writing.BOTH)]
    if not of_footprints or any(Killer.CLAIMS not in result.kills for result in of_footprints):
        return []
    noticed = sum(result.killed_by(Killer.CLAIMS) for result in of_footprints)
    return [f"of the {len(of_footprints)} mutants of footprints, {noticed} are noticed by the claims"]


def _row(name: str, of: Summary) -> str:
    cells: Iterable[object] = (
        name, of.mutants, of.killed, of.by_cross_check, of.by_claims_alone, of.by_tests_alone,
        of.by_exceptions_alone, of.equivalent, of.survive, of.share, of.share_of_others,
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def document(results: Sequence[Result], reasons: Collection[str]) -> dict[str, Any]:
    """For JSON: the summary as numbers and as a sentence, and each mutant with what noticed it."""
    whole = summary(results, reasons)
    return {
        "summary": {**asdict(whole), "survive": whole.survive, "text": str(whole)},
        "mutants": [
            {
                "id": result.mutant.id,
                "writing": result.mutant.writing.value,
                "killed": result.killed,
                "equivalent": not result.killed and result.mutant.id in reasons,
                "by": {
                    killer.value: kill and {"manner": kill.manner.value, "detail": kill.detail[:300]}
                    for killer, kill in result.kills.items()
                },
            }
            for result in results
        ],
    }
