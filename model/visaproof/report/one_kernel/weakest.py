"""Which set of launch assumptions a scatter needs (`conflicts --assume weakest`), for people and programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from visaproof.analysis.conflicts.kernel import Finding, KernelAnswers
from visaproof.analysis.conflicts.verdicts import Conflict, Free, Undecided
from visaproof.analysis.conflicts.weakest import SETS, Weakest
from visaproof.isa.errors import Position
from visaproof.launch.assumptions import Assume, start_of
from visaproof.report.kernels.premises import premise_lines, premises_json
from visaproof.report.one_kernel.conflicts import file_json, finding_json, finding_lines, header
from visaproof.report.one_kernel.launches import NO_LAUNCHES, ShownLaunch

SHOWN = ", ".join(assume.value for assume in SETS)


def weakest_header(answers: KernelAnswers) -> Iterator[str]:
    """The kernel, and the sets that are tried, each with those before it."""
    yield from header(answers)
    yield f"  assumed: of {SHOWN} the first under which a scatter is free, where"
    yield "    none: every input is arbitrary"
    for line in premise_lines(start_of(answers.kernel, answers.launch, Assume.BOUNDED).assumed):
        yield f"    {line.removeprefix('  assumed: ')}"


def weakest_lines(one: Weakest, launch: ShownLaunch | None = None) -> Iterator[str]:
    """The scatter with its verdict, and the sets that do not suffice."""
    yield from finding_lines(one.answers, one.finding, launch)
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


def weakest_json(
    first: KernelAnswers, found: Sequence[Weakest], launches: Mapping[Position, ShownLaunch] = NO_LAUNCHES
) -> dict[str, Any]:
    """One file for programs: as of one set, with the set beside each scatter."""
    assumptions = start_of(first.kernel, first.launch, Assume.BOUNDED).assumed
    scatters = [
        finding_json(one.answers, one.finding, launches.get(one.finding.question.instruction.position))
        | {
            "assume": one.assume.value,
            "suffices": one.suffices,
            "weaker": {assume.value: finding_json(first, finding)["verdict"] for assume, finding in one.weaker},
        }
        for one in found
    ]
    return file_json(first, []) | premises_json(assumptions) | {"scatters": scatters}
