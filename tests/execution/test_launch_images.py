"""Images of a launch: texels by their coordinates, the nearest ones through a sampler, and what is undefined."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.decode.texel_formats import FORMATS
from visaproof.decode.texels import Outside
from visaproof.execution.arguments import prepare
from visaproof.execution.arrays import run_on_arrays
from visaproof.execution.images import ImageContent, ImageShape
from visaproof.execution.memory import Allocation
from visaproof.execution.payload import Program
from visaproof.execution.run import Memory, Ran, run_launch
from visaproof.execution.shape import Shape, Triple
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option, read_launch
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

DATA = Path(__file__).parent.parent / "data"


def program(file: str) -> Program:
    kernel = read_program(DATA / "visaasm" / f"{file}.visaasm")
    launch = read_launch(DATA / "manifest.json", kernel)
    assert launch.platform is not None
    return Program(kernel, launch, launch.platform)


def small(body: str) -> Program:
    """Eight work items with their id in `U` and `F`, an image as bti 0 and a buffer of 256 bytes as bti 1."""
    text = f"""
.version 4.1
.kernel "k"
.decl ID v_type=G type=w num_elts=16 align=GRF
.decl U v_type=G type=d num_elts=8 align=GRF
.decl F v_type=G type=f num_elts=8 align=GRF
.decl ZERO v_type=G type=d num_elts=8 align=GRF
.decl FZERO v_type=G type=f num_elts=8 align=GRF
.decl X v_type=G type=f num_elts=32 align=GRF
.decl OUT v_type=G type=ud num_elts=8 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.input ID offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
    mov (M1, 8) ZERO(0,0)<1> 0x0:d
    mov (M1, 8) FZERO(0,0)<1> 0x0:f
    mov (M1, 8) U(0,0)<1> ID(0,0)<1;1,0>
    mov (M1, 8) F(0,0)<1> ID(0,0)<1;1,0>
    shl (M1, 8) OUT(0,0)<1> U(0,0)<1;1,0> 0x4:ud
    movs (M1_NM, 1) T6(0) 0x0:ud
{body}
    movs (M1_NM, 1) T6(0) 0x1:ud
    scatter4_scaled.RGBA (M1, 8) T6 0x0:ud OUT.0 X.0
    ret (M1, 1)
