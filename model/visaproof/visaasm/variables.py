"""What a `.visaasm` file declares: variables and inputs.  Source: docs/pages/operands-and-files.md §2, §3."""

from dataclasses import dataclass

from visaproof.isa.errors import Position
from visaproof.isa.registers import Input as Input
from visaproof.isa.types import DataType


@dataclass(frozen=True, slots=True)
class Alias:
    """`alias=<base, offset>`: no storage of its own; `offset` is in bytes from the start of `base`."""

    base: str
    offset: int


@dataclass(frozen=True, slots=True)
class GeneralVariable:
    """`.decl V v_type=G`: `num_elts` elements of `type` in the register file."""

    name: str
    type: DataType
    num_elts: int
    alias: Alias | None
    align: str | None
    position: Position | None
    """None for a predefined variable."""

    @property
    def size(self) -> int:
        """Bytes."""
        return self.type.size * self.num_elts


@dataclass(frozen=True, slots=True)
class _Declared:
    """A variable of `num_elts` elements that are no bytes of the register file."""

    name: str
    num_elts: int
    position: Position | None
    """None for a predefined variable."""


@dataclass(frozen=True, slots=True)
class AddressVariable(_Declared):
    """`.decl A v_type=A`: address registers."""


@dataclass(frozen=True, slots=True)
class PredicateVariable(_Declared):
    """`.decl P v_type=P`: predicate bits."""


@dataclass(frozen=True, slots=True)
class SurfaceVariable(_Declared):
    """`.decl T v_type=T`, or one of the six predefined surfaces."""


@dataclass(frozen=True, slots=True)
class SamplerVariable(_Declared):
    """`.decl S v_type=S`."""


Variable = GeneralVariable | AddressVariable | PredicateVariable | SurfaceVariable | SamplerVariable
