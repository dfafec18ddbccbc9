"""A program: statements, and the storage that they use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from visaproof.decode.surfaces import StateElement
from visaproof.isa.platform import Platform
from visaproof.program.statements import BindState, Landing, ReadState, Run, Statement


@dataclass(frozen=True, slots=True)
class Storage:
    """A register variable that owns its bytes."""

    size: int
    """Bytes."""
    element: int
    """Bytes of an element, as it is declared."""


@dataclass(frozen=True, slots=True)
class StateVariable:
    """A variable of surfaces or of samplers."""

    elements: int
    is_surface: bool


@dataclass(frozen=True)
class Program:
    """What a machine runs.  A place is the index of a statement."""

    path: str
    """Of its file: statements of functions that were linked to it lie in others."""
    platform: Platform
    statements: tuple[Statement, ...]
    storage: Mapping[str, Storage]
    """By name, in the order of their declaration, as all the others."""
    predicates: Mapping[str, int]
    """Bits."""
    addresses: Mapping[str, int]
    """Address registers."""
    states: Mapping[str, StateVariable]
    simd: int | None
    """Lanes of a thread; None where it is not said."""

    def run_statements(self) -> Iterator[Run]:
        """Those that were instructions."""
        for statement in self.statements:
            if not isinstance(statement, Landing):
                yield statement

    @property
    def indices_are_read(self) -> bool:
        """Whether some `movs` copies what a state variable holds; otherwise its index needs no number."""
        return any(
            isinstance(one, ReadState) or (isinstance(one, BindState) and isinstance(one.source, StateElement))
            for one in self.statements
        )
