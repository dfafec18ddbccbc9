"""The number of a thread in its group, which devices since XeHP have in r0: it follows from the ids of the lanes."""

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.analysis.surface_sizes import parse_amount
from visaproof.isa.platform import THREAD_NUMBER_BYTE, Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.ids.launched_start import LaunchedStart, launched_start
from visaproof.launch.ids.local_ids import LaidOut, Triple
from visaproof.launch.launch import NOTHING_KNOWN, Launch, parse_input_option
from visaproof.smt import Term, symbol
from visaproof.smt.evaluate import evaluate, evaluate_all
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl B v_type=G type=ub num_elts=32 alias=<%r0, 0>
.decl D v_type=G type=ud num_elts=8 alias=<%r0, 0>
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl R v_type=G type=uw num_elts=16 align=GRF
.input X offset=64 size=32
.kernel_attr SimdSize=16
.function "k"
_main:
"""
NUMBER = "mov (M1_NM, 1) R(0,0)<1> B(0,8)<0;1,0>\n"
GROUP = "mov (M1_NM, 1) R(0,0)<1> D(0,1)<0;1,0>\n"
IDS = "mov (M1, 16) R(0,0)<1> X(0,0)<1;1,0>\n"


def started(
    body: str,
    size: Triple | None = None,
    platform: Platform | None = Platform.DG2,
    lifted: frozenset[str] = frozenset(),
) -> LaunchedStart:
    code = read_kernel(f"{HEAD}{body}ret (M1, 1)\n", "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(code, [parse_input_option("X=local_id_x")])
    return launched_start(code, replace(launch, simd=16, platform=platform, group_size=size), 16, lifted)


def number(found: LaunchedStart) -> object:
    return found.words.get(("%r0", THREAD_NUMBER_BYTE))


@pytest.mark.parametrize("size", [None, (1, 1, 1), (16, 1, 1), (40, 1, 1), (512, 1, 1), (1024, 1, 1)])
@pytest.mark.parametrize("body", [NUMBER, NUMBER + IDS])
def test_it_is_that_of_the_thread_with_these_ids(body: str, size: Triple | None) -> None:
    """Whether or not the kernel reads its ids, and whether or not the local size is known."""
    found = started(body, size)
    assert found.group is not None
    assert found.group.launched is not None
    launched, word = found.group.launched, found.words["%r0", THREAD_NUMBER_BYTE]
    for extent in (1, 24, 512, 1024) if size is None else (size[0],):
        rows = LaidOut(Platform.DG2, 16, 3).layout((extent, 1, 1))
        for thread, row in enumerate(rows):
            width = 6 if size is None else (len(rows) - 1).bit_length()
            values: dict[Term, int] = {symbol("thread_in_group", width): thread} if width else {}
            values |= {symbol("local_size_x", 16): extent}
            assert all(evaluate_all(launched.facts, values))
            assert evaluate(word, values) == thread
            on = evaluate_all(launched.on, values)
            x = evaluate_all([ids[0] for ids in launched.ids], values)
            assert [one and (one[0],) for one in row] == [
                (at,) if is_on else None for is_on, at in zip(on, x, strict=False)
            ]


def test_of_ids_in_several_dimensions_it_is_a_digit_sum_where_the_size_is_known() -> None:
    """8×4 at 16 lanes: each thread has two rows."""
    found = started(NUMBER + IDS, (8, 4, 1))
    assert found.group is not None
    assert found.group.launched is not None
    word = found.words["%r0", THREAD_NUMBER_BYTE]
    assert [evaluate(word, {symbol("thread_in_group", 1): thread}) for thread in range(2)] == [0, 1]


@pytest.mark.parametrize(
    "found",
    [
        started(NUMBER, platform=Platform.TGLLP),
        started(NUMBER, platform=None),
        started(GROUP),
        started(IDS),
        started(NUMBER, lifted=frozenset(("first-lanes", "local-ids"))),
    ],
)
def test_elsewhere_nothing_is_said_of_it(found: LaunchedStart) -> None:
    """Earlier and unknown devices, kernels that do not read it, and lanes that may run any items."""
    assert number(found) is None


FIRST_OF_SUB_GROUP = """.version 4.1
.kernel "k"
.decl B v_type=G type=ub num_elts=32 alias=<%r0, 0>
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl W v_type=G type=ud num_elts=1 align=GRF
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1_NM, 1) W(0,0)<1> B(0,8)<0;1,0>
    mul (M1_NM, 1) W(0,0)<1> W(0,0)<0;1,0> 0x8:ud
    mul (M1, 8) A(0,0)<1> %r0(0,1)<0;1,0> {local}:ud
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> W(0,0)<0;1,0>
    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0
    ret (M1, 1)
"""


@pytest.mark.parametrize(("bytes_given", "expected"), [(4 * 512 - 28, True), (4 * 512 - 32, False)])
def test_bounds_knows_where_the_last_sub_group_begins(bytes_given: int, expected: bool) -> None:
    """512 work items in groups of 64, at 8 lanes: item 504 is the first of the last sub-group."""
    launch = Launch(
        simd=8, group_size=(64, 1, 1), binding_table={0: 0}, arg_names={0: "dst"}, platform=Platform.DG2,
    )  # fmt: skip
    sizes = (("dst", parse_amount(str(bytes_given), "--size")),)
    stated = StatedLaunch(sizes, (parse_amount("512", "--global-size"),))
    kernel = read_kernel(FIRST_OF_SUB_GROUP.format(local="0x40"), "k.visaasm")
    answers = ask_bounds(kernel, Platform.DG2, launch, Assume.LAUNCH, stated, 5000)
    assert not answers.vacuous
    assert all(isinstance(one.bounds, Holds) for one in answers.answers()) is expected
