"""A run of the target is a difference if no choice of the source leaves the same; held against all choices."""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.isa.errors import NotModelled
from visaproof.isa.float_modes import FloatMode
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Argument, ArgumentValue
from visaproof.launch.matching import Program
from visaproof.machine.concrete.run import run
from visaproof.program.statements import MemoryMessage, Run
from visaproof.refinement.choices import no_choice_explains, no_choice_leaves
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import RefinementExample, refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.memory import nothing
from visaproof.refinement.testing.random_launches import contents, launches, unknowns
from visaproof.refinement.testing.random_testing import TESTS, random_test, settled
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.testing.runs import difference
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Verdict
from visaproof.report.two_kernels.answer import verdict_lines
from visaproof.report.two_kernels.difference import FLOATS_FOUND, WHATEVER_FOUND
from visaproof.semantics.concrete.floats import operation
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.semantics.symbolic.names import surface_size
from visaproof.smt import Term, symbol
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF alias=<Y, 0>
.decl G v_type=G type=f num_elts=8 align=GRF alias=<N, 0>
.decl H v_type=G type=f num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 8) C(0,0)<1> 0x76543210:v
shl (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:d
mov (M1_NM, 8) D(0,0)<1> 0x0:d
movs (M1_NM, 1) T6(0) 0x0:ud
"""


def program(body: str) -> Program:
    kernel = read_kernel(HEAD + body + "ret (M1, 1)\n", "k.visaasm")
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, [("X", ArgumentValue(Argument(1)))]), binding_table={0: 0})
    return Program(kernel, launch, Platform.DG2)


def compared(source: str, target: str) -> Comparison:
    return compare(program(source), program(target), Scope(Assume.NONE))


def asked(source: str, target: str) -> Verdict:
    return decide(compared(source, target), 1_000)


def refuted(source: str, target: str) -> bool:
    """Whether one of the first runs is a difference."""
    return random_test(compared(source, target), TESTS) is not None


def number(value: int, lanes: str = "(M1_NM, 8)") -> str:
    return f"mov {lanes} Z(0,0)<1> {value:#x}:d\n"


def atomic(op: str, *sources: str, cell: str, brought: str = "%null", lanes: str = "(M1_NM, 8)", on: str = "") -> str:
    src0, src1 = (*sources, "%null", "%null")[:2]
    return f"{on}lsc_atomic_{op}.ugm {lanes} {brought}:d32 bti(0x0)[{cell}]:a32 {src0} {src1}\n"


def store(cell: str, value: str, lanes: str = "(M1_NM, 8)") -> str:
    return f"lsc_store.ugm {lanes} bti(0x0)[{cell}]:a32 {value}:d32\n"


# ---------------------------------------------------------------- by hand

SOME_ADD_5 = number(5) + atomic("iadd", "Z", cell="D", on="(P1) ")
"""Up to eight lanes add 5 to one cell: which of them, nothing wrote."""


@pytest.mark.slow
@pytest.mark.parametrize(("target", "differs"), [(25, False), (40, False), (3, True), (45, True)])
def test_lanes_that_may_add_5_add_a_multiple_of_5_up_to_40(target: int, differs: bool) -> None:
    assert refuted(SOME_ADD_5, number(target) + atomic("iadd", "Z", cell="D", lanes="(M1_NM, 1)")) is differs


def test_lanes_that_may_add_do_not_leave_the_largest() -> None:
    found = asked(SOME_ADD_5, number(5) + atomic("umax", "Z", cell="D"))
    assert isinstance(found, Difference)
    assert found.whatever_found


ANYWHERE = number(7) + "shl (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x2:d\n" + store("Y", "Z", "(M1_NM, 1)")
"""7 is stored at any place."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "value", "differs"), [(0, 7, False), (0x40, 7, False), (0, 8, True), (0x40, 8, True)]
)
def test_a_store_at_any_place_is_one_of_its_number(place: int, value: int, differs: bool) -> None:
    there = f"mov (M1_NM, 8) D(0,0)<1> {place:#x}:d\n" + number(value) + store("D", "Z", "(M1_NM, 1)")
    assert refuted(ANYWHERE, there) is differs


