"""What statements read and write, by the lowered program."""

import pytest

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

HEAD = """.version 4.1
.kernel "k"
.decl R v_type=G type=ud num_elts=16 align=GRF
.decl S v_type=G type=ud num_elts=16 align=GRF
.decl L v_type=G type=ud num_elts=8 alias=<R, 32>
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.function "k"
_main:
"""
NAMES = frozenset(("R", "S", "Q", "A0", "P1", "P2"))


def program(text: str) -> Program:
    return lowered(read_kernel(f"{HEAD}{text}\nret (M1, 1)\n", "k.visaasm"), Platform.DG2)


@pytest.mark.parametrize(
    ("statement", "defined", "used"),
    [
        ("add (M1, 8) R(0,0)<1> S(0,0)<1;1,0> 0x1:ud", "R", "S"),
        ("add (M1, 8) L(0,0)<1> S(0,0)<1;1,0> 0x1:ud", "R", "S"),  # an alias is what it lies in
        ("(P1) add (M1, 8) R(0,0)<1> R(0,0)<1;1,0> S(0,0)<1;1,0>", "R", "P1 R S"),
        ("addc (M1, 8) R(0,0)<1> S(0,0)<1> L(0,0)<1;1,0> 0x4:ud", "R S", "R"),
        ("cmp.lt (M1, 8) P1 R(0,0)<1;1,0> S(0,0)<1;1,0>", "P1", "R S"),
        ("setp (M1, 8) P1 R(0,0)<0;1,0>", "P1", "R"),
        ("and (M1, 8) P1 P1 P2", "P1", "P1 P2"),
        ("(!P2) goto (M1, 8) _main", "", "P2"),
        ("addr_add (M1, 8) A0(0)<1> &R S(0,0)<1;1,0>", "A0", "R S"),
        ("mov (M1, 8) S(0,0)<1> r[A0(0),0]<1,0>:ud", "S", "A0"),
        ("scatter4_scaled.R (M1, 8) T6 0x0:ud R.0 S.0", "", "R S"),
        ("gather4_scaled.R (M1, 8) T6 0x0:ud R.0 S.0", "S", "R"),
        ("gather4_scaled.R (M1, 8) T6 0x0:ud R.0 L.0", "R", "R"),  # the offsets lie where the data go
        ("dword_atomic.add (M1, 8) T6 R.0 S.0 %null.0 R.0", "R", "R S"),
        ("svm_atomic.add (M1, 8) Q.0 %null.0 S.0 %null.0", "", "Q S"),
        ("lsc_load.ugm (M1, 8) S:d32 flat[Q]:a64", "S", "Q"),
        ("lsc_store.ugm (M1, 8) flat[Q]:a64 S:d32", "", "Q S"),
        ("oword_ld (2) T6 R(0,0)<0;1,0> S.0", "S", "R"),
        ("barrier", "", ""),
    ],
)
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
