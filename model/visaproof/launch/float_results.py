"""What results on floats are in a symbolic run: functions of which nothing is known but axioms, or IEEE 754's."""

from collections.abc import Callable, Sequence
from enum import Enum

from visaproof.isa.float_modes import CONTROL, ROUNDING_HIGH
from visaproof.isa.types import DataType
from visaproof.launch.premises import premise
from visaproof.program.statements import Operation
from visaproof.semantics.symbolic import float_meaning
from visaproof.semantics.symbolic.elements import Meaning, Source
from visaproof.semantics.symbolic.float_axioms import constant_result
from visaproof.semantics.symbolic.float_meaning import mode_of, saturated
from visaproof.semantics.symbolic.float_rounding import computed, converted_alone
from visaproof.semantics.symbolic.registers import Byte
from visaproof.smt import BitVec, bit_and, bool_const, const, false


class Floats(Enum):
    """How results on floats are taken."""

    UNINTERPRETED = "uninterpreted"
    IEEE = "ieee"


IEEE_ASSUMED = premise("float-ieee"), premise("float-mode"), premise("one-nan")
"""What a verdict on IEEE floats rests on."""

MODES_AT_START = (2 << ROUNDING_HIGH) - 1 & ~0xE
"""The bits of the control register that are 0: rounding, and the mode that is not IEEE's in bit 0."""


def ieee_start(initial: Callable[[str, int], Byte]) -> Callable[[str, int], Byte]:
    """The registers before a run whose control register is as `IEEE_ASSUMED` says."""

    def start(variable: str, byte: int) -> Byte:
        word, index = initial(variable, byte)
        if variable != CONTROL:
            return word, index
        return bit_and(word, const(~MODES_AT_START, word.width)), index

    return start


def meaning_of(
    floats: Floats, operation: Operation, sources: Sequence[Source], result: DataType, control: BitVec | None
) -> Meaning | None:
    """What is known of a result; None where nothing is."""
    opcode, saturates = operation.name, operation.saturates
    if opcode == "fcvt":
        return None if saturates else converted_alone(sources[0], result)
    if not saturates and (known := constant_result(opcode, sources, result)) is not None:
        return Meaning(const(known, result.bits), false())
    mode = mode_of(control) if floats is Floats.IEEE and control is not None else None
    if mode is None:
        return None
    if opcode in ("mov", "sel"):
        found = float_meaning.converted(sources[0], result, mode)
    else:
        found = computed(opcode, sources, result, mode) if result.floating else None
    if found is None or not saturates or not result.floating:  # integers are inside their type without .sat as well
        return found
    return saturated(found, result, mode)


def comparison_meaning(
    floats: Floats, relation: str, operands: tuple[Source, Source], control: BitVec | None
) -> Meaning | None:
    """What is known of a comparison; None where nothing is."""
    if (known := constant_result(relation, operands, None)) is not None:
        return Meaning(bool_const(bool(known)), false())
    mode = mode_of(control) if floats is Floats.IEEE and control is not None else None
    return None if mode is None else float_meaning.compared(relation, *operands, mode)