def test_what_is_loaded_from_any_place_is_in_memory_somewhere() -> None:
    """The source copies a dword from anywhere to 0: no memory has all numbers, but the target cannot know which."""
    copied = "shl (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x2:d\n"
    copied += "lsc_load.ugm (M1_NM, 1) Z:d32 bti(0x0)[Y]:a32\n" + store("D", "Z", "(M1_NM, 1)")
    assert refuted(copied, number(0x1234567) + store("D", "Z", "(M1_NM, 1)"))
    fixed = "lsc_load.ugm (M1_NM, 1) Z:d32 bti(0x0)[D]:a32\n" + store("D", "Z", "(M1_NM, 1)")
    assert not refuted(copied, "mov (M1_NM, 8) D(0,0)<1> 0x0:d\n" + fixed)


@pytest.mark.parametrize("shift", [0, 2])
def test_a_choice_without_a_meaning_explains_everything(shift: int) -> None:
    """A block that is read from a place that is no multiple of 4 is undefined."""
    read = f"shl (M1_NM, 1) Y(0,0)<1> Y(0,0)<1;1,0> {shift:#x}:d\noword_ld_unaligned (2) T6 Y(0,0)<0;1,0> X.0\n"
    seven, eight = (number(value) + store("D", "Z", "(M1_NM, 1)") for value in (7, 8))
    assert refuted(read + seven, eight) is (shift == 2)


@pytest.mark.slow
def test_a_choice_with_which_a_loop_takes_longer_explains_what_it_may_leave() -> None:
    """The source counts to uninitialised values, up to 63: to 50, too, though fewer iterations are unrolled."""
    loop = "and (M1_NM, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x3f:d\n" + number(0) + "again:\n"
    loop += "add (M1_NM, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\n"
    loop += "cmp.lt (M1_NM, 8) P1 Z(0,0)<1;1,0> Y(0,0)<0;1,0>\n(P1) jmp (M1, 1) again\n"
    assert not refuted(loop + store("C", "Z"), number(50) + store("C", "Z"))


@pytest.mark.parametrize(("stored", "differs"), [("Y", False), ("C", True)])
def test_what_nothing_wrote_and_a_later_round_alone_stores_is_no_difference(stored: str, differs: bool) -> None:
    """Rounds from the sixth on store; four are unrolled, and in these the source chooses nothing."""
    loop = store("C", "X", "(M1_NM, 1)") + number(0) + "again:\nadd (M1_NM, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\n"
    loop += "cmp.ge (M1_NM, 8) P1 Z(0,0)<1;1,0> 0x6:d\n(P1) lsc_store.ugm (M1_NM, 1) bti(0x0)[D]:a32 {}:d32\n"
    loop += "cmp.lt (M1_NM, 8) P1 Z(0,0)<1;1,0> X(0,0)<0;1,0>\n(P1) jmp (M1, 1) again\n"
    comparison = compared(loop.format(stored), loop.format("X"))
    for rounds, is_later in ((8, True), (3, False)):
        values: Values = {symbol("X.0", 32): rounds, surface_size("argument 0"): 64}
        values |= {comparison.question.lanes[0]: 1}
        found = difference(comparison, values, nothing)
        assert (found is not None) is is_later
        assert found is None or (settled(comparison, found) is not None) is differs


HALVES = "mov (M1_NM, 4) N(0,0)<1> C(0,4)<1;1,0>\n" + "".join(
    atomic("iadd", "Z", cell=cell, lanes=lanes) for cell, lanes in (("C", "(M1_NM, 4)"), ("N", "(M2_NM, 4)"))
)
"""Eight lanes add, in two messages of four."""


def test_lanes_that_add_what_nothing_wrote_may_be_several_messages_of_the_target() -> None:
    """What others leave between these is not what a run leaves: a choice of what is added there is no difference."""
    found = asked(number(3) + atomic("iadd", "Y", cell="C"), number(3) + HALVES)
    assert isinstance(found, Refines), found


@pytest.mark.slow
def test_what_nothing_wrote_is_left_open_where_the_target_adds_a_barrier() -> None:
    one = "(M1_NM, 1)"
    found = decide(compared(store("C", "Y", one), "barrier\n" + store("C", "X", one)), 100)
    assert isinstance(found, Unknown), found


