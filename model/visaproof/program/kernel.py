"""What a host and an analysis know of a kernel, beside what its statements do."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from visaproof.isa.registers import Input, Register, StateVariable
from visaproof.program.statements import Origin


class Kernel(Protocol):
    """A program has it, and so has what a front end reads before the device is known: a launch file may say that."""

    @property
    def path(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def source_lines(self) -> tuple[str, ...]:
        """The file, line by line."""
        ...

    @property
    def of_several_files(self) -> bool:
        """Whether functions of other files were linked to it."""
        ...

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What the launch puts into registers."""
        ...

    @property
    def registers(self) -> Mapping[str, Register]:
        """Register variables by name, predefined ones and aliases too, in the order of their declaration."""
        ...

    @property
    def predicates(self) -> Mapping[str, int]:
        """Bits of each predicate."""
        ...

    @property
    def states(self) -> Mapping[str, StateVariable]:
        """Variables of surfaces and samplers."""
        ...

    @property
    def work_items(self) -> int | None:
        """How many a thread runs, as the kernel itself says; None where it does not."""
        ...

    @property
    def lanes(self) -> int | None:
        """How many a thread may start with, as the kernel itself says; None where it does not: all there are."""
        ...

    @property
    def local_bytes(self) -> int | None:
        """Shared local memory of a group, as the kernel itself says."""
        ...

    @property
    def scratch_bytes(self) -> int | None:
        """Private memory of a thread in the scratch surface, as the kernel itself says."""
        ...

    @property
    def statements(self) -> Sequence[object]: ...

    def instructions(self) -> Iterator[Origin]:
        """Its statements as they are written, in their order."""
        ...
