"""What may notice a mutant, tried in a process of its own: nothing of visaproof is imported before the mutant is."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from time import perf_counter
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from benchmarks.mutation.cross_check import found_disagreement
from benchmarks.mutation.derive import Mutant
from benchmarks.mutation.targets import Target, Writing

if TYPE_CHECKING:
    from visaproof.engine.catalogue import Claim

TIMEOUT_MS = 5_000
PROOFS = Path(__file__).parents[2] / "proofs"


class Killer(Enum):
    """What can tell a mutant from the model."""

    CROSS_CHECK = "cross-check"
    """`execute` against the footprint, on states."""
    CLAIMS = "claims"
    """The catalogue: a `prove_` that is not proved, or a `refute_` that is."""


class Manner(Enum):
    """How a mutant was noticed."""

    DIFFERS = "differs"
    """The two writings part on a state."""
    NOT_AS_EXPECTED = "not as expected"
    """A theorem fails, or a wrong variant passes."""
    UNKNOWN = "unknown"
    """A theorem is not decided in time: perhaps it still holds, so this alone is no kill."""
    RAISES = "raises"
    """An exception: most of these are ill-typed."""
    ENDLESS = "endless"
    """No end within the limit."""


@dataclass(frozen=True, slots=True)
class Kill:
    """What a killer noticed."""

    manner: Manner
    detail: str

    @property
    def counts(self) -> bool:
        return self.manner is not Manner.UNKNOWN


@dataclass(frozen=True, slots=True)
class ClaimCost:
    """A claim of the unchanged model: whose page it is about, and how long it takes."""

    id: str
    instruction: str
    is_proof: bool
    seconds: float


# ---------------------------------------------------------------- loading


class _MutantLoader(SourceFileLoader):
    """Compiles the mutant instead of the file, with every name of `visaproof.smt` at hand for the changed line."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.target.module, str(mutant.target.path))
        self._source = mutant.source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        smt = import_module("visaproof.smt")
        vars(module).update({name: getattr(smt, name) for name in smt.__all__})
        super().exec_module(module)


class _MutantFinder:
    """Finds one module: the mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._mutant.target.module:
            return None
        return spec_from_loader(name, _MutantLoader(self._mutant))


def install(mutant: Mutant) -> None:
    """From now on, importing the mutant's module gives the mutant."""
    loaded = [name for name in sys.modules if name.partition(".")[0] == "visaproof"]
    assert not loaded, f"imported before the mutant: {loaded}"
    finder: Any = _MutantFinder(mutant)
    sys.meta_path.insert(0, finder)


# ---------------------------------------------------------------- the two killers


def cross_check(target: Target) -> Kill | None:
    """Whether the two writings part on a state."""
    found = found_disagreement(target)
    return Kill(Manner.DIFFERS, found) if found else None


def _claims() -> Iterator["Claim"]:
    from visaproof.engine.catalogue import claims_in

    for path in sorted(PROOFS.glob("*.py")):
        if path.stem not in ("__init__", "conftest"):
            yield from claims_in(import_module(f"proofs.{path.stem}"))


def _answer(claim: "Claim") -> Kill | None:
    """As in `decide`, but a failure is enough: it is not made small, nor replayed."""
    from visaproof.engine.ladder import Fails, GaveUp, Holds, climb
    from visaproof.engine.verdict import Proved

    query = claim.ask()
    answer = climb(query.assumptions, query.goal, TIMEOUT_MS)
    if isinstance(answer, GaveUp):
        return Kill(Manner.UNKNOWN, f"{claim.id}: {answer.reason}")
    expected = Holds if claim.expected is Proved else Fails
    return None if isinstance(answer, expected) else Kill(Manner.NOT_AS_EXPECTED, claim.id)


def check_claims(target: Target, costs: list[ClaimCost]) -> Kill | None:
    """Whether a claim about the instructions of the target turns out otherwise; proofs first, cheap ones first."""
    claims = {claim.id: claim for claim in _claims()}
    undecided: Kill | None = None
    for cost in sorted(costs, key=lambda cost: (not cost.is_proof, cost.seconds)):
        if cost.instruction in target.instructions:
            kill = _answer(claims[cost.id])
            if kill and kill.manner is not Manner.UNKNOWN:
                return kill
            undecided = undecided or kill
    return undecided


def claim_costs(instructions: set[str]) -> list[ClaimCost]:
    """The claims about these instructions, each as expected on the unchanged model: else a kill would mean nothing."""
    costs: list[ClaimCost] = []
    for claim in _claims():
        start, instruction = perf_counter(), claim.ask().claim.partition("/")[0]
        if instruction in instructions:
            kill = _answer(claim)
            if kill:
                raise RuntimeError(f"the unchanged model: {kill.detail}")
            costs.append(ClaimCost(claim.id, instruction, claim.expected.__name__ == "Proved", perf_counter() - start))
    return costs


def killers_of(mutant: Mutant) -> tuple[Killer, ...]:
    """Claims are about the footprint alone."""
    return (Killer.CROSS_CHECK,) if mutant.writing is Writing.EXECUTE else tuple(Killer)


def attempt(killer: Killer, mutant: Mutant, costs: list[ClaimCost]) -> Kill | None:
    """One try; an exception is noticed as well."""
    try:
        return cross_check(mutant.target) if killer is Killer.CROSS_CHECK else check_claims(mutant.target, costs)
    except AssertionError as failure:
        return Kill(Manner.DIFFERS, str(failure))
    except Exception as error:
        return Kill(Manner.RAISES, f"{type(error).__name__}: {error}")
