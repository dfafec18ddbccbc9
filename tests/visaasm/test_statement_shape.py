"""Statements that are no memory messages have the operands of their pages; others are errors with a place."""

import pytest

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.opcode_kinds import RUN, Kind, is_known, kind_of_opcode
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.statement_shape import SUFFIXES, require_suffixes
from visaproof.visaasm.syntax import Kernel

HEADER = """.version 4.1
.kernel "k"
.decl V1 v_type=G type=ud num_elts=16
.decl P1 v_type=P num_elts=16
.decl A0 v_type=A num_elts=4
.decl T6 v_type=T num_elts=1
.function "k"
_main:
"""
VALUE = "V1(0,0)<1;1,0>"


def read(line: str) -> Kernel:
    return read_kernel(f"{HEADER}{line}\nlabel:\nret (M1, 1)\n", "k.visaasm")


@pytest.mark.parametrize(
    "line",
    [
        f"add (M1, 8) V1(0,0)<1> {VALUE} 0x1:ud",
        f"cmp.lt (M1, 8) P1 {VALUE} {VALUE}",
        "mov (M1, 1) V1(0,0)<1> P1",
        "setp (M1, 16) P1 0xff:ud",
        "addr_add (M1_NM, 1) A0(0)<1> &V1 0x4:uw",
        "movs (M1, 1) T6(0) 0x0:ud",
        "(P1) goto (M1, 8) label",
        f"bfn.xd8 (M1, 8) V1(0,0)<1> {VALUE} {VALUE} {VALUE}",
    ],
)
def test_a_statement_with_the_operands_of_its_page_is_read(line: str) -> None:
    assert len(list(read(line).instructions())) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("movs (-1, 1) T6(0) 0x0:ud", "movs takes 2 operands, not 3"),
        (f"add (M1, 8) V1(0,0)<1> {VALUE}", "add takes 3 operands, not 2"),
        (f"not (M1, 8) V1(0,0)<1> {VALUE} {VALUE}", "not takes 2 operands, not 3"),
        ("(P1) sel (M1, 8)", "sel takes 3 operands, not 0"),
        ("goto (M1, 8)", "goto takes 1 operand, not 0"),
        (f"cmp (M1, 8) P1 {VALUE} {VALUE}", "cmp needs a relation"),
        (f"bfn (M1, 8) V1(0,0)<1> {VALUE} {VALUE} {VALUE}", "bfn needs its table"),
        ("setp (M1, 16) 0x1:ud 0xff:ud", "the first operand of setp is a predicate"),
        ("addr_add (M1_NM, 1) V1(0,0)<1> &V1 0x4:uw", "the first operand of addr_add is an address"),
        ("faddr 0x1:ud V1(0,0)<1>", "the first operand of faddr is a name"),
        ("fcall (M1, 8)", "the first operand of fcall is a name"),
    ],
)
def test_other_operands_are_an_error_with_a_place(line: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(line)
    assert caught.value.message == message
    assert caught.value.position.line == 9


OPCODES = [opcode for opcode in RUN if kind_of_opcode(opcode) is not Kind.SAMPLE]


@pytest.mark.parametrize("opcode", OPCODES)
def test_no_statement_takes_a_suffix_that_nobody_knows(opcode: str) -> None:
    for suffixes in (("foo",), ("sat", "foo"), ("foo", "sat"), ("sat", "sat"), ("lt", "foo"), ("xd8", "foo"), ("ov",)):
        with pytest.raises(ReadError):
            require_suffixes(opcode, suffixes, Position("f", 1, 1))


def test_every_table_of_suffixes_belongs_to_an_opcode() -> None:
    assert all(is_known(opcode) for opcode in SUFFIXES)


@pytest.mark.parametrize("opcode", ["mov.foo", "mov.sat.sat", "setp.any", "goto.any", "ret.sat", "barrier.slm"])
def test_a_line_with_an_unknown_suffix_is_an_error_with_a_place(opcode: str) -> None:
    operands = {"mov": f"V1(0,0)<1> {VALUE}", "setp": "P1 0xff:ud", "goto": "label"}.get(opcode.partition(".")[0], "")
    with pytest.raises(ReadError, match="takes no") as caught:
        read(f"{opcode} (M1, 8) {operands}" if not opcode.startswith("barrier") else opcode)
    assert caught.value.position.line == 9
