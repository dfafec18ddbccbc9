"""Buffers that are reached by surface and by 64-bit address, private memory, atomics and barriers."""

import pytest
from msgspec.structs import replace

from tests.support.differences import in_memory
from visaproof.checking.stages import Values
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue, BufferAddress, LaunchValue
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.places import ALWAYS, Condition
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.runs import trial
from visaproof.refinement.verdicts import Difference, OutsideBuffers, Refines, TargetUndefined, Unknown, Verdict
from visaproof.semantics.symbolic.names import surface_size
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=GRF
.decl OTHER v_type=G type=uq num_elts=1 align=GRF
.decl OWN v_type=G type=uq num_elts=1 align=GRF
.decl AT v_type=G type=d num_elts=8 align=GRF
.decl X v_type=G type=d num_elts=8 align=GRF
.decl B v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl W v_type=G type=q num_elts=8 align=GRF
.decl A v_type=G type=q num_elts=8 align=GRF
.decl S v_type=G type=q num_elts=8 align=GRF
.decl U v_type=G type=ud num_elts=8 align=GRF alias=<AT,0>
.decl PH v_type=G type=ud num_elts=2 align=GRF alias=<PTR,0>
.decl OH v_type=G type=ud num_elts=2 align=GRF alias=<OWN,0>
.decl AH v_type=G type=ud num_elts=16 align=GRF alias=<A,0>
.decl T6 v_type=T num_elts=1
.input PTR offset=32 size=8
.input OTHER offset=40 size=8
.input OWN offset=48 size=8
.input AT offset=64 size=32
.input X offset=96 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""

SURFACE = "shl (M1, 8) B(0,0)<1> AT(0,0)<1;1,0> 0x2:d\n"
SURFACE_STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 X.0\n"


def address(pointer: str, index: str = "AT", name: str = "A") -> str:
    """The pointer plus four times a signed or unsigned index, in 64 bits."""
    return (
        f"mov (M1, 8) W(0,0)<1> {index}(0,0)<1;1,0>\n"
        "shl (M1, 8) W(0,0)<1> W(0,0)<1;1,0> 0x2:q\n"
        f"add (M1, 8) {name}(0,0)<1> W(0,0)<1;1,0> {pointer}(0,0)<0;1,0>\n"
    )


STORE = "svm_scatter.4.1 (M1, 8) A.0 X.0\n"
IDLE = "mov (M1_NM, 8) B(0,0)<1> 0x0:d\n"
"""It makes another text of a kernel, which does the same."""

OWN_SLOT = (
    "mov (M1_NM, 8) Y(0,0)<1> 0x76543210:v\nmov (M1_NM, 8) W(0,0)<1> Y(0,0)<1;1,0>\n"
    "shl (M1_NM, 8) W(0,0)<1> W(0,0)<1;1,0> 0x2:q\nadd (M1_NM, 8) S(0,0)<1> W(0,0)<1;1,0> OWN(0,0)<0;1,0>\n"
)


def program(body: str) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    meanings = [
        ("PTR", BufferAddress(Argument(0))),
        ("OTHER", BufferAddress(Argument(1))),
        ("OWN", LaunchValue.PRIVATE_BASE),
        ("AT", ArgumentValue(Argument(2))),
        ("X", ArgumentValue(Argument(3))),
    ]
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, meanings), binding_table={0: 0})
    return Program(kernel, launch, Platform.DG2)


GUESSING_MS = 2_000
"""For a question that terms decide not to be a proof: what is left of the time goes into random testing."""


def asked(source: str, target: str, timeout_ms: int = 20_000) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE)), timeout_ms)


def needed(source: str, target: str) -> set[Condition]:
    """The conditions beyond those that every comparison of addresses needs."""
    verdict = asked(source, target)
    assert isinstance(verdict, Refines), verdict
    assert verdict.conditions >= ALWAYS
    return set(verdict.conditions - ALWAYS)


def test_directions_differ_in_what_they_need() -> None:
    """A surface's 32-bit offset wraps, a 64-bit address does not."""
    surface, flat = SURFACE + SURFACE_STORE, address("PTR", "U") + STORE
    assert needed(surface, flat) == {Condition.NO_WRAP}
    assert needed(flat, surface) == set()


def test_signed_and_unsigned_indices_agree_below_2_gib_in_one_direction() -> None:
    signed, unsigned = address("PTR", "AT") + STORE, address("PTR", "U") + STORE
    assert needed(signed, unsigned) == {Condition.UNDER_2_GIB}
    assert needed(unsigned, signed) == {Condition.NO_WRAP}


def test_one_addressing_needs_no_condition() -> None:
    flat = address("PTR") + STORE
    verdict = asked(flat, flat + STORE)
    assert isinstance(verdict, Refines)
    same = asked(flat, IDLE + flat)
    assert isinstance(same, Refines)
    assert not same.conditions


