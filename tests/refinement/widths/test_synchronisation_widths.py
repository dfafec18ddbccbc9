"""Barriers and fences of kernels of different SIMD widths, and memory that nobody writes."""

import pytest
from msgspec.structs import replace

from tests.refinement.widths.test_refinement_widths import LOAD, STORE, each, ids, kernel
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.launch.overlap import ArgumentInfo
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.watch import Watch
from visaproof.refinement.verdicts import Refines, Verdict
from visaproof.refinement.widths.thread_group import run_group
from visaproof.semantics.concrete.state import ConcreteState, Surface
from visaproof.semantics.concrete.surface import Buffer

FENCE = "lsc_fence.ugm.none.gpu\n"
OTHER = "movs (M1_NM, 1) T6(0) 0x0:ud\n"
BACK = "movs (M1_NM, 1) T6(0) 0x1:ud\n"


def asked(source: Program, target: Program) -> Verdict:
    return decide(compare(source, target, Scope(Assume.IDS)), 2_000)


def body(simd: int, between: str, behind: str = "") -> str:
    """A store, something, a load of what another lane may have stored, and a store of that."""
    moved = each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud")
    out = each(simd, STORE.replace("X.", "Y."))
    return ids(simd) + each(simd, STORE) + between + moved + each(simd, LOAD) + behind + moved + out


def test_fences_of_narrow_threads_stand_for_those_of_a_wide_one() -> None:
    wide, narrow = kernel(16, body(16, FENCE)), kernel(8, body(8, FENCE))
    assert isinstance(asked(wide, narrow), Refines)
    assert isinstance(asked(narrow, wide), Refines)


@pytest.mark.slow
@pytest.mark.parametrize("between", ["", FENCE.replace("gpu", "tile"), "lsc_fence.slm.none.gpu\n"])
def test_a_weaker_fence_of_narrow_threads_does_not(between: str) -> None:
    assert not isinstance(asked(kernel(16, body(16, FENCE)), kernel(8, body(8, between))), Refines)
    assert not isinstance(asked(kernel(8, body(8, FENCE)), kernel(16, body(16, between))), Refines)


def test_a_fence_puts_no_threads_in_order() -> None:
    """A load of what another thread stores races, whatever fence is between; behind a barrier it does not."""

    def shared(simd: int, between: str) -> Program:
        again = each(simd, "xor {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud")
        out = each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud") + each(simd, STORE.replace("X.", "Y."))
        return kernel(simd, ids(simd) + each(simd, STORE) + between + again + each(simd, LOAD) + out)

    assert not isinstance(asked(shared(16, FENCE), shared(8, FENCE)), Refines)
    assert isinstance(asked(shared(16, "barrier\n"), shared(8, "barrier\n")), Refines)


def test_between_a_signal_and_its_wait_nothing_is_in_order() -> None:
    """A thread that has signalled may load before another has stored; behind the wait it may not."""

    def split(simd: int, early: bool) -> Program:
        again = each(simd, "xor {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud") + each(simd, LOAD)
        out = each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud") + each(simd, STORE.replace("X.", "Y."))
        signal, wait = "sbarrier.signal\n", "sbarrier.wait\n"
        order = signal + again + wait if early else signal + wait + again
        return kernel(simd, ids(simd) + each(simd, STORE) + order + out)

    assert isinstance(asked(split(16, early=False), split(8, early=False)), Refines)
    assert not isinstance(asked(split(16, early=True), split(8, early=True)), Refines)


