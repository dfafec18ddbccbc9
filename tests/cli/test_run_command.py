"""`visaproof run`: launches of real dumps, what is shown of them, and options that it must refuse."""

import hashlib
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
LAUNCHES = DATA / "launches"
VADD = ("--buffer", "a=random:64:1", "--buffer", "b=random:64:2", "--buffer", "c=zeros:64")
LEVEL_ZERO = ("--host", "level-zero", *VADD)


def dump(kernel: str, variant: str = "tgllp-O2-simd8", folder: Path = DATA) -> tuple[str, ...]:
    path = folder / "visaasm" / kernel / f"{variant}.visaasm"
    assert path.is_file(), path
    return str(path), "--launch", str(folder / "manifest.json")


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["run", "--json", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["command"], document["exit_code"]) == (1, "run", code)
    return code, document


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["run", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_buffers_are_written_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, given = tmp_path / "c.bin", tmp_path / "b.bin"
    given.write_bytes(struct.pack("<16i", *range(16)))
    arguments = ("--buffer", "a=random:64:7", "--buffer", f"1=@{given}", "--buffer", "arg2=zeros:64")
    code, document = asked(capsys, *dump("vadd"), "--global-size", "16", *arguments, "--out", f"c=@{out}")
    a = struct.unpack("<16I", random.Random(7).randbytes(64))
    expected = struct.pack("<16I", *((x + k) % 2**32 for k, x in enumerate(a)))
    assert (code, out.read_bytes()) == (0, expected)
    c = document["buffers"][2]
    assert (c["name"], c["bytes"], c["written_to"]) == ("c", 64, str(out))
    assert c["sha256"] == hashlib.sha256(expected).hexdigest()
    assert [buffer["changed"] for buffer in document["buffers"][:2]] == [0, 0]
    assert (document["threads"], document["simd"], document["local_size"]) == (2, 8, [8, 1, 1])


@pytest.mark.parametrize("variant", ["tgllp-O2-simd8", "tgllp-O2-simd8-a64", "tgllp-O2-simd8-bindless"])
@pytest.mark.parametrize("engine", ["arrays", "scalar"])
def test_a_buffer_may_be_that_of_another_argument(
    variant: str, engine: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A thread loads all of a and b, and then stores c: from the fifth element of a on, which both then show."""
    words = [3 * k + 1 for k in range(16)]
    (given := tmp_path / "a.bin").write_bytes(struct.pack("<16I", *words))
    parts = ("--buffer", f"a=@{given}", "--buffer", "b=a", "--buffer", "c=0+16", "--engine", engine)
    files = tmp_path / "after.bin", tmp_path / "c.bin"
    written = ("--out", f"a=@{files[0]}", "--out", f"c=@{files[1]}")
    assert asked(capsys, *dump("vadd", variant), "--global-size", "8", *parts, *written)[0] == 0
    expected = [*words[:4], *(2 * word for word in words[:8]), *words[12:]]
    assert struct.unpack("<16I", files[0].read_bytes()) == tuple(expected)
    assert files[1].read_bytes() == files[0].read_bytes()[16:]


@pytest.mark.parametrize("part", ["c=nobody+4", "c=a+64", "c=c", "c=a+4 bytes", "a=b"])
def test_a_part_of_no_buffer_is_refused(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    """There are no such bytes, or they are those of another part."""
    name = part[0]
    others = [f"{one}={content}" for one, content in (("a", "zeros:64"), ("b", "a"), ("c", "zeros:64")) if one != name]
    options = [word for content in (*others, part) for word in ("--buffer", content)]
    code, _, err = told(capsys, *dump("vadd"), "--global-size", "8", *options)
    assert code == 2
    assert "--buffer" in err


def test_the_text_shows_what_changed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = told(capsys, *dump("vadd"), "--global-size", "16", *VADD)
    assert (code, err) == (0, "")
    assert "runs: 16 work items in 2 groups of 1 thread, 8 lanes each" in out
    assert "argument 0 (a): 64 bytes, none changed" in out
    assert "argument 2 (c): 63 of 64 bytes changed, 0x0..0x3f" in out  # one sum has a byte 0
    assert out.endswith("ran to the end: 2 threads\n")


def test_one_lane_is_traced(capsys: pytest.CaptureFixture[str]) -> None:
    code, document = asked(capsys, *dump("vadd"), "--global-size", "16", *VADD, "--trace", "group=1,thread=0,lane=3")
    assert code == 0
    trace = document["trace"]
    assert len(trace) == 13  # all statements but the end
    (shl,) = (step for step in trace if step["instruction"].startswith("shl"))
    assert shl["changes"] == {"V0045.12": "0x0000002c (44)"}
    assert list(trace[-1]["changes"]) == ["bti 2 [0x2c]"]
    a, b = (struct.unpack("<16I", random.Random(seed).randbytes(64))[11] for seed in (1, 2))
    assert trace[-1]["changes"]["bti 2 [0x2c]"] == f"{(a + b) % 2**32:#010x}"


def test_a_trace_shows_predicates_and_all_lanes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--buffer", "src=zeros:32", "--buffer", "dst=zeros:32", "--arg", "n=5", "--global-size", "8")
    code, out, _ = told(capsys, *dump("oob_offbyone_fixed"), *arguments, "--trace", "group=0")
    assert code == 0
    assert "P1[4] ← 1" in out
    assert "P1[5] ← 1" not in out
    assert "bti 1 [0x10] ← 0x00000001" in out


def test_a_traced_lane_shows_what_it_writes_though_it_stays_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Also in a row behind the first, which is 8 dwords long, and of a predicate its bit."""
    path = tmp_path / "k.visaasm"
    path.write_text(ROWS)
    code, document = asked(
        capsys, str(path), "--platform", "tgllp", "--global-size", "16", "--trace", "group=0,thread=0,lane=3"
    )
    assert code == 0
    changes = [step["changes"] for step in document["trace"]]
    assert changes == [{"V.44": "0x00000000"}, {"V.44": "0x00000007"}, {"P1[3]": "0"}, {}, {"V.0": "0x00000007"}]


ROWS = """.version 4.1
.kernel "k"
.decl V v_type=G type=ud num_elts=32 align=GRF
.decl P1 v_type=P num_elts=16
.kernel_attr SimdSize=16
.function "k"
mov (M1, 16) V(1,0)<1> 0x0:ud
mov (M1, 16) V(1,0)<1> 0x7:ud
cmp.eq (M1, 16) P1 V(1,0)<1;1,0> 0x8:ud
(P1) mov (M1, 16) V(1,0)<1> 0x9:ud
mov (M1_NM, 1) V(0,0)<1> V(1,3)<0;1,0>
ret (M1, 1)
"""


def test_colliding_lanes_are_undefined(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "dst.bin"
    arguments = ("--buffer", "src=random:64", "--buffer", "dst=zeros:64", "--global-size", "16", "--out", f"dst=@{out}")
    code, text, _ = told(capsys, *dump("lane_conflict"), *arguments)
    assert code == 1
    assert "tgllp-O2-simd8.visaasm:77:5: lanes 0 and 1 both write byte 0x0" in text
    assert "scatter4_scaled.R" in text
    assert not out.exists()


def test_undefined_behaviour_has_its_place_thread_and_lane(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--buffer", "a=zeros:64", "--buffer", "b=zeros:52", "--buffer", "c=zeros:64", "--global-size", "16")
    code, document = asked(capsys, *dump("vadd", "tgllp-O2-simd8-a64"), *arguments)
    found = document["undefined"]
    assert code == 1
    assert (found["group"], found["thread"], found["lane"]) == ([1, 0, 0], 0, 5)
    assert found["instruction"].startswith("svm_gather.4.1")
    assert (found["line"], found["column"]) == (int(found["line"]), 5)
    assert document["buffers"] == []


def test_races_and_unwritten_reads_are_notes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--buffer", "0=random:256", "--buffer", "1=zeros:256", "--global-size", "64", "--local-size", "64")
    kernel = dump("slm_race", folder=LAUNCHES)
    code, document = asked(capsys, *kernel, *arguments, "--engine", "scalar")
    assert (code, document["engine"]) == (0, "scalar")
    assert [race["what"] for race in document["races"]] == ["one thread reads what another writes"]
    (unwritten,) = document["unwritten_reads"]
    assert (unwritten["memory"], unwritten["bytes"]) == ("shared local memory", 128)
    code, out, _ = told(capsys, *kernel, *arguments, "--engine", "scalar")
    assert code == 0
    assert "note: one thread reads what another writes: byte 0x" in out
    assert "of shared local memory read before it was written" in out


def test_a_launch_of_100_000_work_items_takes_the_arrays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """By default; what they do not look for is said, and is no empty list in JSON."""
    out = tmp_path / "c.bin"
    buffers = ("--buffer", "a=random:400000:1", "--buffer", "b=random:400000:2", "--buffer", "c=zeros:400000")
    code, document = asked(
        capsys, *dump("vadd"), "--global-size", "100000", "--local-size", "32", *buffers, "--out", f"c=@{out}"
    )
    assert (code, document["engine"], document["threads"]) == (0, "arrays", 12_500)
    assert (document["races"], document["unwritten_reads"]) == (None, None)
    a, b = (struct.unpack("<100000I", random.Random(seed).randbytes(400_000)) for seed in (1, 2))
    assert out.read_bytes() == struct.pack("<100000I", *((x + y) % 2**32 for x, y in zip(a, b, strict=True)))
    code, text, _ = told(capsys, *dump("vadd"), "--global-size", "16", *VADD)
    assert "not looked for: races, reads of uninitialised memory" in text
    assert "--engine scalar" in text


def test_both_engines_show_the_same_place(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--buffer", "a=zeros:64", "--buffer", "b=zeros:52", "--buffer", "c=zeros:64", "--global-size", "16")
    kernel = dump("vadd", "tgllp-O2-simd8-a64")
    shown = [told(capsys, *kernel, *arguments, "--engine", engine) for engine in ("arrays", "scalar")]
    assert shown[0] == shown[1]
    assert "group 1,0,0, thread 0, lane 5" in shown[0][1]


def test_a_trace_needs_the_scalar_engine(capsys: pytest.CaptureFixture[str]) -> None:
    code, document = asked(capsys, *dump("vadd"), "--global-size", "16", *VADD, "--trace", "group=1")
    assert (code, document["engine"]) == (0, "scalar")
    arguments = (*VADD, "--trace", "group=1", "--engine", "arrays")
    code, _, err = told(capsys, *dump("vadd"), "--global-size", "16", *arguments)
    assert code == 2
    assert "--engine arrays: it traces nothing" in err


def test_what_is_not_modelled_ends_with_4(capsys: pytest.CaptureFixture[str]) -> None:
    """The compiler's `load_lz` beside the image: what it reads there is on no page."""
    arguments = ("--image", "src=4x1:zeros", "--image", "dst=8x1:zeros", "--global-size", "8")
    code, document = asked(capsys, *dump("img_invert"), *arguments)
    assert code == 4
    assert document["not_modelled"]["what"] == "load_lz outside of the image: 4 is not one of 0..3"
    assert document["not_modelled"]["line"] == 82


def test_images_are_read_and_written_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, given = tmp_path / "out.bin", tmp_path / "in.bin"
    given.write_bytes(struct.pack("<64I", *range(64)))
    arguments = ("--image", f"src=8x2:@{given}", "--image", "dst=8x2:random:1", "--out", f"dst=@{out}")
    code, document = asked(capsys, *dump("img_invert"), "--global-size", "8,2", *arguments)
    assert (code, document["engine"]) == (0, "scalar")
    assert out.read_bytes() == struct.pack("<64I", *(255 - k for k in range(64)))
    assert [buffer["bytes"] for buffer in document["buffers"]] == [256, 256]


@pytest.mark.parametrize(
    ("options", "error", "hint"),
    [
        (("--image", "src=8x1", "--image", "dst=8x1:zeros"), "not EXTENTS:CONTENT", "16x8:@FILE"),
        (("--image", "src=8x1x1x1:zeros"), "not EXTENTS:CONTENT", "16x8:@FILE"),
        (("--image", "src=8xé:zeros"), "not EXTENTS:CONTENT", ""),
        (("--image", "src=0x1:zeros"), "0 texels", "1 to 1,048,576"),
        (("--image", "src=4096x4096:zeros"), "16,777,216 texels", "1 to 1,048,576"),
        (("--image", "src=8x1:zeros:1"), "no such content", "16x8:@FILE"),
        (("--image", "src=8x1:rgba32:"), "no such content", "16x8:@FILE"),
        (("--image", "src=8x1:random:x"), "no such content", "16x8:@FILE"),
        (("--image", "src=8x1:@/no/such"), "No such file", ""),
        (("--image", "nothing=8x1:zeros"), "no argument 'nothing'", "arguments: src, dst"),
        (("--image", "src=8x1:zeros", "--image", "0=8x1:zeros"), "src is given twice", ""),
        (("--buffer", "src=zeros:64", "--image", "src=8x1:zeros"), "src is given twice", ""),
        (
            ("--buffer", "src=zeros:64", "--image", "dst=8x1:zeros"),
            "argument 0 (src), which is no image",
            "--image ARG=",
        ),
        (("--image", "src=8x1:zeros", "--image", "dst=8x1:zeros", "--engine", "arrays"), "reaches no texels", "scalar"),
        (("--image", "src=8x1:zeros", "--sampler", "mirror"), "invalid choice", ""),
    ],
)
def test_images_that_no_launch_has_are_refused(
    options: tuple[str, ...], error: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = told(capsys, *dump("img_invert"), "--global-size", "8", *options)
    assert code == 2
    assert error in err
    assert hint in err
    assert "Traceback" not in err


def test_an_image_of_bytes_is_inverted_and_saturated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`dst = 255 - src` on integers: of bytes, and with 1000 for 255 beyond them."""
    given, out = tmp_path / "in.bin", tmp_path / "out.bin"
    given.write_bytes(bytes(range(64)))
    images = ("--image", f"src=8x2:rgba8ui:@{given}", "--image", "dst=8x2:rgba8i:zeros", "--out", f"dst=@{out}")
    code, _ = asked(capsys, *dump("img_invert"), "--global-size", "8,2", *images)
    assert code == 0
    assert out.read_bytes() == bytes([127] * 64)  # 255 - k is more than a signed byte holds


def test_nan_in_a_texel_of_halves_is_not_modelled(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = tmp_path / "in.bin"
    given.write_bytes(b"\xff\x7f" * 32)
    code, _, err = told(
        capsys, *dump("img_rw"), "--global-size", "8", "--arg", "dx=0", "--image", f"img=8x1:rgba16f:@{given}"
    )
    assert code == 4
    assert "NaN in a texel" in err


def test_an_image_is_no_buffer(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*VADD[:4], "--image", "c=4x1:zeros")
    code, _, err = told(capsys, *dump("vadd"), "--global-size", "16", *arguments)
    assert code == 2
    assert "bytes are reached in argument 2 (c), which is an image" in err
    assert "`--buffer` passes bytes" in err


def test_a_file_has_as_many_bytes_as_its_texels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = tmp_path / "in.bin"
    given.write_bytes(bytes(100))
    code, _, err = told(capsys, *dump("img_rw"), "--global-size", "8", "--arg", "dx=0", "--image", f"img=8x1:@{given}")
    assert code == 2
    assert "100 bytes" in err
    assert "its texels have 128" in err


@pytest.mark.parametrize(
    ("options", "error", "hint"),
    [
        (("--global-size", "16"), "missing: a, b", "--buffer a=zeros:BYTES --buffer b=zeros:BYTES"),
        (("--global-size", "16,0", *VADD), "each number is 1", ""),
        (("--global-size", "1,1,1,1", *VADD), "not one, two or three numbers", "--global-size 32,16"),
        (("--global-size", "x", *VADD), "not one, two or three numbers", "--global-size 32,16"),
        (("--global-size", "4294967295", *VADD), "4,294,967,295 work items", "at most"),
        (("--global-size", "2048", "--local-size", "2048", *VADD), "2,048 work items", "at most 1,024"),
        (
            ("--global-size", "17", "--local-size", "8", *LEVEL_ZERO),
            "is no multiple of --local-size 8,1,1",
            "whole groups",
        ),
        (("--global-size", "16", *VADD, "--arg", "a=1"), "a is a pointer", "--buffer a=zeros:BYTES"),
        (("--global-size", "16", *VADD, "--arg", "a=counting:16"), "a is a pointer", "--buffer a=counting:16"),
        (("--global-size", "16", *VADD, "--arg", "a"), "not ARGUMENT=VALUE", "its name or its index"),
        (("--global-size", "16", *VADD, "--buffer", "a=zeros:1"), "a is given twice", ""),
        (("--global-size", "16", "--buffer", "src=zeros:1"), "no argument 'src'", "arguments: a, b, c"),
        (("--global-size", "16", "--buffer", "9=zeros:1"), "no argument '9'", "arguments: a, b, c"),
        (("--global-size", "16", "--buffer", "a=ones:1"), "no such content", "@FILE, zeros:BYTES"),
        (("--global-size", "16", "--buffer", "a=zeros:-1"), "no such content", "@FILE, zeros:BYTES"),
        (("--global-size", "16", "--buffer", "a=zeros:99999999999"), "too large", "at most"),
        (("--global-size", "16", "--buffer", "a=@/no/such/file"), "No such file", ""),
        (("--global-size", "16", *VADD, "--out", "c=c.bin"), "not BUFFER=@FILE", "buffers: a, b, c"),
        (("--global-size", "16", *VADD, "--out", "c=@/no/such/c.bin"), "no such folder", ""),
        (("--global-size", "16", *VADD, "--trace", "group=2"), "no such thread or lane", "group 0 to 1"),
        (("--global-size", "16", *VADD, "--trace", "lane"), "is not group=G", ""),
        (("--global-size", "16", *VADD, "--input", "V9=local_id_x"), "V9 is no input", "inputs:"),
        (("--global-size", "16", *VADD, "--platform", "X"), "no platform 'X'", "one of"),
    ],
)
def test_options_that_no_launch_has_are_refused(
    options: tuple[str, ...], error: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = told(capsys, *dump("vadd"), *options)
    assert code == 2
    assert error in err
    assert hint in err
    assert "Traceback" not in err


def test_a_buffer_for_an_argument_that_is_passed_by_value_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = dump("saxpy_guard", "tgllp-O2-simd8-a64", LAUNCHES)
    buffers = ("--buffer", "x=zeros:64", "--buffer", "y=zeros:64", "--buffer", "n=zeros:4")
    code, _, err = told(capsys, *kernel, "--global-size", "16", *buffers, "--arg", "a=1")
    assert code == 2
    assert "n is passed by value" in err
    assert "`--arg n=VALUE`" in err


def test_a_kernel_with_barriers_needs_its_group_size(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = dump("scan_slm", folder=LAUNCHES)
    code, _, err = told(capsys, *kernel, "--global-size", "64", "--buffer", "0=zeros:256", "--buffer", "1=zeros:256")
    assert (code, "--local-size is missing" in err) == (2, True)


def test_without_launch_information_the_surfaces_are_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = told(capsys, dump("vadd")[0], "--global-size", "16", "--platform", "TGLLP")
    assert code == 2
    assert "which argument surface 'bti 0' is" in err
    assert "--launch FILE" in err


def test_the_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--help"]) == 0
    out = capsys.readouterr().out
    assert "--buffer a=random:256:1" in out
    assert "exit codes: 0 ran" in out


# ---------------------------------------------------------------- results that no page states

DIVIDES = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl R v_type=G type=ud num_elts=8 align=GRF
.decl ID v_type=G type=w num_elts=16 align=GRF
.decl S v_type=G type=ud num_elts=1 align=GRF
.decl T6 v_type=T num_elts=1 v_name=T006
.input ID offset=32 size=32
.input S offset=64 size=4
.kernel_attr SimdSize=8
.function "k"
movs (M1_NM, 1) T6(0) S(0,0)<0;1,0>
mov (M1, 8) X(0,0)<1> ID(0,0)<1;1,0>
div (M1, 8) R(0,0)<1> X(0,0)<1;1,0> ID(0,0)<1;1,0>
{between}
shl (M1, 8) A(0,0)<1> X(0,0)<1;1,0> 0x2:ud
scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 R.0
ret (M1, 1)
"""
DIVIDED = ("--platform", "tgllp", "--global-size", "8", "--input", "ID=local_id_x", "--input", "S=surface:0")


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
def test_bytes_that_depend_on_an_unstated_result_are_unknown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, engine: str
) -> None:
    """All else is shown and written, and JSON has the same."""
    path, out = tmp_path / "k.visaasm", tmp_path / "out.bin"
    path.write_text(DIVIDES.format(between=""))
    options = (str(path), *DIVIDED, "--engine", engine, "--buffer", "0=zeros:32", "--out", f"0=@{out}")
    code, text, err = told(capsys, *options)
    assert (code, err) == (3, "")
    assert "UNKNOWN: argument 0 depends on a result that no page states\n        4 bytes: 0x0..0x3\n" in text
    assert f"{path}:15:1: div by 0, of which the page says nothing (lane 0 of group 0,0,0, thread 0)" in text
    assert text.endswith("ran to the end: 1 thread\n")
    assert out.read_bytes()[4:] == struct.pack("<7I", *[1] * 7)
    code, document = asked(capsys, *options)
    assert code == 3
    found = document["nondeterminism"]
    assert found["choices_tried"] == 4
    (result,) = found["results"]
    assert (result["line"], result["column"], result["lane"], result["others"]) == (15, 1, 0, False)
    (dependent,) = found["dependent"]
    assert (dependent["kind"], dependent["on"]) == ("bytes", [0])
    assert (dependent["argument"], dependent["first_byte"], dependent["last_byte"]) == (0, 0, 3)


def test_an_unstated_result_on_which_nothing_depends_is_a_note(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "k.visaasm"
    path.write_text(DIVIDES.format(between="mov (M1, 8) R(0,0)<1> X(0,0)<1;1,0>"))
    code, text, err = told(capsys, str(path), *DIVIDED, "--buffer", "0=zeros:32")
    assert (code, err) == (0, "")
    assert "UNKNOWN" not in text
    assert "note: no page states a result; buffers, branches and addresses are the same under the" in text
    assert "no proof that nothing depends" in text
    code, document = asked(capsys, str(path), *DIVIDED, "--buffer", "0=zeros:32")
    assert (code, document["nondeterminism"]["dependent"]) == (0, [])


BEYOND = "addr_add (M1_NM, 1) A0(0)<1> &X 0xfffc:uw\nmov (M1_NM, 1) R(0,0)<1> r[A0(0),0]<0;1,0>:ud\n"


def test_a_read_beyond_a_variable_on_which_nothing_depends_is_a_note(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, options = tmp_path / "k.visaasm", (*DIVIDED, "--buffer", "0=zeros:32")
    text = DIVIDES.replace(".kernel_attr", ".decl A0 v_type=A num_elts=1\n.kernel_attr", 1)
    path.write_text(text.format(between=f"{BEYOND}mov (M1, 8) R(0,0)<1> X(0,0)<1;1,0>"))
    code, told_text, err = told(capsys, str(path), *options)
    assert (code, err) == (0, "")
    assert "note: beyond-unseen: nothing that is seen depends on what lies beyond X" in told_text
    code, document = asked(capsys, str(path), *options)
    assert (code, document["undefined"]) == (0, None)
    assert [one["beyond"] for one in document["nondeterminism"]["results"]] == [False, True]
    path.write_text(text.format(between=BEYOND))
    code, told_text, _ = told(capsys, str(path), *options)
    assert code == 1
    assert "lie beyond X" in told_text
    assert "beyond-unseen" not in told_text


def test_the_byte_swap_of_2022_is_undefined(capsys: pytest.CaptureFixture[str]) -> None:
    """What it reads beyond a variable goes into the result."""
    swap = DATA / "byte-swap-pvc-2022.visaasm"
    launch = ("--launch", str(swap.with_suffix(".ze_info")), "--platform", "PVC")
    code, text, _ = told(capsys, str(swap), *launch, "--global-size", "64", "--buffer", "data=random:512:1")
    assert code == 1
    assert "lie beyond" in text


INVERT = ("--image", "src=32x4:rgba8ui:random:1", "--image", "dst=32x4:rgba8ui:zeros")


def test_the_host_decides_about_tiles(capsys: pytest.CaptureFixture[str]) -> None:
    """Which layout was taken is said, and JSON has it."""
    arguments = (*dump("img_invert"), "--global-size", "32,4", "--local-size", "32,4", *INVERT)
    code, out, _ = told(capsys, *arguments)
    assert code == 0
    assert "local ids: tiles (tiles with --host opencl, x-y-z with --host level-zero)" in out
    assert asked(capsys, *arguments, "--host", "level-zero")[1]["local_ids"] == "x-y-z"


def test_the_old_names_of_the_sizes_are_taken_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """As the other commands, `run` has OpenCL's names."""
    today = "--global-size", "16", "--local-size=8", "--global-offset", "0"
    before = "--grid", "16", "--group=8", "--offset", "0"
    assert asked(capsys, *dump("vadd"), *VADD, *today) == asked(capsys, *dump("vadd"), *VADD, *before)
    _, shown, _ = told(capsys, "--help")
    assert "--global-size" in shown
    assert "--grid" not in shown
