"""A program: statements, and the storage that they use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from visaproof.decode.surfaces import StateElement
from visaproof.isa.platform import Platform
from visaproof.isa.registers import Input, Register, StateVariable
from visaproof.program.operands import Constant
from visaproof.program.statements import BindState, Landing, Origin, ReadState, Run, SamplerMessage, Statement


@dataclass(frozen=True)
class Program:
    """What a machine runs, and what `Kernel` says of it.  A place is the index of a statement."""

    path: str
    """Of its file: statements of functions that were linked to it lie in others."""
    name: str
    platform: Platform
    statements: tuple[Statement, ...] = field(repr=False)
    registers: Mapping[str, Register] = field(repr=False)
    """By name, in the order of their declaration, as all the others."""
    predicates: Mapping[str, int] = field(repr=False)
    """Bits."""
    addresses: Mapping[str, int] = field(repr=False)
    """Address registers."""
    states: Mapping[str, StateVariable] = field(repr=False)
    inputs: tuple[Input, ...] = field(repr=False)
    work_items: int | None
    """Of a thread; None where it is not said."""
    lanes: int | None
    """That a thread may start with; None where it is not said."""
    local_bytes: int | None
    scratch_bytes: int | None
    source_lines: tuple[str, ...] = field(repr=False)
    of_several_files: bool = False

    @cached_property
    def storage(self) -> dict[str, Register]:
        """The register variables that own their bytes."""
        return {name: one for name, one in self.registers.items() if one.owns_storage}

    def run_statements(self) -> Iterator[Run]:
        """Those that were instructions."""
        for statement in self.statements:
            if not isinstance(statement, Landing):
                yield statement

    def instructions(self) -> Iterator[Origin]:
        """Its statements as they are written, in their order."""
        return (one.origin for one in self.run_statements())

    @property
    def samplers(self) -> list[int]:
        """The numbers of the samplers that it names by constants."""
        samplers = {name for name, one in self.states.items() if not one.is_surface}
        found: set[int] = set()
        for one in self.statements:
            match one:
                case BindState(target=target, source=Constant(bits)) if target.variable in samplers:
                    found.add(bits)
                case _:
                    pass
        return sorted(found)

    @property
    def sampler_handles(self) -> list[str]:
        """The bytes of inputs by which it names samplers, `V52.0`."""
        uses = (one.read.use for one in self.statements if isinstance(one, SamplerMessage))
        return sorted({use.handle for use in uses if use is not None and use.handle})

    @property
    def indices_are_read(self) -> bool:
        """Whether some `movs` copies what a state variable holds; otherwise its index needs no number."""
        return any(
            isinstance(one, ReadState) or (isinstance(one, BindState) and isinstance(one.source, StateElement))
            for one in self.statements
        )
