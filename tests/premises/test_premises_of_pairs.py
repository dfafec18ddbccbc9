"""Witnesses of premises of two kernels that no option lifts: a pair that refines, and is open without the premise.

Each is lifted where the code encodes it, or by a pair whose answer states it no longer.
"""

from collections.abc import Callable, Hashable
from itertools import count

import pytest
from msgspec.structs import replace

from tests.premises.witness import Answer
from tests.refinement.inputs.test_beside_the_text import SAMPLE, sampling
from tests.refinement.inputs.test_beside_the_text import program as of_samples
from tests.refinement.test_refinement import program as of_floats
from tests.refinement.test_refinement_addresses import address
from tests.refinement.test_refinement_addresses import program as of_addresses
from tests.refinement.test_refinement_atomic_events import program as of_atomics
from tests.refinement.test_refinement_floats import FLOATS, STORE, SUM, op
from tests.refinement.test_refinement_lane_steps import atomic, parts
from tests.refinement.testing.test_refinement_collisions import LOADED
from tests.refinement.widths import test_refinement_widths as widths
from tests.refinement.widths.test_width_atomics import alone
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch import assumptions, float_results
from visaproof.launch.assumptions import Assume
from visaproof.launch.float_results import Floats
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue, BufferAddress, LaunchValue
from visaproof.launch.matching import Program
from visaproof.queries.kernels.shared_memory import SharedMemory
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind
from visaproof.refinement import obligations, questions
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects import atomic_steps, sharing
from visaproof.refinement.effects.operands import OpenOperation
from visaproof.refinement.effects.sharing import Sharing
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Refines
from visaproof.refinement.widths import wide_thread
from visaproof.smt import Term, bool_symbol, symbol

NONE, IDS = Scope(Assume.NONE), Scope(Assume.IDS)


QUICK_MS, SOLVED_MS = 100, 2_000
"""For what normal forms prove, with and without the premise, and for what a solver decides."""


def answered(source: Program, target: Program, scope: Scope = NONE, timeout_ms: int = QUICK_MS) -> Answer:
    try:
        asked = compare(source, target, scope)
        found = decide(asked, timeout_ms)
    except NotModelled:
        return Answer("not modelled", frozenset())
    kind = "refines" if isinstance(found, Refines) else type(found).__name__.lower()
    return Answer(kind, frozenset(one.name for one in asked.assumed))


def refines_on(name: str, source: Program, target: Program, scope: Scope = NONE, timeout_ms: int = QUICK_MS) -> bool:
    """Whether the target refines the source, and the answer states this premise."""
    found = answered(source, target, scope, timeout_ms)
    return found.right and name in found.premises


# ---------------------------------------------------------------- results


def with_another_result_each_time(which: Callable[[Hashable], bool]) -> Callable[[SharedMemory, Hashable, int], Term]:
    """What gives operations results, for these a new one wherever they stand."""
    number, kept = count(), SharedMemory.result

    def result(memory: SharedMemory, operation: Hashable, width: int) -> Term:
        if not which(operation):
            return kept(memory, operation, width)
        name = f"result {next(number)}"
        return symbol(name, width) if width else bool_symbol(name)

    return result


@pytest.mark.slow
def test_what_is_computed_twice_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    product = op("mul", "S", "F", "G")
    once = product + op("mul", "R", "S", "S")
    twice = product + op("mul", "R", "F", "G") + op("mul", "R", "S", "R")
    pair = of_floats(once + STORE, FLOATS), of_floats(twice + STORE, FLOATS)
    assert refines_on("float-functions", *pair)
    monkeypatch.setattr(SharedMemory, "result", with_another_result_each_time(lambda _: True))
    assert not answered(*pair).right


@pytest.mark.slow
def test_functions_of_two_devices_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = (of_floats(op("inv", "R", "F") + idle + STORE, FLOATS) for idle in ("", op("mov", "S", "F")))
    other = replace(target, platform=Platform.Xe2)
    assert refines_on("functions-alike", source, other)
    lifted = replace(NONE, assume=Assume.of("none,-functions-alike"))
    assert not answered(source, other, lifted).right
    assert answered(source, target, lifted).right  # one device
    assert "functions-alike" not in answered(source, target).premises
    of_sums = of_floats(SUM + STORE, FLOATS)
    assert "functions-alike" not in answered(of_sums, replace(of_sums, platform=Platform.Xe2)).premises
    monkeypatch.setattr(SharedMemory, "result", with_another_result_each_time(lambda _: True))
    assert not answered(source, other).right


