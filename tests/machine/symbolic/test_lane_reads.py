"""Opcodes that read more than the element of their lane, symbolically.  Pages: SAD2, SAD2ADD, PLN, LRP, SETP."""

import pytest

from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.semantics.symbolic.names import lane_on
from visaproof.semantics.symbolic.value_names import PredicateBit
from visaproof.smt import Term, bool_symbol, evaluate, is_false, symbol
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=f num_elts=64 align=GRF
.decl B v_type=G type=f num_elts=64 align=GRF
.decl C v_type=G type=f num_elts=64 align=GRF
.decl R v_type=G type=f num_elts=32 align=GRF
.decl J v_type=G type=ub num_elts=16 align=GRF
.decl K v_type=G type=b num_elts=16 align=GRF
.decl W v_type=G type=uw num_elts=16 align=GRF
.decl D v_type=G type=ud num_elts=32 align=GRF
.decl P v_type=P num_elts=SIZE
.kernel_attr SimdSize=16
.function "k"
_main:
"""


def traced(body: str, predicate: int = 16) -> Trace:
    text = HEAD.replace("SIZE", str(predicate)) + body + "\n    ret (M1, 1)\n"
    return trace(read_kernel(text, "k.visaasm"), Platform.TGLLP)


def operands_of(body: str) -> list[tuple[str, ...]]:
    """Of each lane the operands of its result, which is uninterpreted."""
    return [tuple(str(source.bits) for source in one.operands or ()) for one in traced(body).arbitrary]


def word(variable: str, element: int) -> str:
    return f"{variable}.{4 * element}"


@pytest.mark.parametrize("region", ["<1;1,0>", "<0;2,1>", "<2;1,0>"])
def test_lrp_reads_contiguous_elements_whatever_the_region(region: str) -> None:
    """But for a scalar region, whose element every lane reads; the destination's stride is ignored, too."""
    body = f"    lrp (M1, 8) R(0,0)<2> A(0,0){region} B(0,2){region} C(0,5)<0;1,0>"
    expected = [(word("A", lane), word("B", 2 + lane), word("C", 5)) for lane in range(8)]
    assert operands_of(body) == expected
    result = traced(body)
    assert [
        lane for lane in range(16) if result.registers.read("R", 4 * lane, 4) is not symbol(word("R", lane), 32)
    ] == [*range(8)]


def test_plane_reads_three_scalars_and_two_vectors_for_eight_lanes() -> None:
    """Page PLN: p, q and r are elements 0, 1 and 3; u and v of lanes 8 to 15 are elements 16 to 31."""
    body = "    plane (M1, 16) R(0,0)<1> A(0,4)<0;1,0> B(1,0)<1;1,0>"
    scalars = [word("A", 4 + k) for k in (0, 1, 3)]
    expected: list[tuple[str, ...]] = []
    for lane in range(16):
        u = 8 + lane // 8 * 16 + lane % 8
        expected.append((scalars[0], word("B", u), scalars[1], word("B", u + 8), scalars[2]))
    assert operands_of(body) == expected


def test_plane_of_four_lanes_is_not_modelled() -> None:
    stopped = traced("    plane (M1, 4) R(0,0)<1> A(0,0)<0;1,0> B(0,0)<1;1,0>").stopped
    assert isinstance(stopped, NotModelled)


@pytest.mark.parametrize("enabled", [0xFFFF, 0x0005, 0x000A])
@pytest.mark.parametrize("suffix", ["", ".sat"])
def test_sad2_sums_the_differences_of_two_lanes(suffix: str, enabled: int) -> None:
    """In the even lanes that run; an odd element may be anything where it or the one before it runs."""
    body = f"    sad2add{suffix} (M1, 16) W(0,0)<1> J(0,0)<1;1,0> K(0,0)<1;1,0> W(0,0)<1;1,0>"
    result = traced(body)
    values: dict[Term, int] = {lane_on(lane): enabled >> lane & 1 for lane in range(16)}
    left, right, before = [(37 * k) % 256 for k in range(16)], [(91 * k) % 256 - 128 for k in range(16)], [65_400] * 16
    for variable, width, elements in (("J", 1, left), ("K", 1, right), ("W", 2, before)):
        held = b"".join((one % (1 << 8 * width)).to_bytes(width, "little") for one in elements)
        for start in range(0, len(held), 4):
            values[symbol(f"{variable}.{start}", 32)] = int.from_bytes(held[start : start + 4], "little")
    for k, one in enumerate(result.arbitrary):
        values[one.symbol] = 1_000 + k
    for lane in range(16):
        found = evaluate(result.registers.read("W", 2 * lane, 2), values)
        if lane % 2:
            assert (found != before[lane]) == bool(enabled >> (lane - 1) & 3)
        else:
            exact = sum(abs(left[k] - right[k]) for k in (lane, lane + 1)) + before[lane]
            expected = min(exact, 65_535) if suffix else exact % 65_536
            assert found == (expected if enabled >> lane & 1 else before[lane])


def bits_after(body: str, predicate: int) -> list[str]:
    """Of each bit of P which one of D it is, or that it is as before."""
    predicates = traced(body, predicate).predicates
    bits = [predicates.read_under("P", k, frozenset()) for k in range(predicate)]
    names = {bool_symbol(PredicateBit("P", k)): "before" for k in range(predicate)}
    words = {symbol("D.0", 32): 0}
    found: list[str] = []
    for one in bits:
        if one in names:
            found.append(names[one])
        else:
            found.append(str([k for k in range(32) if evaluate(one, dict.fromkeys(words, 1 << k))]))
    return found


@pytest.mark.parametrize(
    ("lanes", "predicate", "first", "last"),
    [
        ("M1_NM, 1", 8, 0, 8),
        ("M1_NM, 8", 8, 0, 8),
        ("M1_NM, 8", 16, 0, 16),
        ("M1_NM, 1", 32, 0, 16),
        ("M1, 16", 32, 0, 16),
        ("M5_NM, 16", 32, 16, 32),
        ("M5_NM, 8", 32, 16, 32),
        ("M1_NM, 32", 32, 0, 32),
    ],
)
def test_setp_updates_16_bit_halves(lanes: str, predicate: int, first: int, last: int) -> None:
    """Page SETP: below 32 lanes "the lower/upper 16 dst elements are updated"."""
    found = bits_after(f"    setp ({lanes}) P D(0,0)<0;1,0>", predicate)
    assert found == [str([k - first]) if first <= k < last else "before" for k in range(predicate)]


@pytest.mark.parametrize("statement", ["setp (M2_NM, 8) P D(0,0)<0;1,0>", "setp (M1_NM, 8) P D(0,0)<1;1,0>"])
def test_setp_beyond_the_page_is_not_modelled(statement: str) -> None:
    """From lane 8 on; of a vector with fewer lanes than bits."""
    assert isinstance(traced(f"    {statement}").stopped, NotModelled)


def test_setp_of_bits_that_a_predicate_lacks_is_undefined() -> None:
    conditions = traced("    setp (M5_NM, 16) P 0x1:ud").conditions
    assert any(is_false(condition) for condition, _ in conditions)
