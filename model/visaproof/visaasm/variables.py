"""What a `.visaasm` file declares: variables and inputs.  Source: docs/pages/operands-and-files.md §2, §3."""

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.registers import Input as Input
from visaproof.isa.types import DataType


class Alias(Struct, frozen=True):
    """`alias=<base, offset>`: no storage of its own; `offset` is in bytes from the start of `base`."""

    base: str
    offset: int


class GeneralVariable(Struct, frozen=True):
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


class _Declared(Struct, frozen=True):
    """A variable of `num_elts` elements that are no bytes of the register file."""

    name: str
    num_elts: int
    position: Position | None
    """None for a predefined variable."""


class AddressVariable(_Declared, frozen=True):
    """`.decl A v_type=A`: address registers."""


class PredicateVariable(_Declared, frozen=True):
    """`.decl P v_type=P`: predicate bits."""


class SurfaceVariable(_Declared, frozen=True):
    """`.decl T v_type=T`, or one of the six predefined surfaces."""


class SamplerVariable(_Declared, frozen=True):
    """`.decl S v_type=S`."""


Variable = GeneralVariable | AddressVariable | PredicateVariable | SurfaceVariable | SamplerVariable
