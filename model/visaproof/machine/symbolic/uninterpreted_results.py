"""Values that a symbolic run leaves open: arbitrary ones, and functions of which nothing else is known."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.sampler import SamplerUse
from visaproof.isa.types import DataType
from visaproof.program.statements import Origin
from visaproof.semantics.symbolic.alu import Source, compare
from visaproof.semantics.symbolic.float_axioms import INTEGER_ZERO, Comparison, as_function, is_zero
from visaproof.semantics.symbolic.value_names import OpenValue, like
from visaproof.smt import BitVec, Bool, Term, neg

UNINTERPRETED = "which is uninterpreted"
NO_RESULT = "whose result no page states there"

CORRECTED = "which ends a quotient that is corrected after it"
"""Of an integer division by way of `inv`."""

MOST_NAMED = 3
"""Operations in one sentence."""


class Uninterpreted(Struct, frozen=True):
    """A value that the model leaves open: a float result, a saturated one, bytes that a page leaves undefined."""

    symbol: BitVec | Bool
    instruction: Origin
    lane: int | None
    reason: str
    """Of the operation, as a relative clause."""
    operation: tuple[str, ...] = ()
    """The opcode and its suffixes; of a comparison, "cmp" and lt, le or eq."""
    operands: tuple[Source, ...] | None = None
    """What it is a function of, with the operation, the types and `control`; None where it may be anything."""
    result: DataType | None = None
    """The type of a value that is such a function; None for a comparison."""
    control: BitVec | None = None
    """The control register, which says how floats are rounded."""
    origin: "SamplerOrigin | None" = None
    """Of a read through the sampler: what it depends on beside its operands, which are coordinates."""

    def described(self, place: str = "") -> str:
        """The operation and its line, for the reader; `place` says of which file, or which line it is."""
        spelling = ".".join((self.instruction.opcode, *self.instruction.suffixes))
        return f"`{spelling}` ({place or f'line {self.instruction.position.line}'}), {self.reason}"


def is_by_zero(one: Uninterpreted) -> bool:
    """Whether it is an integer quotient or remainder where the divisor is 0."""
    if one.operation[:1] not in (("div",), ("mod",)) or one.reason != NO_RESULT or one.result is None:
        return False
    return not any(data_type.floating for data_type in (one.result, *(each.type for each in one.operands or ())))


class SamplerOrigin(Struct, frozen=True):
    """The image, how it is read, and which of its channels this is."""

    surface: str
    use: SamplerUse | None
    slot: int


def dependence(values: Iterable[str]) -> str:
    """That a difference, or whatever else it is, "depends on" the operations described; "" on none."""
    named = list(dict.fromkeys(values))
    if len(named) > MOST_NAMED:
        named[MOST_NAMED:] = [f"{len(named) - MOST_NAMED} more"]
    return f"depends on {', and on '.join(named)}" if named else ""


class OpenValues:
    """The values left open so far, one for each operation on the same operands."""

    def __init__(self, name: str = "") -> None:
        """`name` stands before those of the values."""
        self._name = name
        self.values: list[Uninterpreted] = []
        self._known: dict[tuple[object, ...], int] = {}
        """Where in `values` that of an operation on given operands was, unless that was taken back since."""
        self._places: dict[Term, int] = {}
        """Where that of a symbol was, likewise."""

    def defined(self, symbol: Term) -> Uninterpreted | None:
        """The function of which a symbol is the result."""
        place = self._places.get(symbol, len(self.values))
        return self.values[place] if place < len(self.values) and self.values[place].symbol is symbol else None

    def by_integers(self, written: Comparison | Bool) -> Comparison | Bool:
        """A comparison with 0 of an integer that was converted, as that of the integer (SIGN_OF_INTEGER)."""
        if not isinstance(written, Comparison) or not any(map(is_zero, written.operands)):
            return written
        left, right = (INTEGER_ZERO if is_zero(one) else self._converted(one) for one in written.operands)
        if left is None or right is None:
            return written
        holds = compare(written.relation, left, right)
        return neg(holds) if written.negated else holds

    def _converted(self, number: Source) -> Source | None:
        """The integer that was converted to this float."""
        found = self.defined(number.bits)
        if found is None or found.operation != ("mov",) or found.result is not number.type or not found.operands:
            return None
        (source,) = found.operands
        return None if source.type.floating or source.modifier else source

    def named(self, one: Uninterpreted) -> BitVec | Bool:
        """The symbol of such a value: a new one, unless it is a function that was met before."""
        function = function_of(one)
        if function is not None:
            place = self._known.get(function, len(self.values))
            if place < len(self.values) and function_of(self.values[place]) == function:
                return self.values[place].symbol
            self._known[function] = len(self.values)
        value = like(one.symbol, OpenValue(self._name, f"{one.instruction.position.line}.{len(self.values)}"))
        self._places[value] = len(self.values)
        self.values.append(replace(one, symbol=value))
        return value


def function_of(one: Uninterpreted) -> tuple[object, ...] | None:
    """What a value depends on; None where that is not all known."""
    if one.operands is None or one.origin is not None:
        return None
    return one.operation, one.symbol.width, one.result, one.control, as_function(one.operation, one.operands)
