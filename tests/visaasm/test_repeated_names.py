"""Scopes of inline assembly, which a dump has without their braces."""

from pathlib import Path

import pytest

from visaproof.isa.errors import ReadError
from visaproof.visaasm.printing.document import read_document
from visaproof.visaasm.reader import read_kernel, read_kernel_file
from visaproof.visaasm.syntax import GeneralVariable, Kernel, VectorDestination, VectorSource

DUMP = Path(__file__).parents[1] / "data" / "forms" / "scopes" / "bmg.visaasm"

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=16
.decl B v_type=G type=ud num_elts=16
.decl T v_type=G type=ud num_elts=16 alias=<A, 0>
.decl T v_type=G type=ud num_elts=16 alias=<B, 0>
"""
END = "ret (M1, 1)\n"
PLATFORM = "//Platform: XE2\n"


def bases(kernel: Kernel) -> list[str]:
    """Which variable each destination is an alias of, or its own name."""
    found: list[str] = []
    for instruction in kernel.instructions():
        for operand in instruction.operands[:1]:
            assert isinstance(operand, VectorDestination)
            variable = kernel.variables[operand.variable]
            assert isinstance(variable, GeneralVariable)
            found.append(kernel.root_of(variable)[0].name)
        if len(found) == 2:
            break
    return found


def test_the_compilers_dump_has_the_statements_of_both_scopes_in_their_order() -> None:
    """The `.inline.visaasm` beside the dump, with braces: the first scope reads V0057, the second V0061."""
    kernel = read_kernel_file(DUMP)
    read = [
        kernel.root_of(variable)[0].name
        for instruction in kernel.instructions()
        for operand in instruction.operands
        if isinstance(operand, VectorSource) and operand.variable.startswith("IN")
        if isinstance(variable := kernel.variables[operand.variable], GeneralVariable)
    ]
    assert read == ["V0057", "V0061"]
    written = [
        operand.variable
        for instruction in kernel.instructions()
        for operand in instruction.operands[:1]
        if isinstance(operand, VectorDestination) and operand.variable.startswith("T")
    ]
    assert written == ["T", "T#2"]


def test_a_dump_with_repeated_names_is_printed_as_it_was() -> None:
    text = DUMP.read_text()
    printed = str(read_document(text, "k.visaasm"))
    assert [line.rstrip() for line in printed.splitlines()] == [line.rstrip() for line in text.splitlines()]


def test_as_many_equal_statements_as_declarations_mean_them_in_turn() -> None:
    body = "mov (M1, 16) T(0,0)<1> 0x1:ud\nmov (M1, 16) T(0,0)<1> 0x2:ud\n"
    assert bases(read_kernel(HEAD + body + END + PLATFORM, "k")) == ["A", "B"]


def test_a_text_that_is_no_dump_declares_a_name_once() -> None:
    body = "mov (M1, 16) T(0,0)<1> 0x1:ud\nmov (M1, 16) T(0,0)<1> 0x2:ud\n"
    with pytest.raises(ReadError, match="T is declared twice"):
        read_kernel(HEAD + body + END, "k")


@pytest.mark.parametrize(
    "body",
    [
        "mov (M1, 16) T(0,0)<1> 0x1:ud\n",
        "mov (M1, 16) T(0,0)<1> 0x1:ud\n" * 3,
        "mov (M1, 16) T(0,0)<1> T(0,0)<1;1,0>\nmov (M1, 16) T(0,0)<1> 0x2:ud\n",
        "",
    ],
)
def test_statements_that_are_no_copies_of_one_scope_leave_the_name_ambiguous(body: str) -> None:
    with pytest.raises(ReadError, match="T is declared twice"):
        read_kernel(HEAD + body + END + PLATFORM, "k")
