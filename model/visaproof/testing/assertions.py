"""Assertions whose message is the report.  What is unknown, bounded, or vacuous is no success."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack

from visaproof.api.answers import Answers
from visaproof.api.claims import describe, prove
from visaproof.api.files import replay_file
from visaproof.api.kernels import BoundsOptions, KernelOptions, bounds, conflicts
from visaproof.api.two_kernels import compare
from visaproof.checking.counterexample import Counterexample
from visaproof.checking.encode import Step
from visaproof.checking.verdict import Proved, Refuted
from visaproof.launch.matching import Program
from visaproof.queries.query import Query
from visaproof.refinement.refines import Options
from visaproof.refinement.verdicts import Refines
from visaproof.smt.z3_types import Z3Bool
from visaproof.testing.mended import still_done_by

TIMEOUT_S = 20.0
File = str | Path


def assert_proved(what: Query | Z3Bool | bool, *steps: Step, timeout_s: float = TIMEOUT_S) -> None:
    """Fails with the counterexample, or why it is unknown, unless the claim is proved."""
    __tracebackhide__ = True
    verdict = prove(what, *steps, timeout_s=timeout_s)
    if not isinstance(verdict, Proved):
        raise AssertionError(describe(verdict))


def assert_refuted(what: Query | Z3Bool | bool, *steps: Step, timeout_s: float = TIMEOUT_S) -> Counterexample:
    """The counterexample; fails unless there is one."""
    __tracebackhide__ = True
    verdict = prove(what, *steps, timeout_s=timeout_s)
    if not isinstance(verdict, Refuted):
        raise AssertionError(f"not refuted: {describe(verdict)}")
    return verdict.execution


def assert_refines(source: Program | File, target: Program | File, **options: Unpack[Options]) -> Refines:
    """How `target` refines `source`; fails with the run of both that shows that it does not, or why it is unknown.

    Takes the options of `visaproof.refines`.
    """
    __tracebackhide__ = True
    answer = compare(source, target, **options)
    if not isinstance(answer.verdict, Refines):
        raise AssertionError(str(answer))
    return answer.verdict


def assert_free(kernel: Program | File, launch: File | None = None, **options: Unpack[KernelOptions]) -> None:
    """Fails unless no two lanes of any scatter can write one byte.  Takes the options of `visaproof.conflicts`."""
    __tracebackhide__ = True
    _require_ok(conflicts(kernel, launch, **options))


def assert_inside(kernel: Program | File, launch: File | None = None, **options: Unpack[BoundsOptions]) -> None:
    """Fails unless every access stays inside of its surface.  Takes the options of `visaproof.bounds`."""
    __tracebackhide__ = True
    _require_ok(bounds(kernel, launch, **options))


def _require_ok(answers: Answers[Any]) -> None:
    __tracebackhide__ = True
    if not answers.ok:
        raise AssertionError(str(answers))


def assert_replays(text: str) -> None:
    """Fails unless the counterexample in this JSON text replays: `execute` leaves what was recorded, and shows it."""
    __tracebackhide__ = True
    with TemporaryDirectory() as folder:
        path = Path(folder) / "counterexample.json"
        path.write_text(text, "utf-8")
        again = replay_file(path)
    if again.differences:
        raise AssertionError("\n".join([f"{again.claim} does not replay:", *again.differences]))


def assert_mended(text: str, kernel: File) -> None:
    """Fails as long as this kernel, begun in the state of the counterexample, does what that shows.

    The kernel has to keep its registers in the same variables; where it does not, the counterexample has to be made
    again.  Raises ReadError.
    """
    __tracebackhide__ = True
    problem = still_done_by(text, Path(kernel))
    if problem:
        raise AssertionError(problem)
