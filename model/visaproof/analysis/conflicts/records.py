"""Conflicts as files that replay."""

from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Conflict
from visaproof.checking.counterexample import Counterexample, Outcome, Run
from visaproof.checking.states import state_record, without_zeros
from visaproof.launch.relations.obeyed_relations import obeyed
from visaproof.queries.kernels.conflict import ConflictQuestion


def conflict_record(answers: KernelAnswers, question: ConflictQuestion, conflict: Conflict) -> Counterexample:
    """The conflict as a file: the kernel itself, the smallest thread found, and where its run ends."""
    position = question.instruction.position
    lanes = " and ".join(str(write.lane) for write in (conflict.first, conflict.second))
    place = "texel" if question.of_texels else "byte"
    return Counterexample(
        claim=f"{answers.kernel.name}/lanes-of-line-{position.line}-write-apart",
        shows=f"lanes {lanes} of line {position.line} write one {place}",
        violation="lanes-collide",
        platform=answers.platform.name,
        readings=[str(one) for one in answers.start.assumed],
        program=list(answers.kernel.source_lines),
        state=without_zeros(state_record(conflict.state)),
        runs=[Run(steps=[f"{conflict.state.exec_mask:#x}"], outcome=Outcome(undefined=conflict.message))],
        line=position.line,
        where=obeyed(answers.start.where, conflict.values),
    )
