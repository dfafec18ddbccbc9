"""Concrete launches: what the work items get, who waits for whom, and one memory behind surfaces and pointers."""

import struct
from pathlib import Path

import pytest
from msgspec.structs import replace

from visaproof.execution.arguments import FIRST_SYMBOL, LocalBytes, parameters, prepare
from visaproof.execution.memory import AddressSpace, Allocation, FlatWindow, Window
from visaproof.execution.payload import Payloads, Program, Values
from visaproof.execution.run import Memory, Ran, run_launch
from visaproof.execution.shape import Shape, ThreadId
from visaproof.isa.errors import ReadError, UndefinedBehavior
from visaproof.isa.platform import Platform
from visaproof.launch.ids.local_ids import Host
from visaproof.launch.launch import NOTHING_KNOWN, Launch, parse_input_option, read_launch
from visaproof.semantics.concrete.surface import LaneWrite, WithoutTag
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parent.parent / "data"
LAUNCHES = DATA / "launches"


def program(file: str, folder: Path = DATA) -> Program:
    kernel = read_program(folder / "visaasm" / f"{file}.visaasm")
    launch = read_launch(folder / "manifest.json", kernel)
    assert launch.platform is not None
    return Program(kernel, launch, launch.platform)


def launched(
    code: Program, grid: int, group: int, buffers: dict[int, bytes], arguments: dict[int, str] | None = None
) -> tuple[Ran, Memory]:
    values, memory = prepare(code, Shape((grid, 1, 1), (group, 1, 1)), arguments or {}, buffers)
    return run_launch(code, values, memory), memory


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


# ---------------------------------------------------------------- whole launches

VADD = sorted(path.stem for path in (DATA / "visaasm" / "vadd").glob("*.visaasm"))


@pytest.mark.parametrize("variant", VADD)
def test_every_work_item_adds_its_elements(variant: str) -> None:
    """Stateful, bindless, 64-bit and LSC; groups of 20 leave lanes of the last thread without a work item."""
    a, b = list(range(0, 400, 10)), [2**32 - 1 - k for k in range(40)]
    ran, memory = launched(program(f"vadd/{variant}"), 40, 20, {0: words(*a), 1: words(*b), 2: bytes(160 + 16)})
    assert ran.undefined is None
    assert ran.races == ()
    expected = words(*((x + y) % 2**32 for x, y in zip(a, b, strict=True)))
    assert bytes(memory.buffers[2].data) == expected + bytes(16)


