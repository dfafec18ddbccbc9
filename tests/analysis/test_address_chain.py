"""Where the address of a message comes from: the statements of the text that compute it, and no others."""

import pytest

from visaproof.analysis.address_chain import AddressChain, AddressChains
from visaproof.decode.message import OPCODES
from visaproof.isa.platform import Platform
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl HALF v_type=G type=uw num_elts=16 align=GRF alias=<B,0>
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input A offset=32 size=32
.input D offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
"""


def chain(body: str, platform: Platform = Platform.TGLLP) -> AddressChain:
    """Of the last message."""
    kernel = read_kernel(f"{HEAD}{body}    ret (M1, 1)\n", "k.visaasm")
    message = [one for one in kernel.instructions() if one.opcode in OPCODES][-1]
    return AddressChains(kernel, platform).of(message)


STORE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 C.0\n"
SHIFT, DATA = "shl (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 0x2:ud", "add (M1, 8) C(0,0)<1> D(0,0)<1;1,0> 0x1:ud"
OTHER, COMPARE = "mov (M1, 8) D(0,0)<1> 0x1:ud", "cmp.lt (M1, 8) P1 A(0,0)<1;1,0> D(0,0)<1;1,0>"
BIND, HALVES = "movs (M1_NM, 1) T6(0) 0x2:ud", "mov (M1, 8) HALF(0,0)<2> 0x0:uw"
BIND_BEFORE = "movs (M1_NM, 1) T6(0) 0x1:ud"
CHOICE = "(P1) sel (M1, 8) B(0,0)<1> A(0,0)<1;1,0> D(0,0)<1;1,0>"
STEP, AGAIN = "add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x4:ud", "(P1) goto (M1, 8) BEGIN"


@pytest.mark.parametrize(
    ("body", "found", "begins"),
    [
        ([SHIFT, DATA], [SHIFT], {"A"}),
        ([BIND, SHIFT, DATA], [BIND, SHIFT], {"A"}),
        ([BIND_BEFORE, BIND, SHIFT], [BIND, SHIFT], {"A"}),
        ([SHIFT, HALVES], [SHIFT, HALVES], {"A"}),
        ([COMPARE, CHOICE], [COMPARE, CHOICE], {"A", "D"}),
        ([COMPARE, SHIFT, "(P1) " + STORE.strip()], [SHIFT], {"A"}),
        ([], [], {"B"}),
    ],
    ids=["data", "surface", "last surface", "alias", "choice", "predicate", "nothing"],
)
def test_what_is_computed_before_is_followed(body: list[str], found: list[str], begins: set[str]) -> None:
    lines = "".join(f"    {line}\n" for line in body)
    followed = chain(lines if "scatter" in lines else lines + STORE)
    assert [one.text for one in followed.statements] == found
    assert set(followed.begins) == begins


def test_what_comes_later_counts_in_a_loop_alone() -> None:
    after = f"    {SHIFT}\n{{label}}{STORE}    {COMPARE}\n    {STEP}\n{{back}}"
    once = chain(after.format(label="", back=""))
    again = chain(after.format(label="BEGIN:\n", back=f"    {AGAIN}\n"))
    assert [one.text for one in once.statements] == [SHIFT]
    assert [one.text for one in again.statements] == [SHIFT, STEP]


def test_an_input_that_a_loop_moves_on_is_where_the_address_begins() -> None:
    again = chain(f"BEGIN:\n{STORE.replace('B.0', 'A.0')}    {COMPARE}\n    {STEP.replace('B', 'A')}\n    {AGAIN}\n")
    assert [one.text for one in again.statements] == [STEP.replace("B", "A")]
    assert again.begins == ("A",)


@pytest.mark.parametrize("data", ["C D", "D C"])
def test_what_an_atomic_compares_with_is_no_address(data: str) -> None:
    swap = f"    lsc_atomic_icas.ugm (M1, 8) %null:d32 bti(0x0)[B]:a32 {data}\n"
    found = chain(f"    {SHIFT}\n    {DATA}\n{swap}", Platform.DG2)
    assert ([one.text for one in found.statements], found.begins) == ([SHIFT], ("A",))