@pytest.mark.slow
def test_what_is_sampled_in_two_kernels_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = "    mov (M1_NM, 8) D(0,0)<1> 0x4:ud\n"
    pair = sampling(), of_samples(idle + SAMPLE.format(number=0))
    assert refines_on("sampler-function", *pair, IDS)

    def is_sampled(operation: Hashable) -> bool:
        return isinstance(operation, OpenOperation) and operation.origin is not None

    monkeypatch.setattr(SharedMemory, "result", with_another_result_each_time(is_sampled))
    assert not answered(*pair, IDS).right


@pytest.mark.slow
def test_a_target_may_leave_out_to_set_the_mode_that_kernels_start_in(monkeypatch: pytest.MonkeyPatch) -> None:
    nearest = "and (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0xffffffcf:ud\n"
    pair = of_floats(nearest + SUM + STORE, FLOATS), of_floats(SUM + STORE, FLOATS)
    ieee = Scope(Assume.NONE, floats=Floats.IEEE)
    assert refines_on("float-mode", *pair, ieee)
    monkeypatch.setattr(float_results, "MODES_AT_START", 0)
    assert not answered(*pair, ieee).right


# ---------------------------------------------------------------- memory

AT_LANES = "mov (M1, 8) B(0,0)<1> 0x76543210:v\nshl (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x2:d\n"
OUT = AT_LANES + "scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 Y.0\n"


def test_no_surface_is_read_beyond_4_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Owords from 2^28 on: a source that has one of them leaves its surface, if none is larger."""
    load = "oword_ld (2) T6 AT(0,0)<0;1,0> Y.0\n"
    masked = "and (M1_NM, 1) AT(0,0)<1> AT(0,0)<0;1,0> 0xfffffff:d\n" + load
    pair = of_addresses(load + OUT), of_addresses(masked + OUT)
    inside = Scope(Assume.NONE, FORBIDDEN | {UndefinedKind.OUTSIDE})
    assert refines_on("surfaces-4gib", *pair, inside, SOLVED_MS)
    monkeypatch.setattr(obligations, "LARGEST_SURFACE", (1 << 40) - 1)
    assert answered(*pair, inside, SOLVED_MS).verdict == "difference"


def test_the_low_bits_of_the_private_base_are_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    low, zero = "and (M1, 8) Y(0,0)<1> OH(0,0)<0;1,0> 0x3:d\n", "mov (M1, 8) Y(0,0)<1> 0x0:d\n"
    pair = of_addresses(low + OUT), of_addresses(zero + OUT)
    assert refines_on("private-aligned", *pair)
    monkeypatch.setattr(sharing, "ALIGNMENT", 1)
    assert not answered(*pair).right


def test_nothing_else_lies_in_the_buffer_of_printf(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = address("OTHER") + "svm_scatter.4.1 (M1, 8) A.0 X.0\n"
    read = address("PTR", name="S") + "svm_gather.4.1 (M1, 8) S.0 Y.0\n"
    pair = with_printf(of_addresses(printed + read + OUT)), with_printf(of_addresses(read + printed + OUT))
    assert refines_on("printf-apart", *pair)
    monkeypatch.setattr(assumptions, "BUFFER_BASES", assumptions.TABLE_BASES)
    assert answered(*pair).verdict == "not modelled"


def with_printf(program: Program) -> Program:
    """The program that gets the buffer of printf as its second address."""
    meanings = [
        ("PTR", BufferAddress(Argument(0))), ("OTHER", LaunchValue.PRINTF_BUFFER), ("OWN", LaunchValue.PRIVATE_BASE),
        ("AT", ArgumentValue(Argument(2))), ("X", ArgumentValue(Argument(3))),
    ]  # fmt: skip
    launch = replace(NOTHING_KNOWN.with_inputs(program.kernel, meanings), binding_table={0: 0})
    return replace(program, launch=launch)


def test_items_that_copy_race_where_buffers_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide thread loads for all of its items before it stores, and narrow ones one after another."""

    def copied(simd: int) -> Program:
        other = "movs (M1_NM, 1) T6(0) 0x0:ud\n"
        store = widths.STORE.replace("X.", "Y.")
        return widths.kernel(simd, widths.ids(simd) + widths.each(simd, widths.LOAD) + other + widths.each(simd, store))

    assert refines_on("items-do-not-race", copied(16), copied(8), IDS)
    monkeypatch.setattr(Sharing, "items", lambda *_: None)
    assert answered(copied(16), copied(8), IDS).verdict == "apart"


