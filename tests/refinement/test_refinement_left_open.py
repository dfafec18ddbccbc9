"""What a kernel leaves open: uninitialised values, the order of atomics, writes of others, what a sampler reads."""

import pytest
from msgspec.structs import replace

from tests.support.differences import byte_of
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue, BufferAddress, LaunchValue
from visaproof.launch.matching import Program
from visaproof.machine.concrete.run import run
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.runs import again
from visaproof.refinement.verdicts import Difference, Refines, Resynchronised, Unknown, Verdict
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=GRF
.decl OWN v_type=G type=uq num_elts=1 align=GRF
.decl AT v_type=G type=ud num_elts=16 align=GRF
.decl X v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=ud num_elts=16 align=GRF
.decl C v_type=G type=ud num_elts=16 align=GRF
.decl Y v_type=G type=d num_elts=16 align=GRF
.decl Z v_type=G type=d num_elts=16 align=GRF
.decl A v_type=G type=uq num_elts=16 align=GRF
.decl L v_type=G type=uq num_elts=1 align=GRF
.decl F v_type=G type=f num_elts=32 align=GRF
.decl G v_type=G type=f num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.input PTR offset=32 size=8
.input OWN offset=40 size=8
.input AT offset=64 size=64
.input X offset=128 size=64
.kernel_attr SimdSize=16
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
movs (M1_NM, 1) S0(0) 0x0:ud
"""


def program(body: str, bti: int = 0) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    meanings = [
        ("PTR", BufferAddress(Argument(0))),
        ("OWN", LaunchValue.PRIVATE_BASE),
        ("AT", ArgumentValue(Argument(2))),
        ("X", ArgumentValue(Argument(3))),
    ]
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, meanings), binding_table={bti: 0})
    return Program(kernel, launch, Platform.DG2)


GUESSING_MS = 2_000
"""For a question that terms decide not to be a proof: what is left of the time goes into random testing."""


def asked(
    source: str, target: str, forbidden: frozenset[UndefinedKind] = FORBIDDEN, timeout_ms: int = 10_000
) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE, forbidden)), timeout_ms)


PLACES = """mul (M1, 16) B(0,0)<1> AT(0,0)<0;1,0> 0x80:ud
add (M1_NM, 8) C(0,0)<1> 0x76543210:uv 0x0:ud
add (M1_NM, 8) C(1,0)<1> 0x76543210:uv 0x8:ud
shl (M1, 16) C(0,0)<1> C(0,0)<1;1,0> 0x2:ud
add (M1, 16) B(0,0)<1> B(0,0)<1;1,0> C(0,0)<1;1,0>
add (M1, 16) C(0,0)<1> B(0,0)<1;1,0> 0x40:ud
"""
"""B: sixteen dwords, one for each lane; C: the sixteen behind them."""


def stored(place: str, value: str) -> str:
    return f"scatter4_scaled.R (M1, 16) T6 0x0:ud {place}.0 {value}.0\n"


# ---------------------------------------------------------------- uninitialised values


def doubled(register: str, factor: str) -> str:
    """A float that nothing wrote, times a constant."""
    product = f"mul (M1, 16) G(0,0)<1> {register}<1;1,0> {factor}:f\n"
    return PLACES + product + stored("B", "G")


@pytest.mark.slow
def test_a_result_on_what_nothing_wrote_is_left_open_too() -> None:
    """Runs that find other numbers there and differ are no difference; the source may find the same."""
    assert isinstance(asked(doubled("F(0,0)", "0x40000000"), doubled("F(2,0)", "0x40000000")), Refines)


@pytest.mark.slow
def test_thrice_an_uninitialised_float_is_not_twice_another() -> None:
    """By IEEE 754, to which results are held for this: an odd denormal is no double, and most other numbers are one."""
    found = asked(doubled("F(0,0)", "0x40000000"), doubled("F(0,0)", "0x40400000"), timeout_ms=GUESSING_MS)
    assert isinstance(found, Difference)
    assert found.whatever_found
    assert byte_of(found).target == 3  # the smallest denormal, times 3


@pytest.mark.slow
def test_the_source_may_find_what_the_target_finds_where_nothing_wrote() -> None:
    """∀ choices of the target ∃ choices of the source: one that is stored twice is no two, but two may be one."""
    once, twice = (PLACES + stored("B", "Y") + stored("C", other) for other in ("Y", "Z"))
    found = asked(twice, once)
    assert isinstance(found, Refines), found
    assert "uninitialised values being what the target has" in found.by
    assert isinstance(asked(once, once), Refines)
    assert isinstance(asked(once, twice), Difference)


def test_a_choice_is_seen_through_what_is_loaded_and_computed() -> None:
    def through(one: str, other: str) -> str:
        load = f"and (M1, 16) {one}(0,0)<1> {one}(0,0)<1;1,0> 0x3c:d\n"
        load += f"add (M1, 16) C(0,0)<1> C(0,0)<1;1,0> {one}(0,0)<1;1,0>\n"
        return PLACES + load + f"gather4_scaled.R (M1, 16) T6 0x0:ud C.0 {other}.0\n" + stored("B", other)

    assert isinstance(asked(through("Y", "Z"), through("Z", "Y")), Refines)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("number", "differs"), [(0x10, True), (0x5, False)])
def test_what_no_choice_of_the_source_gives_is_a_difference(number: int, differs: bool) -> None:
    """The source stores four bits of uninitialised values: any of sixteen numbers."""
    few = PLACES + "and (M1, 16) Y(0,0)<1> Y(0,0)<1;1,0> 0xf:d\n" + stored("B", "Y")
    constant = PLACES + f"mov (M1, 16) Z(0,0)<1> {number:#x}:d\n" + stored("B", "Z")
    assert isinstance(asked(few, constant), Difference) is differs


def clock(opcode: str = "mov") -> str:
    """Stores the time, or what an opcode makes of it."""
    return PLACES + f"{opcode} (M1, 16) Z(0,0)<1> %tsc(0,0)<0;1,0>\n" + stored("B", "Z")


@pytest.mark.slow
@pytest.mark.parametrize("other", [PLACES + "mov (M1, 16) Z(0,0)<1> 0x5:d\n" + stored("B", "Z"), clock("not")])
def test_what_the_device_writes_is_no_choice_of_the_source(other: str) -> None:
    """The time is in a register that no launch sets, but who stores it does not store what he likes."""
    assert isinstance(asked(PLACES + stored("B", "Y"), other), Refines)
    assert isinstance(asked(clock(), "mov (M1, 16) Y(0,0)<1> 0x0:d\n" + clock()), Refines)
    assert not isinstance(asked(clock(), other, timeout_ms=GUESSING_MS), Refines)


def between(register: str, *opcodes: str, result: str = "Z") -> str:
    """Stores what opcodes make of Y and Z, two reads of a register, one after another."""
    reads = "".join(f"mov (M1, 16) {name}(0,0)<1> {register}(0,0)<0;1,0>\n" for name in ("Y", "Z"))
    steps = "".join(f"{opcode} (M1, 16) Z(0,0)<1> Y(0,0)<1;1,0> Z(0,0)<1;1,0>\n" for opcode in opcodes)
    return PLACES + reads + steps + stored("B", result)


@pytest.mark.slow
@pytest.mark.parametrize("register", ["%tsc", "%ce0"])
def test_what_the_device_writes_is_another_at_each_read(register: str) -> None:
    """The time goes on, and other lanes run; the n-th read of both kernels is one read."""
    same = PLACES + "mov (M1, 16) Z(0,0)<1> 0x0:d\n" + stored("B", "Z")
    assert not isinstance(asked(between(register, "xor"), same), Refines)
    assert not isinstance(asked(between(register), between(register, result="Y")), Refines)
    assert isinstance(
        asked(between(register, "xor"), "mov (M1, 16) C(0,0)<1> 0x0:d\n" + between(register, "xor")), Refines
    )


def test_which_lanes_run_is_no_number_of_a_run() -> None:
    """A run would find 0, and a difference that no device shows."""
    with pytest.raises(NotModelled, match="which lanes run"):
        run(program(between("%ce0")).kernel, ConcreteState(Platform.TGLLP, exec_mask=1))


@pytest.mark.slow
def test_what_nothing_wrote_may_be_forbidden() -> None:
    both = PLACES + stored("B", "Y")
    strict = FORBIDDEN | {UndefinedKind.UNINITIALISED}
    found = asked(both, PLACES + stored("C", "Z"), strict)
    assert not isinstance(found, Difference), "the source is undefined"
    assert not isinstance(asked(PLACES + stored("B", "X"), both, strict), Refines)


# ---------------------------------------------------------------- the address of a lane that may be off

FROM_LANE_0 = """mov (M1, 16) A(0,0)<1> AT(0,0)<0;1,0>
shl (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0x6:uq
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
mov (M1_NM, 1) L(0,0)<1> A(0,{lane})<0;1,0>
svm_block_st (4) L(0,0)<0;1,0> X.0
"""
ALWAYS_THERE = FROM_LANE_0.replace("(M1, 16)", "(M1_NM, 16)")


def test_the_address_of_a_lane_that_may_be_off_is_not_modelled() -> None:
    """Where the lane is off, the address is an uninitialised value, which is of no known buffer."""
    pair = program(FROM_LANE_0.format(lane=0)), program(ALWAYS_THERE.format(lane=1))
    with pytest.raises(NotModelled, match="not one buffer's plus an offset"):
        decide(compare(*pair, Scope(Assume.NONE)), 10_000)


def test_a_block_at_an_address_of_no_lane_needs_none() -> None:
    comparison = compare(program(ALWAYS_THERE.format(lane=0)), program(ALWAYS_THERE.format(lane=1)), Scope(Assume.NONE))
    assert isinstance(decide(comparison, 10_000), Refines)


# ---------------------------------------------------------------- the order of atomics

ADD = """add (M1_NM, 8) C(0,0)<1> 0x76543210:uv 0x0:ud
add (M1_NM, 8) C(1,0)<1> 0x76543210:uv 0x0:ud
shl (M1_NM, 16) C(0,0)<1> C(0,0)<1;1,0> 0x2:ud
"""
"""A lane of each half has one place."""

WHOLE = ADD + "lsc_atomic_iadd.ugm (M1, 16) Y:d32 bti(0x0)[C]:a32 X %null\n"
HALVES = (
    ADD
    + "lsc_atomic_iadd.ugm (M1, 8) Y:d32 bti(0x0)[C]:a32 X %null\n"
    + "lsc_atomic_iadd.ugm (M3, 8) Y.32:d32 bti(0x0)[C.32]:a32 X.32 %null\n"
)
KEPT = PLACES.replace("C(", "Z(").replace("Z(0,0)<1> B", "B(0,0)<1> B") + stored("B", "Y")


@pytest.mark.slow
def test_lanes_of_one_atomic_take_turns_in_any_order_and_of_two_in_that_of_the_program() -> None:
    """Splitting fixes an order between the halves: undoing it does not, which a run from the last lane on shows."""
    comparison = compare(program(HALVES + KEPT), program(WHOLE + KEPT), Scope(Assume.NONE))
    found = decide(comparison, 10_000)
    assert isinstance(found, Difference), found
    assert found.backwards
    assert again(comparison, found) == found
    assert not isinstance(asked(WHOLE + KEPT, HALVES + KEPT), Difference)


# ---------------------------------------------------------------- other threads

SLM_STORE = "scatter4_scaled.R (M1, 16) %slm 0x0:ud B.0 X.0\n"
SLM_LOAD = "gather4_scaled.R (M1, 16) %slm 0x0:ud C.0 Y.0\n"


def test_a_further_barrier_lets_threads_do_less() -> None:
    race, fixed = PLACES + SLM_STORE + SLM_LOAD + stored("B", "Y"), PLACES + SLM_STORE + "barrier\n" + SLM_LOAD
    fixed += stored("B", "Y")
    comparison = compare(program(race), program(fixed), Scope(Assume.NONE))
    assert isinstance(decide(comparison, 10_000), Refines)
    assert any("other threads may write" in one for one in map(str, comparison.assumed))
    assert isinstance(asked(fixed, race), Resynchronised)


@pytest.mark.slow
def test_beside_a_further_barrier_messages_keep_their_order_and_nothing_is_forwarded() -> None:
    forwarded = PLACES + SLM_STORE + "barrier\n" + stored("C", "X")
    loaded = PLACES + SLM_STORE + SLM_LOAD.replace("C.0", "B.0") + stored("C", "Y")
    assert not isinstance(asked(loaded, forwarded), Refines), "another thread may have written in between"
    first, second = stored("B", "X"), stored("C", "X")
    assert not isinstance(asked(PLACES + first + second, PLACES + second + "barrier\n" + first), Refines)
    assert isinstance(asked(PLACES + first + second, PLACES + first + "barrier\n" + second), Refines)


@pytest.mark.slow
def test_a_further_barrier_that_some_threads_miss_is_refused() -> None:
    missed = "cmp.gt (M1, 16) P1 X(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, 16) _on\nbarrier\n_on:\n"
    found = asked(PLACES + stored("B", "X"), PLACES + missed + stored("B", "X"))
    assert isinstance(found, Unknown)
    assert "not every run comes to" in found.reason


# ---------------------------------------------------------------- reads through the sampler

LZ = "sample_lz.R (M1, 8) 0x0:uw S0 T6 G.0 F.0 F.32\n"
LEVEL = "mov (M1, 8) F(2,0)<1> {}:f\nsample_l.R (M1, 8) 0x0:uw S0 T6 G.0 F.64 F.0 F.32\n"
BRINGS = "mov (M1, 8) F(0,0)<1> X(0,0)<1;1,0>\nmov (M1, 8) F(1,0)<1> X(1,0)<1;1,0>\n"
STORES = "scatter4_typed.R (M1, 8) T6 AT.0 X.0 %null.0 %null.0 G.0\n"


@pytest.mark.slow
def test_a_sample_at_level_0_is_one_without_a_level() -> None:
    zero, one = (BRINGS + LEVEL.format(level) + STORES for level in ("0x0", "0x3f800000"))
    assert isinstance(asked(BRINGS + LZ + STORES, zero), Refines)
    assert not isinstance(asked(BRINGS + LZ + STORES, one), Refines)


@pytest.mark.slow
def test_a_read_before_the_first_store_brings_what_was_there() -> None:
    before = BRINGS + LZ + STORES
    assert isinstance(asked(before, before), Refines)
    behind = BRINGS + STORES.replace("G.0", "F.0") + LZ.replace("G.0", "F.64") + STORES.replace("G.0", "F.64")
    behind = behind.replace("AT.0 X.0", "X.0 AT.0", 1)
    other = behind.replace("G.0 F.0 F.32", "G.0 F.32 F.0")
    assert not isinstance(asked(before, behind), Refines)
    assert isinstance(asked(behind, other), Refines | Unknown)
