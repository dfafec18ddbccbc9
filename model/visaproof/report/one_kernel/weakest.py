"""Which set of launch assumptions a scatter needs (`conflicts --assume weakest`), for people and programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Conflict, Finding, Free, Undecided
from visaproof.analysis.conflicts.weakest import SETS, Weakest
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.premises import Premise
from visaproof.report.kernels.premises import premise_lines
from visaproof.report.one_kernel.conflict_records import finding_record
from visaproof.report.one_kernel.conflicts import finding_lines, header
from visaproof.report.records.conflicts import Scatter

if TYPE_CHECKING:
    from visaproof.report.one_kernel.shown_launch import ShownLaunch

SHOWN = ", ".join(assume.value for assume in SETS)


def weakest_header(answers: KernelAnswers) -> Iterator[str]:
    """The kernel, and the sets that are tried, each with those before it."""
    yield from header(answers)
    yield f"  assumed: of {SHOWN} the first under which a scatter is free, where"
    yield "    none: every input is arbitrary"
    for line in premise_lines(start_of(answers.kernel, answers.launch, Assume.BOUNDED).assumed):
        yield f"    {line.removeprefix('  assumed: ')}"


def weakest_lines(
    one: Weakest, record: Scatter, launch: "ShownLaunch | None" = None, verbose: bool = False
) -> Iterator[str]:
    """The scatter with its verdict, and the sets that do not suffice."""
    yield from finding_lines(one.answers, one.finding, record, launch, verbose)
    weaker = "; ".join(f"{assume.value}: {_said(finding)}" for assume, finding in one.weaker)
    if one.suffices:
        yield f"        assumed: {one.assume.value}" + (f" (not enough: {weaker})" if weaker else "")
    else:
        yield f"        assumed: {one.assume.value}; none of {SHOWN} suffices ({weaker})"


def _said(finding: Finding) -> str:
    match finding.answer:
        case Conflict():
            return "conflict, replayed"
        case Undecided(reason):
            return f"unknown, {reason}"
        case Free():
            return "bounded"


def weakest_scatter(one: Weakest, launch: "ShownLaunch | None") -> Scatter:
    """The scatter for programs, with the set that it needs."""
    return msgspec.structs.replace(
        finding_record(one.answers, one.finding, launch),
        assume=one.assume.value,
        suffices=one.suffices,
        weaker={assume.value: _verdict(finding) for assume, finding in one.weaker},
    )


def weakest_premises(first: KernelAnswers) -> Sequence[Premise]:
    """Those of the strongest set that is tried."""
    return start_of(first.kernel, first.launch, Assume.BOUNDED).assumed


def _verdict(finding: Finding) -> str:
    match finding.answer:
        case Conflict():
            return "refuted"
        case Undecided():
            return "unknown"
        case Free() as free:
            return "vacuous" if free.vacuous else "bounded" if free.bounded else "proved"
