"""Private arrays in registers: an element that is written where an input says, and one that is read so."""

import pytest

from tests.support.differences import kind_of
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, forbidden_by
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl ARRAY v_type=G type=d num_elts=32 align=GRF
.decl TO v_type=G type=ud num_elts=8 align=GRF
.decl FROM v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl N v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl A0 v_type=A num_elts=8
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input TO offset=32 size=32
.input FROM offset=64 size=32
.input X offset=96 size=32
.input N offset=128 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
shl (M1, 8) AT(0,0)<1> 0x76543210:uv 0x2:ud
mov (M1, 8) ARRAY(0,0)<1> 0x1:d
mov (M1, 8) ARRAY(1,0)<1> 0x2:d
mov (M1, 8) ARRAY(2,0)<1> X(0,0)<1;1,0>
mov (M1, 8) ARRAY(3,0)<1> 0x4:d
"""
INDEX = """and (M1, 8) {name}(0,0)<1> {name}(0,0)<1;1,0> {mask}:ud
shl (M1, 8) {name}(0,0)<1> {name}(0,0)<1;1,0> 0x5:ud
"""
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud AT.0 X.0\n"


def indices(mask: str = "0x3") -> str:
    """Rows TO and FROM of the array."""
    return INDEX.format(name="TO", mask=mask) + INDEX.format(name="FROM", mask=mask)


def written(value: str) -> str:
    """Lane after lane writes its element of the row that it names, as compilers do it."""
    lanes = (
        f"setp (M1_NM, 8) P1 {1 << lane:#x}:ud\n(P1) mov (M1, 8) r[A0({lane}),0]<1>:d {value}" for lane in range(8)
    )
    return "addr_add (M1, 8) A0(0)<1> &ARRAY TO(0,0)<1;1,0>\n" + "\n".join(lanes) + "\n"


READ = """or (M1, 8) Y(0,0)<1> FROM(0,0)<1;1,0> AT(0,0)<1;1,0>
addr_add (M1, 8) A0(0)<1> &ARRAY Y(0,0)<1;1,0>
mov (M1, 8) X(0,0)<1> r[A0(0),0]<1,0>:d
"""

SELECTED = """mov (M1, 8) X(0,0)<1> r[A0(0),0]<1,0>:d
cmp.eq (M1, 8) P1 TO(0,0)<1;1,0> FROM(0,0)<1;1,0>
(P1) sel (M1, 8) X(0,0)<1> 0x9:d X(0,0)<1;1,0>
"""
"""What is read of the array that nothing was written to, or 9 where that is the element that was."""


def asked(source: str, target: str, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Verdict:
    one, other = (
        Program(read_kernel(f"{HEAD}{body}{STORE}ret (M1, 1)\n", "k.visaasm"), NOTHING_KNOWN, Platform.DG2)
        for body in (source, target)
    )
    return decide(compare(one, other, Scope(Assume.NONE, forbidden)), 10_000)


@pytest.mark.slow
def test_an_element_is_the_one_that_was_written_or_as_it_was() -> None:
    array = indices() + written("0x9:d") + READ
    selected = indices() + READ.partition("mov")[0] + SELECTED
    assert isinstance(asked(array, selected), Refines)
    assert isinstance(asked(selected, array), Refines)


def test_a_wrong_neighbour_is_refuted() -> None:
    """The row behind the one that is named, of one lane."""
    array = indices() + written("0x9:d") + READ
    wrong = array.replace("r[A0(5),0]<1>", "r[A0(5),32]<1>")
    assert wrong != array
    assert isinstance(asked(indices("0x1") + written("0x9:d") + READ, wrong.replace("0x3:ud", "0x1:ud")), Difference)


def test_a_lane_that_writes_what_another_names_is_refuted() -> None:
    array = indices() + written("0x9:d") + READ
    assert isinstance(asked(array, array.replace("r[A0(5),0]<1>", "r[A0(4),0]<1>")), Difference)


@pytest.mark.slow
def test_an_element_beyond_the_array_excuses_the_source_alone() -> None:
    inside, beyond = (indices(mask) + written("0x9:d") + READ for mask in ("0x3", "0x7"))
    assert isinstance(asked(beyond, inside), Refines)
    found = asked(inside, beyond)
    assert isinstance(found, Difference)
    assert kind_of(found) is UndefinedKind.BEYOND_VARIABLE


@pytest.mark.slow
def test_beyond_the_array_0_is_read_and_what_is_written_is_lost_where_that_is_allowed() -> None:
    allowed = forbidden_by([(UndefinedKind.BEYOND_VARIABLE, False)])
    beyond = indices("0x7") + written("0x9:d") + READ
    apart = "cmp.ge (M1, 8) P1 FROM(0,0)<1;1,0> 0x80:ud\n(P1) mov (M1, 8) X(0,0)<1> {}:d\n"
    assert isinstance(asked(beyond, beyond + apart.format("0x0"), allowed), Refines)
    assert not isinstance(asked(beyond, beyond + apart.format("0x1"), allowed), Refines)


def looped(row: str, step: str = "0x1:ud") -> str:
    """The lane's element of one row after another is counted up, as long as another input says."""
    return f"""{indices()}again:
and (M1, 8) Y(0,0)<1> TO(0,0)<1;1,0> 0x60:ud
{row}
add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> AT(0,0)<1;1,0>
addr_add (M1, 8) A0(0)<1> &ARRAY Y(0,0)<1;1,0>
mov (M1, 8) X(0,0)<1> r[A0(0),0]<1,0>:d
add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> {step}
add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> (-)AT(0,0)<1;1,0>
and (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x60:ud
{written("X(0,0)<1;1,0>").replace("&ARRAY TO", "&ARRAY Y")}add (M1, 8) TO(0,0)<1> TO(0,0)<1;1,0> 0x20:ud
and (M1, 8) TO(0,0)<1> TO(0,0)<1;1,0> 0x60:ud
add (M1, 8) N(0,0)<1> N(0,0)<1;1,0> -1:d
cmp.gt (M1, 8) P2 N(0,0)<1;1,0> 0x0:d
(P2) goto (M1, 8) again
"""


@pytest.mark.slow
def test_a_loop_of_any_length_may_write_an_array_in_registers() -> None:
    """By induction: an iteration says what its addresses are, and finds none of the iteration before it."""
    again = looped("or (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x0:ud")
    assert isinstance(asked(looped(""), again), Refines)
    assert isinstance(asked(looped(""), looped("xor (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x20:ud")), Difference)
    assert isinstance(asked(looped(""), looped("", "0x2:ud")), Difference)
