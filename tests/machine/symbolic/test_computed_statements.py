"""Each statement that computes, on random registers: the trace evaluated there is what the run leaves."""

import pytest

from tests.support.crosscheck import disagreements
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.run import trace
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl UB v_type=G type=ub num_elts=16 align=GRF
.decl B v_type=G type=b num_elts=16 align=GRF
.decl UW v_type=G type=uw num_elts=16 align=GRF
.decl W v_type=G type=w num_elts=16 align=GRF
.decl UD v_type=G type=ud num_elts=16 align=GRF
.decl D v_type=G type=d num_elts=16 align=GRF
.decl D2 v_type=G type=d num_elts=16 align=GRF
.decl P v_type=P num_elts=16
.kernel_attr SimdSize=16
.function "k"
_main:
"""
SATURATED = [
    f"{opcode}.sat (M1, 16) {result}(0,0)<1> {' '.join(f'{one}(0,0)<1;1,0>' for one in sources)}"
    for opcode, count in {"mov": 1, "add": 2, "avg": 2, "min": 2, "max": 2, "add3": 3, "mod": 2}.items()
    for result in ("UW", "W", "D")
    for sources in (("W", "UD", "D")[:count], ("(-)D", "(abs)D2", "UW")[:count])
]
OTHERS = [
    "shl.sat (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x7:ud",
    "shr.sat (M1, 16) UW(0,0)<1> UD(0,0)<1;1,0> 0x3:ud",
    "div (M1, 16) D(0,0)<1> D2(0,0)<1;1,0> 0xa:d",
    "mod (M1, 16) W(0,0)<1> D2(0,0)<1;1,0> -7:w",
    "fbh (M1, 16) UD(0,0)<1> D(0,0)<1;1,0>",
    "bfe (M1, 16) D(0,0)<1> 0x5:d D2(0,0)<1;1,0> D(0,0)<1;1,0>",
    "rol (M1, 16) UD(0,0)<1> UD(0,0)<1;1,0> D(0,0)<1;1,0>",
    "setp (M1_NM, 8) P UD(0,0)<0;1,0>",
    "sel.sat (M1, 16) W(0,0)<1> D(0,0)<1;1,0> D2(0,0)<1;1,0>",
]


@pytest.mark.slow(but=9)
@pytest.mark.parametrize("statement", SATURATED + OTHERS)
def test_the_trace_of_a_statement_is_what_its_run_leaves(statement: str) -> None:
    predicate = "(P) " if statement.startswith("sel") else ""
    kernel = read_kernel(f"{HEAD}    {predicate}{statement}\n    ret (M1, 1)\n", "k.visaasm")
    traced = trace(kernel, Platform.TGLLP)
    assert traced.stopped is None
    for seed in range(4):
        assert disagreements(kernel, Platform.TGLLP, seed, traced) == []
