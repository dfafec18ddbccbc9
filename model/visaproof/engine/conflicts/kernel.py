"""All conflict questions of one file: what was found, and what could not be asked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from visaproof.engine.conflicts.thread_states import Asked
from visaproof.engine.conflicts.verdicts import Answer, Conflict, Free, decide_conflict
from visaproof.engine.counterexample import Counterexample, Outcome, Run, State
from visaproof.engine.ladder import Holds, climb
from visaproof.engine.states import state_record
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.platform import Platform
from visaproof.kernel.assumptions import Assume, Start, start_of, with_floats
from visaproof.kernel.float_results import Floats
from visaproof.kernel.launch import Launch
from visaproof.kernel.symbolic.run import DEFAULT_UNROLL, Trace, trace
from visaproof.kernel.syntax import Kernel
from visaproof.queries.conflict import ConflictQuestion, conflict_questions
from visaproof.queries.tickets import COUNTED, counts
from visaproof.smt import Bool


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

    @property
    def positions(self) -> tuple[Position, ...]:
        """Of the scatters, in the order of the program."""
        return tuple(dict.fromkeys(question.instruction.position for question in self.questions))

    def answers(self) -> Iterator[Finding]:
        return (self.answer(position) for position in self.positions)

    def answer(self, position: Position) -> Finding:
        """The answer for one scatter: a conflict in some round, or else an open one, or else free in each."""
        rounds = [question for question in self.questions if question.instruction.position == position]
        rungs: dict[str, None] = {}
        undecided: Finding | None = None
        for question in rounds:
            match decide_conflict(question, self.asked):
                case Free(rung):
                    rungs[rung] = None
                case Conflict() as conflict:
                    return Finding(question, conflict)
                case answer:
                    undecided = undecided or Finding(question, answer)
        bounded = tuple(position for _, position in self.asked.trace.bounded)
        return undecided or Finding(rounds[0], Free(", ".join(rungs), bounded))


def ask_kernel(
    kernel: Kernel,
    platform: Platform,
    launch: Launch,
    assume: Assume,
    timeout_ms: int,
    unroll: int = DEFAULT_UNROLL,
    floats: Floats = Floats.UNINTERPRETED,
) -> KernelAnswers:
    """The questions of a kernel, up to the first statement that has no semantics here."""
    start = with_floats(start_of(kernel, launch, assume), floats)
    ran = trace(kernel, platform, start.initial, unroll=unroll, private_base=start.private_base, floats=floats)
    ran = replace(ran, bounded=tuple(open_bounds(ran, timeout_ms)))
    if counts(ran.performed):
        start = replace(start, assumed=(*start.assumed, COUNTED))
    asked = Asked(kernel, platform, ran, start, timeout_ms)
    return KernelAnswers(kernel, platform, launch, start, ran.stopped, asked, tuple(conflict_questions(ran)))


def open_bounds(ran: Trace, timeout_ms: int) -> Iterator[tuple[Bool, Position]]:
    """The loops of which it was not proved that they end within the rounds that were unrolled."""
    premises = tuple(condition for condition, _ in ran.conditions)
    for ends, position in ran.bounded:
        if not isinstance(climb(premises, ends, timeout_ms), Holds):
            yield ends, position


def without_zeros(state: State) -> State:
    """The state with only those registers and predicates that hold something: a run starts the others at 0."""
    registers = {name: content for name, content in state.registers.items() if content.strip("0")}
    predicates = {name: predicate for name, predicate in state.predicates.items() if int(predicate.bits, 16)}
    return msgspec.structs.replace(state, registers=registers, predicates=predicates)


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
        readings=list(answers.start.assumed),
        program=list(answers.kernel.source_lines),
        state=without_zeros(state_record(conflict.state)),
        runs=[Run(steps=[f"{conflict.state.exec_mask:#x}"], outcome=Outcome(undefined=conflict.message))],
        line=position.line,
    )
