"""Bits that nothing wrote: two runs show that they decide what a kernel leaves, and the file of that replays."""

from collections.abc import Callable
from pathlib import Path

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.uninitialised_runs import dependence, uninitialised_record
from visaproof.checking.counterexample import Counterexample, PredicateState, SurfaceState
from visaproof.checking.replay import replay
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option, read_launch
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parents[2] / "data"

HEADER = """.version 4.1
.kernel "k"
.decl V1 v_type=G type=ud num_elts=8 align=GRF
.decl V2 v_type=G type=ud num_elts=8 align=GRF
.decl IN v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input IN offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
"""
FIRST_LINE = HEADER.count("\n") + 1
STORE = "    scatter_scaled.4 (M1, 8) T6 0x0:ud {}.0 {}.0\n"
OFFSETS = "    mov (M1, 8) V2(0,0)<1> 0x76543210:v\n    shl (M1, 8) V2(0,0)<1> V2(0,0)<1;1,0> 0x2:ud\n"


def small(body: str, *inputs: str) -> BoundsAnswers:
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [parse_input_option(each) for each in inputs])
    return ask_bounds(kernel, Platform.TGLLP, launch, Assume.NONE, StatedLaunch(), 10_000)


def compiled(file: str) -> BoundsAnswers:
    kernel = read_program(DATA / "visaasm" / f"{file}.visaasm")
    launch = read_launch(DATA / "manifest.json", kernel)
    assert launch.platform is not None
    return ask_bounds(kernel, launch.platform, launch, Assume.IDS, StatedLaunch(), 10_000)


def recorded(answers: BoundsAnswers, variable: str) -> Counterexample:
    entry = next(one for one in answers.uninitialised if one.variable == variable)
    found = dependence(answers, entry)
    assert found is not None
    return uninitialised_record(answers, entry, found)


DATA_OF_A_STORE = OFFSETS + STORE.format("V2", "V1")


def test_the_data_of_a_store_decide_what_is_left() -> None:
    """A single lane, whose dword is 0 in one run and 1.0 in the other."""
    found = recorded(small(DATA_OF_A_STORE), "V1")
    assert (found.line, found.state.exec_mask, found.state.registers) == (FIRST_LINE + 2, "0x1", {})
    assert found.other is not None
    assert found.other.registers == {"V1": "0000803f" + "00" * 28}
    assert [run.outcome.changes for run in found.runs] == [{}, {"T6[0x2]": "0x80", "T6[0x3]": "0x3f"}]
    assert replay(found, "f.json").differences == ()


def test_a_predicate_bit_that_only_wide_lanes_read_decides_what_is_left() -> None:
    """Eight lanes were widened to sixteen on PVC: nothing wrote the upper bits of the predicate."""
    found = recorded(compiled("vc_scatter4/pvc-vc"), "P2")
    assert found.other is not None
    assert (found.state.predicates, found.other.predicates["P2"].bits) == ({}, "0x100")
    assert found.state.registers == found.other.registers
    assert replay(found, "f.json").differences == ()


@pytest.mark.parametrize(
    "body",
    [
        "    mov (M1, 8) V2(0,0)<1> V1(0,0)<1;1,0>\n",  # it ends in a register
        OFFSETS + "    and (M1, 8) V1(0,0)<1> V1(0,0)<1;1,0> 0x0:ud\n" + STORE.format("V2", "V1"),
        OFFSETS + "    cmp.eq (M1, 8) P1 V1(0,0)<1;1,0> V1(0,0)<1;1,0>\n    (P1)" + STORE.format("V2", "IN"),
    ],
)  # fmt: skip
def test_bits_that_decide_nothing_are_not_shown(body: str) -> None:
    answers = small(body)
    assert [entry.variable for entry in answers.uninitialised] == ["V1"]
    assert dependence(answers, answers.uninitialised[0]) is None


def test_a_kernel_with_private_memory_is_not_tried() -> None:
    """Copies of uninitialised registers go there without optimisation, and nobody sees them."""
    answers = small(DATA_OF_A_STORE, "IN=private_base_stateless")
    assert [entry.variable for entry in answers.uninitialised] == ["V1"]
    assert dependence(answers, answers.uninitialised[0]) is None


def test_the_linker_writes_the_addresses_of_symbols() -> None:
    assert compiled("const_lut/tgllp-O2-simd8").uninitialised == ()


# ---------------------------------------------------------------- replaying what was tampered with


def _equal_states(found: Counterexample) -> None:
    found.other = found.state


def _other_mask(found: Counterexample) -> None:
    assert found.other is not None
    found.other.exec_mask = "0x3"


def _other_memory(found: Counterexample) -> None:
    assert found.other is not None
    found.other.surfaces["T6"] = SurfaceState(size=64)


def _input(found: Counterexample) -> None:
    assert found.other is not None
    found.other.registers["IN"] = "01" + "00" * 31


def _written(found: Counterexample) -> None:
    assert found.other is not None
    found.other.registers["V2"] = "01" + "00" * 31


def _another_line(found: Counterexample) -> None:
    found.line = FIRST_LINE + 3


def _another_result(found: Counterexample) -> None:
    found.runs[1].outcome.changes["T6[0x2]"] = "0x81"


def _a_predicate(found: Counterexample) -> None:
    assert found.other is not None
    found.other.predicates["P1"] = PredicateState(count=8, bits="0x1")
    found.program[FIRST_LINE - 1] = "    setp (M1_NM, 8) P1 0xff:ud"


@pytest.mark.parametrize(
    ("tamper", "difference"),
    [
        (_equal_states, "both runs leave the same memory"),
        (_other_mask, "the execution masks differ"),
        (_other_memory, "the surfaces differ"),
        (_input, "the launch writes IN"),
        (_written, f"V2 is written before line {FIRST_LINE + 2}"),
        (_another_line, f"line {FIRST_LINE + 3} is not reached"),
        (_another_result, "T6[0x2]: recorded 0x81, execute leaves 0x80"),
        (_a_predicate, f"P1 is written before line {FIRST_LINE + 2}"),
    ],
)
def test_a_file_that_shows_something_else_does_not_replay(
    tamper: Callable[[Counterexample], None], difference: str
) -> None:
    found = recorded(small(DATA_OF_A_STORE), "V1")
    tamper(found)
    assert difference in replay(found, "f.json").differences


def test_a_file_without_a_second_state_is_malformed() -> None:
    found = recorded(small(DATA_OF_A_STORE), "V1")
    found.other = None
    with pytest.raises(ReadError, match="no second state"):
        replay(found, "f.json")
