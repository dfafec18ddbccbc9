"""Subroutines of a file: a `call` becomes the statements that it goes to, in its place.  Pages: CALL.md, RET.md.

A subroutine has the variables of its caller, so nothing but its labels gets a new name.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.isa.errors import Position
from visaproof.isa.execution import ExecMask
from visaproof.visaasm.attributes import VECTOR_COMPILER
from visaproof.visaasm.instruction_reader import JUMPS
from visaproof.visaasm.opcode_kinds import turns_lanes_off
from visaproof.visaasm.syntax import Instruction, Kernel, Label, Name, Statement

MAX_CALLS = 256
"""More are given up: a few subroutines that call each other twice could fill the memory."""

MAIN = ""
"""What is before the first subroutine; no label has this name."""

Sections = Mapping[str, Sequence[Statement]]


def inlined(kernel: Kernel) -> Kernel:
    """The kernel without its `call`; one that cannot be followed stays, and `unlinked` says why."""
    calls = [each for each in kernel.instructions() if each.opcode == "call"]
    if not calls:
        return kernel
    sections = _sections(kernel, {_target(call) for call in calls})
    if not all(map(_ends_and_stays, sections.values())):
        reason = "a call of what is no subroutine of its own"
        return replace(kernel, unlinked={**kernel.unlinked, **{call.position: reason for call in calls}})
    inliner = _Inliner(kernel, sections)
    statements = tuple(inliner.statements(sections[MAIN], ()))
    return replace(kernel, statements=statements, unlinked={**kernel.unlinked, **inliner.left})


def _sections(kernel: Kernel, targets: set[str]) -> Sections:
    """The kernel's own statements, and those behind each label that is called."""
    name = MAIN
    sections: dict[str, list[Statement]] = {name: []}
    for statement in kernel.statements:
        if isinstance(statement, Label) and statement.name in targets:
            name = statement.name
            sections[name] = []
        else:
            sections[name].append(statement)
    return sections


def _ends_and_stays(section: Sequence[Statement]) -> bool:
    """Whether it ends with a return, and jumps nowhere else."""
    last = section[-1] if section else None
    labels = {each.name for each in section if isinstance(each, Label)}
    jumps = (each for each in section if isinstance(each, Instruction) and each.opcode in JUMPS - {"call"})
    returns = isinstance(last, Instruction) and last.opcode in ("ret", "fret") and last.predicate is None
    return returns and all(_target(jump) in labels for jump in jumps)


def _target(jump: Instruction) -> str:
    operand = jump.operands[0]
    assert isinstance(operand, Name)
    return operand.name


class _Inliner(Struct, dict=True):
    """What was called so far."""

    kernel: Kernel
    sections: Sections
    left: dict[Position, str] = field(default_factory=dict[Position, str])
    count: int = 0

    def statements(self, section: Sequence[Statement], callers: tuple[str, ...]) -> Iterator[Statement]:
        for statement in section:
            if not isinstance(statement, Instruction) or statement.opcode != "call":
                yield statement
            elif reason := self._obstacle(statement, callers):
                self.left[statement.position] = reason
                yield statement
            else:
                yield from self._body(statement, callers)

    def _body(self, call: Instruction, callers: tuple[str, ...]) -> Iterator[Statement]:
        name = _target(call)
        self.count += 1
        mark = f"{name}@{self.count}"
        end = Label(f"{mark}:end of the subroutine", call.position)
        back = "jmp" if self.is_of_thread(call) else "goto"
        yield from self.statements([_moved(each, mark, end, back) for each in self.sections[name]], (*callers, name))
        yield end

    def _obstacle(self, call: Instruction, callers: tuple[str, ...]) -> str:
        """Why a call cannot be followed; empty where it can."""
        name = _target(call)
        if name in callers:
            return f"a call of {name} by itself"
        if self.count == MAX_CALLS:
            return f"more than {MAX_CALLS} calls"
        if call.predicate is None and (_of_all_lanes(call, self.kernel) or self.is_of_thread(call)):
            return ""
        return f"a call of {name} for some of the lanes"

    def is_of_thread(self, call: Instruction) -> bool:
        """Whether it is a jump of the whole thread: in ESIMD kernels in which no lane is ever off."""
        execution, once = call.execution, (ExecMask.M1_NM, 1)
        return self.uniform and execution is not None and (execution.mask, execution.size) == once

    @cached_property
    def uniform(self) -> bool:
        is_esimd = self.kernel.attributes.get("Target") == VECTOR_COMPILER
        return is_esimd and not any(map(turns_lanes_off, self.kernel.instructions()))


def _of_all_lanes(call: Instruction, kernel: Kernel) -> bool:
    execution, lanes = call.execution, kernel.attributes.get("SimdSize")
    return execution is not None and execution.size == lanes and execution.mask is ExecMask.M1


def _moved(statement: Statement, mark: str, end: Label, back: str) -> Statement:
    """A statement of a subroutine in the place of a call; it returns by a branch of this opcode."""
    if isinstance(statement, Label):
        return replace(statement, name=f"{mark}:{statement.name}")
    if statement.opcode == "ret":
        return replace(statement, opcode=back, operands=(Name(end.name, statement.position),))
    if statement.opcode in JUMPS and statement.opcode != "call":
        return replace(statement, operands=(Name(f"{mark}:{_target(statement)}", statement.position),))
    return statement
