"""Results that no page states end no launch; what depends on them is found, on both engines, and nothing else."""

import pytest
from msgspec.structs import replace

from visaproof.execution.arguments import prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.choices import (
    DependentBytes,
    DependentEnding,
    DependentStatement,
    Nondeterminism,
    run_with_choices,
)
from visaproof.execution.payload import Program
from visaproof.execution.run import Engine, Memory, Ran, run_launch
from visaproof.execution.shape import Shape, ThreadId
from visaproof.isa.platform import Platform
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option
from visaproof.semantics.concrete.choices import Allowed, Choices
from visaproof.visaasm.reader import read_kernel

TEXT = """.version 4.1
.kernel "k"
.decl ID v_type=G type=w num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl RF v_type=G type=f num_elts=8 align=GRF alias=<R, 0>
.decl RH v_type=G type=hf num_elts=16 align=GRF alias=<R, 0>
.decl F1 v_type=G type=f num_elts=8 align=GRF
.decl F2 v_type=G type=f num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl P3 v_type=P num_elts=8
.decl P4 v_type=P num_elts=32
.decl A0 v_type=A num_elts=1
.decl T6 v_type=T num_elts=1 v_name=T006
.input ID offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    movs (M1_NM, 1) T6(0) 0x0:ud
    mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>
    mov (M1, 8) R(0,0)<1> 0x0:ud
    cmp.{where} (M1, 8) P2 X(0,0)<1;1,0> {lane}:ud
{body}
_end:
    ret (M1, 1)
"""


def floats(left: str, right: str) -> str:
    return f"    mov (M1, 8) F1(0,0)<1> {left}:f\n    mov (M1, 8) F2(0,0)<1> {right}:f\n"


INFINITY, MINUS_INFINITY, ZERO, MINUS_ZERO, DENORMAL = "0x7f800000", "0xff800000", "0x0", "0x80000000", "0x1"
LARGEST, SOURCES = "0x7f7fffff", "F1(0,0)<1;1,0> F2(0,0)<1;1,0>"

UNSTATED = {
    "div": "    (P2) div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>\n",
    "mod": "    (P2) mod (M1, 8) R(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>\n",
    "add": floats(INFINITY, MINUS_INFINITY) + f"    (P2) add (M1, 8) RF(0,0)<1> {SOURCES}\n",
    "mul": floats(INFINITY, ZERO) + f"    (P2) mul (M1, 8) RF(0,0)<1> {SOURCES}\n",
    "mad": floats(LARGEST, "0x40000000") + f"    (P2) mad (M1, 8) RF(0,0)<1> {SOURCES} (-)F1(0,0)<1;1,0>\n",
    "min": floats(ZERO, MINUS_ZERO) + f"    (P2) min (M1, 8) RF(0,0)<1> {SOURCES}\n",
    "max": floats(ZERO, MINUS_ZERO) + f"    (P2) max (M1, 8) RF(0,0)<1> {SOURCES}\n",
    "float to ud": floats("0xc0000000", ZERO) + "    (P2) mov (M1, 8) R(0,0)<1> F1(0,0)<1;1,0>\n",
    "NaN to hf": floats("0x7fc00000", ZERO) + "    (P2) mov (M1, 8) RH(0,0)<2> F1(0,0)<1;1,0>\n",
    "sat": floats(DENORMAL, ZERO) + "    (P2) mov.sat (M1, 8) RF(0,0)<1> F1(0,0)<1;1,0>\n",
    "cmp": floats(ZERO, ZERO)
    + f"    (P2) mov (M1, 8) F1(0,0)<1> {DENORMAL}:f\n"
    + f"    cmp.gt (M1, 8) P3 {SOURCES}\n    (P3) mov (M1, 8) R(0,0)<1> 0x1:ud\n",
    "cmp to register": floats(ZERO, ZERO)
    + f"    (P2) mov (M1, 8) F1(0,0)<1> {DENORMAL}:f\n"
    + f"    cmp.gt (M1, 8) RF(0,0)<1> {SOURCES}\n",
}
"""In the lanes of P2 each leaves a value in R that no page states; it is 0 in the others."""

SCRAMBLED = """    mul (M1, 8) V(0,0)<1> R(0,0)<1;1,0> 0x9e3779b1:ud
    shr (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1b:ud
    mul (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x4:ud
"""
OFFSETS = "    mul (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x4:ud\n"
FIRST = {"add": "0x7fc00000", "mul": "0x7fc00000", "mad": LARGEST, "NaN to hf": "0x7e00"}
"""One of the values that are allowed, where it is not 0."""
COMPARED = "    cmp.ne (M1, 8) P1 R(0,0)<1;1,0> {first}:ud\n"

