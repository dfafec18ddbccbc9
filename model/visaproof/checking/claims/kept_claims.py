"""Claims that an earlier run decided.  A refutation counts only if its counterexample runs again."""

import sys
import sysconfig
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

import visaproof
from visaproof.checking.claims.catalogue import Claim
from visaproof.checking.claims.identity_record import SIDES_DIFFER, IdentityExample, replay_identity
from visaproof.checking.claims.model_version import model_version
from visaproof.checking.claims.workers import Decided, Limits, lost
from visaproof.checking.counterexample import Counterexample
from visaproof.checking.kept.verdict_cache import VerdictCache
from visaproof.checking.replay import replay
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.isa.errors import ReadError
from visaproof.isa.readings import Readings

KIND = "prove"
"""Of answers, in a cache."""
NOT_THERE = Unknown("not asked: no answer is in the cache")

Decide = Callable[[Sequence[Claim]], Iterator[Decided]]
"""Asks claims, in the order given."""


class KeptClaim(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """A verdict as data: one of `proved`, `refuted` or `vacuous`."""

    claim: str
    query: str
    readings: tuple[str, ...]
    seconds: float
    proved: str = ""
    """What decided it."""
    vacuous: str = ""
    """Why the assumptions never hold."""
    refuted: dict[str, Any] | None = None
    """The counterexample, as its file has it."""


class KeptClaims(Struct):
    """The answers of earlier runs about the claims of one folder, under one set of options."""

    cache: VerdictCache
    options: str
    say: Callable[[str], None] = field(default=lambda _: None)

    @staticmethod
    def of(
        cache: VerdictCache, folder: Path, limits: Limits, readings: Readings, say: Callable[[str], None]
    ) -> "KeptClaims":
        """Once the claims are loaded: the key has every module of theirs."""
        otherwise = ",".join(readings.chosen_otherwise())
        parts = (model_version(), KIND, repr(limits), otherwise, _contents(folder))
        return KeptClaims(cache, "\n".join(parts), say)

    def get(self, claim: Claim) -> Decided | None:
        """What is known of a claim."""
        kept = self.cache.get_as(self._key(claim), KeptClaim)
        verdict = None if kept is None else self._verdict(claim, kept)
        if kept is None or verdict is None:
            return lost(claim, NOT_THERE) if self.cache.enforced else None
        expected = claim.expected.__name__.lower()
        return Decided(claim.id, claim.module, expected, kept.query, kept.readings, verdict, kept.seconds)

    def add(self, claim: Claim, found: Decided) -> None:
        """Keeps what another run would find out as well: another try may decide what is unknown."""
        kept = KeptClaim(claim=claim.id, query=found.query, readings=found.readings, seconds=found.seconds)
        match found.verdict:
            case Proved(by):
                kept.proved = by
            case Vacuous(reason):
                kept.vacuous = reason
            case Refuted(counterexample):
                kept.refuted = msgspec.to_builtins(counterexample)
            case Unknown():
                return
        self.cache.add(self._key(claim), kept)

    def _key(self, claim: Claim) -> str:
        text = "\n".join((self.options, claim.module, claim.id, claim.expected.__name__))
        return sha256(text.encode(errors="surrogateescape")).hexdigest()[:40]

    def _verdict(self, claim: Claim, kept: KeptClaim) -> Verdict | None:
        """None of a row that says no one thing, and of a counterexample that shows nothing any more."""
        said = [one for one in (kept.proved, kept.vacuous, kept.refuted) if one]
        if len(said) != 1 or kept.claim != claim.id:
            return None
        if kept.proved:
            return Proved(kept.proved)
        if kept.vacuous:
            return Vacuous(kept.vacuous)
        example = _replayed(kept.refuted, kept.query)
        if example is None:
            self.say(f"{claim.id}: the counterexample in the cache does not replay: the claim is asked again")
            return None
        return Refuted(example)


def decided_or_kept(claims: Sequence[Claim], decide: Decide, kept: KeptClaims | None) -> Iterator[Decided]:
    """Each claim with its verdict, in the order given: those that the cache has are not asked."""
    if kept is None:
        yield from decide(claims)
        return
    known = [kept.get(claim) for claim in claims]
    left = [claim for claim, one in zip(claims, known, strict=True) if one is None]
    with closing(_asked(decide, left, kept)) as found:
        for one in known:
            yield next(found) if one is None else one


def _asked(decide: Decide, claims: Sequence[Claim], kept: KeptClaims) -> Generator[Decided]:
    for claim, one in zip(claims, decide(claims) if claims else (), strict=True):
        kept.add(claim, one)
        yield one


def _replayed(plain: dict[str, Any] | None, query: str) -> Counterexample | IdentityExample | None:
    """The counterexample to a query, once it has run again."""
    found = plain or {}
    path = "counterexample in the cache"
    try:
        if found.get("violation") == SIDES_DIFFER:
            sides = msgspec.convert(found, IdentityExample)
            return sides if sides.claim == query and not replay_identity(sides, path) else None
        example = msgspec.convert(found, Counterexample)
        return example if example.claim == query and not replay(example, path).differences else None
    except (msgspec.ValidationError, ReadError):
        return None


def _contents(folder: Path) -> str:
    """Of all files of the folder, and of what else was loaded that neither Python nor a package brings."""
    mine = Path(visaproof.__file__).parent
    installed = tuple(Path(path) for name, path in sysconfig.get_paths().items() if name != "data")
    loaded = [Path(str(one.__file__)) for one in tuple(sys.modules.values()) if getattr(one, "__file__", None)]
    own = {one for one in loaded if not any(one.is_relative_to(other) for other in (mine, *installed))}
    beside = {one for one in folder.rglob("*") if one.is_file() and "__pycache__" not in one.parts}
    whole = sha256()
    for path in sorted({one.absolute() for one in own | beside if one.is_file()}):
        whole.update(f"{path}\0{sha256(path.read_bytes()).hexdigest()}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()