def test_what_is_said_of_a_difference_says_that_it_rests_on_every_choice_and_its_run_replays() -> None:
    comparison = compared(SOME_ADD_5, number(3) + atomic("iadd", "Z", cell="D", lanes="(M1_NM, 1)"))
    found = decide(comparison, 5_000)
    assert isinstance(found, Difference)
    record: RefinementExample = refinement_record(comparison, found, "")
    assert record.whatever_found
    assert replay_refinement(record, "f.json") == ()
    assert any(WHATEVER_FOUND in line for line in verdict_lines(comparison, found))


def test_without_a_choice_nothing_is_said_of_one() -> None:
    found = asked(number(5) + store("C", "Z"), number(6) + store("C", "Z"))
    assert isinstance(found, Difference)
    assert not found.whatever_found


# ---------------------------------------------------------------- on floats

NINTH = "mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud\n"
NINTH += "mul (M1_NM, 8) G(0,0)<1> F(0,0)<1;1,0> 0x3de38e39:f\n"
"""Uninitialised values times 1/9: in some binades every second number comes of none."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "differs"),
    [
        (0x3FF0_0000, False),
        (0x3FF0_0001, True),
        (0x3FF0_0002, False),
        (0x3FF0_0003, True),
        (0x7FC0_1234, False),
        (0xFF80_0001, False),
    ],
)
def test_a_ninth_of_any_float_is_not_any_float_and_may_be_any_nan(left: int, differs: bool) -> None:
    assert refuted(NINTH + store("C", "N"), number(left) + store("C", "Z")) is differs


@pytest.mark.slow
def test_nothing_is_known_of_a_product_whose_rounding_is_not() -> None:
    """The control register is added to uninitialised values."""
    rounded = NINTH.replace("mul", "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> X(0,0)<0;1,0>\nmul")
    assert refuted(rounded + store("C", "N"), number(0x3FF0_0001) + store("C", "Z"))
    unwritten = rounded.replace("X(0,0)", "Y(0,0)")
    assert not refuted(unwritten + store("C", "N"), number(0x3FF0_0001) + store("C", "Z"))


@pytest.mark.slow
def test_where_what_nothing_wrote_is_computed_with_the_target_may_not_leave_what_was_there() -> None:
    found = asked(NINTH + store("C", "N"), "")
    assert isinstance(found, Difference)
    assert any(FLOATS_FOUND in line for line in verdict_lines(compared(NINTH + store("C", "N"), ""), found))


def test_of_two_stores_the_second_is_not_dropped_either() -> None:
    """Where the first one is, the target has what the source may leave."""
    behind = "add (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x40:d\n"
    both = NINTH + store("C", "N") + behind + NINTH.replace("F(", "H(") + store("C", "N")
    assert refuted(both, NINTH + store("C", "N"))


@pytest.mark.slow
@pytest.mark.parametrize("opcode", ["add", "mul"])
def test_what_arithmetic_gives_is_left_by_a_choice(opcode: str) -> None:
    """Numbers, infinities, NaN and denormals as operands."""
    random = Random(6)
    edges = (0, 1 << 31, 1, 0x7F_FFFF, 0x80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x3F80_0000, 0x0D80_0000)
    for _ in range(5):
        one, other = (random.choice((*edges, random.getrandbits(32), random.getrandbits(32))) for _ in "ab")
        try:
            computed = operation(opcode, (one, other), DataType.F, FloatMode.of(0x4C0))
        except NotModelled:
            continue
        source = NINTH.replace("mul", opcode).replace("0x3de38e39:f", f"{other:#x}:f") + store("C", "N")
        assert not refuted(source, number(computed) + store("C", "Z")), (hex(one), hex(other))


# ---------------------------------------------------------------- against all choices

CHOSEN = "and (M1_NM, 2) Y(0,0)<1> Y(0,0)<1;1,0> 0x3:d\nshl (M1_NM, 2) N(0,0)<1> Y(0,0)<1;1,0> 0x2:d\n"
"""Y: two numbers below 4 that nothing wrote; N: four times those."""

TWO = "(M1_NM, 2)"
LAUNCHES, MESSAGES = 6, 3


def body(random: Random, chosen: bool) -> str:
    """Two lanes and three messages, of which some depend on uninitialised values."""
    text, cells, values = CHOSEN + number(random.choice((1, 3, 5)), TWO), ["C", "D"], ["Z", "X", "C"]
    if chosen:
        cells, values = [*cells, "N", "N"], [*values, "Y"]
    for _ in range(MESSAGES):
        on = random.choice(("", "(P1) ")) if chosen else ""
        op, cell, value = (
            random.choice(("iadd", "umax", "or", "smin", "icas")),
            random.choice(cells),
            random.choice(values),
        )
        sources = (value, random.choice(values)) if op == "icas" else (value,)
        brought = random.choice(("%null", "Z", "X"))
        text += atomic(op, *sources, cell=cell, brought=brought, lanes=TWO, on=on)
    return text + "add (M1_NM, 2) D(0,0)<1> C(0,0)<1;1,0> 0x40:d\n" + store("D", "Z", TWO)


def choices(values: Values) -> Iterator[Values]:
    """All that the source may find, as far as it uses it."""
    own: dict[Term, range] = {}
    for one in values:
        variable = str(one.payload).removeprefix("source:")
        if variable != str(one.payload):
            own[one] = range(2) if not one.width else range(4) if variable in ("Y.0", "Y.4") else range(1)
    for some in product(*own.values()):
        yield dict(zip(own, some, strict=True))


def outcomes(comparison: Comparison, found: Difference) -> Iterator[dict[int, int]]:
    """All that the source may leave, with the lanes of each message in any order."""
    for chosen in choices(found.values):
        values = found.values | chosen
        met = comparison.runners[0].run(found.memory, comparison.question.lanes, values).atomics_met
        for order in product((False, True), repeat=MESSAGES if met else 0):
            yield in_order(comparison, found, values, order)


def in_order(comparison: Comparison, found: Difference, values: Values, order: Sequence[bool]) -> dict[int, int]:
    """What the source leaves where the lanes of these messages take their turns from the last to the first."""
    source = comparison.runners[0]
    assert isinstance(source, Runner)
    start = source.prepared(found.memory, comparison.question.lanes, values)
    remaining = iter((*order, False))
    start.state.backwards = next(remaining)

    def after(statement: Run, _: ConcreteState) -> None:
        if isinstance(statement, MemoryMessage) and statement.is_atomic:
            start.state.backwards = next(remaining, False)

    assert run(source.kernel, start.state, after).undefined is None
    left = start.memory["argument 0"]
    assert isinstance(left, Buffer)
    return left.contents


def _same(one: dict[int, int], other: dict[int, int]) -> bool:
    return all(one.get(place, 0) == other.get(place, 0) for place in one.keys() | other.keys())


def differences(seed: int, programs: int) -> Iterator[tuple[Comparison, Difference]]:
    """Runs of random kernels after which memory differs."""
    random = Random(seed)
    for _ in range(programs):
        comparison = compared(body(random, chosen=True), body(random, chosen=random.random() < 0.3))
        symbols = sorted(unknowns(comparison.question, comparison.runners), key=lambda one: str(one.payload))
        for _ in range(LAUNCHES):
            values = launches(symbols, random)
            found = difference(comparison, values, contents(random))
            if found is not None:
                yield comparison, found


@pytest.mark.slow
def test_none_explains_a_difference_only_where_none_of_all_choices_leaves_the_same() -> None:
    sure = open_ones = 0
    for comparison, found in differences(seed=3, programs=20):
        target, lanes = comparison.runners[1], comparison.question.lanes
        left = target.run(found.memory, lanes, found.values, backwards=found.backwards).memory["argument 0"][1]
        is_explained = any(_same(one, left) for one in outcomes(comparison, found))
        if no_choice_explains(comparison, found):
            assert not is_explained, (comparison.source.kernel.source_lines, found)
            sure += 1
        else:
            open_ones += not is_explained
    assert sure > 20
    assert open_ones < sure // 4, "only where the order of lanes shows"


def test_what_some_choice_leaves_is_left_by_one() -> None:
    """The other way round: of what the source leaves by any choice it is never said that none leaves it."""
    random = Random(5)
    for comparison, found in differences(seed=4, programs=30):
        values = found.values | random.choice(list(choices(found.values)))
        left = in_order(comparison, found, values, [bool(random.getrandbits(1)) for _ in range(MESSAGES)])
        assert not no_choice_leaves(comparison.question, found, {"argument 0": left}), (values, found.memory)
