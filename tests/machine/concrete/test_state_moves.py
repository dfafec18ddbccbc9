"""`movs` between registers and surface or sampler variables, on all machines.  Page: MOVS.md."""

import struct
from collections.abc import Callable

import numpy as np
import pytest

from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.run import run_threads
from visaproof.machine.concrete.run import run
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.lower import lowered
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer
from visaproof.smt import bool_const, const, value_of
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

DECLARATIONS = """.version 4.1
.kernel "k"
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl N v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=d num_elts=8 alias=<R, 0>
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=16
.decl T6 v_type=T num_elts=4
.decl T7 v_type=T num_elts=4
.decl S0 v_type=S num_elts=4
.decl S1 v_type=S num_elts=1
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
"""
BEFORE = {
    "R": [0xEEEE] * 8,
    "V": [3, 1, 4, 15, 9, 26, 5, 35],
    "X": [0] * 8,
    "N": [2**32 - 2] * 3 + [2**32 - 3] + [0] * 4,
}
LANES = 0b1111_1110
Machine = Callable[[Kernel], list[int]]


def kernel_of(body: str) -> Kernel:
    return read_kernel(f"{DECLARATIONS}{body}\nret (M1, 1)\n", "k.visaasm")


def content(name: str) -> bytes:
    return struct.pack("<8I", *BEFORE[name])


def on_one_thread(kernel: Kernel) -> list[int]:
    state = ConcreteState(Platform.TGLLP, LANES)
    state.registers = {name: bytearray(content(name)) for name in BEFORE}
    assert run(kernel, state).undefined is None
    return list(struct.unpack("<8I", state.registers["R"]))


def on_arrays(kernel: Kernel) -> list[int]:
    """Of two threads alike."""
    held = {name: np.frombuffer(content(name) * 2, np.uint8).reshape(2, -1).copy() for name in BEFORE}
    found = run_threads(kernel, Platform.TGLLP, held, np.array([LANES] * 2), Memories(), np.array([0, 0]))
    if found.not_modelled:
        assert [stop.thread for stop in found.not_modelled] == [0, 1]
        raise NotModelled(found.not_modelled[0].message)
    first, second = (row.tobytes() for row in found.registers["R"])
    assert first == second
    return list(struct.unpack("<8I", first))


def traced(kernel: Kernel) -> Trace:
    lanes = [bool_const(bool(LANES >> lane & 1)) for lane in range(8)]
    return trace(kernel, Platform.TGLLP, lambda name, byte: (const(content(name)[byte], 8), 0), lanes)


def symbolically(kernel: Kernel) -> list[int]:
    found = traced(kernel)
    if isinstance(found.stopped, NotModelled):
        raise found.stopped
    return [value_of(found.registers.read("R", 4 * k, 4)) or 0 for k in range(8)]


MACHINES = pytest.mark.parametrize("machine", [on_one_thread, on_arrays, symbolically])
KEPT = 0xEEEE
INDIRECT = "addr_add (M1_NM, 1) A0(0)<1> &V 0x8:uw\nmovs (M1_NM, 1) T6(0) r[A0(0),0]<0;1,0>:ud\n"


@MACHINES
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("movs (M1_NM, 1) T6(2) 0x7:ud\nmovs (M1_NM, 1) R(0,1)<1> T6(2)", [KEPT, 7]),
        ("movs (M1_NM, 1) T6(2) 0xffffffff:d\nmovs (M1_NM, 1) R(0,1)<1> T6(2)", [KEPT, 0xFFFF_FFFF]),
        ("movs (M1_NM, 1) S0(3) V(0,1)<0;1,0>\nmovs (M1_NM, 1) R(0,0)<1> S0(3)", [1]),
        ("movs (M1_NM, 4) T6(0) V(0,0)<1;1,0>\nmovs (M1_NM, 4) R(0,0)<2> T6(0)", [3, KEPT, 1, KEPT, 4, KEPT, 15]),
        ("movs (M1_NM, 4) T6(0) V(0,0)<2;1,0>\nmovs (M1_NM, 2) R(0,0)<1> T6(2)", [9, 5]),
        # a lane that is off writes no register, but into a state variable all are moved
        ("movs (M1, 4) T6(0) V(0,0)<1;1,0>\nmovs (M1, 4) R(0,0)<1> T6(0)", [KEPT, 1, 4, 15]),
        ("movs (M1, 1) T6(0) 0x7:ud\nmovs (M1_NM, 1) R(0,0)<1> T6(0)", [7]),
        # elements that are copied into their neighbours are read first
        (
            "movs (M1_NM, 4) T6(0) V(0,0)<1;1,0>\nmovs (M1_NM, 2) T6(1) T6(0)\nmovs (M1_NM, 4) R(0,0)<1> T6(0)",
            [3, 3, 1, 15],
        ),
        ("movs (M1_NM, 1) T6(0) 0x7:ud\nmovs (M1_NM, 1) T7(3) T6(0)\nmovs (M1_NM, 1) R(0,0)<1> T7(3)", [7]),
        # what a register holds later is not what was moved
        ("movs (M1_NM, 1) T6(0) V(0,0)<0;1,0>\nmov (M1_NM, 1) V(0,0)<1> 0x0:ud\nmovs (M1_NM, 1) R(0,0)<1> T6(0)", [3]),
        (INDIRECT + "movs (M1_NM, 1) R(0,0)<1> T6(0)", [4]),
    ],
)
def test_an_index_comes_back_as_it_was_moved(machine: Machine, body: str, expected: list[int]) -> None:
    assert machine(kernel_of(body)) == (expected + [KEPT] * 8)[:8]


