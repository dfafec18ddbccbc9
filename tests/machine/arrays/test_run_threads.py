"""Launches of a few threads, worked by hand: what they share, and how each ends."""

import numpy as np
import pytest

from visaproof.isa.platform import Platform
from visaproof.machine.arrays.messages.memories import Memories
from visaproof.machine.arrays.result import Result
from visaproof.machine.arrays.run import run_threads
from visaproof.visaasm.reader import read_kernel

DECLARATIONS = """.version 4.1
.kernel "k"
.decl ID v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Q v_type=G type=uq num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
_main:
"""


def ids(*starts: int, step: int = 4) -> np.ndarray:
    """One row per thread: the byte offsets of eight lanes from a start on."""
    return np.array([[start + step * lane for lane in range(8)] for start in starts], "<u4").view(np.uint8)


def launch(
    body: str,
    registers: dict[str, np.ndarray],
    memories: Memories,
    groups: list[int] | None = None,
    masks: list[int] | None = None,
    most: int = 1000,
    whole_groups: bool = False,
) -> Result:
    kernel = read_kernel(DECLARATIONS + body + "\n    ret (M1, 1)\n", "k.visaasm")
    threads = len(registers["ID"])
    return run_threads(
        kernel,
        Platform.TGLLP,
        registers,
        np.array(masks or [255] * threads),
        memories,
        np.array(groups or [0] * threads),
        most=most,
        whole_groups=whole_groups,
    )


def dwords(array: np.ndarray) -> list[int]:
    return np.ascontiguousarray(array).view("<u4").reshape(-1).tolist()


def test_every_thread_writes_its_own_place() -> None:
    memory = np.zeros(64, np.uint8)
    result = launch("    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 ID.0", {"ID": ids(0, 32)}, Memories({"T6": memory}))
    assert dwords(memory) == [4 * k for k in range(16)]
    assert result.lane_instructions == 2 * 8 + 2 * 8  # the scatter and the ret


def test_a_barrier_holds_a_thread_until_its_group_has_come() -> None:
    """Each of two threads writes its half of SLM, and reads the other one's behind the barrier."""
    body = """
    add (M1, 8) X(0,0)<1> ID(0,0)<1;1,0> 0x100:ud
    scatter4_scaled.R (M1, 8) %slm 0x0:ud ID.0 X.0
    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> 0x20:ud
    (P1) goto (M1, 8) first
    mul (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:ud
first:
    barrier
    xor (M1, 8) ID(0,0)<1> ID(0,0)<1;1,0> 0x20:ud
    gather4_scaled.R (M1, 8) %slm 0x0:ud ID.0 Y.0"""
    local = np.zeros((2, 64), np.uint8)
    result = launch(body, {"ID": ids(0, 32, 0, 32)}, Memories({"%slm": local}), [0, 0, 1, 1])
    expected = [0x100 + 4 * k for k in range(16)]
    assert dwords(result.registers["Y"]) == (expected[8:] + expected[:8]) * 2


def test_a_thread_that_has_ended_is_not_waited_for() -> None:
    body = """
    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> 0x20:ud
    (!P1.any) goto (M1, 1) out
    barrier
    mov (M1, 8) X(0,0)<1> 0x7:ud
out:"""
    result = launch(body, {"ID": ids(0, 32)}, Memories())
    assert dwords(result.registers["X"]) == [7] * 8 + [0] * 8


def test_lanes_of_one_scatter_on_one_byte_are_undefined_and_the_other_threads_go_on() -> None:
    memory = np.zeros(64, np.uint8)
    registers = {"ID": ids(0, 32)}
    registers["ID"][1, 4:8] = registers["ID"][1, 0:4]
    result = launch("    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 ID.0", registers, Memories({"T6": memory}))
    assert [(stop.thread, stop.message) for stop in result.undefined] == [(1, "lanes 0 and 1 both write byte 0x20")]
    assert result.undefined[0].position.line == 12
    assert dwords(memory) == [4 * k for k in range(8)] + [0] * 8


