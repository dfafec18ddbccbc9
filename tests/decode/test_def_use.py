"""Which variables a statement reads and writes."""

import pytest

from tests.support.def_use_cases import CASES, HEAD
from visaproof.decode.def_use import def_use
from visaproof.isa.platform import Platform
from visaproof.visaasm.reader import read_kernel


@pytest.mark.parametrize(("statement", "defined", "used"), CASES)
def test_what_a_statement_defines_is_told_from_what_it_uses(statement: str, defined: str, used: str) -> None:
    kernel = read_kernel(f"{HEAD}{statement}\nret (M1, 1)\n", "k.visaasm")
    found = def_use(next(kernel.instructions()), kernel, Platform.DG2)
    assert " ".join(sorted(found.defined)) == defined
    assert " ".join(sorted(found.used)) == used


def test_an_indirect_operand_may_be_any_variable_with_an_address() -> None:
    text = "addr_add (M1, 1) A0(0)<1> &R 0x0:uw\nmov (M1, 8) r[A0(0),0]<1>:ud S(0,0)<1;1,0>\nret (M1, 1)\n"
    kernel = read_kernel(HEAD + text, "k.visaasm")
    _, mov, _ = kernel.instructions()
    found = def_use(mov, kernel, Platform.DG2)
    assert (found.defined, found.used) == ({"R"}, {"A0", "S"})
