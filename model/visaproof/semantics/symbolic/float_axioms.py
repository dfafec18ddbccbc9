"""What is taken to hold of floats without knowing what they are: for all patterns, in every mode, on every device.

Elsewhere a result is a function of its opcode, types, operands and the control register, of which nothing is known.
tests/semantics/test_float_axioms.py proves each axiom of IEEE 754, refutes a neighbour of it that is wrong, and lists
tempting identities that do not hold: there are NaN with payloads, −0, and denormals that may be flushed.
"""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

from visaproof.isa.float_modes import DENORMAL_BITS, ROUNDINGS
from visaproof.isa.types import DataType
from visaproof.semantics.symbolic.elements import Meaning, Source
from visaproof.semantics.symbolic.float_bits import with_modifier
from visaproof.semantics.symbolic.float_meaning import Mode, compared, converted
from visaproof.semantics.symbolic.float_rounding import computed
from visaproof.smt import BitVec, Bool, Term, bool_const, const, is_false, kept, value_of


class Axiom(Enum):
    """The axioms, as a reader would write them."""

    COPY = "mov and sel of one type, without .sat, copy the bits"
    SIGN = "a modifier changes the sign bit alone, before the operation"
    CONVERSE = "a > b is b < a, and a >= b is b <= a"
    SYMMETRIC = "a == b is b == a"
    UNEQUAL = "a != b is the negation of a == b"
    IRREFLEXIVE = "a < a never holds"
    SIGN_OF_INTEGER = "an integer that is converted is below, equal to or above 0 as before"
    CONSTANT = "constants whose result is one number in every mode give that number"


class Comparison(Struct, frozen=True):
    """A comparison written with lt, le or eq alone."""

    relation: str
    operands: tuple[Source, Source]
    negated: bool = False


_CONVERSE = {"gt": "lt", "ge": "le"}


def plain(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources, floats with their modifiers applied (SIGN)."""
    return tuple(with_modifier(source) if source.type.floating else source for source in sources)


def copies(function: tuple[str, ...], source: Source, result: DataType) -> bool:
    """Whether the bits are copied, those of floats with another sign, too (COPY)."""
    return function == ("mov",) and source.type is result and (result.floating or not source.modifier)


def comparison(relation: str, left: Source, right: Source) -> Comparison | Bool:
    """CONVERSE, UNEQUAL and IRREFLEXIVE; the operands are plain."""
    if relation in _CONVERSE:
        relation, left, right = _CONVERSE[relation], right, left
    if relation in ("eq", "ne"):
        return Comparison("eq", (left, right), negated=relation == "ne")
    if relation == "lt" and left == right:
        return bool_const(False)
    return Comparison(relation, (left, right))


INTEGER_ZERO = Source(const(0, 8), DataType.B)
"""What stands for a 0 of floats beside an integer (SIGN_OF_INTEGER): nothing else is between the same integers."""


def is_zero(one: Source) -> bool:
    """Whether it is +0 or −0, which compare alike."""
    value = value_of(one.bits)
    return value is not None and one.type.floating and not value & (1 << one.type.bits - 1) - 1


ALL_MODES = tuple(
    Mode(rounding, dict.fromkeys(DENORMAL_BITS, bool_const(kept))) for rounding in ROUNDINGS for kept in (False, True)
)


KEPT_RESULTS = 1_024
"""All lanes of a thread, and all iterations of a loop, come to the same constants."""


def constant_result(opcode: str, sources: Sequence[Source], result: DataType | None) -> int | None:
    """What constants give in every mode (CONSTANT); `result` is None for a comparison, whose relation is the opcode."""
    if any(value_of(source.bits) is None for source in sources):
        return None
    return _constant(opcode, tuple(sources), result)


def of_constants(operation: tuple[str, ...], sources: Sequence[Source], result: DataType | None) -> Term | None:
    """The same of an operation without .sat: what was open becomes known once the operands have other names."""
    match operation:
        case ("cmp", relation):
            known = constant_result(relation, sources, None)
            return None if known is None else bool_const(bool(known))
        case (opcode,) if opcode != "fcvt" and result is not None:
            known = constant_result(opcode, sources, result)
            return None if known is None else const(known, result.bits)
        case _:
            return None


@kept(KEPT_RESULTS)
def _constant(opcode: str, sources: tuple[Source, ...], result: DataType | None) -> int | None:
    found = {_value(_meaning(opcode, sources, result, mode)) for mode in ALL_MODES}
    return found.pop() if len(found) == 1 else None


def _meaning(opcode: str, sources: Sequence[Source], result: DataType | None, mode: Mode) -> Meaning | None:
    if result is None:
        return compared(opcode, sources[0], sources[1], mode)
    if opcode in ("mov", "sel"):
        return converted(sources[0], result, mode)
    return computed(opcode, sources, result, mode) if result.floating else None


def _value(meaning: Meaning | None) -> int | None:
    """None where it is undefined, where it is open, and for NaN."""
    if meaning is None or not is_false(meaning.open):
        return None
    return value_of(meaning.value)


COMMUTES = frozenset(("add", "mul", "mad"))
"""Operations of which the first two operands are summed or multiplied."""

Operand = tuple[BitVec, DataType, str]


def as_function(
    operation: tuple[str, ...], sources: Sequence[Source], either_order: bool = False
) -> tuple[Operand, ...]:
    """The operands as what a result is a function of: those of an equation in one order (SYMMETRIC).

    Those of sums and products, too, where it may be taken of them that they have `either_order` (premise).
    """
    operands = [(source.bits, source.type, source.modifier) for source in sources]
    if operation == ("cmp", "eq") or (either_order and operation[0] in COMMUTES):
        operands[:2] = sorted(operands[:2], key=lambda one: (one[0].serial, one[1].spelling, one[2]))
    return tuple(operands)
