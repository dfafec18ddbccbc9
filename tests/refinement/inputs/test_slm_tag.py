"""Addresses of shared local memory with the tag that IGC sets in them, in one kernel or in both."""

import pytest

from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import Argument, ArgumentValue, BufferAddress
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.replay import run_again
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Verdict
from visaproof.report.two_kernels.refinement_file import replayed_record
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ud num_elts=1 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl P v_type=G type=uq num_elts=1 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl I v_type=G type=ud num_elts=1 align=GRF
.input P offset=32 size=8
.input I offset=40 size=4
.input X offset=64 size=32
.kernel_attr SimdSize=8
.kernel_attr SLMSize=1
.function "k"
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    mul (M1_NM, 8) O(0,0)<1> O(0,0)<1;1,0> 0x4:ud
    mov (M1_NM, 8) A(0,0)<1> O(0,0)<1;1,0>
    add (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> P(0,0)<0;1,0>
"""
IN_LOCAL = """    mul (M1_NM, 1) B(0,0)<1> I(0,0)<0;1,0> 0x20:ud
    add (M1_NM, 1) B(0,0)<1> B(0,0)<0;1,0> {store}:ud
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> B(0,0)<0;1,0>
    {messages[0]}
    add (M1, 8) O(0,0)<1> O(0,0)<1;1,0> {more}:ud
    {messages[1]}
    lsc_store.ugm (M1, 8)  flat[A]:a64  Y:d32
    ret (M1, 1)
"""


LSC = "lsc_store.slm (M1, 8)  flat[O]:a32  X:d32", "lsc_load.slm (M1, 8)  Y:d32  flat[O]:a32"
MESSAGES = {
    "lsc": LSC,
    "dwords": ("scatter4_scaled.R (M1, 8) %slm 0x0:ud O.0 X.0", "gather4_scaled.R (M1, 8) %slm 0x0:ud O.0 Y.0"),
    "bytes": ("scatter_scaled.4 (M1, 8) %slm 0x0:ud O.0 X.0", "gather_scaled.4 (M1, 8) %slm 0x0:ud O.0 Y.0"),
    "atomics": (
        "dword_atomic.add (M1, 8) %slm O.0 X.0 %null.0 Y.0",
        "dword_atomic.inc (M1, 8) %slm O.0 %null.0 %null.0 Y.0",
    ),
}
"""A store and a load of shared local memory; or two atomics."""


def tags_asked(
    store: str, more: str, than: tuple[str, str] = ("0x0", "0x0"), messages: tuple[str, str] = LSC
) -> tuple[Comparison, Verdict]:
    """Whether a kernel that adds so much to the addresses of its store and its load refines one that adds `than`."""
    programs: list[Program] = []
    for one, other in (than, (store, more)):
        kernel = read_kernel(HEAD + IN_LOCAL.format(store=one, more=other, messages=messages), "k.visaasm")
        held = [("P", BufferAddress(Argument(0))), ("I", ArgumentValue(Argument(1))), ("X", ArgumentValue(Argument(2)))]
        programs.append(Program(kernel, NOTHING_KNOWN.with_inputs(kernel, held), Platform.DG2))
    comparison = compare(programs[0], programs[1], Scope(Assume.IDS))
    return comparison, decide(comparison, 2000)


@pytest.mark.parametrize("messages", MESSAGES)
@pytest.mark.parametrize("more", ["0x0", "0xf0000000"])
def test_an_address_with_the_tag_is_that_without_it(more: str, messages: str) -> None:
    """Of the store and the load, or of the store alone."""
    comparison, verdict = tags_asked("0x10000000", more, messages=MESSAGES[messages])
    assert isinstance(verdict, Refines), verdict
    assert any(one.name == "slm-tag" for one in comparison.assumed)


@pytest.mark.parametrize(
    ("store", "more"),
    [("0x10000000", "0x20"), ("0x8000000", "0x0"), ("0x20000000", "0x0"), ("0x10000400", "0x0"), ("0x0", "0x8000000")],
)
def test_another_byte_is_another_one_with_the_tag_too(store: str, more: str) -> None:
    """Nor is any other bit a tag."""
    comparison, verdict = tags_asked(store, more)
    assert isinstance(verdict, Difference), verdict
    assert not run_again(replayed_record(comparison, verdict), "k.json").differences


def test_bytes_before_those_of_the_tag_alone_are_those_before_the_first() -> None:
    """s[i - 4] with the tag: its constant is less than the tag."""
    _, verdict = tags_asked("0x10000000", "0xfffffffc", ("0x0", "0xfffffffc"))
    assert isinstance(verdict, Refines), verdict
    comparison, verdict = tags_asked("0x10000000", "0xfffffff8", ("0x0", "0xfffffffc"))
    assert isinstance(verdict, Difference), verdict
    assert not run_again(replayed_record(comparison, verdict), "k.json").differences


def test_without_a_tag_nothing_is_assumed_of_it() -> None:
    comparison, verdict = tags_asked("0x8", "0x0", ("0x8", "0x0"))
    assert isinstance(verdict, Refines)
    assert not any(one.name == "slm-tag" for one in comparison.assumed)


@pytest.mark.parametrize("messages", MESSAGES)
def test_tagged_messages_are_no_accesses_outside(messages: str) -> None:
    """Both kernels have the tag; the second one loads the next dword."""
    tagged = "0x10000000", "0x0"
    _, verdict = tags_asked("0x10000000", "0x4", tagged, MESSAGES[messages])
    assert isinstance(verdict, Difference), verdict