@MACHINES
@pytest.mark.parametrize(
    "body",
    [
        "movs (M1_NM, 1) R(0,0)<1> T6(0)",
        "movs (M1_NM, 1) T6(1) 0x7:ud\nmovs (M1_NM, 2) R(0,0)<1> T6(1)",
        "movs (M1_NM, 1) T6(1) 0x7:ud\nmovs (M1_NM, 1) T6(1) T6(2)\nmovs (M1_NM, 1) R(0,0)<1> T6(1)",
    ],
)
def test_an_index_that_nothing_moved_is_not_modelled(machine: Machine, body: str) -> None:
    with pytest.raises(NotModelled, match=r"of which no launch says the index: page MOVS"):
        machine(kernel_of(body))


@MACHINES
@pytest.mark.parametrize(
    "body",
    [
        "movs (M1_NM, 2) T6(3) V(0,0)<1;1,0>",
        "movs (M1_NM, 2) R(0,0)<1> S1(0)",
        "movs (M1_NM, 1) T6(0) S0(0)",
        "movs (M1_NM, 1) R(0,0)<1> V(0,0)<0;1,0>",
        "movs (M1_NM, 1) T6(0) 0x7:w",
        "movs (M1_NM, 1) R(0,0)<1> A0(0)",
    ],
)
def test_what_the_page_does_not_describe_is_refused(machine: Machine, body: str) -> None:
    with pytest.raises(NotModelled, match="page MOVS"):
        machine(kernel_of(body))


LOAD = "gather4_scaled.R (M1_NM, 8) T7 0x0:ud X.0 R.0"


@pytest.mark.parametrize(
    ("body", "surface"),
    [
        ("movs (M1_NM, 1) T6(2) 0x7:ud\nmovs (M1_NM, 1) T7(0) T6(2)", "bti 7"),
        ("movs (M1_NM, 1) T6(2) V(0,2)<0;1,0>\nmovs (M1_NM, 1) T7(0) T6(2)", "bti V.8"),
        ("movs (M1_NM, 2) T6(0) V(0,2)<1;1,0>\nmovs (M1_NM, 1) T7(0) T6(1)", "bti V.12"),
        ("movs (M1_NM, 1) T7(1) 0x7:ud", "T7"),
        ("movs (M1_NM, 1) T7(0) T6(0)", "T6"),
        ("movs (M1_NM, 1) T7(0) T6(1)", "T6(1)"),
    ],
)
def test_a_message_reaches_the_surface_that_was_copied(body: str, surface: str) -> None:
    kernel = kernel_of(f"{body}\n{LOAD}")
    state = ConcreteState(Platform.TGLLP, LANES, surfaces={surface: Buffer(64, {0: 0x2A})})
    state.registers = {name: bytearray(content(name)) for name in BEFORE}
    assert run(kernel, state).undefined is None
    assert list(struct.unpack("<8I", state.registers["R"])) == [0x2A] * 8
    assert [one.surface for one in traced(kernel).performed] == [surface]
    held = {name: np.frombuffer(content(name), np.uint8).reshape(1, -1).copy() for name in BEFORE}
    memory = np.frombuffer(struct.pack("<16I", 0x2A, *[0] * 15), np.uint8).copy()
    found = run_threads(kernel, Platform.TGLLP, held, np.array([LANES]), Memories({surface: memory}), np.array([0]))
    assert list(struct.unpack("<8I", found.registers["R"].tobytes())) == [0x2A] * 8


LOOP = """movs (M1_NM, 1) T6(0) 0x1:ud
again:
movs (M1_NM, 1) R(0,0)<1> T6(0)
movs (M1_NM, 1) T6(0) V(0,0)<0;1,0>
add (M1_NM, 1) V(0,0)<1> V(0,0)<0;1,0> 0x1:ud
cmp.ne (M1, 8) P1 X(0,0)<0;1,0> V(0,0)<0;1,0>
(P1) goto (M1, 8) again"""


def test_an_index_that_a_round_changes_is_not_that_of_the_round_before() -> None:
    """Nothing is known of how often the loop runs: the symbolic machine must not take the first index for all."""
    found = trace(kernel_of(LOOP), Platform.TGLLP)
    assert found.bounded
    assert value_of(found.registers.read("R", 0, 4)) is None


def test_other_elements_of_a_sampler_say_nothing_of_the_first() -> None:
    kernel = kernel_of("movs (M1_NM, 1) S0(1) 0x5:ud\nmovs (M1_NM, 1) S0(0) S0(1)")
    assert lowered(kernel, Platform.TGLLP).samplers == [5]


@MACHINES
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # a ballot: the bits of a predicate, into D
        ("cmp.lt (M1_NM, 16) P2 V(0,0)<0;1,0> 0x4:ud\nmov (M1_NM, 1) E(0,0)<1> P2", [0xFFFF]),
        # packed words: 0, 2, 4 and 8 are added
        (
            "addc (M1_NM, 4) R(0,0)<1> V(0,0)<1> N(0,0)<1;1,0> 0x8420:uv\nmov (M1_NM, 4) R(0,4)<1> V(0,0)<1;1,0>",
            [0xFFFF_FFFE, 0, 2, 5, 0, 1, 1, 1],
        ),
    ],
)
def test_forms_beside_their_pages_that_the_compiler_emits(machine: Machine, body: str, expected: list[int]) -> None:
    """The readings mov-of-predicate and addc-of-words."""
    assert machine(kernel_of(body)) == (expected + [KEPT] * 8)[:8]
