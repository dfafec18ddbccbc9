"""Every obligation under every other reading: what a verdict depends on is found by asking."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from msgspec import Struct

from visaproof.checking.claims.catalogue import Claim
from visaproof.checking.claims.workers import Decided, Limits, Work, decide_claim, done, lost
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Unknown, Verdict
from visaproof.isa.errors import IllegalInstruction, LimitReached
from visaproof.isa.readings import DEFAULT, alternatives, setting
from visaproof.smt.limit import Limit


class Asked(Struct, frozen=True):
    """One obligation under one other reading whose question is not the default's."""

    setting: str
    """The reading, as NAME=VALUE."""
    verdict: Verdict | None
    """None where the instruction is illegal under the reading, so that nothing is left to ask."""
    seconds: float

    @property
    def answer(self) -> str:
        """The kind of the verdict: "proved", "refuted", "unknown" or "vacuous"; or "illegal"."""
        return "illegal" if self.verdict is None else type(self.verdict).__name__.lower()


class Row(Struct, frozen=True):
    """One obligation: its verdict under the defaults, and under each reading that changes the question.

    Under any other reading the question is the same one, and so is the answer.
    """

    default: Decided
    asked: tuple[Asked, ...] = ()

    @property
    def depends_on(self) -> tuple[Asked, ...]:
        """The readings under which the verdict is another; one that nobody decided does not count."""
        return tuple(one for one in self.asked if one.answer not in (self.default.answer, "unknown", "illegal"))


def matrix(claims: Sequence[Claim], folder: Path, limits: Limits, jobs: int = 1) -> Iterator[Row]:
    """The row of each claim, in the order given."""
    return done(Work(row, _lost), claims, folder, limits, jobs)


def row(claim: Claim, limits: Limits) -> Row:
    """Asks the claim under the defaults, and wherever another reading makes it another question."""
    return Row(decide_claim(claim, limits), tuple(_asked(claim, limits)))


def _asked(claim: Claim, limits: Limits) -> Iterator[Asked]:
    usual = claim.query()
    for name, answer in alternatives():
        try:
            reread = claim.under(DEFAULT.with_answer(name, answer))
        except IllegalInstruction:
            yield Asked(setting(name, answer), None, 0.0)
            continue
        if reread is None:
            continue
        start = perf_counter()
        query = reread.query()
        if (query.assumptions, query.goal) == (usual.assumptions, usual.goal):
            continue
        try:
            with Limit(limits.claim_s).within():
                verdict = decide(query, limits.timeout_ms, limits.seed)
        except LimitReached as reached:
            verdict = Unknown(str(reached))
        yield Asked(setting(name, answer), verdict, perf_counter() - start)


def _lost(claim: Claim, reason: Unknown) -> Row:
    return Row(lost(claim, reason))