@pytest.mark.parametrize("wrong", [address("OTHER", "U") + STORE, address("PTR", "U") + STORE.replace("X.0", "AT.0")])
def test_another_buffer_or_value_is_a_difference(wrong: str) -> None:
    """It is shown by a run in which both stay inside."""
    verdict = asked(SURFACE + SURFACE_STORE, wrong)
    assert isinstance(verdict, Difference), verdict
    assert in_memory(verdict).source_writer or in_memory(verdict).target_writer


SPILL = OWN_SLOT + "svm_scatter.4.1 (M1, 8) S.0 X.0\n"
FILL = "svm_gather.4.1 (M1, 8) S.0 Y.0\n"


def test_private_memory_brings_back_what_was_stored_and_is_not_seen() -> None:
    direct = address("PTR") + STORE
    through = SPILL + FILL + address("PTR") + STORE.replace("X.0", "Y.0")
    for source, target in ((direct, through), (through, direct)):
        assert isinstance(asked(source, target), Refines)


def test_a_store_of_other_lanes_leaves_private_memory_as_it_was() -> None:
    """The second store happens for one lane only."""
    again = SPILL + "svm_scatter.4.1 (M1, 1) S.0 AT.0\n" + FILL + address("PTR") + STORE.replace("X.0", "Y.0")
    assert isinstance(asked(address("PTR") + STORE, again), Difference)


@pytest.mark.slow
def test_private_memory_that_nothing_wrote_proves_nothing() -> None:
    """Two kernels that read it may find different things there."""
    reads = OWN_SLOT + FILL + address("PTR") + STORE.replace("X.0", "Y.0")
    assert isinstance(asked(reads, IDLE + reads), Unknown)


@pytest.mark.slow
def test_two_loads_of_one_place_in_private_memory_that_nothing_wrote_bring_the_same() -> None:
    """The source stores twice what it finds there, and 1 and 2 are not the same; nor do lanes find unlike things."""
    twice = address("PTR") + STORE.replace("X.0", "Y.0") + address("OTHER") + STORE.replace("X.0", "B.0")
    numbers = "mov (M1, 8) Y(0,0)<1> 0x1:d\nmov (M1, 8) B(0,0)<1> 0x2:d\n"
    loads = OWN_SLOT + FILL + FILL.replace("Y.0", "B.0")
    assert not isinstance(asked(loads + twice, numbers + twice, GUESSING_MS), Refines)
    at_one = "add (M1_NM, 8) S(0,0)<1> OWN(0,0)<0;1,0> 0x0:q\n" + FILL + address("PTR") + STORE.replace("X.0", "Y.0")
    assert not isinstance(asked(at_one, address("PTR") + STORE, GUESSING_MS), Refines)


NUMBERED = """mul (M1_NM, 1) B(0,0)<1> %hw_id(0,0)<0;1,0> 0x200:d
mov (M1_NM, 8) Y(0,0)<1> 0x76543210:v
mad (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x4:d B(0,0)<0;1,0>
mov (M1_NM, 8) W(0,0)<1> Y(0,0)<1;1,0>
add (M1_NM, 8) S(0,0)<1> W(0,0)<1;1,0> OWN(0,0)<0;1,0>
"""
"""S: a dword for each lane in the slot of the hardware thread, whose place is computed with a sign in 32 bits."""


def test_slots_that_have_room_do_not_wrap() -> None:
    """How many bytes a slot has the launch says; else %hw_id may be so large that lanes lie 4 GiB apart."""
    direct, through = address("PTR") + STORE, NUMBERED + SPILL + FILL + address("PTR") + STORE.replace("X.0", "Y.0")
    known = [replace(one, launch=replace(one.launch, private_bytes=512)) for one in map(program, (direct, through))]
    comparison = compare(known[0], known[1], Scope(Assume.NONE))
    assert any("%hw_id < 2^22" in one.sentence for one in comparison.assumed)
    assert isinstance(decide(comparison, 20_000), Refines)
    assert not any(
        "%hw_id" in one.sentence for one in compare(program(direct), program(through), Scope(Assume.NONE)).assumed
    )
    other = replace(known[1], kernel=program(through.replace("X.0\nsvm_gather", "AT.0\nsvm_gather")).kernel)
    assert isinstance(decide(compare(known[0], other, Scope(Assume.NONE)), 20_000), Difference)


@pytest.mark.parametrize(("one", "other"), [(512, 512), (512, 4), (4, 512), (512, 0), (0, 0)])
def test_private_memory_of_another_size_is_a_premise(one: int, other: int) -> None:
    """One text with less memory for it than it uses: whether it stays inside is asked by `bounds`."""
    body = NUMBERED + SPILL + FILL + address("PTR") + STORE.replace("X.0", "Y.0")
    source, target = (
        replace(each, launch=replace(each.launch, private_bytes=size))
        for each, size in ((program(body), one), (program(IDLE + body), other))
    )
    found = {each.name: each.sentence for each in compare(source, target, Scope(Assume.NONE)).assumed}
    assert ("private-sizes" in found) is (one != other)
    assert "private-apart" in found


