"""Private memory behind `%scratch`: nobody else sees it, and what a thread loads there is what it stored last."""

from collections.abc import Iterable
from random import Random

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.uninitialised_runs import dependence
from visaproof.analysis.bounds.verdicts import Holds, InBounds, Outside
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Free
from visaproof.execution.arguments import prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.payload import Program as Launched
from visaproof.execution.run import Ran, run_launch
from visaproof.execution.shape import Shape
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import SCRATCH
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, LaunchValue
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Verdict
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl A v_type=G type=ud num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=16 align=GRF
.decl I v_type=G type=ud num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=16 align=GRF
.decl Y v_type=G type=ud num_elts=16 align=GRF
.decl S v_type=G type=ud num_elts=1
.decl H v_type=G type=ud num_elts=1
.decl OWN v_type=G type=uq num_elts=1 align=qword
.decl W v_type=G type=uq num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input OWN offset=128 size=8
.kernel_attr SimdSize=8
.kernel_attr SpillMemOffset=128
.function "k"
_main:
mul (M1_NM, 8) A(0,0)<1> 0x76543210:v 0x4:uw
mov (M1_NM, 8) B(0,0)<1> A(0,0)<1;1,0>
movs (M1_NM, 1) T6(0) 0x0:ud
movs (M1_NM, 1) T7(0) 0x1:ud
gather4_scaled.R (M1, 8) T7 0x0:ud B.0 I.0
and (M1_NM, 8) I(0,0)<1> I(0,0)<1;1,0> 0x3:d
"""
"""I[lane] is an index of an array of four elements, of which that of lane l begins at byte 4·l of its 32."""

BASE = "and (M1_NM, 1) S(0,0)<1> %r0(0,5)<0;1,0> 0xfffffc00:d\nadd (M1_NM, 8) A(0,0)<1> A(0,0)<1;1,0> S(0,0)<0;1,0>\n"
INDEXED = "mul (M1_NM, 8) Y(0,0)<1> I(0,0)<1;1,0> 0x20:uw\nadd (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> A(0,0)<1;1,0>\n"
RESULT = "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 X.0\n"


def fill(elements: Iterable[int] = range(4)) -> str:
    """Element k becomes k + 5."""
    return "".join(
        f"mov (M1, 8) X(0,0)<1> {k + 5:#x}:d\nscatter4_scaled.R (M1, 8) %scratch {32 * k:#x}:ud A.0 X.0\n"
        for k in elements
    )


LOAD = f"{INDEXED}gather4_scaled.R (M1, 8) %scratch 0x0:ud Y.0 X.0\n"
IN_ARRAY = BASE + fill() + LOAD + RESULT
IN_REGISTERS = f"add (M1, 8) X(0,0)<1> I(0,0)<1;1,0> 0x5:d\n{RESULT}"

ADDRESSES = "mov (M1_NM, 8) W(0,0)<1> {of}(0,0)<1;1,0>\nadd (M1_NM, 8) W(0,0)<1> W(0,0)<1;1,0> OWN(0,0)<0;1,0>\n"
IN_FLAT_ARRAY = (
    "".join(
        f"mov (M1, 8) X(0,0)<1> {k + 5:#x}:d\nadd (M1_NM, 8) Y(0,0)<1> A(0,0)<1;1,0> {32 * k:#x}:d\n"
        + ADDRESSES.format(of="Y")
        + "svm_scatter.4.1 (M1, 8) W.0 X.0\n"
        for k in range(4)
    )
    + INDEXED
    + ADDRESSES.format(of="Y")
    + f"svm_gather.4.1 (M1, 8) W.0 X.0\n{RESULT}"
)

HANDLE = "shr (M1_NM, 1) H(0,0)<1> %r0(0,5)<0;1,0> 0x4:uw\n"
BY_HANDLE = (
    HANDLE
    + "".join(
        f"mov (M1, 8) X(0,0)<1> {k + 5:#x}:d\nlsc_store.ugm (M1, 8) ss(H)[A+{32 * k:#x}]:a32 X:d32\n" for k in range(4)
    )
    + f"{INDEXED}lsc_load.ugm (M1, 8) X:d32 ss(H)[Y]:a32\n{RESULT}"
)


def program(body: str, platform: Platform = Platform.DG2) -> Program:
    kernel = read_kernel(f"{HEAD}{body}ret (M1, 1)\n", "k.visaasm", grf_bytes=platform.grf_bytes)
    launch = NOTHING_KNOWN.with_inputs(kernel, [("OWN", LaunchValue.PRIVATE_BASE)])
    named = {0: "out", 1: "index"}
    return Program(kernel, replace(launch, binding_table={0: 0, 1: 1}, arg_names=named, simd=8), platform)


def asked(source: str, target: str, platform: Platform = Platform.DG2) -> Verdict:
    return decide(compare(program(source, platform), program(target, platform), Scope(Assume.NONE)), 5_000)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("other", [IN_ARRAY, IN_REGISTERS, IN_FLAT_ARRAY], ids=["itself", "registers", "64 bits"])
def test_where_an_array_lies_is_not_seen(other: str) -> None:
    assert isinstance(asked(IN_ARRAY, other), Refines)
    assert isinstance(asked(other, IN_ARRAY), Refines)


@pytest.mark.slow
def test_neither_is_it_where_messages_name_it_by_a_handle() -> None:
    assert isinstance(asked(BY_HANDLE, IN_REGISTERS), Refines)
    assert isinstance(asked(IN_REGISTERS, BY_HANDLE), Refines)


@pytest.mark.parametrize(
    "wrong",
    [
        IN_ARRAY.replace("0x5:d", "0x4:d"),
        IN_ARRAY.replace("%scratch 0x40:ud", "%scratch 0x44:ud"),
        BY_HANDLE.replace("[A+0x20]", "[A+0x0]"),
    ],
    ids=["another value", "into the element of another lane", "over another element"],
)
def test_what_was_stored_elsewhere_is_a_difference_that_replays(wrong: str) -> None:
    comparison = compare(program(IN_REGISTERS), program(wrong), Scope(Assume.NONE))
    verdict = decide(comparison, 5_000)
    assert isinstance(verdict, Difference)
    assert replay_refinement(refinement_record(comparison, verdict, "they differ"), "k.json") == ()


@pytest.mark.slow
def test_what_nothing_stored_is_a_choice() -> None:
    """A target may be what it is for one choice, though of what several loads bring that is not proved: they may hang
    together.  A source that does not choose has to be met."""
    unwritten = BASE + fill(range(3)) + LOAD + RESULT
    assert isinstance(asked(unwritten, IN_REGISTERS), Refines | Unknown)
    assert isinstance(asked(IN_REGISTERS, unwritten), Difference)


@pytest.mark.parametrize(
    "handle",
    [
        "",
        HANDLE.replace("0x4:uw", "0x5:uw"),
        HANDLE.replace("(0,5)", "(0,4)"),
        HANDLE + "add (M1_NM, 1) H(0,0)<1> H(0,0)<0;1,0> 0x40:d\n",
        "(P1) " + HANDLE,
        "mov (M1_NM, 1) %r0(0,5)<1> 0x40:ud\n" + HANDLE,
    ],
)
def test_another_surface_by_a_handle_is_not_modelled(handle: str) -> None:
    body = BY_HANDLE.replace(HANDLE, handle)
    head = HEAD.replace(".decl T6", ".decl P1 v_type=P num_elts=8\n.decl T6")
    kernel = read_kernel(f"{head}{body}ret (M1, 1)\n", "k.visaasm")
    one = replace(program(IN_ARRAY), kernel=kernel)
    with pytest.raises(NotModelled, match=r"ss\("):
        decide(compare(one, one, Scope(Assume.NONE)), 5_000)


# ---------------------------------------------------------------- of one kernel


def in_bounds(body: str) -> list[InBounds]:
    one = program(body)
    answers = ask_bounds(one.kernel, one.platform, one.launch, Assume.NONE, StatedLaunch(), 5_000)
    return [found.bounds for found in answers.answers() if "%scratch" in found.surfaces]


@pytest.mark.parametrize("body", [IN_ARRAY, BY_HANDLE], ids=["surface", "handle"])
def test_lanes_keep_apart_and_inside(body: str) -> None:
    one = program(body)
    answers = ask_kernel(one.kernel, one.platform, one.launch, Assume.NONE, 5_000)
    assert all(isinstance(found.answer, Free) for found in answers.answers())
    assert len(in_bounds(body)) == 5
    assert all(isinstance(found, Holds) for found in in_bounds(body))


def test_what_is_left_there_is_no_sign_that_unwritten_bits_matter() -> None:
    """X is stored before anything wrote it, and nothing else depends on it."""
    one = program(BASE + "scatter4_scaled.R (M1, 8) %scratch 0x0:ud A.0 X.0\n")
    answers = ask_bounds(one.kernel, one.platform, NOTHING_KNOWN, Assume.NONE, StatedLaunch(), 5_000)
    assert [dependence(answers, entry) for entry in answers.uninitialised if entry.variable == "X"] == [None]


@pytest.mark.parametrize("body", [IN_ARRAY, BY_HANDLE], ids=["surface", "handle"])
def test_an_index_that_is_not_cut_leaves_it(body: str) -> None:
    *stores, load = in_bounds(INDEX_UP_TO_SEVEN + body)
    assert all(isinstance(found, Holds) for found in stores)
    assert isinstance(load, Outside)


INDEX_UP_TO_SEVEN = "or (M1_NM, 8) I(0,0)<1> I(0,0)<1;1,0> 0x4:d\n"


# ---------------------------------------------------------------- whole launches


def ran(body: str, indices: bytes, platform: Platform = Platform.DG2) -> list[tuple[Ran, bytes]]:
    """How a launch of four threads in two groups ends on either engine, and what it leaves."""
    one = program(body, platform)
    found: list[tuple[Ran, bytes]] = []
    for run in (run_launch, run_on_arrays):
        values, memory = prepare(
            Launched(one.kernel, one.launch, platform), Shape((32, 1, 1), (16, 1, 1)), {}, {0: bytes(32), 1: indices}
        )
        found.append((run(Launched(one.kernel, one.launch, platform), values, memory), bytes(memory.buffers[0].data)))
    return found


@pytest.mark.parametrize("body", [IN_ARRAY, BY_HANDLE, IN_REGISTERS], ids=["surface", "handle", "registers"])
def test_launches_bring_what_was_stored(body: str) -> None:
    indices = Random(1).randbytes(32)
    expected = b"".join((indices[4 * lane] % 4 + 5).to_bytes(4, "little") for lane in range(8))
    for one, left in ran(body, indices):
        assert (one.undefined, one.races, one.uninitialised, left) == (None, (), (), expected)


@pytest.mark.parametrize("body", [IN_ARRAY, BY_HANDLE], ids=["surface", "handle"])
def test_a_launch_that_leaves_it_has_no_meaning(body: str) -> None:
    for one, _ in ran(INDEX_UP_TO_SEVEN + body, bytes(32)):
        assert one.undefined is not None
        assert "are not in private memory of the thread, which has 0x80 bytes" in one.undefined.message


def test_reads_of_what_nothing_stored_are_noted() -> None:
    """By the engine that looks."""
    (one, _), _ = ran(BASE + fill(range(3)) + LOAD + RESULT, bytes([3] * 32))
    assert [noted.memory for noted in one.uninitialised] == ["private memory of the thread"]


def test_its_size_has_to_be_known() -> None:
    with pytest.raises(NotModelled, match="private memory of unknown size"):
        _run_without_size()


def test_the_launch_says_its_size_where_the_kernel_does_not() -> None:
    _run_without_size(128)
    with pytest.raises(NotModelled, match="private memory of unknown size"):
        _run_without_size(0)
    one = without_size(128)
    answers = ask_bounds(one.kernel, one.platform, one.launch, Assume.NONE, StatedLaunch(), 5_000)
    found = [each.bounds for each in answers.answers() if each.surfaces == (SCRATCH,)]
    assert len(found) == 5
    assert all(isinstance(each, Holds) for each in found)


def test_other_sizes_of_it_are_a_premise() -> None:
    alike, unlike = (
        compare(without_size(128), without_size(size, "mov (M1_NM, 1) S(0,0)<1> 0x0:ud\n"), Scope(Assume.NONE)).assumed
        for size in (128, 256)
    )
    assert "scratch-sizes" not in {one.name for one in alike}
    assert "has 128 bytes behind %scratch in the source, 256 in the target" in "".join(map(str, unlike))


def without_size(handed: int, more: str = "") -> Program:
    """The kernel does not say how much it has, and is handed so much."""
    one = program(more + IN_ARRAY)
    kernel = replace(one.kernel, attributes={"SimdSize": 8})
    return replace(one, kernel=kernel, launch=replace(one.launch, scratch_bytes=handed))


def _run_without_size(handed: int = 0) -> None:
    one = without_size(handed)
    launched = Launched(one.kernel, one.launch, one.platform)
    values, memory = prepare(launched, Shape((8, 1, 1), (8, 1, 1)), {}, {0: bytes(32), 1: bytes(32)})
    run_launch(launched, values, memory)
