"""What may notice a mutant, tried in a process of its own: nothing of visaproof is imported before the mutant is."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from enum import Enum
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from benchmarks.mutation.cross_check import CrossCheck, Trial
from benchmarks.mutation.derive import Mutant
from benchmarks.mutation.install import complete_names
from benchmarks.mutation.pool import OutOfTime, at_most
from benchmarks.mutation.targets import MACHINES, Target, Writing

if TYPE_CHECKING:
    from visaproof.checking.claims.catalogue import Claim
    from visaproof.queries.query import Query

TIMEOUT_MS = 5_000
TRIAL_SECONDS = 3
"""Of processor time; the slowest state of the unchanged model takes a tenth of a second."""
ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
OF_TERMS = tuple(
    f"tests/smt/test_{name}.py"
    for name in ("normal_form", "halves", "expanded", "copies", "written", "terms_against_z3")
)
OF_ADDRESSES = tuple(
    f"tests/{name}.py"
    for name in (
        "machine/symbolic/test_symbolic_private",
        "machine/symbolic/test_private_memory",
        "queries/kernels/test_aligned_pointers",
    )
)
OF_STATES = ("tests/semantics/test_beyond.py", "tests/semantics/test_symbolic_effects.py")
TESTS = {Writing.RULES: OF_TERMS, Writing.ENGINE: OF_ADDRESSES}
"""Those that are about what a mutant computes; for the pages there are the cross-check and the claims."""

NOT_CARRIED_OUT = "the rule is true, but"


class Killer(Enum):
    """What can tell a mutant from the model."""

    CROSS_CHECK = "cross-check"
    """`execute` against the footprint, on states."""
    CLAIMS = "claims"
    """The catalogue: a `prove_` that is not proved, or a `refute_` that is."""
    TESTS = "tests"
    """Tests: for rules of the normal form, for the engine, and for states and effects."""


class Manner(Enum):
    """How a mutant was noticed."""

    DIFFERS = "differs"
    """The two writings part on a state."""
    NOT_AS_EXPECTED = "not as expected"
    """A theorem fails, or a wrong variant passes."""
    RAISES = "raises"
    """An exception: most of these are ill-typed."""
    UNKNOWN = "unknown"
    """A theorem is not decided in time: perhaps it still holds, so this alone is no kill."""
    LIMIT = "limit"
    """A limit of processor time or of memory was reached, or the process was ended: this alone is no kill either."""


class Kill(Struct, frozen=True):
    """What a killer noticed."""

    manner: Manner
    detail: str
    on: str = ""
    """The trial or the claim on which it shows, so that it can be asked first another time."""

    @property
    def counts(self) -> bool:
        return self.manner not in (Manner.UNKNOWN, Manner.LIMIT)


class ClaimCost(Struct, frozen=True):
    """A claim of the unchanged model: whose page it is about, and how long it takes."""

    id: str
    instruction: str
    is_proof: bool
    seconds: float


def killers_of(mutant: Mutant) -> tuple[Killer, ...]:
    """The cross-check, which most often notices, first; claims are about the footprint alone."""
    if mutant.writing in TESTS:
        return Killer.CLAIMS, Killer.TESTS
    tests = (Killer.TESTS,) if tests_of(mutant.target) else ()
    claims = () if mutant.writing is Writing.EXECUTE else (Killer.CLAIMS,)
    return Killer.CROSS_CHECK, *claims, *tests


def tests_of(target: Target) -> tuple[str, ...]:
    """The files of tests that are about what mutants of a module compute."""
    if target in MACHINES:
        return OF_STATES
    return next((TESTS[writing] for writing in target.roots if writing in TESTS), ())


def attempt(killer: Killer, mutant: Mutant, costs: list[ClaimCost], hint: str = "") -> Kill | None:
    """One try of everything that a killer has, what noticed the mutant before first."""

    def ask() -> Kill | None:
        if killer is Killer.CROSS_CHECK:
            return cross_check(mutant.target, hint)
        complete_names(mutant)
        if killer is Killer.TESTS:
            return run_tests(tests_of(mutant.target), hint)
        return check_claims(mutant.target, costs, hint)

    return _noticed(ask, "")


def _noticed(ask: Callable[[], Kill | None], on: str) -> Kill | None:
    """An exception is noticed as well."""
    try:
        return ask()
    except AssertionError as failure:
        return Kill(Manner.DIFFERS, str(failure), on)
    except (MemoryError, OutOfTime) as error:
        return Kill(Manner.LIMIT, f"{type(error).__name__}: {error}", on)
    except Exception as error:
        return Kill(Manner.RAISES, f"{type(error).__name__}: {error}", on)


# ---------------------------------------------------------------- the cross-check


def cross_check(target: Target, hint: str = "") -> Kill | None:
    """Whether the two writings part on a state."""
    check = CrossCheck(target)
    first = [Trial.from_text(hint)] if hint else []
    return _first_kill(_tried(check, trial) for trial in chain(first, check.trials()))


def _tried(check: CrossCheck, trial: Trial) -> Kill | None:
    """What shows on one state; a mutant that needs too long for it goes on with the next."""

    def ask() -> Kill | None:
        with at_most(TRIAL_SECONDS):
            found = check.disagreement(trial)
        return Kill(Manner.DIFFERS, found, str(trial)) if found else None

    return _noticed(ask, str(trial))


def _first_kill(kills: Iterable[Kill | None]) -> Kill | None:
    """The first that counts; failing that, the first that does not."""
    undecided: Kill | None = None
    for kill in kills:
        if kill and kill.counts:
            return kill
        undecided = undecided or kill
    return undecided


# ---------------------------------------------------------------- the claims


def check_claims(target: Target, costs: list[ClaimCost], hint: str = "") -> Kill | None:
    """Whether a claim about the instructions of the target turns out otherwise; proofs first, cheap ones first."""
    claims = {claim.id: claim for claim in _claims()}
    ordered = sorted(costs, key=lambda cost: (cost.id != hint, not cost.is_proof, cost.seconds))
    asked = [claims[cost.id] for cost in ordered if cost.instruction in target.instructions]
    return _first_kill(_noticed(partial(_answer, claim), claim.id) for claim in asked)


def claim_costs(instructions: set[str]) -> list[ClaimCost]:
    """The claims about these instructions, each as expected on the unchanged model: else a kill would mean nothing."""
    costs: list[ClaimCost] = []
    for claim in _claims():
        start, instruction = process_time(), claim.ask().claim.partition("/")[0]
        if instruction in instructions:
            kill = _answer(claim)
            if kill:
                raise RuntimeError(f"the unchanged model: {kill.detail}")
            costs.append(ClaimCost(claim.id, instruction, claim.expected.__name__ == "Proved", process_time() - start))
    return costs


def _claims() -> Iterator["Claim"]:
    from visaproof.checking.claims.catalogue import claims_in

    for path in sorted(PROOFS.glob("*.py")):
        if path.stem not in ("__init__", "conftest"):
            yield from claims_in(import_module(f"proofs.{path.stem}"))


def _answer(claim: "Claim") -> Kill | None:
    """As in `decide`, but a failure is enough: it is not made small, nor replayed."""
    from visaproof.checking.stages import Fails, GaveUp, Holds, decide_goal
    from visaproof.checking.verdict import Proved
    from visaproof.queries.query import Identity

    query = claim.ask()
    if isinstance(query.about, Identity):
        return _answer_on_a_rule(claim, query)
    answer = decide_goal(query.assumptions, query.goal, TIMEOUT_MS)
    if isinstance(answer, GaveUp):
        return Kill(Manner.UNKNOWN, f"{claim.id}: {answer.reason}", claim.id)
    expected = Holds if claim.expected is Proved else Fails
    return None if isinstance(answer, expected) else Kill(Manner.NOT_AS_EXPECTED, claim.id, claim.id)


def _answer_on_a_rule(claim: "Claim", query: "Query") -> Kill | None:
    """A rule that is true but not carried out is unknown to `decide`; here it is noticed."""
    from visaproof.checking.decide import decide
    from visaproof.checking.verdict import Refuted, Unknown

    verdict = decide(query, TIMEOUT_MS, likely_fails=claim.expected is Refuted)
    if isinstance(verdict, claim.expected):
        return None
    undecided = isinstance(verdict, Unknown) and not verdict.reason.startswith(NOT_CARRIED_OUT)
    return Kill(Manner.UNKNOWN if undecided else Manner.NOT_AS_EXPECTED, f"{claim.id}: {verdict}", claim.id)


# ---------------------------------------------------------------- the tests


def run_tests(files: tuple[str, ...], hint: str = "") -> Kill | None:
    """The first test in these files that fails, the one that failed before first."""
    import pytest

    failures = _Failures()
    options = ["-q", "-x", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={ROOT}"]
    for paths in ([hint] if hint else [], files):
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            code = pytest.main([*options, *(str(ROOT / path) for path in paths)], plugins=[failures]) if paths else 0
        if failures.first:
            return Kill(Manner.DIFFERS, failures.first, failures.first)
        if code not in (0, pytest.ExitCode.USAGE_ERROR):
            return Kill(Manner.RAISES, f"pytest: {code!r}")
    return None


class _Failures:
    """A plugin of pytest: keeps the first test that fails."""

    first = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.first:
            self.first = report.nodeid