# ---------------------------------------------------------------- lanes and threads


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("source", "target"), [(16, 8), (8, 16)])
def test_half_the_number_of_a_narrow_thread_is_that_of_the_wide_one(
    source: int, target: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def numbered(simd: int) -> Program:
        """Each item stores the number of the wide thread that runs it, of threads of 16 lanes."""
        number = (
            "and (M1_NM, 1) Y(0,0)<1> A(0,2)<0;1,0> 0xff:ud\n"
            + "shr (M1_NM, 1) Y(0,0)<1> Y(0,0)<0;1,0> 0x1:ud\n" * (simd == 8)
        )
        spread = widths.each(simd, "mov {m} X({r},0)<1> Y(0,0)<0;1,0>")
        return widths.kernel(simd, number + widths.ids(simd) + spread + widths.each(simd, widths.STORE))

    assert refines_on("thread-numbers", numbered(source), numbered(target), IDS)
    monkeypatch.setattr(wide_thread, "_is_number", lambda *_: False)
    without = answered(numbered(source), numbered(target), IDS)
    assert not without.right
    assert "thread-numbers" not in without.premises


# ---------------------------------------------------------------- atomics


@pytest.mark.slow
def test_others_may_come_between_the_lanes_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they may between two messages; else two stand for one no longer."""
    pair = of_atomics(atomic("or")), of_atomics("".join(parts("or")))
    assert refines_on("lanes-interleaved", *pair)
    monkeypatch.setattr(questions, "with_lane_steps", lambda source, target: (source, target))
    without = answered(*pair)
    assert not without.right
    assert "lanes-interleaved" not in without.premises


@pytest.mark.slow
def test_nobody_sees_the_order_of_atomics_that_bring_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one message of a device, and two of another."""
    pair = replace(of_atomics("".join(parts("or"))), platform=Platform.TGLLP), of_atomics(atomic("or"))
    assert refines_on("atomics-unseen", *pair)
    monkeypatch.setattr(questions, "with_whole_atomics", lambda source, target: (source, target))
    without = answered(*pair)
    assert not without.right
    assert "atomics-unseen" not in without.premises


@pytest.mark.slow
def test_a_load_moves_over_atomics_where_they_order_nothing() -> None:
    """A load of another buffer: over atomics that are compared lane by lane, and not over a whole message."""
    bound = "movs (M1_NM, 1) T7(0) 0x1:ud\n"
    load, out = LOADED.replace("T6", "T7"), "scatter4_scaled.R (M1, 8) T7 0x0:ud D.0 Y.0\n"
    source = of_atomics(bound + atomic("or") + load + out)
    halves, whole = (of_atomics(bound + load + some + out) for some in ("".join(parts("or")), atomic("or")))
    apart = Scope(Assume.NONE, alias=Alias.NONE)
    assert refines_on("atomics-relaxed", source, halves, apart)
    without = answered(source, whole, apart)
    assert not without.right
    assert "atomics-relaxed" not in without.premises


@pytest.mark.slow
def test_a_sum_is_added_in_parts_where_nobody_looks_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = alone(16), alone(8)
    assert refines_on("atomics-alone", *pair, IDS, SOLVED_MS)
    monkeypatch.setattr(atomic_steps.Message, "is_single", property(lambda _: False))
    assert answered(*pair, IDS, SOLVED_MS).verdict == "not modelled"
