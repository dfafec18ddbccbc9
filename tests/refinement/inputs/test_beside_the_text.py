"""What lies beside the texts of two programs: samplers, tables, group sizes.  The texts are the same, or nearly."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.current_compiler import compiled
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.constants import Constant
from visaproof.launch.input_meaning import Argument, ArgumentValue, Sampler, SamplerModes
from visaproof.launch.launch import Launch, LaunchValue, Piece
from visaproof.launch.matching import Program
from visaproof.refinement import comparison as module
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.obligations import same_effects
from visaproof.refinement.refines import Programs
from visaproof.refinement.replay import run_again
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Difference, Refines, Unknown, Verdict
from visaproof.report.two_kernels.refinement_file import replayed_record
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=32 align=GRF
.decl V v_type=G type=f num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=1 align=GRF
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.decl S0 v_type=S num_elts=1
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    movs (M1_NM, 1) T7(0) 0x1:ud
    mov (M1_NM, 8) O(0,0)<1> 0x76543210:uv
    shl (M1_NM, 8) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud
"""
END = "    scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 D.0\n    ret (M1, 1)\n"
SAMPLE = (
    "    movs (M1_NM, 1) S0(0) 0x{number}:ud\n    mov (M1, 8) V(0,0)<1> X(0,0)<1;1,0>\n"
    "    sample_lz.R (M1, 8) 0x0:uw S0 T7 F.0 V.0 V.0\n    mov (M1, 8) D(0,0)<1> F(0,0)<1;1,0>\n" + END
)
EDGE, BORDER = SamplerModes("clamp_edge", "nearest", False), SamplerModes("clamp_border", "nearest", False)
LINEAR = SamplerModes("clamp_border", "linear", True)
REPEAT = SamplerModes("repeat", "nearest", True)
PASSED = Argument(3)
MEANINGS = {"X": (Piece(0, 32, ArgumentValue(Argument(2))),)}


def program(body: str, **launch: object) -> Program:
    meanings = MEANINGS | launch.pop("meanings", {})  # pyright: ignore[reportOperatorIssue]
    given = Launch(simd=8, meanings=meanings, binding_table={0: 0, 1: 1}, **launch)  # pyright: ignore[reportArgumentType]
    return Program(read_kernel(HEAD + body, "k.visaasm"), given, Platform.TGLLP)


def compared(source: Program, target: Program) -> Comparison:
    return compare(source, target, Scope(Assume.IDS))


def asked(source: Program, target: Program) -> Verdict:
    return decide(compared(source, target), 2000)


def sampling(number: int = 0, **samplers: SamplerModes | Argument) -> Program:
    """A kernel that samples by a number, and what stands at each."""
    return program(SAMPLE.format(number=number), samplers={int(name[1:]): one for name, one in samplers.items()})


@pytest.mark.slow
def test_other_samplers_of_the_source_are_no_refinement() -> None:
    """Premises: clamp and linear against repeat and nearest, in one text."""
    verdict = asked(sampling(n0=LINEAR), sampling(n0=REPEAT))
    assert isinstance(verdict, Unknown)
    assert "sampler 0 is clamp_border, linear, normalized in the source and repeat, nearest" in verdict.reason


def test_without_the_net_of_samplers_they_refine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "said_of_samplers", lambda source, target: ({}, {}))
    assert isinstance(asked(sampling(n0=LINEAR), sampling(n0=REPEAT)), Refines)


def test_samplers_that_a_run_knows_show_their_difference() -> None:
    comparison = compared(sampling(n0=EDGE), sampling(n0=BORDER))
    verdict = decide(comparison, 2000)
    assert isinstance(verdict, Difference)
    record = replayed_record(comparison, verdict)
    assert (record.source.samplers, record.target.samplers) == ({"0": "clamp-to-edge"}, {"0": "clamp"})
    assert not run_again(record, "k.json").differences


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [(LINEAR, LINEAR), (PASSED, PASSED)])
def test_one_sampler_may_have_two_numbers(one: SamplerModes, other: SamplerModes) -> None:
    assert isinstance(asked(sampling(0, n0=one), sampling(1, n1=other)), Refines)
    assert not isinstance(asked(sampling(0, n0=one), sampling(1, n1=REPEAT)), Refines)


