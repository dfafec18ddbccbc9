"""Memory in dwords: where a source is undefined unless its addresses are aligned, and where it is not."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind, forbidden_by
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Refines
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl N v_type=G type=d num_elts=8 align=GRF
.decl P v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input A offset=32 size=32
.input B offset=64 size=32
.input X offset=96 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""
TAIL = "ret (M1, 1)\n"

GATHER = "gather4_scaled.R (M1, 1) T6 0x0:ud B.0 N.0\n"
SCATTER = "scatter4_scaled.R (M1, 1) T6 0x0:ud {at}.0 {of}.0\n"
MORE = "add (M1, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:d\n"
LOAD = "lsc_load.ugm (M1, 1) N:d32 bti(0x0)[B]:a32\n"
STORE = "lsc_store.ugm (M1, 1) bti(0x0)[{at}]:a32 {of}:d32\n"

ALIGNED = SCATTER.format(at="A", of="X") + GATHER + MORE + SCATTER.format(at="B", of="N")
"""X is stored at A, then one is added to what is at B."""
ANYWHERE = STORE.format(at="A", of="X") + LOAD + MORE + STORE.format(at="B", of="N")
"""The same by messages for which no address is misaligned."""

FORWARDED = (
    LOAD
    + STORE.format(at="A", of="X")
    + "cmp.eq (M1, 1) P A(0,0)<0;1,0> B(0,0)<0;1,0>\n(P) sel (M1, 1) N(0,0)<1> X(0,0)<0;1,0> N(0,0)<0;1,0>\n"
    + MORE
    + STORE.format(at="B", of="N")
)
"""The same, but that the load comes first: a dword is the one that is stored, or has no byte of it."""


def compared(source: str, target: str, forbidden: frozenset[UndefinedKind] = FORBIDDEN) -> Comparison:
    one, other = (
        Program(read_kernel(HEAD + body + TAIL, "k.visaasm"), NOTHING_KNOWN, Platform.DG2) for body in (source, target)
    )
    return compare(one, other, Scope(Assume.NONE, forbidden))


def units(comparison: Comparison) -> set[int]:
    return set(comparison.question.memory.units.values())


def refines(comparison: Comparison) -> bool:
    return isinstance(decide(comparison, 10_000), Refines)


@pytest.mark.parametrize(
    ("source", "target", "unit"),
    [(ALIGNED, ALIGNED, 4), (ALIGNED, ANYWHERE, 4), (ANYWHERE, ALIGNED, 1), (ANYWHERE, ANYWHERE, 1)],
)
def test_memory_is_of_dwords_where_the_source_is_undefined_without(source: str, target: str, unit: int) -> None:
    comparison = compared(source, target)
    assert units(comparison) == {unit}
    assert refines(comparison) == (source is ALIGNED or target is ANYWHERE)  # ALIGNED may be undefined, ANYWHERE not


def test_dwords_have_no_byte_in_common_only_where_they_are_aligned() -> None:
    """FORWARDED leaves something else where X is stored one byte before or after B."""
    assert refines(compared(ALIGNED, FORWARDED))
    assert not refines(compared(ANYWHERE, FORWARDED))
    allowed = compared(ALIGNED, FORWARDED, forbidden_by([(UndefinedKind.MISALIGNED, False)]))
    assert units(allowed) == {1}
    assert not refines(allowed)


@pytest.mark.parametrize("offset", [1, 2, 3])
def test_a_target_that_is_not_aligned_as_its_source_is(offset: int) -> None:
    """It stores at A, which is aligned, and then overwrites part of that dword and part of the next."""
    moved = f"add (M1_NM, 1) B(0,0)<1> A(0,0)<0;1,0> {offset:#x}:ud\n"
    over = ALIGNED + moved + STORE.format(at="B", of="X")
    comparison = compared(ALIGNED, over)
    assert units(comparison) == {1}
    assert not refines(comparison)


def test_where_the_source_is_not_at_such_an_address_the_target_may_not_be() -> None:
    """Of A the source says that it is aligned, but only where P holds."""
    guard = "cmp.eq (M1, 1) P X(0,0)<0;1,0> 0x0:d\n"
    source = guard + "(P) " + ALIGNED
    assert refines(compared(source, guard + "(P) " + ANYWHERE))
    always = guard + ANYWHERE
    assert not refines(compared(source, always))
