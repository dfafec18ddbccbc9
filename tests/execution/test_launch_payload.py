"""What a thread of a launch starts with beside its arguments."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.execution.arguments import parameters, prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.payload import Payloads, Program, thread_words
from visaproof.execution.run import Ran, run_launch
from visaproof.execution.shape import Shape, ThreadId
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import DEVICES, Platform, ThreadNumber
from visaproof.launch import matching
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, LaunchValue, launch_of
from visaproof.refinement.comparison import compare
from visaproof.refinement.scope import Scope
from visaproof.visaasm.reader import read_kernel

Run = Callable[..., Ran]

KERNEL = """.version 4.1
.kernel "k"
.decl V32 v_type=G type=d num_elts=8 align=GRF
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 1) V32(0,0)<1> %sr0(0,0)<0;1,0>
ret (M1, 1)
"""


def number_by_the_code(platform: Platform, sr0: int, msg0: int) -> int:
    """The number of a thread as IGC's code computes it (docs/pages/current-compiler.md §8)."""
    if platform >= Platform.Xe2:
        return (msg0 & 0xFF) << 6 | without(sr0 & 0x7F, 3)
    bits, unused = (0x7FFF, (7, 6, 3)) if platform is Platform.PVC else (0x3FFF, (6, 3))
    return without(sr0 & bits, *unused)


def without(number: int, *bits: int) -> int:
    """The highest first."""
    for bit in bits:
        low = (1 << bit) - 1
        number = number & low | number >> 1 & ~low
    return number


WITH_NUMBER = [device.platform for device in DEVICES if device.thread_number is not None]


def test_the_devices_after_xehp_number_their_threads_in_registers() -> None:
    assert [platform for platform in Platform if platform >= Platform.DG2] == WITH_NUMBER


@pytest.mark.parametrize("platform", WITH_NUMBER, ids=lambda platform: platform.name)
def test_threads_that_run_together_have_numbers_of_their_own(platform: Platform) -> None:
    """Else two of them share their private memory."""
    program = Program(read_kernel(KERNEL, "k.visaasm"), NOTHING_KNOWN, platform)
    values, _ = prepare(program, Shape((64, 1, 1), (64, 1, 1)), {}, {})
    payloads = Payloads(program, values)
    for hardware_id in (*range(256), 1023, 2048, 4095):
        registers = payloads.state(ThreadId((0, 0, 0), 0), hardware_id, {}).registers
        sr0, msg0 = (int.from_bytes(registers[name][:4], "little") for name in ("%sr0", "%msg0"))
        assert number_by_the_code(platform, sr0, msg0) == hardware_id


def test_a_device_that_has_a_register_for_the_number_needs_no_other() -> None:
    program = Program(read_kernel(KERNEL, "k.visaasm"), NOTHING_KNOWN, Platform.TGLLP)
    values, _ = prepare(program, Shape((64, 1, 1), (64, 1, 1)), {}, {})
    registers = Payloads(program, values).state(ThreadId((0, 0, 0), 0), 41, {}).registers
    assert int.from_bytes(registers["%hw_id"][:4], "little") == 41
    assert "%sr0" not in registers


def test_bits_that_say_something_else_are_0() -> None:
    assert thread_words(0xFFF, ThreadNumber((3, 6), 12)) == (0x3FB7, 0)
    assert thread_words(0xFFF, ThreadNumber((3, 6, 7), 12)) == (0x7F37, 0)
    assert thread_words(0x3FFF, ThreadNumber((3,), 6, 8)) == (0x77, 0xFF)


# ---------------------------------------------------------------- what the runtime passes

ZE_INFO = """kernels:
  - name: k
    execution_env: {{simd_size: 16, inline_data_payload_size: {inline}}}
    payload_arguments:
{arguments}
    per_thread_payload_arguments: [{{arg_type: local_id, offset: 0, size: {ids}}}]
"""
READER = """.version 4.1
.kernel "k"
.decl V32 v_type=G type={type} num_elts={count}
.decl V33 v_type=G type=ud num_elts=16 align=GRF
.input V32 offset={offset} size={size}
.kernel_attr SimdSize=16
.function "k"
_main:
{statements}
    ret (M1, 1)

//Platform: {platform}
"""
READ = "    mov (M1_NM, 1) V33(0,0)<1> V32(0,0)<0;1,0>"


def launched(
    tmp_path: Path, *arguments: str, at: int, platform: str = "XE2", inline: int = 32, ids: int = 64,
    of: tuple[str, int] = ("uq", 8), statements: str = READ,
) -> Program:  # fmt: skip
    """A kernel whose only input is at a byte of the payload, and what its ze_info says."""
    path = tmp_path / "k.ze_info"
    lines = "".join(f"      - {{{argument}}}\n" for argument in arguments)
    path.write_text(ZE_INFO.format(inline=inline, arguments=lines.rstrip("\n"), ids=ids))
    text = READER.format(
        type=of[0], count=1, offset=at, size=of[1], platform=platform, statements=statements
    )  # fmt: skip
    kernel = read_kernel(text, "k.visaasm")
    return Program(kernel, *launch_of(path, kernel, None))