def test_what_is_outside_reads_0_and_is_dropped() -> None:
    memory = np.full(16, 0xFF, np.uint8)
    body = "    gather4_scaled.R (M1, 8) T6 0x0:ud ID.0 X.0\n    scatter4_scaled.R (M1, 8) T6 0x8:ud ID.0 ID.0"
    result = launch(body, {"ID": ids(0)}, Memories({"T6": memory}))
    assert dwords(result.registers["X"]) == [2**32 - 1] * 4 + [0] * 4
    assert dwords(memory) == [2**32 - 1] * 2 + [0, 4]


def test_atomics_take_turns_by_thread_and_lane() -> None:
    memory = np.zeros(4, np.uint8)
    body = "    dword_atomic.add (M1, 8) T6 X.0 Y.0 %null.0 Q.0"
    registers = {"ID": ids(0, 0), "Y": np.full((2, 8), 3, "<u4").view(np.uint8)}
    result = launch(body, registers, Memories({"T6": memory}), masks=[255, 0b101])
    assert dwords(result.registers["Q"][0, :32]) == [3 * k for k in range(8)]
    assert dwords(result.registers["Q"][1, :12]) == [24, 0, 27]
    assert dwords(memory) == [30]


def test_a_surface_and_the_flat_space_can_be_one_storage() -> None:
    memory = np.zeros(64, np.uint8)
    addresses = np.array([[0x1_0000_0000 + 4 * lane for lane in range(8)]], "<u8").view(np.uint8)
    body = "    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 ID.0\n    svm_gather.4.1 (M1, 8) Q.0 X.0"
    memories = Memories({"T6": memory[:32]}, [(0x1_0000_0000, memory)])
    result = launch(body, {"ID": ids(0), "Q": addresses}, memories)
    assert dwords(result.registers["X"]) == [4 * k for k in range(8)]


def test_groups_have_local_memory_of_their_own() -> None:
    local = np.zeros((2, 32), np.uint8)
    body = "    add (M1, 8) X(0,0)<1> Y(0,0)<1;1,0> 0x1:ud\n    scatter4_scaled.R (M1, 8) %slm 0x0:ud ID.0 X.0"
    registers = {"ID": ids(0, 0), "Y": np.repeat([[5], [6]], 8, axis=1).astype("<u4").view(np.uint8)}
    launch(body, registers, Memories({"%slm": local}), [1, 0])
    assert dwords(local) == [7] * 8 + [6] * 8


def test_a_run_that_does_not_end_is_given_up() -> None:
    result = launch("again:\n    goto (M1, 8) again", {"ID": ids(0, 0)}, Memories(), most=50)
    assert [stop.message for stop in result.not_modelled] == ["a run of more than 50 statements"] * 2


def test_what_is_not_modelled_ends_only_the_threads_that_come_to_it() -> None:
    body = """
    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> 0x20:ud
    (P1.any) goto (M1, 1) out
    nothing_known (M1, 8) X(0,0)<1> X(0,0)<1;1,0>
out:
    mov (M1, 8) X(0,0)<1> 0x7:ud"""
    result = launch(body, {"ID": ids(0, 32)}, Memories())
    assert [(stop.thread, stop.message) for stop in result.not_modelled] == [(1, "opcode nothing_known")]
    assert dwords(result.registers["X"]) == [7] * 8 + [0] * 8


def test_memory_that_is_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"12:5: the state has no surface 'T6'"):
        launch("    scatter4_scaled.R (M1, 8) T6 0x0:ud ID.0 ID.0", {"ID": ids(0)}, Memories())


