"""Which registers and predicate bits does a kernel read that no path wrote before?"""

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.predefined import PREDEFINED
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.kernel import Kernel
from visaproof.program.operands import Elements, Source
from visaproof.program.program import Program
from visaproof.program.statements import Compare, Origin, Run
from visaproof.semantics.symbolic.guarded import Readers


class Storage(Enum):
    """What is read."""

    REGISTER = "bytes"
    PREDICATE = "bits"


class Uninitialised(Struct, frozen=True):
    """Bytes of a root variable, or bits of a predicate, that nothing wrote before they were first read."""

    storage: Storage
    variable: str
    places: tuple[int, ...]
    reader: Origin
    """The first statement that reads them; the first that is not harmless, where there is one."""
    harmless: bool
    """Whether they are only compared with themselves: IGC's way to find out which lanes are active."""


def launched_variables(kernel: Kernel) -> frozenset[str]:
    """The variables that the launch writes: inputs and predefined ones."""
    return frozenset(item.variable for item in kernel.inputs) | PREDEFINED


def uninitialised_reads(program: Program, trace: Trace) -> Iterator[Uninitialised]:
    """One entry for each variable and each statement that is the first to read some of it.

    Inputs and predefined variables are written by the launch, and addresses of symbols (`&name`) by the linker.  What
    some path had written is not listed, even where another path comes to the same read: masked writes leave the other
    lanes as they were.
    """
    by_position = {one.position: one for one in program.run_statements()}
    launched = launched_variables(program)
    yield from _grouped(Storage.REGISTER, trace.registers.read_uninitialised, by_position, launched)
    yield from _grouped(Storage.PREDICATE, trace.predicates.read_uninitialised, by_position, launched)


def _grouped(
    storage: Storage, readers: Readers, by_position: dict[Position, Run], launched: frozenset[str]
) -> Iterator[Uninitialised]:
    groups: dict[tuple[str, Position, bool], list[int]] = {}
    for (variable, place), positions in readers.items():
        if variable not in launched and not variable.startswith("&"):
            harmful = [one for one in positions if not compares_with_itself(by_position[one])]
            first = harmful[0] if harmful else next(iter(positions))
            groups.setdefault((variable, first, not harmful), []).append(place)
    for (variable, position, harmless), places in groups.items():
        yield Uninitialised(storage, variable, tuple(sorted(places)), by_position[position].origin, harmless)


def compares_with_itself(statement: Run) -> bool:
    """`cmp.eq P V V`: the result is true, whatever V holds."""
    if not isinstance(statement, Compare):
        return False
    places = list(map(_place, statement.sources))
    return len(places) == 2 and places[0] is not None and places[0] == places[1]


def _place(source: Source) -> tuple[object, ...] | None:
    if not isinstance(source, Elements):
        return None
    return source.storage, source.start, source.region, source.type, source.modifier