@pytest.mark.slow
def test_a_sampler_that_is_passed_is_none_of_the_source() -> None:
    """Both stand at number 0."""
    assert not isinstance(asked(sampling(n0=PASSED), sampling(n0=EDGE)), Refines)
    assert not isinstance(asked(sampling(n0=PASSED), sampling(n0=Argument(4))), Refines)


def test_samplers_of_which_nothing_is_said_are_taken_to_be_alike() -> None:
    comparison = compared(sampling(), sampling(n0=EDGE))
    assert "samplers-alike" in {one.name for one in comparison.assumed}
    assert isinstance(decide(comparison, 2000), Refines)


OR_1 = "    or (M1_NM, 1) N(0,0)<1> M(0,0)<0;1,0> 0x1:d\n"
BY_HANDLE = SAMPLE.replace(
    "    movs (M1_NM, 1) S0(0) 0x{number}:ud\n", "{make}    movs (M1_NM, 1) S31(0) N(0,0)<0;1,0>\n"
)
BY_HANDLE = BY_HANDLE.replace("S0 T7", "S31 T7")
HANDLE = """.decl M v_type=G type=d num_elts=2 align=qword alias=<A, 0>
.decl N v_type=G type=d num_elts=1 align=dword
.input A offset=96 size=8
.kernel_attr"""


def by_handle(meaning: Sampler, make: str = OR_1, **samplers: SamplerModes | Argument) -> Program:
    """A kernel that samples by the handle in an input, and what stands at each number."""
    said = {int(name[1:]): one for name, one in samplers.items()}
    launch = program(END, samplers=said, meanings={"A": (Piece(0, 8, meaning),)}).launch
    kernel = read_kernel(HEAD.replace(".kernel_attr", HANDLE) + BY_HANDLE.format(make=make), "k.visaasm")
    return Program(kernel, launch, Platform.DG2)


FIRST, SECOND = Sampler(None, 0), Sampler(None, 1)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (sampling(n0=LINEAR), by_handle(FIRST, n0=LINEAR)),
        (sampling(1, n0=REPEAT, n1=LINEAR), by_handle(FIRST, n0=LINEAR)),
        (sampling(n0=PASSED), by_handle(Sampler(PASSED))),
        (by_handle(SECOND, n0=REPEAT, n1=LINEAR), by_handle(FIRST, n0=LINEAR)),
    ],
)
def test_a_sampler_by_its_handle_is_the_one_of_its_number(source: Program, target: Program) -> None:
    assert isinstance(asked(source, target), Refines)


@pytest.mark.parametrize(
    "target",
    [
        by_handle(FIRST, n0=REPEAT, n1=LINEAR),
        by_handle(Sampler(PASSED), n0=LINEAR),
        by_handle(Sampler(None), n0=LINEAR),
        by_handle(FIRST, OR_1.replace("0x1", "0x2"), n0=LINEAR),
        by_handle(FIRST, OR_1.replace("or (M1_NM, 1)", "mov (M1_NM, 1)").replace(" 0x1:d", ""), n0=LINEAR),
        by_handle(FIRST, OR_1.replace("M(0,0)", "M(0,1)"), n0=LINEAR),
        by_handle(FIRST, OR_1 + OR_1.replace("M(0,0)", "X(0,0)"), n0=LINEAR),
        by_handle(FIRST, "    add (M1_NM, 1) M(0,0)<1> M(0,0)<0;1,0> 0x20:d\n" + OR_1, n0=LINEAR),
    ],
)
def test_another_handle_is_another_sampler(target: Program) -> None:
    """Another number, one that is passed, none that is known, other bits, and what the kernel made itself."""
    comparison = compared(sampling(n0=LINEAR), target)
    assert not same_effects(comparison.question)


@pytest.mark.parametrize("source", [sampling(), by_handle(Sampler(None)), by_handle(FIRST)])
def test_the_only_handle_of_which_nothing_is_said_is_taken_for_number_0(source: Program) -> None:
    comparison = compared(source, by_handle(Sampler(None)))
    assert "samplers-alike" in {one.name for one in comparison.assumed}
    assert isinstance(decide(comparison, 2000), Refines)