@pytest.mark.parametrize("variant", ["tgllp-O2-simd8", "pvc-O2"])
def test_threads_of_a_group_reach_a_barrier_together(variant: str) -> None:
    """A prefix sum in shared local memory: each of seven rounds reads what other threads wrote in the one before."""
    source = [k * k + 1 for k in range(128)]
    ran, memory = launched(program(f"scan_slm/{variant}", LAUNCHES), 128, 64, {0: words(*source), 1: bytes(512)})
    sums = [sum(source[k // 64 * 64 : k + 1]) for k in range(128)]
    assert bytes(memory.buffers[1].data) == words(*sums)
    assert (ran.undefined, ran.races) == (None, ())
    assert ran.barriers == 2 * 7
    assert ran.threads == (16 if variant == "tgllp-O2-simd8" else 4)


def test_a_missing_barrier_is_a_race() -> None:
    ran, _ = launched(program("slm_race/tgllp-O2-simd8", LAUNCHES), 64, 64, {0: words(*range(1, 65)), 1: bytes(256)})
    assert ran.undefined is None
    assert [(race.memory, race.what) for race in ran.races] == [
        ("shared local memory", "one thread reads what another writes")
    ]


def test_atomics_of_all_threads_are_performed() -> None:
    """Counts in shared local memory first, then added to a buffer that is reached by its address."""
    source = bytes(k % 7 for k in range(200))
    arguments = {0: source, 1: words(*([5] * 256))}
    ran, memory = launched(program("histogram_slm/tgllp-O2-simd8", LAUNCHES), 64, 32, arguments, {2: "200"})
    counts = [5 + source.count(k) for k in range(256)]
    assert bytes(memory.buffers[1].data) == words(*counts)
    assert (ran.undefined, ran.races) == (None, ())


def test_two_lanes_on_one_byte_have_no_meaning() -> None:
    code = program("lane_conflict/tgllp-O2-simd8")
    ran, _ = launched(code, 16, 8, {0: words(*range(16)), 1: bytes(64)})
    assert ran.undefined is not None
    assert "lanes 0 and 1 both write byte 0x0" in ran.undefined.message
    assert (ran.undefined.thread, ran.undefined.lane) == (ThreadId((0, 0, 0), 0), None)
    assert code.kernel.source_lines[ran.undefined.position.line - 1].strip().startswith("scatter4_scaled")


def test_an_address_in_no_buffer_has_no_meaning() -> None:
    """The buffer holds 20 elements; lane 4 of the third thread reads behind it."""
    code = program("vadd/tgllp-O2-simd8-a64")
    ran, _ = launched(code, 24, 8, {0: bytes(80), 1: bytes(96), 2: bytes(96)})
    assert ran.undefined is not None
    assert ran.undefined.message.endswith("0x50 behind the start of argument 0 (a), which has 0x50 bytes")
    assert (ran.undefined.thread, ran.undefined.lane) == (ThreadId((2, 0, 0), 0), 4)


def test_a_surface_drops_what_is_outside() -> None:
    """Page: out-of-bounds reads give 0, writes are dropped."""
    ran, memory = launched(program("vadd/tgllp-O2-simd8"), 8, 8, {0: words(1, 2), 1: words(*range(8)), 2: bytes(16)})
    assert ran.undefined is None
    assert bytes(memory.buffers[2].data) == words(1, 3, 2, 3)


def test_the_bytes_behind_a_variable_are_zeros_only_on_demand() -> None:
    """The compiler stores an oword from a variable of 8 bytes (D6)."""
    code = program("scan_slm/tgllp-O0-simd8", LAUNCHES)
    buffers = {0: words(*range(64)), 1: bytes(256)}
    ran, _ = launched(code, 64, 64, buffers)
    assert ran.undefined is not None
    assert "beyond its variable" in ran.undefined.message
    values, memory = prepare(code, Shape((64, 1, 1), (64, 1, 1)), {}, buffers, pad=True)
    assert run_launch(code, values, memory).undefined is None
    assert bytes(memory.buffers[1].data) == words(*(sum(range(k + 1)) for k in range(64)))


# ---------------------------------------------------------------- barriers


def small(body: str, simd: int = 8) -> Program:
    text = f"""
.version 4.1
.kernel "k"
.decl ID v_type=G type=w num_elts=16 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input ID offset=32 size=32
.kernel_attr SimdSize={simd}
.function "k"
_main:
{body}
_end:
    ret (M1, 1)
"""
    kernel = read_kernel(text.lstrip(), "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [parse_input_option("ID=local_id_x")])
    return Program(kernel, launch, Platform.TGLLP)


def test_a_barrier_that_a_thread_does_not_reach_has_no_meaning() -> None:
    code = small(
        "    mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>\n    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x8:ud\n"
        "    (P1) goto (M1, 8) _end\n    barrier"
    )
    ran, _ = launched(code, 16, 16, {})
    assert ran.undefined is not None
    assert "thread 0 has ended" in ran.undefined.message
    assert ran.undefined.thread.number == 1


def test_a_barrier_for_some_lanes_has_no_meaning() -> None:
    code = small(
        "    mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>\n    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> 0x3:ud\n"
        "    (P1) goto (M1, 8) _end\n    barrier"
    )
    ran, _ = launched(code, 8, 8, {})
    assert ran.undefined is not None
    assert "divergent" in ran.undefined.message


# ---------------------------------------------------------------- payload


IDS = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl Y v_type=G type=uw num_elts=16 align=GRF
.decl Z v_type=G type=uw num_elts=16 align=GRF
.input X offset=32 size=32
.input Y offset=64 size=32
.input Z offset=96 size=32
.kernel_attr SimdSize=16
.function "k"
_main:
    ret (M1, 1)
"""


def local_ids(platform: Platform, thread: int, size: tuple[int, int, int], **known: object) -> list[tuple[int, ...]]:
    """What a thread of 16 lanes has in its registers."""
    kernel = read_kernel(IDS, "k.visaasm")
    options = [parse_input_option(f"{name.upper()}=local_id_{name}") for name in "xyz"]
    code = Program(kernel, replace(NOTHING_KNOWN.with_inputs(kernel, options), **known), platform)  # type: ignore[arg-type]
    values, _ = prepare(code, Shape(size, size), {}, {})
    held = Payloads(code, values).state(ThreadId((0, 0, 0), thread), thread, {}).registers
    return list(zip(*(struct.unpack("<16H", held[name]) for name in "XYZ"), strict=True))


def test_work_items_are_numbered_with_x_fastest() -> None:
    found = local_ids(Platform.TGLLP, 2, (6, 3, 2))
    assert found[:5] == [(2, 2, 1), (3, 2, 1), (4, 2, 1), (5, 2, 1), (0, 0, 0)]
    assert list(Shape((12, 6, 2), (6, 3, 2)).groups()) == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]


def test_the_hardware_takes_y_first_where_only_y_is_a_power_of_two() -> None:
    """Unless the kernel demands an order."""
    assert local_ids(Platform.DG2, 0, (48, 8, 1))[7:9] == [(0, 7, 0), (1, 0, 0)]
    assert local_ids(Platform.DG2, 0, (48, 8, 1), walk_order=(0, 1, 2))[7:9] == [(7, 0, 0), (8, 0, 0)]


def test_opencl_has_tiles_for_kernels_with_images_alone() -> None:
    assert local_ids(Platform.TGLLP, 1, (32, 4, 1), only_images=True)[3:5] == [(7, 0, 0), (4, 1, 0)]
    assert local_ids(Platform.TGLLP, 1, (32, 4, 1), only_images=True, host=Host.LEVEL_ZERO)[3:5] == [
        (19, 0, 0),
        (20, 0, 0),
    ]


def test_a_thread_starts_with_its_payload() -> None:
    code = program("vadd/tgllp-O2-simd8-a64")
    values, _ = prepare(code, Shape((64, 1, 1), (32, 1, 1), (7, 0, 0)), {}, {0: bytes(4), 1: bytes(4), 2: bytes(4)})
    state = Payloads(code, values).state(ThreadId((1, 0, 0), 2), 2, {})
    held: dict[str, bytes] = {}
    for item in code.kernel.inputs:
        for piece in code.launch.pieces(item.variable):
            held[str(piece)] = bytes(state.registers[item.variable][piece.offset : piece.offset + piece.size])
    assert state.exec_mask == 0xFF
    assert struct.unpack("<8I", state.registers["%r0"][:32])[1] == 1
    assert struct.unpack("<8H", held["local_id_x, lanes 0..7"]) == tuple(range(16, 24))
    assert held["enqueued_local_size"] == words(32, 1, 1)
    assert held["global_id_offset"] == words(7, 0, 0)
    assert held["address of argument 1 (b)"] == values.addresses[1].to_bytes(8, "little")


@pytest.mark.parametrize(("variant", "number"), [("tgllp-O2-simd8", 0), ("dg2-O2-simd8", 3), ("pvc-O2-simd16", 3)])
def test_r0_has_the_number_of_the_thread_from_xehp_on(variant: str, number: int) -> None:
    code = program(f"vadd/{variant}")
    values, _ = prepare(code, Shape((6 * 64, 7, 8), (64, 1, 1)), {}, {0: b"", 1: b"", 2: b""})
    assert Payloads(code, values).state(ThreadId((5, 6, 7), 3), 3, {}).registers["%r0"][:32] == words(
        0, 5, number, 0, 0, 0, 6, 7
    )


def test_lanes_without_a_work_item_are_off() -> None:
    code = program("vadd/tgllp-O2-simd8")
    values, _ = prepare(code, Shape((10, 1, 1), (10, 1, 1)), {}, {0: b"", 1: b"", 2: b""})
    assert Payloads(code, values).state(ThreadId((0, 0, 0), 1), 1, {}).exec_mask == 0b11


# ---------------------------------------------------------------- arguments


def test_numbers_are_packed_as_the_kernel_declares_them() -> None:
    code = program("saxpy_guard/tgllp-O2-simd8-a64", LAUNCHES)
    buffers = {0: bytes(4), 1: bytes(4)}
    shape = Shape((1, 1, 1), (1, 1, 1))
    for text, expected in (("2", 2.0), ("0.5", 0.5), ("1e300", float("inf"))):
        values, _ = prepare(code, shape, {2: text, 3: "0x10"}, buffers)
        assert values.arguments == {2: struct.pack("<f", expected), 3: words(16)}
    values, _ = prepare(code, shape, {2: "0x3f800000", 3: "-1"}, buffers)
    assert values.arguments == {2: struct.pack("<f", 1.0), 3: words(2**32 - 1)}


@pytest.mark.parametrize(
    ("arguments", "buffers", "message"),
    [
        ({2: "1", 3: "1"}, {0: b""}, "missing: "),
        ({2: "1"}, {0: b"", 1: b""}, "missing: "),
        ({2: "1", 3: "4294967296"}, {0: b"", 1: b""}, "does not fit the 4 bytes"),
        ({2: "one", 3: "1"}, {0: b"", 1: b""}, "is no number"),
        ({2: "1,2,3", 3: "1"}, {0: b"", 1: b""}, "3 numbers do not fill"),
        ({0: "1", 2: "1", 3: "1"}, {0: b"", 1: b""}, "y is a pointer"),
        ({2: "1", 3: "1"}, {0: b"", 1: LocalBytes(4)}, "needs zeros:BYTES"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    arguments: dict[int, str], buffers: dict[int, bytes | LocalBytes], message: str
) -> None:
    with pytest.raises(ReadError, match=message):
        prepare(program("saxpy_guard/tgllp-O2-simd8-a64", LAUNCHES), Shape((1, 1, 1), (1, 1, 1)), arguments, buffers)


def test_a_constant_of_the_program_is_passed_by_its_name() -> None:
    code = program("const_lut/tgllp-O2-simd8")
    takes = parameters(code)
    assert takes.index("&lut", "--buffer") == takes.index("lut", "--buffer") == FIRST_SYMBOL
    with pytest.raises(ReadError, match="'&lut=@FILE'"):
        prepare(code, Shape((1, 1, 1), (1, 1, 1)), {}, {0: bytes(4), 1: bytes(16), 2: bytes(4)})


# ---------------------------------------------------------------- memory


def test_a_surface_and_a_pointer_reach_the_same_bytes() -> None:
    memory = Allocation("m", 0x1000, bytearray(range(16)))
    surface, flat = Window(memory), FlatWindow(AddressSpace([memory]))
    surface.write(4, 4, 0xAABBCCDD)
    assert flat.read(0x1004, 4) == 0xAABBCCDD
    flat.scatter([LaneWrite(0, 0x1000, 2, 0x0102)])
    assert surface.read(0, 4) == 0x0302_0102
    assert flat.modify(0x1004, 4, lambda old: old + 1) == (0xAABBCCDD, 0xAABBCCDE)
    assert surface.read(4, 4) == 0xAABBCCDE


@pytest.mark.parametrize("address", [0, 0xFFF, 0x100E, 0x1010, 2**64 - 2])
def test_no_byte_is_between_buffers(address: int) -> None:
    flat = FlatWindow(AddressSpace([Allocation("m", 0x1000, bytearray(16)), Allocation("n", 0x2000, bytearray(16))]))
    with pytest.raises(UndefinedBehavior):
        flat.read(address, 4)


def test_shared_local_memory_has_tagged_addresses() -> None:
    local = WithoutTag(Window(Allocation("slm", 0, bytearray(16))))
    local.scatter([LaneWrite(0, 0x1000_0004, 4, 7)])
    assert local.read(4, 4) == local.read(0x1000_0004, 4) == 7
    assert local.read(0x1000_0010, 4) == 0
    with pytest.raises(UndefinedBehavior):
        local.scatter([LaneWrite(0, 0x1000_0004, 4, 7), LaneWrite(1, 4, 4, 8)])


def test_private_memory_grows_to_its_room() -> None:
    private = Allocation("p", 0x1000, bytearray(), 32)
    flat = FlatWindow(AddressSpace([private]))
    assert flat.read(0x1010, 4) == 0
    flat.write(0x101C, 4, 5)
    assert (len(private.data), flat.read(0x101C, 4)) == (32, 5)
    with pytest.raises(UndefinedBehavior):
        flat.write(0x101D, 4, 5)


def test_a_launch_of_which_nothing_is_known_takes_no_arguments() -> None:
    code = Program(small("    barrier").kernel, Launch(), Platform.TGLLP)
    with pytest.raises(ReadError, match="no argument 'a'"):
        parameters(code).index("a", "--arg")
    assert Values(Shape((1, 1, 1), (1, 1, 1))).arguments == {}
