"""The four answers.  None of them is a bool: an unknown must not look like a proof, nor like a bug."""

from typing import TYPE_CHECKING

from msgspec import Struct

from visaproof.checking.counterexample import Counterexample

if TYPE_CHECKING:
    from visaproof.checking.claims.identity_record import IdentityExample


class Proved(Struct, frozen=True):
    """The goal holds wherever the assumptions do, and they do somewhere."""

    by: str
    """What decided it: "normal form" or a solver."""


class Refuted(Struct, frozen=True):
    """The goal fails in the state of the counterexample, which has been replayed on `execute`; of a rule of the normal
    form, for its values, at which both sides have been evaluated."""

    counterexample: "Counterexample | IdentityExample"

    @property
    def execution(self) -> Counterexample:
        """The counterexample, where it is one that `execute` runs."""
        if not isinstance(self.counterexample, Counterexample):
            raise TypeError(f"{self.counterexample.claim} is no claim about what is executed")
        return self.counterexample


class Unknown(Struct, frozen=True):
    """Nobody could decide it."""

    reason: str


class Vacuous(Struct, frozen=True):
    """The assumptions never hold, so the goal says nothing."""

    reason: str


Verdict = Proved | Refuted | Unknown | Vacuous
