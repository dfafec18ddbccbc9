"""Witnesses of premises of `bounds` and `conflicts` that no option lifts.

Each is lifted by another size, by code that no longer encodes it, or by a run of a launch in which it is false.
"""

import pytest
from msgspec.structs import replace

from tests.analysis.conflicts.test_conflict_search import COUNT, DWORDS, SCATTER
from tests.analysis.conflicts.test_conflict_search import asked as ask_counters
from tests.premises.witness import Answer
from visaproof.analysis.bounds import buffers
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.memory import windows
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.analysis.conflicts.thread_states import Values, state_of
from visaproof.analysis.conflicts.verdicts import Free
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.checking.buffer_space import BufferSpace
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import Argument, BufferOffset
from visaproof.launch.launch import NOTHING_KNOWN, BufferAddress
from visaproof.machine.concrete.run import run
from visaproof.queries.kernels import tickets
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl OFFSET v_type=G type=ud num_elts=1
.decl N v_type=G type=ud num_elts=1
.decl IDX v_type=G type=ud num_elts=8 align=GRF
.decl OFF v_type=G type=uq num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input IDX offset=32 size=32
.input PTR offset=128 size=8
.input OFFSET offset=136 size=4
.input N offset=140 size=4
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 8) D(0,0)<1> 0x7:ud
"""
BELOW_64 = "    and (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> 0xf:ud\n    shl (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> 0x2:ud\n"
ADDRESS = "    mov (M1, 8) OFF(0,0)<1> IDX(0,0)<1;1,0>\n    add (M1, 8) A(0,0)<1> OFF(0,0)<1;1,0> PTR(0,0)<0;1,0>\n"
AT_ADDRESS = ADDRESS + "    svm_scatter.4.1 (M1, 8) A.0 D.0\n"
AT_SURFACE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud IDX.0 D.0\n"
AT_OFFSET = "    add (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> OFFSET(0,0)<0;1,0>\n" + AT_SURFACE
PAGE = """    cmp.lt (M1, 8) P1 IDX(0,0)<1;1,0> N(0,0)<0;1,0>
    mov (M1, 8) OFF(0,0)<1> IDX(0,0)<1;1,0>
    shl (M1, 8) OFF(0,0)<1> OFF(0,0)<1;1,0> 0xc:uq
    add (M1, 8) A(0,0)<1> OFF(0,0)<1;1,0> PTR(0,0)<0;1,0>
    (P1) svm_scatter.4.1 (M1, 8) A.0 D.0
"""
"""A store at the beginning of each of the first N pages."""
FIRST = Argument(0)
BUFFER_OF_64 = "arg0=64"
SURFACE_OF_64 = "0=64"


def asked(body: str, *sizes: str) -> BoundsAnswers:
    """A kernel with argument 0 as `T6` and at PTR, of which these sizes are stated."""
    kernel = read_kernel(f"{HEAD}{body}    ret (M1, 1)\n", "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [("PTR", BufferAddress(FIRST)), ("OFFSET", BufferOffset(FIRST))])
    stated = StatedLaunch(tuple(map(parse_size_option, sizes)), align=4)
    return ask_bounds(kernel, Platform.TGLLP, replace(launch, binding_table={0: 0}), Assume.NONE, stated, 5_000)


def last(body: str, *sizes: str) -> Answer:
    """Whether the last message stays inside."""
    answers = asked(body, *sizes)
    *_, finding = answers.answers()
    kind = "inside" if isinstance(finding.bounds, Holds) else type(finding.bounds).__name__.lower()
    return Answer(kind, frozenset(one.name for one in answers.start.assumed))


def test_an_offset_is_added_to_what_has_the_stated_size() -> None:
    """The size of the argument is that of its buffer, and the size of the surface says nothing of the offset."""
    with_it, without = (last(BELOW_64 + AT_OFFSET, size) for size in (BUFFER_OF_64, SURFACE_OF_64))
    assert with_it.right
    assert "stated-offset" in with_it.premises
    assert without.verdict == "outside"
    assert "stated-offset" not in without.premises


def test_the_size_of_a_surface_is_that_of_its_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    both = BELOW_64 + AT_SURFACE + AT_ADDRESS
    found = last(both, SURFACE_OF_64)
    assert found.right
    assert "same-size" in found.premises
    monkeypatch.setattr(buffers, "_surfaces_of_arguments", lambda *_: ())
    found = last(both, SURFACE_OF_64)
    assert found.verdict == "outside"
    assert "same-size" not in found.premises


def test_a_size_of_all_that_addresses_reach_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes have 40 bits: without the premise 4096·N is cut off there."""
    found = last(PAGE, "arg0=4096*N")
    assert found.right
    assert "buffers-below" in found.premises
    monkeypatch.setattr(buffers, "LARGEST", 1 << 64)
    found = last(PAGE, "arg0=4096*N")
    assert found.verdict == "outside"
    assert "buffers-below" not in found.premises


def test_a_size_that_is_named_need_not_be_one_that_there_is() -> None:
    """It is at most 2^40 - 1 if a buffer has so many bytes: the premise stands beside the answer (test_long_sizes)."""
    assert "buffers-below" in last(PAGE).premises


@pytest.mark.parametrize(("begin", "missed"), [(1 << 32, 0), ((1 << 64) - 64, 0), ((1 << 64) - 32, 1)])
def test_a_buffer_beyond_the_last_address_is_left(begin: int, missed: int) -> None:
    """A run of a kernel that is called inside, with a buffer of 64 bytes at three places."""
    answers = asked(BELOW_64 + AT_ADDRESS, BUFFER_OF_64)
    (finding,) = answers.answers()
    assert isinstance(finding.bounds, Holds)
    assert "buffers-end" in {one.name for one in answers.start.assumed}
    (question,) = answers.questions
    indices = {answers.start.initial("IDX", 4 * lane)[0]: 2 * lane for lane in range(8)}
    values: Values = {answers.start.initial("PTR", 0)[0]: begin, **indices}
    state = state_of(answers.asked, question.performed, values)
    state.surfaces[FLAT] = BufferSpace(1 << 64, windows=windows(question.buffers, values))
    state.exec_mask = 0xFF
    assert sum(bool(message.misses) for message in run(answers.kernel, state).performed) == missed


def test_numbers_of_a_counter_are_as_near_as_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """2^17 numbers apart, their products with 2^15 are one modulo 2^32."""
    body = COUNT + DWORDS.replace("0x2", "0xf") + SCATTER
    (finding,) = ask_counters(body).answers()
    assert isinstance(finding.answer, Free)
    monkeypatch.setattr(tickets, "MEANWHILE_BITS", 17)
    (finding,) = ask_counters(body).answers()
    assert not isinstance(finding.answer, Free)
