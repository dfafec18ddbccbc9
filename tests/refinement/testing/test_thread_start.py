"""Refutations are launches: they round as drivers let kernels round, and number threads as their ids do."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, parse_input_option
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.thread_start import HANDED, as_started
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=32 align=GRF
.decl Y v_type=G type=uw num_elts=32 align=GRF
.decl AT v_type=G type=ud num_elts=16 align=GRF
.decl R v_type=G type=ud num_elts=1 align=GRF
.decl D v_type=G type=ud num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=64 size=64
.input Y offset=128 size=64
.kernel_attr SimdSize=16
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) AT(0,0)<1> 0x76543210:uv
    add (M1_NM, 8) AT(1,0)<1> AT(0,0)<1;1,0> 0x8:ud
    shl (M1_NM, 16) AT(0,0)<1> AT(0,0)<1;1,0> 0x2:ud
"""
STORE = "mov (M1, 16) D(0,0)<1> R(0,0)<0;1,0>\nscatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 D.0\nret (M1, 1)\n"
NUMBER = "and (M1_NM, 1) R(0,0)<1> %r0(0,2)<0;1,0> 0xff:ud\n"
OF_A_ROW = "shr (M1_NM, 1) R(0,0)<1> X(0,0)<0;1,0> 0x4:ud\n"


def asked(
    source: str, target: str, assume: Assume, inputs: str = "X", size: tuple[int, int, int] | None = None
) -> Verdict:
    """X and Y are local ids, where they are among the inputs whose meaning is known."""
    programs: list[Program] = []
    for body in (source, target):
        kernel = read_kernel(HEAD + body + STORE, "k.visaasm")
        options = [parse_input_option(f"{name}=local_id_{name.lower()}") for name in inputs]
        known = replace(NOTHING_KNOWN.with_inputs(kernel, options), simd=16, platform=Platform.DG2, group_size=size)
        launch = replace(known, binding_table={0: Argument(0)})
        programs.append(Program(kernel, launch, Platform.DG2))
    return decide(compare(programs[0], programs[1], Scope(assume)), 2_000)


@pytest.mark.usefixtures("few_runs")
def test_kernels_start_rounding_to_nearest() -> None:
    mode = "and (M1_NM, 1) R(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\n"
    zero = "mov (M1_NM, 1) R(0,0)<1> 0x0:ud\n"
    assert isinstance(asked(zero, mode, Assume.IDS), Difference)
    assert isinstance(asked(zero, mode, Assume.LAUNCH), Unknown)


def test_what_a_kernel_rounds_to_is_its_own() -> None:
    up = "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x20:ud\nand (M1_NM, 1) R(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\n"
    zero = "mov (M1_NM, 1) R(0,0)<1> 0x0:ud\n"
    assert isinstance(asked(zero, up, Assume.LAUNCH), Difference)


@pytest.mark.slow
def test_the_number_of_a_thread_is_that_of_its_row() -> None:
    assert isinstance(asked(OF_A_ROW, NUMBER, Assume.IDS), Difference)
    assert not isinstance(asked(OF_A_ROW, NUMBER, Assume.LAUNCH), Difference)
    wrong = NUMBER + "add (M1_NM, 1) R(0,0)<1> R(0,0)<0;1,0> 0x1:ud\n"
    assert isinstance(asked(OF_A_ROW, wrong, Assume.LAUNCH), Difference)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("size", [None, (16, 8, 1)])
def test_the_number_of_a_thread_is_that_of_its_items(size: tuple[int, int, int] | None) -> None:
    """In groups of 16 × 8 a thread runs row y: other sizes are laid out otherwise, which the source does not do."""
    of_items = "mov (M1_NM, 1) R(0,0)<1> Y(0,0)<0;1,0>\nadd (M1_NM, 1) D(0,0)<1> R(0,0)<0;1,0> X(0,0)<0;1,0>\n"
    verdict = asked(of_items, NUMBER, Assume.LAUNCH, "XY", size)
    assert isinstance(verdict, Difference) is (size is None)


def test_a_thread_of_a_group_without_ids_may_have_any_number() -> None:
    zero = "mov (M1_NM, 1) R(0,0)<1> 0x0:ud\n"
    assert isinstance(asked(zero, NUMBER, Assume.LAUNCH, ""), Difference)
    assert isinstance(asked(NUMBER, NUMBER, Assume.LAUNCH, ""), Refines)


@pytest.mark.parametrize(("platform", "started"), [(Platform.TGLLP, {}), (Platform.DG2, {HANDED: 12})])
def test_only_words_that_hold_the_number_get_it(platform: Platform, started: dict[Any, int]) -> None:
    """An example shows each input that is not 0: one that no kernel has would puzzle its reader."""
    group = cast(Any, SimpleNamespace(launched=SimpleNamespace(numbers=lambda _: [12])))
    assert as_started(group, cast(Any, [SimpleNamespace(platform=platform)]), {}) == started
