"""Tables of a program: with their contents known, answers hold for those; else a verdict names what is arbitrary."""

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.execution.arguments import parameters, prepare
from visaproof.execution.payload import Program as Launched
from visaproof.execution.run import run_launch
from visaproof.execution.shape import Shape
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.constants import Constant
from visaproof.launch.launch import Launch, LaunchValue, Piece, Unknown
from visaproof.launch.matching import Program
from visaproof.launch.premises import premise
from visaproof.queries.kernels import constant_data
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEADER = """.version 4.1
.kernel "k"
.decl A v_type=G type=uq num_elts=1 align=GRF
.decl I v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
"""
LOAD = """    faddr table A(0,0)<1>
    shl (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x2:ud
    add (M1, 8) Q(0,0)<1> A(0,0)<0;1,0> I(0,0)<1;1,0>
    svm_gather.4.1 (M1, 8) Q.0 D.0
"""
STORE = """    movs (M1_NM, 1) T6(0) 0x0:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud D.0 I.0
"""


def kernel(body: str) -> Kernel:
    return linked(read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm"), {})


SCATTER = kernel(
    "    mov (M1, 8) I(0,0)<1> 0x76543210:uv\n" + LOAD + "    shl (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x2:ud\n" + STORE
)
"""Lane n stores at 4·table[n]."""


def table(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


def launch(content: bytes | None) -> Launch:
    constants = {} if content is None else {"&table": Constant(content)}
    meanings = {"X": (Piece(0, 32, Unknown("x")),)}
    return Launch(simd=8, meanings=meanings, constants=constants, binding_table={0: 0})


PLACES = (3, 1, 0, 2, 7, 6, 5, 4)
PERMUTATION, COLLIDING = table(*PLACES), table(*PLACES[:7], 3)


def conflict(content: bytes | None) -> tuple[object, tuple[str, ...]]:
    answers = ask_kernel(SCATTER, Platform.TGLLP, launch(content), Assume.IDS, 20_000)
    (finding,) = answers.answers()
    return finding.answer, tuple(map(str, answers.start.assumed))


def test_lanes_that_a_table_keeps_apart_cannot_collide() -> None:
    answer, assumed = conflict(PERMUTATION)
    assert isinstance(answer, Free)
    assert not any(words.startswith("constants-") for words in assumed)


def test_the_lanes_of_a_conflict_are_those_that_the_table_makes_collide() -> None:
    answer, _ = conflict(COLLIDING)
    assert isinstance(answer, Conflict)
    assert {answer.first.lane, answer.second.lane} == {0, 7}


def test_a_conflict_that_rests_on_an_unknown_table_says_so() -> None:
    answer, assumed = conflict(None)
    assert isinstance(answer, Conflict)
    assert any("what table holds is arbitrary" in words for words in assumed)


@pytest.mark.parametrize(("content", "expected"), [(PERMUTATION, Free), (COLLIDING, Conflict), (None, Conflict)])
def test_the_base_of_the_constants_is_the_address_of_a_table(content: bytes | None, expected: type) -> None:
    """Today's compiler hands it over in the payload."""
    text = (
        "\n".join(SCATTER.source_lines)
        .replace("    faddr table A(0,0)<1>\n", "")
        .replace(".input X offset=32 size=32", ".input X offset=32 size=32\n.input A offset=64 size=8")
    )
    given = launch(None)
    meanings = {**given.meanings, "A": (Piece(0, 8, LaunchValue.CONST_BASE),)}
    constants = {} if content is None else {"const_base": Constant(content)}
    given = replace(given, meanings=meanings, constants=constants)
    answers = ask_kernel(read_kernel(text, "k.visaasm"), Platform.TGLLP, given, Assume.IDS, 20_000)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, expected)
    assert any("what const_base holds" in words for words in map(str, answers.start.assumed)) is (content is None)


def test_without_the_facts_the_table_is_arbitrary(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net: cut, the proof is lost."""
    monkeypatch.setattr(constant_data, "held", lambda *_: iter(()))
    assert isinstance(conflict(PERMUTATION)[0], Conflict)


def test_what_a_table_holds_is_no_premise_where_it_is_only_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of `pow` would be hundreds of thousands of facts."""
    monkeypatch.setattr(constant_data, "held", lambda *_: pytest.fail("a fact that decides nothing"))
    stored = kernel("    mov (M1, 8) I(0,0)<1> 0x76543210:uv\n" + LOAD + STORE.replace("D.0 I.0", "I.0 D.0"))
    (finding,) = ask_kernel(stored, Platform.TGLLP, launch(PERMUTATION), Assume.IDS, 20_000).answers()
    assert isinstance(finding.answer, Free)


@pytest.mark.parametrize(("content", "inside"), [(PERMUTATION, True), (table(*PLACES[:7], 8), False), (None, False)])
def test_bounds_hold_where_the_table_keeps_lanes_inside(content: bytes | None, inside: bool) -> None:
    stated = StatedLaunch((parse_size_option("0=32"),))
    answers = ask_bounds(SCATTER, Platform.TGLLP, launch(content), Assume.NONE, stated, 20_000)
    found = {one.question.performed.instruction.opcode: one.bounds for one in answers.answers()}
    assert isinstance(found["scatter4_scaled"], Holds) is inside
    assert isinstance(found["svm_gather"], Holds) is (content is not None)  # the zebin has the size of the table, too
    assert any("what table holds" in words for words in map(str, answers.start.assumed)) is (content is None)


def test_a_table_in_the_binding_table_has_the_size_of_its_section() -> None:
    """Its contents are arbitrary, and a premise says so."""
    places = "    mov (M1, 8) I(0,0)<1> 0x76543210:uv\n    shl (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x2:ud\n"
    load = "    movs (M1_NM, 1) T6(0) 0x2:ud\n    gather4_scaled.R (M1, 8) T6 0x0:ud I.0 D.0\n"
    for content, inside in ((table(*PLACES), True), (table(*PLACES)[:-1], False)):
        given = replace(launch(None), constants={"const_base": Constant(content)}, tables={2: "const_base"})
        answers = ask_bounds(kernel(places + load), Platform.TGLLP, given, Assume.NONE, StatedLaunch(), 20_000)
        (finding,) = answers.answers()
        assert isinstance(finding.bounds, Holds) is inside
        assert any("what bti 2 (const_base) holds is arbitrary" in str(one) for one in answers.start.assumed)


# ---------------------------------------------------------------- two kernels

AND = "    and (M1, 8) I(0,0)<1> X(0,0)<1;1,0> 0x3:ud\n"
PLACE = "    mov (M1, 8) I(0,0)<1> 0x76543210:uv\n    shl (M1, 8) I(0,0)<1> I(0,0)<1;1,0> 0x2:ud\n"
AT_LANE = "    scatter4_scaled.R (M1, 8) T6 0x0:ud I.0 D.0\n"
BIND = "    movs (M1_NM, 1) T6(0) 0x0:ud\n"
COUNT_BY_TABLE = kernel(AND + LOAD + PLACE + BIND + AT_LANE)
COUNT = kernel(AND + "    cbit (M1, 8) D(0,0)<1> I(0,0)<1;1,0>\n" + PLACE + BIND + AT_LANE)


def verdict(content: bytes | None, *, swapped: bool = False) -> tuple[str, tuple[str, ...]]:
    sides = [Program(COUNT_BY_TABLE, launch(content), Platform.TGLLP), Program(COUNT, launch(None), Platform.TGLLP)]
    comparison = compare(sides[swapped], sides[not swapped], Scope(assume=Assume.NONE))
    return type(decide(comparison, 20_000)).__name__, tuple(map(str, comparison.assumed))


@pytest.mark.parametrize("swapped", [False, True])
def test_a_table_of_bit_counts_is_the_count_of_bits(swapped: bool) -> None:
    name, assumed = verdict(table(0, 1, 1, 2), swapped=swapped)
    assert name == "Refines"
    assert not any(words.startswith("constants-") for words in assumed)


@pytest.mark.parametrize("content", [table(0, 1, 1, 3), None])
def test_another_table_is_no_count_of_bits(content: bytes | None) -> None:
    name, assumed = verdict(content)
    assert name == "Difference"
    assert any("what table holds is arbitrary" in words for words in assumed) is (content is None)


def test_tables_that_differ_under_one_name_are_two() -> None:
    """By the name that an instruction has for them."""
    sides = [Program(COUNT_BY_TABLE, launch(table(0, 1, 1, last)), Platform.TGLLP) for last in (2, 3)]
    comparison = compare(sides[0], sides[1], Scope(assume=Assume.NONE))
    assert comparison.target.own_tables == {"&table"}
    assert isinstance(decide(comparison, 20_000), Difference)


def test_unknown_tables_of_both_programs_are_taken_as_one() -> None:
    other = kernel(AND + LOAD + PLACE + BIND + AT_LANE + "    add (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x1:ud\n")
    sides = [Program(each, launch(None), Platform.TGLLP) for each in (COUNT_BY_TABLE, other)]
    assumed = compare(sides[0], sides[1], Scope(assume=Assume.NONE)).assumed
    assert premise("constants-equal", table="table") in assumed


# ---------------------------------------------------------------- runs


def test_a_run_finds_the_table_of_the_zebin() -> None:
    program = Launched(SCATTER, launch(PERMUTATION), Platform.TGLLP)
    values, memory = prepare(program, Shape((8, 1, 1), (8, 1, 1)), {}, {0: bytes(32)})
    assert run_launch(program, values, memory).undefined is None
    assert bytes(memory.buffers[0].data) == table(*(4 * PLACES.index(place) for place in range(8)))


def test_a_table_that_the_loader_fills_in_has_to_be_given() -> None:
    relocated = replace(launch(None), constants={"&table": Constant(PERMUTATION, is_relocated=True)})
    program = Launched(SCATTER, relocated, Platform.TGLLP)
    with pytest.raises(ReadError, match="missing: "):
        prepare(program, Shape((8, 1, 1), (8, 1, 1)), {}, {0: bytes(32)})
    given = {0: bytes(32), **dict.fromkeys(parameters(program).symbols, PERMUTATION)}
    _, memory = prepare(program, Shape((8, 1, 1), (8, 1, 1)), {}, given)
    assert PERMUTATION in (bytes(buffer.data) for buffer in memory.buffers.values())
