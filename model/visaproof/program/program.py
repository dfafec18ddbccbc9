"""A program: statements, and the storage that they use."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from visaproof.decode.surfaces import StateElement
from visaproof.isa.operands import SLM_TAG
from visaproof.isa.platform import Platform
from visaproof.isa.registers import Input, Register, StateVariable
from visaproof.isa.surface_keys import StateAt, surface_key
from visaproof.program.operands import Constant
from visaproof.program.statements import BindState, Compute, Landing, Origin, ReadState, Run, SamplerMessage, Statement


class Program(Struct, frozen=True, dict=True):
    """What a machine runs, and what `Kernel` says of it.  A place is the index of a statement."""

    path: str
    """Of its file: statements of functions that were linked to it lie in others."""
    name: str
    platform: Platform
    statements: tuple[Statement, ...]
    registers: Mapping[str, Register]
    """By name, in the order of their declaration, as all the others."""
    predicates: Mapping[str, int]
    """Bits."""
    addresses: Mapping[str, int]
    """Address registers."""
    states: Mapping[str, StateVariable]
    inputs: tuple[Input, ...]
    work_items: int | None
    """Of a thread; None where it is not said."""
    lanes: int | None
    """That a thread may start with; None where it is not said."""
    local_bytes: int | None
    scratch_bytes: int | None
    source_lines: tuple[str, ...]
    of_several_files: bool = False

    def __repr__(self) -> str:
        return f"Program({self.path!r}, {self.name!r}, {self.platform.name}, {len(self.statements)} statements)"

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

    @cached_property
    def computed_handles(self) -> frozenset[str]:
        """The surfaces of which it does not say in which input their handles come."""
        bound = {key for one in self.statements if isinstance(one, BindState) for key in one.surfaces.values()}
        keys = {key: surface_key(key) for key in bound if isinstance(key, str)}
        return frozenset(key for key, found in keys.items() if isinstance(found, StateAt) and found.line is not None)

    @cached_property
    def tags(self) -> bool:
        """Whether one of its constants may be an address of shared local memory with IGC's tag."""
        constants = (one for each in self.statements if isinstance(each, Compute) for one in each.sources)
        return any(isinstance(one, Constant) and SLM_TAG <= one.bits < 2 * SLM_TAG for one in constants)

    @property
    def indices_are_read(self) -> bool:
        """Whether some `movs` copies what a state variable holds; otherwise its index needs no number."""
        return any(
            isinstance(one, ReadState) or (isinstance(one, BindState) and isinstance(one.source, StateElement))
            for one in self.statements
        )
