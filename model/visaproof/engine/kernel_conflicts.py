"""All conflict questions of one file: what was found, and what could not be asked."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from visaproof.engine.conflicts import Answer, Asked, Conflict, decide_conflict
from visaproof.engine.counterexample import Counterexample, Outcome, Run, State
from visaproof.engine.states import state_record
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.kernel.assumptions import Assume, Start, start_of
from visaproof.kernel.launch import Launch
from visaproof.kernel.symbolic_run import trace
from visaproof.kernel.syntax import Kernel
from visaproof.queries.conflict import ConflictQuestion, conflict_questions


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer for one scatter."""

    question: ConflictQuestion
    answer: Answer


@dataclass(frozen=True, slots=True)
class KernelAnswers:
    """A kernel that was asked about; `answers` decides its scatters one by one, in the order of the program."""

    kernel: Kernel
    platform: Platform
    launch: Launch
    start: Start
    stopped: NotModelled | None
    """What visaproof cannot run; the scatters behind it were not asked about."""
    asked: Asked
    questions: tuple[ConflictQuestion, ...]

    def answers(self) -> Iterator[Finding]:
        for question in self.questions:
            yield Finding(question, decide_conflict(question, self.asked))


def ask_kernel(kernel: Kernel, platform: Platform, launch: Launch, assume: Assume, timeout_ms: int) -> KernelAnswers:
    """The questions of a kernel, up to the first statement that has no semantics here."""
    start = start_of(kernel, launch, assume)
    ran = trace(kernel, platform, start.initial)
    asked = Asked(kernel, platform, ran, start, timeout_ms)
    return KernelAnswers(kernel, platform, launch, start, ran.stopped, asked, tuple(conflict_questions(ran)))


def _without_zeros(state: State) -> State:
    """The state with only those registers and predicates that hold something: a run starts the others at 0."""
    registers = {name: content for name, content in state.registers.items() if content.strip("0")}
    predicates = {name: predicate for name, predicate in state.predicates.items() if int(predicate.bits, 16)}
    return msgspec.structs.replace(state, registers=registers, predicates=predicates)


def conflict_record(answers: KernelAnswers, question: ConflictQuestion, conflict: Conflict) -> Counterexample:
    """The conflict as a file: the kernel itself, the smallest thread found, and where its run ends."""
    position = question.instruction.position
    lanes = " and ".join(str(write.lane) for write in (conflict.first, conflict.second))
    return Counterexample(
        claim=f"{answers.kernel.name}/lanes-of-line-{position.line}-write-apart",
        shows=f"lanes {lanes} of line {position.line} write one byte",
        violation="lanes-collide",
        platform=answers.platform.name,
        readings=list(answers.start.assumed),
        program=list(answers.kernel.source_lines),
        state=_without_zeros(state_record(conflict.state)),
        runs=[Run(steps=[f"{conflict.state.exec_mask:#x}"], outcome=Outcome(undefined=conflict.message))],
        line=position.line,
    )