@pytest.mark.parametrize(
    ("memories", "what"),
    [
        (lambda m: Memories({"a": m[:32], "b": m[16:48]}), "share a part of their storage"),
        (lambda m: Memories({}, [(0, m[:32]), (16, m[32:])]), "the memory at 0x0 reaches into that at 0x10"),
        (lambda m: Memories({"a": m[::2]}), "C-contiguous"),
    ],
)
def test_memory_that_cannot_be_laid_out_is_an_error(memories, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        launch("", {"ID": ids(0)}, memories(np.zeros(64, np.uint8)))


@pytest.mark.parametrize(
    "message",
    [
        "svm_gather.4.1 (M1, 8) Q.0 X.0",
        "svm_scatter.4.1 (M1, 8) Q.0 ID.0",
        "svm_scatter4scaled.R (M1, 8) 0x0:ud Q.0 ID.0",
        "svm_block_ld (1) Q(0,0)<0;1,0> X.0",
        "svm_atomic.add (M1, 8) Q.0 ID.0 %null.0 X.0",
    ],
)
def test_an_address_where_no_memory_is_can_be_undefined(message: str) -> None:
    """All lanes of the first thread are inside, the second one's are not from lane 0 on."""
    addresses = np.array([[first + 4 * lane for lane in range(8)] for first in (0x1000, 0x1020)], "<u8").view(np.uint8)
    for only_flat in (False, True):
        memories = Memories({}, [(0x1000, np.ones(32, np.uint8))], only_flat=only_flat)
        body = f"    {message}\n    mov (M1, 8) Y(0,0)<1> 0x7:ud"
        result = launch(body, {"ID": ids(0, 32), "Q": addresses}, memories)
        expected = [(1, "bytes 0x1020..0x1023 are in no buffer")] if only_flat else []
        assert [(stop.thread, stop.message) for stop in result.undefined] == expected
        assert dwords(result.registers["Y"])[8:] == [0 if only_flat else 7] * 8


def test_lanes_that_are_off_may_have_any_address() -> None:
    addresses = np.array([[0x1000 + 4 * lane for lane in range(8)]], "<u8").view(np.uint8)
    memories = Memories({}, [(0x1000, np.ones(16, np.uint8))], only_flat=True)
    body = "    svm_gather.4.1 (M1, 8) Q.0 X.0\n    svm_scatter.4.1 (M1, 8) Q.0 X.0"
    result = launch(body, {"ID": ids(0), "Q": addresses}, memories, masks=[15])
    assert result.undefined == ()
    assert dwords(result.registers["X"]) == [0x01010101] * 4 + [0] * 4


MISSED = """
    cmp.lt (M1, 8) P1 ID(0,0)<1;1,0> {}:ud
    (P1) goto (M1, 8) out
    barrier
    mov (M1, 8) X(0,0)<1> 0x7:ud
out:"""


@pytest.mark.parametrize(
    ("limit", "undefined"),
    [
        ("0x8", [(0, "a barrier in divergent control flow: some lanes of the thread are elsewhere")]),
        ("0x20", [(1, "a barrier that not all threads of the group reach")]),
    ],
)
def test_a_barrier_that_its_whole_group_does_not_reach_ends_the_thread(
    limit: str, undefined: list[tuple[int, str]]
) -> None:
    """Threads 0 and 1 are a group; thread 2, alone in its group, passes its barrier."""
    result = launch(MISSED.format(limit), {"ID": ids(0, 32, 64)}, Memories(), [0, 0, 1], whole_groups=True)
    stopped = [(stop.thread, stop.message) for stop in result.undefined]
    assert stopped[: len(undefined)] == undefined
    assert all(dwords(result.registers["X"][thread]) == [0] * 8 for thread, _ in stopped)
    assert dwords(result.registers["X"][2]) == [7] * 8


def test_the_barriers_of_each_group_are_counted() -> None:
    """Group 0 comes to none, group 1 to one."""
    result = launch(MISSED.format("0x20"), {"ID": ids(0, 32)}, Memories(), [0, 1], whole_groups=True)
    assert (result.barriers.tolist(), result.undefined) == ([0, 1], ())


def test_a_surface_is_found_by_its_handle() -> None:
    """Each thread moves a handle of its own; where the surface has the name of its register, that comes first."""
    handles = np.array([[64] * 8, [128] * 8], "<u4").view(np.uint8)
    body = "    movs (M1_NM, 1) %bss(0) Y(0,0)<0;1,0>\n    gather4_scaled.R (M1, 8) %bss 0x0:ud ID.0 X.0"
    one, other = np.full(32, 1, np.uint8), np.full(32, 2, np.uint8)
    registers = {"ID": ids(0, 0), "Y": handles}
    result = launch(body, registers, Memories({"bindless handle 64": one, "bindless handle 128": other}))
    assert dwords(result.registers["X"]) == [0x01010101] * 8 + [0x02020202] * 8
    result = launch(body, registers, Memories({"bindless Y.0": other, "bindless handle 64": one}))
    assert dwords(result.registers["X"]) == [0x02020202] * 16
