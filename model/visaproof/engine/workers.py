"""Claims decided one after another, or side by side in processes; what comes back of each can be pickled."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter

from visaproof.engine.catalogue import Claim, load_claims
from visaproof.engine.decide import DEFAULT_TIMEOUT_MS, decide
from visaproof.engine.processes import in_processes
from visaproof.engine.verdict import Unknown, Verdict


@dataclass(frozen=True, slots=True)
class Limits:
    """How long one question to one solver may take, and the solver's random seed."""

    timeout_ms: int = DEFAULT_TIMEOUT_MS
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Decided:
    """A claim and its verdict, without the terms that they are about."""

    claim: str
    """The claim's id."""
    module: str
    """The file of the proofs folder in which it stands."""
    expected: str
    """The name of the expected kind of verdict: "proved" or "refuted"."""
    query: str
    """The id of the query; empty where nobody came to ask it."""
    readings: tuple[str, ...]
    verdict: Verdict
    seconds: float

    @property
    def answer(self) -> str:
        """The kind of the verdict: "proved", "refuted", "unknown" or "vacuous"."""
        return type(self.verdict).__name__.lower()

    @property
    def as_expected(self) -> bool:
        return self.answer == self.expected


def module_of(claim: Claim) -> str:
    """The file of the proofs folder in which the claim stands."""
    function = getattr(claim.ask, "func", claim.ask)  # of a claim with cases, `ask` is a partial
    return str(function.__module__).rpartition(".")[2]


def decided(claims: Sequence[Claim], folder: Path, limits: Limits, jobs: int = 1) -> Iterator[Decided]:
    """Each claim with its verdict, in the order given; `folder` is where other processes load them from."""
    if jobs > 1 and len(claims) > 1:
        yield from _side_by_side(claims, folder, limits, min(jobs, len(claims)))
    else:
        for claim in claims:
            yield decide_claim(claim, limits)


def decide_claim(claim: Claim, limits: Limits) -> Decided:
    """Asks the claim's query and times it; an exception says which claim raised it."""
    start = perf_counter()
    try:
        query = claim.ask()
        verdict = decide(query, limits.timeout_ms, limits.seed)
    except Exception as error:
        error.add_note(f"while deciding {claim.id}")
        raise
    return _record(claim, query.id, query.readings, verdict, perf_counter() - start)


def _record(claim: Claim, query: str, readings: tuple[str, ...], verdict: Verdict, seconds: float) -> Decided:
    expected = claim.expected.__name__.lower()
    return Decided(claim.id, module_of(claim), expected, query, readings, verdict, seconds)


# ---------------------------------------------------------------- processes


def _side_by_side(claims: Sequence[Claim], folder: Path, limits: Limits, jobs: int) -> Iterator[Decided]:
    calls = [(folder, claim.id, limits) for claim in claims]
    for claim, task in zip(claims, in_processes(_decide_in_worker, calls, jobs), strict=True):
        yield _answer(claim, task)


def _answer(claim: Claim, task: "Future[Decided]") -> Decided:
    try:
        return task.result()
    except BrokenProcessPool:
        reason = "a worker process ended, perhaps for want of memory: try fewer --jobs"
        return _record(claim, "", (), Unknown(reason), 0)


def _decide_in_worker(folder: Path, claim_id: str, limits: Limits) -> Decided:
    return decide_claim(_claims_by_id(folder)[claim_id], limits)


@cache
def _claims_by_id(folder: Path) -> dict[str, Claim]:
    return {claim.id: claim for claim in load_claims(folder)}