def test_a_handle_of_which_nothing_is_said_is_no_other_number_nor_one_of_two() -> None:
    alone = by_handle(Sampler(None))
    second = alone.launch.meanings["A"][0], Piece(8, 8, Sampler(None))
    two = replace(alone, launch=replace(alone.launch, meanings={**alone.launch.meanings, "A": second}))
    for source, target in ((sampling(1), alone), (by_handle(Sampler(PASSED)), alone), (sampling(), two)):
        assert not same_effects(compared(source, target).question)


def test_handles_of_two_passed_samplers_are_two() -> None:
    comparison = compared(by_handle(Sampler(PASSED)), by_handle(Sampler(Argument(4))))
    assert not same_effects(comparison.question)


# ---------------------------------------------------------------- tables

LOOKUP = (
    "    and (M1, 8) D(0,0)<1> X(0,0)<1;1,0> 0x7:ud\n    shl (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x2:ud\n"
    "    add (M1, 8) Q(0,0)<1> A(0,0)<0;1,0> D(0,0)<1;1,0>\n    svm_gather.4.1 (M1, 8) Q.0 D.0\n" + END
)
BACKWARDS = LOOKUP.replace("    shl (M1, 8) D", "    xor (M1, 8) D(0,0)<1> D(0,0)<1;1,0> 0x7:ud\n    shl (M1, 8) D", 1)
BY_INDEX = LOOKUP.replace(
    "    add (M1, 8) Q(0,0)<1> A(0,0)<0;1,0> D(0,0)<1;1,0>\n    svm_gather.4.1 (M1, 8) Q.0 D.0\n",
    "    movs (M1_NM, 1) T7(0) 0x2:ud\n    gather4_scaled.R (M1, 8) T7 0x0:ud D.0 D.0\n",
)


