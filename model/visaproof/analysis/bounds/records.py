"""Bounds findings as counterexamples: the kernel itself, the smallest thread found, and what its run shows."""

from collections.abc import Iterator

from visaproof.analysis.bounds.kernel import BoundsAnswers, BoundsFinding
from visaproof.analysis.bounds.verdicts import Meaningless, Outside, Shown
from visaproof.checking.counterexample import Counterexample, Outcome, Run, Violation
from visaproof.checking.states import state_record, without_zeros
from visaproof.launch.relations.obeyed_relations import obeyed


def bounds_records(answers: BoundsAnswers, finding: BoundsFinding) -> Iterator[tuple[str, Counterexample]]:
    """Each counterexample with a word for its kind."""
    line = finding.question.instruction.position.line
    if isinstance(finding.bounds, Outside):
        who = _who(finding.bounds.first.lane)
        place = ", ".join(f"{part:#x}" for part in finding.bounds.first.cell)
        shows = f"{who} of line {line} reaches {place}, outside {finding.question.performed.surface}"
        claim = f"line-{line}-stays-inside"
        yield "outside", _record(answers, finding.bounds.shown, line, claim, shows, "outside", Outcome())
    if isinstance(finding.meaning, Meaningless):
        shows = f"{_who(finding.meaning.lane)} of line {line} is undefined"
        outcome = Outcome(undefined=finding.meaning.message)
        claim = f"line-{line}-has-a-meaning"
        yield "undefined", _record(answers, finding.meaning.shown, line, claim, shows, "undefined", outcome)


def _who(lane: int | None) -> str:
    return "the message" if lane is None else f"lane {lane}"


def _record(
    answers: BoundsAnswers, shown: Shown, line: int, claim: str, shows: str, violation: Violation, outcome: Outcome
) -> Counterexample:
    return Counterexample(
        claim=f"{answers.kernel.name}/{claim}",
        shows=shows,
        violation=violation,
        platform=answers.platform.name,
        readings=[str(one) for one in answers.start.assumed],
        program=list(answers.kernel.source_lines),
        state=without_zeros(state_record(shown.state)),
        runs=[Run(steps=[f"{shown.state.exec_mask:#x}"], outcome=outcome)],
        line=line,
        where=obeyed(answers.start.where, shown.values),
    )
