"""What statements read and write, by the lowered program."""

import pytest

from tests.support.def_use_cases import CASES, HEAD
from visaproof.isa.platform import Platform
from visaproof.program.def_use import (
    addressed,
    definitions,
    handles,
    reads_addressed,
    spans_read,
    uses,
    writes_addressed,
)
from visaproof.program.lower import lowered
from visaproof.program.program import Program
from visaproof.program.statements import Run
from visaproof.visaasm.reader import read_kernel

NAMES = frozenset(("R", "S", "Q", "A0", "P1", "P2"))


def program(text: str) -> Program:
    return lowered(read_kernel(f"{HEAD}{text}\nret (M1, 1)\n", "k.visaasm"), Platform.DG2)


@pytest.mark.parametrize(("statement", "defined", "used"), CASES)
def test_a_statement_names_what_it_reads_and_writes(statement: str, defined: str, used: str) -> None:
    first = next(program(statement).run_statements())
    assert " ".join(sorted(definitions(first) & NAMES)) == defined
    assert " ".join(sorted(uses(first) & NAMES)) == used


def test_what_is_addressed_is_any_variable_with_an_address() -> None:
    made = program("addr_add (M1, 1) A0(0)<1> &R 0x0:uw\nmov (M1, 8) r[A0(0),0]<1>:ud S(0,0)<1;1,0>")
    _, mov, _ = made.run_statements()
    assert addressed(made) == {"R"}
    assert reads_and_writes(mov) == ({"A0", "S"}, set())
    assert writes_addressed(mov)
    assert not reads_addressed(mov)


def reads_and_writes(one: Run) -> tuple[frozenset[str], frozenset[str]]:
    return uses(one) & NAMES, definitions(one) & NAMES


@pytest.mark.parametrize(
    ("statement", "spans"),
    [
        ("mov (M1, 8) R(0,0)<1> S(0,1)<0;1,0>", {("S", 4, 8)}),
        ("mov (M1, 8) R(0,0)<1> S(0,0)<1;1,0>", {("S", 0, 32)}),
        ("mov (M1, 8) R(0,0)<1> S(0,0)<8;4,2>", {("S", 0, 60)}),
        ("mov (M1, 8) R(0,0)<1> L(0,0)<1;1,0>", {("R", 32, 64)}),
        ("mov (M1, 8) R(0,0)<1> 0x1:ud", set()),
    ],
)
def test_the_bytes_of_a_vector_are_those_of_its_region(statement: str, spans: set[tuple[str, int, int]]) -> None:
    assert set(spans_read(next(program(statement).run_statements()))) == spans


def test_a_payload_is_read_from_its_first_byte_on() -> None:
    store = next(program("lsc_store.ugm (M1, 8) flat[Q]:a64 S:d32").run_statements())
    assert {(name, first) for name, first, _ in spans_read(store)} == {("Q", 0), ("S", 0)}


def test_the_handle_of_a_surface_is_read() -> None:
    store = next(program("lsc_store.ugm (M1, 8) bss(R)[S]:a32 S:d32").run_statements())
    assert handles(store) == {"R"}
    assert ("R", 0) in {(name, first) for name, first, _ in spans_read(store)}