def table(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


UP, DOWN = table(1, 2, 3, 4, 5, 6, 7, 8), table(8, 7, 6, 5, 4, 3, 2, 1)


def looking_up(body: str, content: bytes | None, **more: object) -> Program:
    """A kernel with a table by the address that the launch hands over."""
    constants = {} if content is None else {"const_base": Constant(content)}
    found = program(body, constants=constants, meanings={"A": (Piece(0, 8, LaunchValue.CONST_BASE),)}, **more)
    kernel = read_kernel(HEAD.replace(".kernel_attr", ".input A offset=96 size=8\n.kernel_attr") + body, "k.visaasm")
    return Program(kernel, found.launch, found.platform)


@pytest.mark.parametrize("body", [LOOKUP, BY_INDEX])
def test_another_table_is_a_difference(body: str) -> None:
    """Premises: {1..8} against {8..1} in one text, by address and in the binding table."""
    tables = {"tables": {2: "const_base"}}
    comparison = compared(looking_up(body, UP, **tables), looking_up(body, DOWN, **tables))
    verdict = decide(comparison, 2000)
    assert isinstance(verdict, Difference)
    assert not run_again(replayed_record(comparison, verdict), "k.json").differences
    assert "target-inputs" not in {one.name for one in comparison.assumed}


def test_another_table_that_is_read_otherwise_is_none() -> None:
    assert isinstance(asked(looking_up(LOOKUP, UP), looking_up(BACKWARDS, DOWN)), Refines)
    assert not isinstance(asked(looking_up(LOOKUP, UP), looking_up(BACKWARDS, UP)), Refines)


def test_a_large_table_that_differs_is_not_taken_for_one() -> None:
    large = bytes(8000)
    assert not isinstance(asked(looking_up(LOOKUP, UP + large), looking_up(LOOKUP, DOWN + large)), Refines)
    assert isinstance(asked(looking_up(LOOKUP, UP + large), looking_up(LOOKUP, UP + large)), Refines)


def test_what_kernels_may_write_to_has_to_begin_alike() -> None:
    def globals_of(content: bytes) -> Program:
        found = looking_up(LOOKUP, content)
        constants = {"const_base": Constant(content, is_written=True)}
        launch = Launch(simd=8, meanings=found.launch.meanings, binding_table={0: 0}, constants=constants)
        return Program(found.kernel, launch, found.platform)

    verdict = asked(globals_of(UP), globals_of(DOWN))
    assert isinstance(verdict, Unknown)
    assert "begins with something else" in verdict.reason
    assert isinstance(asked(globals_of(UP), globals_of(UP)), Refines)


def test_a_table_is_taken_to_be_one_without_launch_information() -> None:
    nothing = Launch()
    one, other = (Program(looking_up(BY_INDEX, None).kernel, nothing, Platform.TGLLP) for _ in range(2))
    assert "launched-alike" in {each.name for each in compare(one, other, Scope(Assume.IDS)).assumed}


def test_a_table_in_the_binding_table_has_its_size() -> None:
    program = looking_up(BY_INDEX, UP, tables={2: "const_base"})
    for kernel, holds in ((program.kernel, True), (looking_up(BY_INDEX.replace("0x7:ud", "0xf:ud"), UP).kernel, False)):
        answers = ask_bounds(kernel, program.platform, program.launch, Assume.IDS, StatedLaunch(), 2000)
        found = [one.bounds for one in answers.answers() if one.surfaces == ("bti 2",)]
        assert [isinstance(one, Holds) for one in found] == [holds]


# ---------------------------------------------------------------- groups, registers

COPY = "    mov (M1, 8) D(0,0)<1> X(0,0)<1;1,0>\n" + END
OTHER_COPY = "    add (M1, 8) D(0,0)<1> X(0,0)<1;1,0> 0x0:ud\n" + END


@pytest.mark.parametrize("size", [None, (16, 1, 1)])
def test_a_target_that_requires_other_groups_is_not_launched_as_the_source(size: tuple[int, int, int] | None) -> None:
    source, target = program(COPY, group_size=size), program(OTHER_COPY, group_size=(8, 8, 1))
    verdict = asked(source, target)
    assert isinstance(verdict, Unknown)
    assert "requires groups of 8×8×1" in verdict.reason
    assert isinstance(asked(source, program(OTHER_COPY)), Refines)
    assert isinstance(asked(source, program(OTHER_COPY, group_size=size)), Refines)


def test_more_registers_are_a_premise() -> None:
    comparison = compared(program(COPY, registers=128), program(OTHER_COPY, registers=256))
    assert "groups-fit" in {one.name for one in comparison.assumed}
    same = compared(program(COPY, registers=128), program(OTHER_COPY, registers=128))
    assert "groups-fit" not in {one.name for one in same.assumed}


# ---------------------------------------------------------------- from today's compiler

SAMPLING = """__constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | {0};
kernel void k(read_only image2d_t i, global float4 *o, global float2 *c)
{{ int g = get_global_id(0); o[g] = read_imagef(i, s, c[g]); }}"""
SHARING = """kernel void k(global int *o, global int *x)
{{ local int t[{0}]; int l = get_local_id(0), g = get_global_id(0); t[l] = x[g]; barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = t[x[g] & 4095]; }}"""
LOOKING = """__constant int t[8] = {{ {0} }};
kernel void k(global int *o, global int *x) {{ int g = get_global_id(0); o[g] = t[x[g] & 7]; }}"""
SOURCES = {
    "samplers": (SAMPLING, "CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR", "CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST"),
    "shared memory": (SHARING, "4096", "8"),
    "tables": (LOOKING, "1, 2, 3, 4, 5, 6, 7, 8", "8, 7, 6, 5, 4, 3, 2, 1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_what_the_compiler_puts_beside_one_text_is_compared(name: str, tmp_path: Path) -> None:
    source, *fills = SOURCES[name]
    found = [compiled(source.format(fill), "tgllp", tmp_path / str(n)) for n, fill in enumerate(fills)]
    one, other = (Programs().read(each.dump, each.zebin) for each in found)
    verdict = asked(one, other)
    assert isinstance(verdict, Unknown if name == "samplers" else Difference), verdict
    assert isinstance(asked(one, one), Refines)