"""
    kernel = read_kernel(text.lstrip(), "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [parse_input_option("ID=local_id_x")])
    return Program(kernel, replace(launch, binding_table={0: 0, 1: 1}), Platform.TGLLP)


def texels(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def run(
    code: Program,
    arguments: dict[int, ImageContent | bytes],
    by_value: dict[int, str] | None = None,
    grid: Triple = (8, 1, 1),
    sampler: Outside | None = None,
) -> tuple[Ran, Memory]:
    values, memory = prepare(code, Shape(grid, (min(8, grid[0]), 1, 1)), by_value or {}, arguments, sampler=sampler)
    return run_launch(code, values, memory), memory


def read_by(body: str, shape: ImageShape, content: bytes, sampler: Outside | None = None) -> tuple[int, ...]:
    """The four channels that each work item reads."""
    ran, memory = run(small(body), {0: ImageContent(shape, content), 1: bytes(128)}, sampler=sampler)
    assert ran.undefined is None
    return struct.unpack("<32I", memory.buffers[1].data)


LINE = ImageShape((8,))
ROW = ImageShape((8, 1))
COUNTED = texels(*range(32))


# ---------------------------------------------------------------- texels and bytes


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.sampled_from(sorted(FORMATS)))
def test_texels_are_put_back_where_they_came_from(extents: list[int], layout: str) -> None:
    shape = ImageShape(tuple(extents), *FORMATS[layout])
    content = bytes(k * 37 % 60 for k in range(shape.size))  # no half of these is NaN
    memory = Allocation("image", 0, bytearray(shape.size))
    shape.store(shape.image(content, None), memory)
    assert bytes(memory.data) == content


def test_rows_follow_each_other() -> None:
    """Texel (1, 2) of three in a row is the eighth."""
    image = ImageShape((3, 4)).image(texels(*range(48)), None)
    assert [image.channel((1, 2, 0, 0), channel) for channel in range(4)] == [28, 29, 30, 31]


def test_texels_of_bytes_are_read_and_written_as_floats() -> None:
    """Four times a channel of 51 of 255 is 204; the sum with itself is 102; what is above 1 is 255."""
    body = """
    gather4_typed.RGBA (M1, 8) T6 U.0 %null.0 %null.0 %null.0 X.0
    mul (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x40800000:f
    add (M1, 8) X(1,0)<1> X(1,0)<1;1,0> X(1,0)<1;1,0>
    mul (M1, 8) X(2,0)<1> X(2,0)<1;1,0> 0x41200000:f
    scatter4_typed.RGBA (M1, 8) T6 U.0 %null.0 %null.0 %null.0 X.0
"""
    shape = ImageShape((8,), *FORMATS["rgba8"])
    ran, memory = run(small(body), {0: ImageContent(shape, bytes([51, 51, 51, 7]) * 8), 1: bytes(128)})
    assert ran.undefined is None
    assert bytes(memory.buffers[0].data) == bytes([204, 102, 255, 7]) * 8


def test_texels_of_signed_words_are_saturated() -> None:
    body = """
    mov (M1, 8) OUT(0,0)<1> 0x12345:ud
    scatter4_typed.R (M1, 8) T6 U.0 %null.0 %null.0 %null.0 OUT.0
    shl (M1, 8) OUT(0,0)<1> U(0,0)<1;1,0> 0x4:ud
"""
    shape = ImageShape((8,), *FORMATS["r16i"])
    ran, memory = run(small(body), {0: ImageContent(shape, bytes(16)), 1: bytes(128)})
    assert ran.undefined is None
    assert bytes(memory.buffers[0].data) == b"\xff\x7f" * 8


def test_atomics_reach_no_texel_that_is_converted() -> None:
    body = "    typed_atomic.inc (M1, 8) T6 U.0 %null.0 %null.0 %null.0 %null.0 %null.0 X.0\n"
    with pytest.raises(NotModelled, match="a part of a texel"):
        run(small(body), {0: ImageContent(ImageShape((8,), *FORMATS["r16ui"]), bytes(16)), 1: bytes(128)})
    ran, _ = run(small(body), {0: ImageContent(ImageShape((8,), *FORMATS["r32"]), bytes(32)), 1: bytes(128)})
    assert ran.undefined is None


# ---------------------------------------------------------------- the compiler's kernels


def test_every_channel_is_inverted() -> None:
    """`dst = 255 - src`, a texel for each work item; the image of the results is larger, and keeps its rest."""
    source, target = ImageContent(ImageShape((16, 2)), texels(*range(128))), ImageShape((24, 2))
    ran, memory = run(program("img_invert/tgllp-O2-simd8"), {0: source, 1: ImageContent(target, bytes(768))},
                      grid=(16, 2, 1))  # fmt: skip
    assert ran.undefined is None
    rows = [struct.unpack("<96i", memory.buffers[1].data[384 * v : 384 * (v + 1)]) for v in range(2)]
    assert rows == [(*(255 - 64 * v - k for k in range(64)), *[0] * 32) for v in range(2)]
    assert bytes(memory.buffers[0].data) == source.content


@pytest.mark.parametrize(("distance", "expected"), [("0", [3, 2, 1, 0]), ("8", [0, 1, 2, 3]), ("-1", [7, 6, 5, 4])])
def test_a_write_outside_is_dropped(distance: str, expected: list[int]) -> None:
    """`img[x + dx] = img[x].wzyx`: each thread reads all of its texels before it writes one."""
    content = bytes(struct.pack("<32f", *range(32)))
    ran, memory = run(program("img_rw/tgllp-O2-simd8"), {0: ImageContent(ROW, content)}, {1: distance})
    assert ran.undefined is None
    assert list(struct.unpack("<4f", memory.buffers[0].data[:16])) == expected


def test_lanes_on_one_texel_have_no_meaning() -> None:
    """The last store of this kernel has coordinates 0 in all lanes."""
    image = ImageContent(ImageShape((16, 16)), bytes(4096))
    ran, _ = run(program("vc_typed_rw/tgllp-vc"), {0: image, 1: image}, {2: "3"}, grid=(1, 1, 1))
    assert ran.undefined is not None
    assert "both write texel (0, 0, 0, 0)" in ran.undefined.message


# ---------------------------------------------------------------- messages by hand


def test_atomics_meet_on_one_texel() -> None:
    """Each lane adds 1 to texel 2 and gets what was there."""
    body = "    mov (M1, 8) ZERO(0,0)<1> 0x2:d\n    mov (M1, 8) U(0,0)<1> 0x1:d\n"
    body += "    typed_atomic.add (M1, 8) T6 ZERO.0 %null.0 %null.0 %null.0 U.0 %null.0 X.0"
    shape = ImageShape((4,), 1)
    ran, memory = run(small(body), {0: ImageContent(shape, texels(5, 6, 7, 8)), 1: bytes(128)})
    assert ran.undefined is None
    assert struct.unpack("<4I", memory.buffers[0].data) == (5, 6, 15, 8)
    assert struct.unpack("<32I", memory.buffers[1].data)[::4] == tuple(range(7, 15))


def test_a_volume_has_three_coordinates() -> None:
    body = "    mov (M1, 8) ZERO(0,0)<1> 0x1:d\n    gather4_typed.RGBA (M1, 8) T6 U.0 ZERO.0 ZERO.0 %null.0 X.0"
    found = read_by(body, ImageShape((8, 2, 2)), texels(*range(128)))
    assert found == tuple(range(96, 128))


def test_a_load_brings_the_texel_of_each_lane() -> None:
    assert read_by("    load_lz.RGBA (M1, 8) 0x0:uw T6 X.0 U.0", LINE, COUNTED) == tuple(range(32))


def test_coordinates_beyond_the_dimensions_are_zero() -> None:
    body = "    load_lz.RGBA (M1, 8) 0x0:uw T6 X.0 U.0 {}.0"
    assert read_by(body.format("ZERO"), LINE, COUNTED) == tuple(range(32))
    with pytest.raises(NotModelled, match="2 coordinates in an image of 1 dimensions"):
        read_by(body.format("U"), LINE, COUNTED)


@pytest.mark.parametrize("shape", [ImageShape((8, 2)), ImageShape((8, 2, 2))])
@pytest.mark.parametrize(
    "read", ["load_lz.RGBA (M1, 8) 0x0:uw T6 X.0 U.0", "sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 X.0 F.0"]
)
def test_coordinates_that_are_left_out_at_the_end_are_zero(read: str, shape: ImageShape) -> None:
    """As IGC leaves out those that the source says are 0: (x, 0) has one coordinate, and (0, x) and (x, 1) have two."""
    content = texels(*range(shape.size // 4))
    assert read_by(f"    {read}", shape, content, Outside.EDGE) == tuple(range(32))
    second = "ZERO.0" if "load" in read else "FZERO.0"
    assert read_by(f"    {read} {second}", shape, content, Outside.EDGE) == tuple(range(32))
    one = "    mov (M1, 8) ZERO(0,0)<1> 0x1:d\n    load_lz.RGBA (M1, 8) 0x0:uw T6 X.0 U.0 ZERO.0"
    assert read_by(one, shape, content) == tuple(range(32, 64))


@pytest.mark.parametrize(
    "read", ["sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 X.0", "sample_l.RGBA (M1, 8) 0x0:uw S0 T6 X.0 FZERO.0"]
)
@pytest.mark.parametrize(
    ("outside", "shift", "first"),
    [
        (Outside.EDGE, "0xc0000000:f", [0, 0, 0, 1]),  # 2.0 to the left
        (Outside.BORDER, "0xc0000000:f", [None, None, 0, 1]),
        (Outside.EDGE, "0x3f400000:f", [0, 1, 2, 3]),  # 0.75 to the right: the same texels
        (Outside.UNKNOWN, "0x0:f", [0, 1, 2, 3]),
    ],
)  # fmt: skip
def test_a_sample_brings_the_nearest_texel(read: str, outside: Outside, shift: str, first: list[int | None]) -> None:
    body = f"    add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> {shift}\n    {read} F.0"
    found = read_by(body, LINE, texels(*range(1, 33)), outside)
    assert list(found[:16:4]) == [0 if texel is None else 4 * texel + 1 for texel in first]


@pytest.mark.parametrize(
    "read",
    [
        "load_lz.RGBA (M1, 8) 0x0:uw T6 X.0 {}U.0",
        "sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 X.0 {}F.0",
        "sample_l.RGBA (M1, 8) 0x0:uw S0 T6 X.0 {}FZERO.0 F.0",
    ],
)
def test_a_null_after_the_destination_is_no_coordinate(read: str) -> None:
    """IGC 2.40 writes one in each of its messages; IGC 1.0 wrote none."""
    plain, with_null = (read_by(f"    {read.format(null)}", LINE, COUNTED, Outside.EDGE) for null in ("", "%null.0 "))
    assert with_null == plain
    assert len(set(plain)) > 8


@pytest.mark.parametrize(
    ("body", "sampler", "reason"),
    [
        ("sample_lz.RGBA (M1, 8) 0x0:uw S0 T6 X.0 F.0", None, "`--sampler` says it"),
        ("sample_lz.RGBA (M1, 8) 0x1:uw S0 T6 X.0 F.0", Outside.EDGE, "of this form"),
        ("sample_l.RGBA (M1, 8) 0x0:uw S0 T6 X.0 F.0 F.0", Outside.EDGE, "at level 1"),
        ("load_lz.pixel_null_mask.R (M1, 8) 0x0:uw T6 X.0 U.0", None, "of this form"),
        ("add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x1:d\n    load_lz.RGBA (M1, 8) 0x0:uw T6 X.0 U.0", None, "outside"),
        ("add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x7f800000:f\n    sample_lz.R (M1, 8) 0x0:uw S0 T6 X.0 F.0",
         Outside.EDGE, "no number"),
        ("add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> 0x3f800000:f\n    sample_lz.R (M1, 8) 0x0:uw S0 T6 X.0 F.0",
         Outside.UNKNOWN, "8 is not one of 0..7"),
        ("typed_atomic.inc (M1, 8) T6 U.0 %null.0 %null.0 %null.0 %null.0 %null.0 X.0", None, "a part of a texel"),
    ],
)  # fmt: skip
def test_what_a_read_brings_is_not_guessed(body: str, sampler: Outside | None, reason: str) -> None:
    with pytest.raises(NotModelled, match=reason):
        read_by(f"    {body}", LINE, COUNTED, sampler)


def test_texels_of_one_channel_have_no_other() -> None:
    for body in ("gather4_typed.RG (M1, 8) T6 U.0 %null.0 %null.0 %null.0 X.0", "load_lz.R (M1, 8) 0x0:uw T6 X.0 U.0"):
        with pytest.raises(NotModelled, match="have only R"):
            read_by(f"    {body}", ImageShape((8,), 1), bytes(32))
    found = read_by("    gather4_typed.R (M1, 8) T6 U.0 %null.0 %null.0 %null.0 X.0", ImageShape((8,), 1), COUNTED[:32])
    assert found[::4] == tuple(range(8))


# ---------------------------------------------------------------- what does not fit


def test_a_buffer_is_no_image_and_an_image_no_buffer() -> None:
    code, image = small("    load_lz.R (M1, 8) 0x0:uw T6 X.0 U.0"), ImageContent(LINE, COUNTED)
    with pytest.raises(ReadError, match="texels are reached in argument 0, which is no image"):
        run(code, {0: bytes(128), 1: bytes(128)})
    with pytest.raises(ReadError, match="bytes are reached in argument 1, which is an image"):
        run(code, {0: image, 1: image})


def test_arrays_reach_no_texels() -> None:
    code = small("    load_lz.R (M1, 8) 0x0:uw T6 X.0 U.0")
    values, memory = prepare(code, Shape((8, 1, 1), (8, 1, 1)), {}, {0: ImageContent(LINE, COUNTED), 1: bytes(128)})
    with pytest.raises(NotModelled, match="load_lz on arrays"):
        run_on_arrays(code, values, memory)
    with pytest.raises(NotModelled, match="images on arrays"):
        run_on_arrays(small(""), values, memory)


def test_a_kernel_gets_to_know_how_large_an_image_is() -> None:
    code = small("    resinfo.RGBA (M1, 8) T6 ZERO.0 X.0")
    arguments: dict[int, ImageContent | bytes] = {0: ImageContent(LINE, COUNTED), 1: bytes(128)}
    _, memory = run(code, arguments)
    assert struct.unpack("<32I", memory.buffers[1].data) == (8, 1, 1, 1) * 8


def test_texels_outside_of_an_image_are_noted() -> None:
    """The image has one texel less than there are work items."""
    code = small("    scatter4_typed.R (M1, 8) T6 U.0 %null.0 %null.0 %null.0 U.0")
    for size, outside in ((7, [("argument 0", (7, 0, 0, 0), 1)]), (8, [])):
        shape = ImageShape((size,))
        ran, _ = run(code, {0: ImageContent(shape, bytes(shape.size)), 1: bytes(128)})
        assert [(one.memory, one.texel, one.count) for one in ran.outside] == outside


def test_each_statement_that_leaves_an_image_is_noted() -> None:
    store = "    scatter4_typed.R (M1, 8) T6 U.0 %null.0 %null.0 %null.0 U.0"
    code, shape = small(f"{store}\n{store}"), ImageShape((6,))
    ran, _ = run(code, {0: ImageContent(shape, bytes(shape.size)), 1: bytes(128)})
    lines = [(one.position.line, one.count) for one in ran.outside if one.position is not None]
    assert [count for _, count in lines] == [2, 2]
    assert lines[0][0] + 1 == lines[1][0]