ATOMIC = "svm_atomic.add (M1, 8) A.0 Y.0 X.0 %null.0\n"


def test_atomics_refine_in_their_order_only() -> None:
    """Where no lanes meet, a run of the source can be only that one."""
    one = address("PTR") + ATOMIC + STORE.replace("X.0", "Y.0")
    assert isinstance(asked(one, one), Refines)
    twice = address("PTR") + ATOMIC + ATOMIC
    assert isinstance(asked(address("PTR") + ATOMIC, twice), Difference)


@pytest.mark.usefixtures("few_runs")
def test_lanes_that_always_meet_in_an_atomic_prove_nothing() -> None:
    """All lanes add at one address: which of them gets what it brings is left open."""
    every = address("PTR").replace("AT(0,0)<1;1,0>", "AT(0,0)<0;1,0>").replace("M1, 8", "M1_NM, 8")
    met = ATOMIC.replace("M1, 8", "M1_NM, 8")
    store = STORE.replace("M1, 8", "M1_NM, 1")
    assert isinstance(asked(every + met + store, every + met + store.replace("X.0", "Y.0")), Unknown)


@pytest.mark.usefixtures("few_runs")
def test_a_barrier_separates() -> None:
    flat, late = address("PTR") + STORE + "barrier\n", address("PTR") + "barrier\n" + STORE
    assert isinstance(asked(flat, flat), Refines)
    assert isinstance(asked(flat, late), Unknown)


LOW_HALF_ONLY = (
    "shl (M1, 8) B(0,0)<1> AT(0,0)<1;1,0> 0x2:d\n"
    "add (M1, 8) AH(0,0)<2> PH(0,0)<0;1,0> B(0,0)<1;1,0>\n"
    "mov (M1, 8) AH(0,1)<2> PH(0,1)<0;1,0>\n"
)


@pytest.mark.parametrize(
    "wrong",
    [
        LOW_HALF_ONLY,
        address("PTR") + "and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0xffffffff:uq\n",
        address("PTR") + "add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> OTHER(0,0)<0;1,0>\n",
        "mov (M1, 8) A(0,0)<1> AT(0,0)<1;1,0>\nshl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:q\n",
    ],
    ids=["carry", "high-half", "two-bases", "no-base"],
)
def test_an_address_that_is_at_no_offset_from_a_buffer_is_a_difference(wrong: str) -> None:
    """Nothing can be proved of it; a run shows that it does not move with the buffers."""
    verdict = asked(address("PTR") + STORE, wrong + STORE)
    assert isinstance(verdict, Difference), verdict
    assert isinstance(verdict.what, OutsideBuffers)


def test_an_address_in_private_memory_without_its_carry_is_a_difference() -> None:
    """Where private memory lies is chosen too: slots of small offsets carry only from bases near a multiple of 2^32."""
    by_halves = (
        "mov (M1_NM, 8) Y(0,0)<1> 0x76543210:v\nshl (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x2:d\n"
        "add (M1_NM, 8) AH(0,0)<2> OH(0,0)<0;1,0> Y(0,0)<1;1,0>\nmov (M1_NM, 8) AH(0,1)<2> OH(0,1)<0;1,0>\n"
    )
    texel = "scatter4_typed.R (M1, 1) T6 AT.0 %null.0 %null.0 %null.0 X.0\n"
    verdict = asked(texel, by_halves + STORE + texel)
    assert isinstance(verdict, Difference), verdict
    assert isinstance(verdict.what, OutsideBuffers)


def test_what_is_spilled_from_beyond_a_variable_is_undefined() -> None:
    """Private memory cannot be seen, but a message that reads more than its variable is undefined."""
    block = "svm_block_st (1) OWN(0,0)<0;1,0> PTR.0\n"
    verdict = asked(address("PTR") + STORE, block + address("PTR") + STORE)
    assert isinstance(verdict, Difference), verdict
    assert isinstance(verdict.what, TargetUndefined)
    assert "beyond" in verdict.what.undefined.message


def test_a_difference_behind_a_barrier_is_shown_by_a_run_without_other_threads() -> None:
    wait, other = "barrier\n" + address("PTR"), STORE.replace("X.0", "AT.0")
    assert isinstance(asked(wait + STORE, wait + other), Difference)


def test_a_run_in_which_the_source_leaves_its_surface_shows_nothing() -> None:
    """Only the target stays within what is taken for granted; the first lane is on, and its index is 0."""
    comparison = compare(program(SURFACE + SURFACE_STORE), program(address("OTHER") + STORE), Scope(Assume.NONE))
    lane: Values = {comparison.question.lanes[0]: 1}
    small: Values = lane | {surface_size("argument 0"): 0}
    assert trial(comparison, small, nothing) is None
    large: Values = small | {surface_size("argument 0"): 64}
    found = trial(comparison, large, nothing)
    assert found is not None