def held(program: Program, **passed: bytes) -> int:
    """What its input holds in the first thread."""
    takes = parameters(program)
    buffers = {takes.index(name, "--buffer"): content for name, content in passed.items()}
    values, _ = prepare(program, Shape((96, 4, 2), (16, 2, 1)), {}, buffers)
    state = Payloads(program, values).state(ThreadId((0, 0, 0), 0), 0, {})
    return int.from_bytes(state.registers["V32"], "little")


def kind(name: str, offset: int = 0, size: int = 8, more: str = "") -> str:
    return f"arg_type: {name}, offset: {offset}, size: {size}{more}"


@pytest.mark.parametrize(("offset", "place"), [(0, 128), (24, 152), (32, 192), (40, 200)])
def test_what_is_not_inline_begins_at_the_next_register(tmp_path: Path, offset: int, place: int) -> None:
    """On a machine with registers of 64 bytes: r0, 64 bytes of ids, and 32 bytes inline."""
    program = launched(tmp_path, kind("global_id_offset", 8, 12), kind("work_dimensions", offset, 4),
                       at=place, of=("ud", 4))  # fmt: skip
    assert held(program) == 3


@pytest.mark.parametrize(("ids", "base"), [(64, 128), (128, 192), (192, 256)])
def test_local_ids_that_are_not_used_take_no_room_from_xe2_on(tmp_path: Path, ids: int, base: int) -> None:
    program = launched(tmp_path, kind("work_dimensions", 0, 4), at=base, ids=ids, of=("ud", 4))
    assert held(program) == 3


def test_xe3p_passes_64_bytes_inline(tmp_path: Path) -> None:
    program = launched(tmp_path, kind("work_dimensions", 64, 4), at=192, platform="NVL", inline=64, of=("ud", 4))
    assert held(program) == 3


@pytest.mark.parametrize("name", [value.value for value in LaunchValue if value.size == 8])
def test_every_pointer_of_the_runtime_is_an_address(tmp_path: Path, name: str) -> None:
    """Never 0; and all of them differ."""
    program = launched(tmp_path, kind(name), at=128)
    content = bytes(16) if name in ("const_base", "global_base") else None
    assert held(program, **({name: content} if content else {})) >= 1 << 32


def test_the_group_count_is_that_of_the_launch(tmp_path: Path) -> None:
    program = launched(tmp_path, kind("group_count", 0, 12), at=132, of=("ud", 4))
    assert held(program) == 2


def test_the_buffer_for_printf_counts_its_own_first_dword(tmp_path: Path) -> None:
    program = launched(tmp_path, kind("printf_buffer"), at=128)
    values, memory = prepare(program, Shape((16, 1, 1), (16, 1, 1)), {}, {})
    found, offset = memory.space().find(values.pointers[LaunchValue.PRINTF_BUFFER], 4)
    assert found.data[offset : offset + 8] == b"\4\0\0\0\0\0\0\0"


@pytest.mark.parametrize("name", ["rt_stack", "sync_buffer", "const_base, addrmode: bindless", "assert_buffer"])
@pytest.mark.parametrize("run", [run_launch, run_on_arrays])
def test_a_run_that_reads_an_unknown_kind_is_not_modelled(tmp_path: Path, name: str, run: Run) -> None:
    """It is never 0; a kernel that leaves it alone runs."""
    program = launched(tmp_path, kind(name), at=128)
    with pytest.raises(NotModelled, match="what input V32 holds"):
        run(program, *prepare(program, Shape((16, 1, 1), (16, 1, 1)), {}, {}))
    unread = launched(tmp_path, kind(name), at=128, statements="")
    assert run(unread, *prepare(unread, Shape((16, 1, 1), (16, 1, 1)), {}, {})).undefined is None


def test_symbolically_an_unknown_kind_is_not_modelled_either(tmp_path: Path) -> None:
    """Whatever is asked of the kernel."""
    program = launched(tmp_path, kind("sync_buffer"), at=128)
    args = program.kernel, program.platform, program.launch, Assume.IDS
    for stopped in (ask_kernel(*args, 1000).stopped, ask_bounds(*args, StatedLaunch(), 1000).stopped):
        assert stopped is not None
        assert "what input V32 holds (sync_buffer)" in str(stopped)
    one = matching.Program(program.kernel, program.launch, program.platform)
    with pytest.raises(NotModelled, match="sync_buffer"):
        compare(one, replace(one), Scope(Assume.IDS))


def test_memory_of_the_runtime_is_not_modelled_and_not_outside(tmp_path: Path) -> None:
    program = launched(tmp_path, kind("implicit_arg_buffer"), at=128)
    values, memory = prepare(program, Shape((16, 1, 1), (16, 1, 1)), {}, {})
    with pytest.raises(NotModelled, match="what the implicit_arg_buffer holds"):
        memory.space().find(values.pointers[LaunchValue.IMPLICIT_ARGUMENTS], 4)
