"""Calls and addresses of functions: examples worked by hand, and both machines on kernels that were linked."""

from pathlib import Path

import pytest

from tests.support.crosscheck import disagreements
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.visaasm.linking.names import linked, read_program
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

DATA = Path(__file__).parents[2] / "data" / "visaasm"

DECLARATIONS = """.decl ARG v_type=G type=d num_elts=8 alias=<%arg, 0>
.decl RESULT v_type=G type=d num_elts=8 alias=<%retval, 0>
.decl X v_type=G type=d num_elts=8 align=GRF
.decl Y v_type=G type=d num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=2 align=GRF
.decl B v_type=G type=uq num_elts=2 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
"""
CALL = """    mov (M1, 8) ARG(0,0)<1> X(0,0)<1;1,0>
    fcall (M1, 8) f 1 1
    mov (M1, 8) Y(0,0)<1> RESULT(0,0)<1;1,0>
"""
SIZES = ".kernel_attr ArgSize=1\n.kernel_attr RetValSize=1\n"


def kernel(body: str) -> Kernel:
    text = f'.version 4.1\n.kernel "k"\n{DECLARATIONS}.function "k"\n_main:\n{body}    ret (M1, 1)\n'
    return read_kernel(text, "k.visaasm")


def function(body: str, name: str = "f", sizes: str = SIZES) -> Kernel:
    head = f'.version 4.1\n.global_function "{name}"\n{DECLARATIONS}{sizes}.function "{name}_0"\n_main:\n'
    return read_kernel(f"{head}{body}    fret (M1, 8)\n", f"k.{name}.visaasm")


INCREMENT = function("""    mov (M1, 8) X(0,0)<1> ARG(0,0)<1;1,0>
    add (M1, 8) RESULT(0,0)<1> X(0,0)<1;1,0> 0x1:d
""")
ABSOLUTE = function("""    mov (M1, 8) RESULT(0,0)<1> ARG(0,0)<1;1,0>
    cmp.ge (M1, 8) P1 ARG(0,0)<1;1,0> 0x0:d
    (P1) fret (M1, 8)
    add (M1, 8) RESULT(0,0)<1> 0x0:d (-)ARG(0,0)<1;1,0>
""")


def ran(program: Kernel, *lanes: int) -> list[int]:
    """What Y holds after a run with these numbers in X."""
    state = ConcreteState(Platform.TGLLP, exec_mask=(1 << len(lanes)) - 1)
    state.registers["X"] = bytearray(b"".join(lane.to_bytes(4, "little", signed=True) for lane in lanes))
    state.registers["X"].extend(bytes(32 - 4 * len(lanes)))
    assert run(program, state).undefined is None
    held = state.registers["Y"]
    return [int.from_bytes(held[4 * k : 4 * k + 4], "little", signed=True) for k in range(len(lanes))]


def test_a_call_runs_the_function_on_its_argument_with_variables_of_its_own() -> None:
    """Y = X + 1; the function's X is not the caller's."""
    program = linked(kernel(CALL + "    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> X(0,0)<1;1,0>\n"), {"f": INCREMENT})
    assert ran(program, 5, -1) == [11, -1]


def test_lanes_return_where_their_predicate_says_so() -> None:
    assert ran(linked(kernel(CALL), {"f": ABSOLUTE}), 3, -4, 0) == [3, 4, 0]


def test_two_calls_and_calls_in_functions() -> None:
    """f(x) = x + 1 and g(x) = f(f(x)): g(g(10)) = 14."""
    body = "    fcall (M1, 8) f 1 1\n    mov (M1, 8) ARG(0,0)<1> RESULT(0,0)<1;1,0>\n    fcall (M1, 8) f 1 1\n"
    twice = function(body, "g")
    once = CALL.replace(" f ", " g ")
    again = once.replace("X(0,0)<1;1,0>", "Y(0,0)<1;1,0>")
    assert ran(linked(kernel(once + again), {"f": INCREMENT, "g": twice}), 10) == [14]


BY_ADDRESS = CALL.replace("    fcall (M1, 8) f 1 1", "    ifcall.uniform (M1, 8) B(0,0)<0;1,0> 1 1")
OF_F = "    faddr f A(0,0)<1>\n    mov (M1_NM, 1) B(0,0)<1> A(0,0)<0;1,0>\n"


def test_a_call_by_address_is_one_of_the_function_that_has_it() -> None:
    """The address itself is arbitrary, and is left out."""
    program = linked(kernel(OF_F + BY_ADDRESS), {"f": INCREMENT})
    assert ran(program, 5, -1) == [6, 0]
    assert not any("&f" in name for name in program.variables)
    assert str(trace(linked(kernel(OF_F + BY_ADDRESS), {}), Platform.TGLLP).stopped).endswith(
        "a call of f, which is not in k.f0.visaasm or one before it"
    )


@pytest.mark.parametrize(
    "body",
    [
        BY_ADDRESS,
        OF_F + "    mov (M1_NM, 1) B(0,0)<1> X(0,0)<0;1,0>\n" + BY_ADDRESS,
        OF_F + "    faddr g A(0,0)<1>\n" + BY_ADDRESS,
        OF_F + "    faddr g B(0,0)<1>\n" + BY_ADDRESS,
        OF_F + "    add (M1_NM, 1) B(0,0)<1> B(0,0)<0;1,0> 0x8:uq\n" + BY_ADDRESS,
        OF_F + "    mov (M1, 8) Y(0,0)<1> A(0,0)<0;1,0>\n" + BY_ADDRESS,
        OF_F.replace("A(0,0)<0;1,0>", "A(0,1)<0;1,0>") + BY_ADDRESS,
        OF_F.replace("    mov", "    (P1) mov") + BY_ADDRESS,
        OF_F.replace("B(0,0)", "B(0,1)") + BY_ADDRESS,
    ],
    ids=["none", "other", "two", "both", "moved on", "looked at", "second", "in some lanes", "beside"],
)
def test_a_call_by_an_address_that_may_be_another_is_not_modelled(body: str) -> None:
    program = linked(kernel(body), {"f": INCREMENT})
    assert any(one.opcode == "ifcall" for one in program.instructions())
    assert len([*program.instructions()]) == len([*kernel(body).instructions()])  # no address is left out
    with pytest.raises(NotModelled, match="ifcall"):
        ran(program, 5)


