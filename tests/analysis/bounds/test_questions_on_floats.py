"""Conflicts and bounds of addresses and predicates that are computed with floats."""

from pathlib import Path

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, InBounds, Outside
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Answer, Conflict, Free
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.cli import main
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.float_results import IEEE_ASSUMED, Floats
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=1 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl G v_type=G type=f num_elts=8 align=GRF
.decl S v_type=G type=f num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input F offset=64 size=32
.input G offset=96 size=32
.input N offset=128 size=4
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud
    shl (M1_NM, 8) W(0,0)<1> 0x76543210:uv 0x2:ud
"""

SCATTER = "scatter_scaled.4 (M1, 8) T6 0x0:ud V.0 D.0\n"

CHOSEN = """    mov (M1_NM, 8) V(0,0)<1> 0x0:ud
    cmp.lt (M1, 8) P1 F(0,0)<1;1,0> G(0,0)<1;1,0>
    (P1) mov (M1, 8) V(0,0)<1> W(0,0)<1;1,0>
"""
"""Lanes with F < G have places of their own, and the others the first."""

SAME = f"    cmp.gt (M1, 8) P2 G(0,0)<1;1,0> F(0,0)<1;1,0>\n    (P2) {SCATTER}"
OTHER = f"    cmp.le (M1, 8) P2 F(0,0)<1;1,0> G(0,0)<1;1,0>\n    (P2) {SCATTER}"

THROUGH = f"""    and (M1_NM, 1) N(0,0)<1> N(0,0)<0;1,0> 0xff00:ud
    add (M1, 8) W(0,0)<1> W(0,0)<1;1,0> N(0,0)<0;1,0>
    mov (M1, 8) S(0,0)<1> W(0,0)<1;1,0>
    add (M1, 8) S(0,0)<1> S(0,0)<1;1,0> {{added}}
    mov (M1, 8) V(0,0)<1> S(0,0)<1;1,0>
    {SCATTER}"""
"""Places below 2^16 that went through floats; `added` is a float constant."""

UNIT = f"""    mov.sat (M1, 8) S(0,0)<1> F(0,0)<1;1,0>
    mul (M1, 8) S(0,0)<1> S(0,0)<1;1,0> {{most}}
    mov (M1, 8) V(0,0)<1> S(0,0)<1;1,0>
    and (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0xfffffffc:ud
    {SCATTER}"""
"""Places between 0 and `most`."""


def conflict(body: str, floats: Floats) -> Answer:
    kernel = read_kernel(f"{HEAD}{body}    ret (M1, 1)\n", "k.visaasm")
    asked = ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 10_000, floats=floats)
    assert (set(IEEE_ASSUMED) <= set(asked.start.assumed)) == (floats is Floats.IEEE)
    (finding,) = asked.answers()
    return finding.answer


def bounds(body: str, floats: Floats) -> InBounds:
    kernel = read_kernel(f"{HEAD}{body}    ret (M1, 1)\n", "k.visaasm")
    stated = StatedLaunch((parse_size_option("0=256"),))
    asked = ask_bounds(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, stated, 10_000, floats=floats)
    (finding,) = asked.answers()
    return finding.bounds


@pytest.mark.parametrize("floats", Floats)
def test_one_comparison_in_two_places_has_one_result(floats: Floats) -> None:
    assert isinstance(conflict(CHOSEN + SAME, floats), Free)


@pytest.mark.parametrize("floats", Floats)
def test_another_comparison_may_hold_where_the_first_does_not(floats: Floats) -> None:
    """F = G in two lanes."""
    assert isinstance(conflict(CHOSEN + OTHER, floats), Conflict)


def test_small_integers_stay_apart_through_floats_and_large_ones_meet() -> None:
    assert not isinstance(conflict(THROUGH.format(added="0x3f800000:f"), Floats.UNINTERPRETED), Free)
    assert isinstance(conflict(THROUGH.format(added="0x3f800000:f"), Floats.IEEE), Free)
    assert isinstance(conflict(THROUGH.format(added="0x4d000000:f"), Floats.IEEE), Conflict)  # 2^27: rounded to 8


def test_a_clamped_float_is_in_bounds_by_ieee() -> None:
    inside, outside = (UNIT.format(most=most) for most in ("0x437c0000:f", "0x43800000:f"))  # 252 and 256
    assert isinstance(bounds(inside, Floats.IEEE), Holds)
    assert not isinstance(bounds(inside, Floats.UNINTERPRETED), Holds | Outside)
    assert isinstance(bounds(outside, Floats.IEEE), Outside)


@pytest.mark.parametrize("command", ["conflicts", "bounds"])
def test_the_switch_is_printed_with_the_verdict(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.visaasm"
    path.write_text(f"{HEAD}{CHOSEN}{SAME}    ret (M1, 1)\n")
    main([command, str(path), "--assume", "none", "--float", "ieee", "--platform", "TGLLP"])
    assert IEEE_ASSUMED[0].sentence in capsys.readouterr().out
