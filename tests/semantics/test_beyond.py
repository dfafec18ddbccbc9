"""What a run finds beyond a variable, where that is not the end of it."""

import pytest

from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.operands import Execution, Predicate, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.beyond import Found
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits


def state(beyond: Found) -> ConcreteState:
    return ConcreteState(
        Platform.TGLLP,
        exec_mask=0xFF,
        registers={"V1": bytearray(range(1, 9))},
        predicates={"P1": PredicateBits(4, 0b0101)},
        beyond=beyond,
    )


def test_bytes_come_from_the_variable_and_then_from_what_was_found() -> None:
    found = Found({("V1", 8): 0xAA, ("V1", 9): 0xBB}, other=0x44332211)
    expected = bytes((7, 8, 0xAA, 0xBB, 0x33, 0x44))
    assert state(found).read_bytes(RawOperand("V1"), 6, 6) == int.from_bytes(expected, "little")


def test_bits_come_from_the_predicate_and_then_each_from_its_own_lane() -> None:
    found = Found(predicates={("P1", 4): 1, ("P1", 6): 1})
    execution = Execution(8, predicate=Predicate("P1"))
    assert [state(found).channel_enabled(execution, lane) for lane in range(8)] == [
        True, False, True, False, True, False, True, False,
    ]  # fmt: skip


def test_beyond_a_strict_variable_there_is_nothing() -> None:
    strict = state(Found(strict=frozenset(("V1", "P1"))))
    with pytest.raises(UndefinedBehavior):
        strict.read_bytes(RawOperand("V1"), 6, 4)
    with pytest.raises(UndefinedBehavior):
        strict.write_bytes(RawOperand("V1"), 6, 4, 0)


def test_of_what_is_written_the_variable_keeps_what_it_has() -> None:
    written = state(Found())
    written.write_bytes(RawOperand("V1"), 6, 4, 0x0D0C0B0A)
    assert written.registers["V1"] == bytearray((1, 2, 3, 4, 5, 6, 0x0A, 0x0B))