@pytest.mark.parametrize("called", [INCREMENT, ABSOLUTE])
@pytest.mark.parametrize("skipped", [False, True])
def test_both_machines_agree_on_linked_kernels(called: Kernel, skipped: bool) -> None:
    """Also where some lanes jump over the call."""
    around = "    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x20:d\n    (P1) goto (M1, 8) past\n" + CALL + "past:\n"
    program = linked(kernel(around if skipped else CALL + CALL), {"f": called})
    for seed in range(6):
        assert disagreements(program, Platform.TGLLP, seed) == []


def test_a_name_has_one_address_and_nothing_is_known_of_it() -> None:
    body = "    faddr lut A(0,0)<1>\n    faddr lut A(0,1)<1>\n    faddr other X(0,0)<1>\n"
    program = linked(kernel(body), {})
    result = trace(program, Platform.TGLLP)
    assert str(result.stopped).endswith("the address of other in anything but a UQ")
    first, second = (result.registers.read("A", start, 8) for start in (0, 8))
    assert first is second
    assert "&lut.0" in str(first)
    state = ConcreteState(Platform.TGLLP, exec_mask=1, registers={"&lut": bytearray(range(8))})
    run(linked(kernel(body.splitlines()[0] + "\n"), {}), state)
    assert state.registers["A"][:8] == bytes(range(8))


REFUSED = [
    (kernel(CALL), {}, "a call of f, which is not in k.f0.visaasm or one before it"),
    (kernel(CALL), {"f": function("", sizes="")}, "a call of f with other sizes than it declares"),
    (kernel(CALL.replace("fcall", "(P1) fcall")), {"f": INCREMENT}, "a call of f for some of the lanes"),
    (kernel(CALL.replace("fcall (M1, 8)", "fcall (M1, 4)")), {"f": INCREMENT}, "a call of f for some of the lanes"),
    (kernel(CALL), {"f": function("    fcall (M1, 8) f 1 1\n")}, "a call of f by itself"),
    (kernel(CALL), {"f": function("    ret (M1, 1)\n")}, "a call of f, which has subroutines"),
]


@pytest.mark.parametrize(
    ("caller", "functions", "reason"), REFUSED, ids=lambda each: each if isinstance(each, str) else ""
)
def test_what_cannot_be_linked_stops_both_machines_there(
    caller: Kernel, functions: dict[str, Kernel], reason: str
) -> None:
    program = linked(caller, functions)
    stopped = trace(program, Platform.TGLLP).stopped
    assert stopped is not None
    assert stopped.what == reason
    with pytest.raises(NotModelled, match=reason):
        run(program, ConcreteState(Platform.TGLLP, exec_mask=1))


def test_a_statement_of_a_function_has_its_place_in_the_functions_file() -> None:
    unknown = function("    rt_write (M1, 8) T6 X.0\n")
    stopped = trace(linked(kernel(CALL), {"f": unknown}), Platform.TGLLP).stopped
    assert stopped is not None
    assert stopped.position is not None
    assert (stopped.position.path, stopped.position.line) == ("k.f.visaasm", 16)


def test_loads_of_one_line_in_two_files_bring_values_of_their_own() -> None:
    """The load of the function stands in line 15 of its file, as that of the kernel does."""
    load = "    gather4_scaled.R (M1, 8) T6 0x0:ud Y.0 X.0\n"
    caller = kernel("    mov (M1, 8) ARG(0,0)<1> 0x1:d\n    mov (M1, 8) Y(0,0)<1> 0x0:d\n" + load + CALL)
    result = trace(linked(caller, {"f": function(load)}), Platform.TGLLP)
    lines = [each.instruction.position.line for each in result.performed]
    assert len(set(lines)) == 1
    values = [content for each in result.performed for _, content in each.loaded]
    assert len(set(values)) == len(values) == 16


def test_a_real_kernel_with_a_function_beside_it_agrees_with_its_runs() -> None:
    """Unoptimised code calls a fence that is a function: it leaves no register that the kernel reads."""
    program = read_program(DATA / "spv_vecscale" / "tgllp-O0-simd8.visaasm")
    result = trace(program, Platform.TGLLP)
    assert result.stopped is None
    for seed in range(3):
        assert disagreements(program, Platform.TGLLP, seed, result) == []


def test_a_store_of_a_function_reaches_memory() -> None:
    stores = function("    scatter4_scaled.R (M1, 8) T6 0x0:ud ARG.0 X.0\n")
    state = ConcreteState(Platform.TGLLP, exec_mask=0b11, surfaces={"T6": Buffer(64), "f@1:T6": Buffer(64)})
    state.registers["X"] = bytearray(8 * 4)
    outcome = run(linked(kernel(CALL), {"f": stores}), state)
    assert outcome.undefined is not None
    assert outcome.undefined.position.path == "k.f.visaasm"
    assert "both write" in outcome.undefined.message