USES = {
    "dead": "",
    "stored": OFFSETS + "    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 R.0\n",
    "address": SCRAMBLED + "    gather4_scaled.R (M1, 8) T6 0x0:ud V.0 A.0\n",
    "branch": COMPARED + "    (P1) goto (M1, 8) _end\n    mov (M1, 8) V(0,0)<1> 0x1:ud\n",
    "mask": OFFSETS + COMPARED + "    (P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0\n",
}
FOUND = {
    "dead": set(),
    "stored": {DependentBytes},
    "address": {DependentStatement},
    "branch": {DependentStatement},
    "mask": {DependentStatement, DependentBytes},
}
ENGINES = list(Engine)


def program(body: str, where: str = "eq", lane: str = "0x3") -> Program:
    text = TEXT.format(body=body.rstrip("\n"), where=where, lane=lane)
    kernel = read_kernel(text, "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [parse_input_option("ID=local_id_x")])
    return Program(kernel, replace(launch, binding_table={0: 0}), Platform.TGLLP)


def launched(code: Program, engine: Engine, items: int = 8) -> tuple[Ran, Memory, Nondeterminism | None]:
    values, memory = prepare(code, Shape((items, 1, 1), (8, 1, 1)), {}, {0: bytes(32)})

    def alone(choices: Choices, most: int) -> Ran:
        return run_launch(code, values, memory, choices=choices, most=most)

    def together(choices: Choices, most: int) -> Ran:
        return run_on_arrays(code, values, memory, choices, most)

    ran, found = run_with_choices(alone if engine is Engine.SCALAR else together, memory)
    return ran, memory, found


def used(kind: str, use: str) -> Program:
    return program(UNSTATED[kind] + USES[use].format(first=FIRST.get(kind, "0x0")))


def line_of(code: Program, opcode: str) -> int:
    return next(each.position.line for each in code.kernel.instructions() if each.opcode == opcode)


@pytest.mark.slow(but=43)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", UNSTATED)
def test_what_depends_on_an_unstated_result_is_found(kind: str, use: str, engine: Engine) -> None:
    code = used(kind, use)
    ran, memory, found = launched(code, engine)
    assert ran.undefined is None
    assert ran.engine is engine
    assert found is not None
    (picked,) = found.picked
    assert (picked.lane, picked.thread, picked.others) == (3, ThreadId((0, 0, 0), 0), False)
    assert code.kernel.source_lines[picked.position.line - 1] in UNSTATED[kind]
    assert {type(one) for one in found.dependent} == FOUND[use]
    assert all(one.on == (picked,) for one in found.dependent)
    for one in found.dependent:
        if isinstance(one, DependentBytes):
            assert 12 <= one.first <= one.last <= 15
    if use == "stored":
        content = bytes(memory.buffers[0].data)
        assert content[:12] + content[16:] == bytes(16 + 12)


@pytest.mark.slow(but=21)
@pytest.mark.parametrize("kind", UNSTATED)
@pytest.mark.parametrize("use", USES)
def test_both_engines_find_the_same(kind: str, use: str) -> None:
    code = used(kind, use)
    answers: list[tuple[bytes, Nondeterminism | None]] = []
    for engine in ENGINES:
        _, memory, found = launched(code, engine)
        answers.append((bytes(memory.buffers[0].data), found))
    assert answers[0] == answers[1]


@pytest.mark.slow(but=14)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", UNSTATED)
def test_a_lane_that_is_off_has_no_unstated_result(kind: str, engine: Engine) -> None:
    """By the predicate, and by a branch around the operation."""
    stored = USES["stored"]
    _, memory, found = launched(program(UNSTATED[kind] + stored, lane="0x8"), engine)
    assert found is None
    assert bytes(memory.buffers[0].data) == bytes(32)
    branch = "    (!P2) goto (M1, 8) _after\n"
    around = branch + UNSTATED[kind].replace("(P2) ", "") + "_after:\n" + stored
    _, memory, found = launched(program(around, lane="0x8"), engine)
    assert found is None
    _, memory, found = launched(program(around), engine)
    assert found is not None
    assert found.picked[0].lane == 3
    assert not found.picked[0].others


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", UNSTATED)
def test_one_choice_for_all_policies_hides_every_dependence(
    kind: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests above stand on policies that differ."""
    picked = Allowed.picked
    monkeypatch.setattr(Allowed, "picked", lambda self, policy, scatter, of: picked(self, 0, scatter, of))
    _, _, found = launched(program(UNSTATED[kind] + USES["stored"]), engine)
    assert found is not None
    assert not found.dependent


@pytest.mark.parametrize("engine", ENGINES)
def test_each_byte_names_the_results_on_which_it_depends(engine: Engine) -> None:
    """Lanes 3 and 5 store results of two statements, lane 6 what both give together; lane 1 hides one."""
    body = """    div (M1, 8) V(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    mod (M1, 8) A(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x3:ud
    (P1) mov (M1, 8) R(0,0)<1> V(0,0)<1;1,0>
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:ud
    (P1) mov (M1, 8) R(0,0)<1> A(0,0)<1;1,0>
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x6:ud
    (P1) add (M1, 8) R(0,0)<1> A(0,0)<1;1,0> V(0,0)<1;1,0>
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x1:ud
    (P1) and (M1, 8) R(0,0)<1> A(0,0)<1;1,0> 0x0:ud
"""
    code = program(body + USES["stored"])
    _, _, found = launched(code, engine)
    assert found is not None
    assert [one.position.line for one in found.picked] == [line_of(code, "div"), line_of(code, "mod")]
    assert all(one.lane == 0 and one.others for one in found.picked)
    told = {
        (one.first, one.last): tuple(cause.what[:3] for cause in one.on)
        for one in found.dependent
        if isinstance(one, DependentBytes)
    }
    assert told == {(12, 15): ("div",), (20, 23): ("mod",), (24, 27): ("div", "mod")}
    assert len(told) == len(found.dependent)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_operation_on_the_same_operands_is_the_same(engine: Engine) -> None:
    """x/0 twice, in two statements: their difference is 0."""
    body = """    div (M1, 8) V(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    div (M1, 8) A(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    add (M1, 8) R(0,0)<1> A(0,0)<1;1,0> (-)V(0,0)<1;1,0>
"""
    _, memory, found = launched(program(body + USES["stored"]), engine)
    assert found is not None
    assert not found.dependent
    assert bytes(memory.buffers[0].data) == bytes(32)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_result_is_followed_through_memory_to_another_thread(engine: Engine) -> None:
    """Thread 0 of a group stores it in shared local memory; thread 1 reads it after the barrier, and stores it."""
    body = """    and (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x7:ud
    mul (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x4:ud
    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x8:ud
    (P2) div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    (P1) scatter4_scaled.R (M1, 8) %slm 0x0:ud A.0 R.0
    barrier
    (!P1) gather4_scaled.R (M1, 8) %slm 0x0:ud A.0 V.0
    (!P1) scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 V.0
"""
    code = program(body)
    code = replace(code, launch=replace(code.launch, slm_bytes=64))
    values, memory = prepare(code, Shape((16, 1, 1), (16, 1, 1)), {}, {0: bytes(32)})

    def launch(choices: Choices, most: int) -> Ran:
        if engine is Engine.SCALAR:
            return run_launch(code, values, memory, choices=choices, most=most)
        return run_on_arrays(code, values, memory, choices, most)

    _, found = run_with_choices(launch, memory)
    assert found is not None
    (bytes_of,) = found.dependent
    assert isinstance(bytes_of, DependentBytes)
    assert (bytes_of.first, bytes_of.last) == (12, 15)
    assert bytes_of.on[0].thread == ThreadId((0, 0, 0), 0)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_that_a_result_bounds_is_given_up_and_told(engine: Engine) -> None:
    """Under one choice it ends at once, under another it would take 2^32 rounds."""
    body = """    (P2) div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    mov (M1, 8) V(0,0)<1> 0x0:ud
_loop:
    add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:ud
    cmp.lt (M1, 8) P1 V(0,0)<1;1,0> R(0,0)<1;1,0>
    (P1) goto (M1, 8) _loop
"""
    ran, _, found = launched(program(body), engine)
    assert ran.undefined is None
    assert found is not None
    assert any(isinstance(one, DependentEnding) and "statements" in one.stopped for one in found.dependent)


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_of_which_some_have_no_such_result_keep_their_threads(engine: Engine) -> None:
    """The result is of the second group."""
    body = """    mov (M1, 8) V(0,0)<1> %group_id_x(0,0)<0;1,0>
    add (M1, 8) A(0,0)<1> V(0,0)<1;1,0> (-)0x1:ud
    (P2) div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> A(0,0)<1;1,0>
""".replace("(-)0x1:ud", "0xffffffff:ud")
    _, _, found = launched(program(body), engine, items=32)
    assert found is not None
    (picked,) = found.picked
    assert (picked.thread, picked.others) == (ThreadId((1, 0, 0), 0), False)


def test_a_launch_without_such_results_is_run_once() -> None:
    code, runs = program(USES["stored"]), []
    values, memory = prepare(code, Shape((8, 1, 1), (8, 1, 1)), {}, {0: bytes(32)})

    def launch(choices: Choices, most: int) -> Ran:
        runs.append(choices)
        return run_launch(code, values, memory, choices=choices, most=most)

    assert run_with_choices(launch, memory)[1] is None
    assert len(runs) == 1


OF_ADDRESS = """    div (M1, 8) A(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>
    and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x1c:ud
    {between}
    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_behaviour_that_is_undefined_under_some_choices_is_told(engine: Engine) -> None:
    """Lanes 3 and 5 write one dword if both get 0, and others if not.  The run that is shown comes to its end."""
    body = OF_ADDRESS.format(between="cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:ud").replace(
        "    scatter", "    (P2) goto (M1, 8) _all\n    (!P1) goto (M1, 8) _end\n_all:\n    scatter"
    )
    code = program(body)
    ran, _, found = launched(code, engine)
    assert ran.undefined is None
    assert found is not None
    (ending,) = [one for one in found.dependent if isinstance(one, DependentEnding)]
    assert ending.undefined is not None
    assert ending.undefined.position.line == line_of(code, "scatter4_scaled")
    assert "lanes 3 and 5 both write byte" in ending.undefined.message


@pytest.mark.parametrize("engine", ENGINES)
def test_behaviour_that_is_undefined_under_all_choices_is_undefined(engine: Engine) -> None:
    """Whatever the result is, its last use sends all lanes to one dword."""
    ran, _, found = launched(program(OF_ADDRESS.format(between="and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x0:ud")), engine)
    assert ran.undefined is not None
    assert found is not None
    assert not [one for one in found.dependent if isinstance(one, DependentEnding)]


@pytest.mark.parametrize("engine", ENGINES)
def test_results_of_groups_before_an_undefined_one_are_kept_once(engine: Engine) -> None:
    """The arrays run the group that is undefined again, and those before it."""
    body = """    mov (M1, 8) V(0,0)<1> %group_id_x(0,0)<0;1,0>
    (P2) div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> V(0,0)<1;1,0>
    cmp.eq (M1, 8) P1 V(0,0)<1;1,0> 0x0:ud
    (P1) goto (M1, 8) _end
    mov (M1, 8) A(0,0)<1> 0x0:ud
    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 X.0
"""
    ran, _, found = launched(program(body), engine, items=24)
    assert ran.undefined is not None
    assert ran.undefined.thread == ThreadId((1, 0, 0), 0)
    assert found is not None
    (picked,) = found.picked
    assert (picked.thread, picked.lane, picked.others) == (ThreadId((0, 0, 0), 0), 3, False)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_reasons_at_one_statement_are_told_apart(engine: Engine) -> None:
    """Lane 3 multiplies infinity by 0, and lane 5 goes beyond the type."""
    body = (
        floats("0x7f7fffff", "0x40000000")
        + """    (P2) mov (M1, 8) F1(0,0)<1> 0x7f800000:f
    (P2) mov (M1, 8) F2(0,0)<1> 0x0:f
    cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:ud
    cmp.eq (M1, 8) P3 X(0,0)<1;1,0> 0x3:ud
    or (M1, 8) P1 P1 P3
    (P1) mad (M1, 8) RF(0,0)<1> F1(0,0)<1;1,0> F2(0,0)<1;1,0> 0xff7fffff:f
"""
    )
    _, _, found = launched(program(body + USES["stored"]), engine)
    assert found is not None
    assert len(found.picked) == 2
    told = {
        one.first // 4: [cause.lane for cause in one.on] for one in found.dependent if isinstance(one, DependentBytes)
    }
    assert told == {3: [3], 5: [5]}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_saturated_negative_number_is_0(engine: Engine) -> None:
    body = floats("0xc0000000", "0x0") + "    mov.sat (M1, 8) R(0,0)<1> F1(0,0)<1;1,0>\n"
    _, memory, found = launched(program(body + USES["stored"]), engine)
    assert found is None
    assert bytes(memory.buffers[0].data) == bytes(32)
