"""Claims decided one after another, or side by side in processes; what comes back of each can be pickled."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache, partial
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Generic, TypeVar

from msgspec import Struct

from visaproof.checking.claims.catalogue import Claim, load_claims
from visaproof.checking.claims.own_errors import ClaimError
from visaproof.checking.decide import DEFAULT_TIMEOUT_MS, decide
from visaproof.checking.task_pool import Lost, in_order
from visaproof.checking.verdict import Refuted, Unknown, Verdict
from visaproof.isa.errors import LimitReached
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.smt.limit import Limit


class Limits(Struct, frozen=True):
    """How long one question to one solver may take, the solver's random seed, and the processor time of a claim,
    or of a batch of shapes."""

    timeout_ms: int = DEFAULT_TIMEOUT_MS
    seed: int = 0
    claim_s: float = inf
    cross_check: bool = False
    """Noted, because the answer depends on it."""


class Decided(Struct, frozen=True):
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


T = TypeVar("T")


class Work(Struct, Generic[T], frozen=True):
    """What is done with each claim, and what comes of it where a process ends before it is done."""

    do: Callable[[Claim, Limits], T]
    """A function that can be pickled, as can what it returns."""
    lost: Callable[[Claim, Unknown], T]


def done(work: Work[T], claims: Sequence[Claim], folder: Path, limits: Limits, jobs: int = 1) -> Iterator[T]:
    """What comes of each claim, in the order given; `folder` is where other processes load them from."""
    if jobs > 1 and len(claims) > 1:
        yield from _side_by_side(work, claims, folder, limits, jobs)
    else:
        for claim in claims:
            yield work.do(claim, limits)


def decided(
    claims: Sequence[Claim], folder: Path, limits: Limits, jobs: int = 1, readings: Readings = DEFAULT
) -> Iterator[Decided]:
    """Each claim with its verdict, in the order given, under these readings."""
    return done(Work(partial(decide_claim, readings=readings), lost), claims, folder, limits, jobs)


def decide_claim(claim: Claim, limits: Limits, readings: Readings = DEFAULT) -> Decided:
    """Asks the claim's query and times it; an exception says which claim raised it."""
    start = perf_counter()
    try:
        with Limit(limits.claim_s).within():
            query = ((claim.under(readings) if readings != DEFAULT else None) or claim).query()
            verdict = decide(query, limits.timeout_ms, limits.seed, claim.expected is Refuted)
    except LimitReached as reached:
        return _record(claim, "", (), Unknown(str(reached)), perf_counter() - start)
    except ClaimError:
        raise
    except Exception as error:
        error.add_note(f"while deciding {claim.id}")
        raise
    return _record(claim, query.id, query.readings, verdict, perf_counter() - start)


def _record(claim: Claim, query: str, readings: tuple[str, ...], verdict: Verdict, seconds: float) -> Decided:
    expected = claim.expected.__name__.lower()
    return Decided(claim.id, claim.module, expected, query, readings, verdict, seconds)


# ---------------------------------------------------------------- processes


def _side_by_side(work: Work[T], claims: Sequence[Claim], folder: Path, limits: Limits, jobs: int) -> Iterator[T]:
    in_worker = partial(_in_worker, work.do, folder, limits)
    with closing(in_order(in_worker, [claim.id for claim in claims], jobs)) as found:
        for claim, one in zip(claims, found, strict=True):
            yield work.lost(claim, Unknown(f"{one.reason}: try fewer --jobs")) if isinstance(one, Lost) else one.answer


def lost(claim: Claim, reason: Unknown) -> Decided:
    """What is said of a claim whose process ended."""
    return _record(claim, "", (), reason, 0)


def _in_worker(do: Callable[[Claim, Limits], T], folder: Path, limits: Limits, claim_id: str) -> T:
    return do(_claims_by_id(folder)[claim_id], limits)


@cache
def _claims_by_id(folder: Path) -> dict[str, Claim]:
    return {claim.id: claim for claim in load_claims(folder)}