def under_condition(simd: int, compared: str, change: str = "") -> Program:
    """Where it holds, a store, a barrier, a load of what lanes of the other thread have stored, and a store of that."""
    leaves = each(simd, f"cmp.ne {{m}} P1 {compared}") + each(simd, "(!P1) goto {m} skip")
    again = each(simd, "xor {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x20:ud") + each(simd, LOAD)
    out = each(simd, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud") + each(simd, STORE.replace("X.", "Y."))
    changed = each(simd, change) if change else ""
    return kernel(simd, ids(simd) + leaves + each(simd, STORE) + "barrier\n" + again + changed + out + "skip:\n")


BY_ARGUMENT, BY_ITEM = "N(0,0)<0;1,0> 0x0:ud", "X({r},0)<1;1,0> 0x9:ud"


def test_narrow_threads_of_a_source_come_to_a_barrier_under_one_condition() -> None:
    narrow, wide = (under_condition(simd, BY_ARGUMENT) for simd in (8, 16))
    assert isinstance(asked(narrow, wide), Refines)
    with pytest.raises(NotModelled, match="under conditions"):  # where it does not hold, the target may race
        asked(wide, narrow)


@pytest.mark.parametrize(
    ("compared", "change"),
    [
        (BY_ARGUMENT.replace("0x0:", "0x1:"), ""),  # the source comes there for N = 1 alone
        (BY_ARGUMENT, "add {m} Y({r},0)<1> Y({r},0)<1;1,0> 0x1:ud"),
        (BY_ARGUMENT, "mov {m} Y({r},0)<1> X({r},0)<1;1,0>"),  # what was stored before the barrier
    ],
)
def test_a_wrong_target_behind_a_barrier_under_a_condition_is_not_proved(compared: str, change: str) -> None:
    assert not isinstance(asked(under_condition(8, BY_ARGUMENT), under_condition(16, compared, change)), Refines)


def test_threads_come_to_a_barrier_together_under_conditions_of_their_own() -> None:
    """A source of which some threads wait for the others for ever does not end: nothing is asked of it."""
    found = compare(under_condition(8, BY_ITEM), under_condition(16, BY_ITEM), Scope(Assume.IDS))
    assert isinstance(decide(found, 2_000), Refines)
    assert "barriers-together" in [one.name for one in found.assumed]
    with pytest.raises(NotModelled, match="under conditions"):
        asked(under_condition(16, BY_ITEM), under_condition(8, BY_ITEM))


@pytest.mark.parametrize(
    "compared", [BY_ITEM.replace("0x9:", "0x8:"), "AT({r},0)<1;1,0> 0x0:ud", BY_ARGUMENT], ids=["value", "lane", "all"]
)
def test_a_target_that_comes_to_the_barrier_elsewhere_is_not_proved(compared: str) -> None:
    source = under_condition(8, BY_ITEM)
    try:
        found = asked(source, under_condition(16, compared))
    except NotModelled:
        return
    assert not isinstance(found, Refines)


@pytest.mark.parametrize("together", [True, False])
def test_a_thread_that_waits_for_others_for_ever_is_undefined(together: bool) -> None:
    """The second thread has ended where the first one comes to the barrier."""
    program = under_condition(8, BY_ARGUMENT).kernel
    buffers: dict[str, Surface] = {f"bti {number}": Buffer(0x2000) for number in range(2)}
    states: list[tuple[int, ConcreteState]] = []
    for thread in range(2):
        items = b"".join((8 * thread + lane).to_bytes(2, "little") for lane in range(8))
        registers = {"N": bytearray((1 - thread, 0, 0, 0)), "ID": bytearray(items + bytes(16))}
        states.append((thread, ConcreteState(Platform.DG2, 0xFF, registers, surfaces=buffers)))
    found = run_group(program, states, Watch(several=True), together=together).outcome.undefined
    assert (found is not None) is together


def test_a_named_barrier_of_some_threads_is_not_asked_across_widths() -> None:
    named = "nbarrier.signal 1 8\nnbarrier.wait 1\n"
    with pytest.raises(NotModelled, match="nbarrier"):
        asked(kernel(16, body(16, named)), kernel(8, body(8, named)))


# ---------------------------------------------------------------- what nobody writes


def reads(first: str, behind: str, info: ArgumentInfo, of: str = OTHER) -> Program:
    """A store to one argument, and a load of another one before or behind the fence."""
    text = ids(8) + each(8, STORE) + of + first + BACK + each(8, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:ud")
    found = kernel(8, text + FENCE + behind + BACK + each(8, STORE.replace("X.", "Y.")))
    return replace(found, launch=replace(found.launch, infos={0: info}))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("info", "moves"),
    [
        (ArgumentInfo(address="__constant"), True),
        (ArgumentInfo(address="__global"), False),
        (ArgumentInfo(), False),
    ],
)
def test_a_load_of_what_nobody_writes_may_cross_a_fence(info: ArgumentInfo, moves: bool) -> None:
    load = each(8, LOAD)
    shifted = each(8, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> -0x1000:d")
    early = reads(load, "", info)
    late = reads("", OTHER + shifted + load + each(8, "add {m} AT({r},0)<1> AT({r},0)<1;1,0> 0x1000:d"), info)
    comparison = compare(late, early, Scope(Assume.IDS))
    assert isinstance(decide(comparison, 2_000), Refines) == moves
    assert ("unwritten" in {one.name for one in comparison.assumed}) == moves


def test_an_argument_that_is_written_in_spite_of_its_type_is_no_constant() -> None:
    info = ArgumentInfo(address="__constant")
    load, store = each(8, LOAD), each(8, STORE)
    early, late = (reads(one, other, info, OTHER + store) for one, other in ((load, ""), ("", OTHER + load)))
    assert not isinstance(asked(late, early), Refines)
