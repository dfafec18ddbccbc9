"""Which registers and predicate bits does a kernel read that no path wrote before?"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from visaproof.isa.errors import Position
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.guarded import Readers
from visaproof.visaasm.predefined import PREDEFINED
from visaproof.visaasm.syntax import Instruction, Kernel, Operand, VectorSource


class Storage(Enum):
    """What is read."""

    REGISTER = "bytes"
    PREDICATE = "bits"


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Bytes of a root variable, or bits of a predicate, that nothing wrote before they were first read."""

    storage: Storage
    variable: str
    places: tuple[int, ...]
    reader: Instruction
    """The first statement that reads them; the first that is not harmless, where there is one."""
    harmless: bool
    """Whether they are only compared with themselves: IGC's way to find out which lanes are active."""


def launched_variables(kernel: Kernel) -> frozenset[str]:
    """The variables that the launch writes: inputs and predefined ones."""
    return frozenset(item.variable for item in kernel.inputs) | PREDEFINED.keys()


def unwritten_reads(kernel: Kernel, trace: Trace) -> Iterator[Unwritten]:
    """One entry for each variable and each statement that is the first to read some of it.

    Inputs and predefined variables are written by the launch, and addresses of symbols (`&name`) by the linker.  What
    some path had written is not listed, even where another path comes to the same read: masked writes leave the other
    lanes as they were.
    """
    by_position = {instruction.position: instruction for instruction in kernel.instructions()}
    launched = launched_variables(kernel)
    yield from _grouped(Storage.REGISTER, trace.registers.unwritten, by_position, launched)
    yield from _grouped(Storage.PREDICATE, trace.predicates.unwritten, by_position, launched)


def _grouped(
    storage: Storage, readers: Readers, by_position: dict[Position, Instruction], launched: frozenset[str]
) -> Iterator[Unwritten]:
    groups: dict[tuple[str, Position, bool], list[int]] = {}
    for (variable, place), positions in readers.items():
        if variable not in launched and not variable.startswith("&"):
            harmful = [one for one in positions if not compares_with_itself(by_position[one])]
            first = harmful[0] if harmful else next(iter(positions))
            groups.setdefault((variable, first, not harmful), []).append(place)
    for (variable, position, harmless), places in groups.items():
        yield Unwritten(storage, variable, tuple(sorted(places)), by_position[position], harmless)


def compares_with_itself(instruction: Instruction) -> bool:
    """`cmp.eq P V V`: the result is true, whatever V holds."""
    if instruction.opcode != "cmp" or len(instruction.operands) != 3:
        return False
    one, other = instruction.operands[1:]
    return _place(one) is not None and _place(one) == _place(other)


def _place(operand: Operand) -> tuple[object, ...] | None:
    if not isinstance(operand, VectorSource):
        return None
    return operand.variable, operand.row, operand.column, operand.region, operand.modifier
