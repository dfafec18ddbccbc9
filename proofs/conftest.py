"""Lets pytest collect the claims of this folder: each is a test, and passes if its verdict is the expected one."""

# pytest's own constructors are not wholly typed.
# pyright: reportUnknownMemberType=false

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from visaproof.checking.claims.catalogue import Claim, Obligation, claims_in, discharge, load_claims
from visaproof.checking.counterexample import encoded
from visaproof.checking.decide import DEFAULT_TIMEOUT_MS
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ProofFile | None":
    if file_path.suffix == ".py" and file_path.stem not in ("__init__", "conftest"):
        return ProofFile.from_parent(parent, path=file_path)
    return None


class ProofFile(pytest.File):
    """One module of claims."""

    def collect(self) -> Iterator["ClaimItem"]:
        load_claims(self.path.parent)
        for claim in claims_in(sys.modules[f"visaproof_proofs.{self.path.stem}"]):
            yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """One claim."""

    def __init__(self, *, claim: Claim, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.claim = claim

    def runtest(self) -> None:
        obligation = discharge(self.claim, DEFAULT_TIMEOUT_MS)
        if not obligation.as_expected:
            raise NotAsExpectedError(obligation)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any, **__: Any) -> Any:
        if isinstance(excinfo.value, NotAsExpectedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.claim.id


class NotAsExpectedError(Exception):
    """The verdict is not of the kind that the claim's name promises."""

    def __init__(self, obligation: Obligation) -> None:
        match obligation.verdict:
            case Refuted(counterexample):
                found = f"Refuted:\n{encoded(counterexample).decode()}"
            case Proved(rung):
                found = f"Proved by {rung}"
            case Unknown(reason) | Vacuous(reason):
                found = f"{type(obligation.verdict).__name__}: {reason}"
        super().__init__(f"{obligation.query.id}: expected {obligation.claim.expected.__name__}, found {found}")
