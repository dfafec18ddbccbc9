"""`visaproof conflicts` on real dumps, and on files that it must refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"
STATEFUL = ("tgllp-O2-simd8", "tgllp-O2-simd16", "tgllp-O2", "dg2-O2-simd8", "tgllp-O2-simd8-bindless")


DG2 = "--platform", "DG2"


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["conflicts", "--format", "json", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["exit_code"] == code
    return code, document["files"][0]


def dump(kernel: str, variant: str) -> str:
    path = DATA / "visaasm" / kernel / f"{variant}.visaasm"
    assert path.is_file(), path
    return str(path)


@pytest.mark.parametrize("variant", STATEFUL)
@pytest.mark.parametrize("kernel", ["lane_conflict", "conflict_div"])
def test_a_lane_conflict_is_found_and_replayed(kernel: str, variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, dump(kernel, variant), "--launch", str(MANIFEST), "--assume", "ids")
    assert code == 1
    for scatter in file["scatters"]:
        assert scatter["verdict"] == "refuted"
        assert scatter["replayed"]
        assert scatter["depends_on_data"] == ""
        first, second = scatter["colliding_lanes"]
        assert first != second
        spans = {
            write["lane"]: set(range(write["address"], write["address"] + write["bytes"]))
            for write in scatter["writes"]
        }
        assert spans[first] & spans[second]


@pytest.mark.slow
@pytest.mark.parametrize("variant", STATEFUL)
@pytest.mark.parametrize("kernel", ["lane_conflict", "conflict_div"])
def test_a_lane_conflict_is_one_of_a_launch(kernel: str, variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The lanes of its thread are all on.  Then the first half collides, and after it nothing is defined."""
    code, file = asked(capsys, dump(kernel, variant), "--launch", str(MANIFEST))
    assert code == 1
    first = file["scatters"][0]
    assert (first["verdict"], first["replayed"]) == ("refuted", True)
    lanes = int(first["execution_mask"], 16)
    assert lanes & (lanes + 1) == 0


@pytest.mark.parametrize("variant", STATEFUL)
@pytest.mark.parametrize("kernel", ["swap_pairs", "vadd", "copy16"])
def test_consecutive_ids_keep_the_lanes_apart(kernel: str, variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, dump(kernel, variant), "--launch", str(MANIFEST), "--assume", "ids")
    assert code == 0
    assert [scatter["verdict"] for scatter in file["scatters"]] == ["proved"] * len(file["scatters"])
    assert file["scatters"]
    (assumption,) = file["assumptions"]
    assert assumption.startswith("ids:")


@pytest.mark.parametrize("variant", STATEFUL)
def test_a_permutation_conflicts_where_its_data_says_so(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, dump("permute_scatter", variant), "--launch", str(MANIFEST))
    assert code == 1
    assert all("gather" in scatter["depends_on_data"] for scatter in file["scatters"])


def test_without_assumptions_equal_ids_conflict_and_the_hint_says_what_helps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["conflicts", dump("vadd", "tgllp-O2-simd8"), "--launch", str(MANIFEST), "--assume", "none"]) == 1
    output = capsys.readouterr().out
    assert "assumed: nothing" in output
    assert "--assume ids" in output


def test_without_launch_information_nothing_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conflicts", dump("vadd", "tgllp-O2-simd8"), "--platform", "TGLLP", "--assume", "ids"]) == 1
    output = capsys.readouterr().out
    assert "assumed: nothing" in output
    assert "--launch FILE" in output
    assert "--input" in output


def test_without_launch_information_a_hint_says_what_would_help(capsys: pytest.CaptureFixture[str]) -> None:
    """What is known of lanes and groups alone frees nothing."""
    assert main(["conflicts", dump("vadd", "tgllp-O2-simd8"), "--platform", "TGLLP", "-v"]) == 1
    output = capsys.readouterr().out
    assert "assumed: first-lanes: " in output
    assert "--launch FILE" in output
    assert "--input" in output


def test_a_dump_of_a_device_that_nobody_names_is_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    """Its registers may have 32 bytes or 64."""
    file = dump("vadd", "tgllp-O2-simd8")
    assert main(["conflicts", file]) == 2
    told = capsys.readouterr().err
    assert f"{file}:1:1: the device of this kernel is not known" in told
    assert all(name in told for name in ("--platform NAME", "--launch", "TGLLP", "Xe2 (BMG, LNL)", "XE3P_CRI"))


def test_the_meaning_of_one_input_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """Of vadd's three rows of local ids only x matters; the lanes come from the kernel's SimdSize."""
    with_manifest, file = asked(capsys, dump("vadd", "tgllp-O2-simd8"), "--launch", str(MANIFEST))
    assert with_manifest == 0
    entries = json.loads(MANIFEST.read_text())["entries"]
    (entry,) = [e for e in entries if e["file"] == "visaasm/vadd/tgllp-O2-simd8.visaasm"]
    x = min((i for i in entry["inputs"] if i["is"] == "per-thread"), key=lambda i: i["offset"])["var"]
    code, file = asked(capsys, dump("vadd", "tgllp-O2-simd8"), "--input", f"{x}=local_id_x", "--platform", "TGLLP")
    assert code == 0, file


def test_a_conflict_is_shown_as_a_table_with_its_source_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conflicts", dump("lane_conflict", "tgllp-O2-simd8"), "--launch", str(MANIFEST)]) == 1
    output = capsys.readouterr().out
    assert "77 | scatter4_scaled.R (M1, 8) T6 0x0:ud V0049.0 V0047.0" in output
    marked = [line for line in output.splitlines() if "►" in line]
    assert len(marked) == 2
    assert "both: 0x0..0x3" in marked[1]
    assert "CONFLICT: work items 0 and 1 both write dst[0] (replayed)" in output
    assert "launch: 2 work items: lanes 0 and 1 both write byte 0x0" in output  # and no whole thread of them


HEAD = """.version 4.1
.kernel "k"
.decl VO v_type=G type=ud num_elts=16 align=GRF
.decl VX v_type=G type=ud num_elts=16 align=GRF
.decl VS v_type=G type=ud num_elts=64 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input VO offset=32 size=64
.input VX offset=96 size=64
.kernel_attr SimdSize=8
.function "k"
"""


def kernel(tmp_path: Path, *statements: str) -> str:
    path = tmp_path / "k.visaasm"
    path.write_text(HEAD + "".join(f"    {statement}\n" for statement in statements))
    return str(path)


def test_what_is_not_modelled_is_named_with_its_place_and_earlier_answers_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = kernel(
        tmp_path, "scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0", "frobnicate (M1, 8) VO.0 VS.0", "ret (M1, 1)"
    )
    assert main(["conflicts", path, *DG2]) == 1
    streams = capsys.readouterr()
    assert "CONFLICT" in streams.out
    assert f"{path}:13:5: opcode frobnicate" in streams.err


def test_only_what_is_not_modelled_gives_exit_code_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conflicts", kernel(tmp_path, "frobnicate (M1, 8) VO.0 VS.0", "ret (M1, 1)"), *DG2]) == 4
    assert "k.visaasm:12:5: opcode frobnicate" in capsys.readouterr().err


def test_unaligned_dwords_that_overlap_in_part_conflict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """scatter_scaled.4 has no alignment rule: bytes 3·i .. 3·i + 3 of neighbouring lanes share one byte."""
    path = kernel(
        tmp_path,
        "mov (M1_NM, 8) VO(0,0)<1> 0x76543210:uv",
        "mul (M1_NM, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x3:ud",
        "scatter_scaled.4 (M1, 8) T6 0x0:ud VO.0 VS.0",
        "ret (M1, 1)",
    )
    code, file = asked(capsys, path, *DG2)
    assert code == 1
    first, second = file["scatters"][0]["colliding_lanes"]
    assert abs(first - second) == 1


def test_a_stride_of_four_bytes_is_free_without_any_assumption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = kernel(
        tmp_path,
        "mov (M1_NM, 8) VO(0,0)<1> 0x76543210:uv",
        "shl (M1_NM, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x2:ud",
        "add (M1_NM, 8) VO(0,0)<1> VO(0,0)<1;1,0> VX(0,0)<0;1,0>",
        "mov (M1_NM, 8) VS(0,0)<1> 0x7:ud",
        "scatter_scaled.4 (M1, 8) T6 0x0:ud VO.0 VS.0",
        "scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0",
        "ret (M1, 1)",
    )
    code, file = asked(capsys, path, *DG2)
    assert code == 0, file


def test_rgba_at_a_stride_of_eight_bytes_overlaps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """16 bytes per lane at a distance of 8: neighbours share two dwords."""
    path = kernel(
        tmp_path,
        "mov (M1_NM, 8) VO(0,0)<1> 0x76543210:uv",
        "shl (M1_NM, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x3:ud",
        "scatter4_scaled.RG (M1, 8) T6 0x0:ud VO.0 VS.0",
        "scatter4_scaled.RGBA (M1, 8) T6 0x0:ud VO.0 VS.0",
        "ret (M1, 1)",
    )
    code, file = asked(capsys, path, *DG2)
    assert code == 1
    assert [scatter["verdict"] for scatter in file["scatters"]] == ["proved", "refuted"]


def test_a_predicate_that_leaves_one_lane_frees_the_scatter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All lanes write one address, but only lane 3 passes `VX == 3` where VX is the lane number."""
    path = kernel(
        tmp_path,
        "mov (M1_NM, 8) VX(0,0)<1> 0x76543210:uv",
        "mov (M1_NM, 8) VO(0,0)<1> 0x40:ud",
        "cmp.eq (M1, 8) P1 VX(0,0)<1;1,0> 0x3:ud",
        "(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0",
        "(!P1) scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VS.0",
        "ret (M1, 1)",
    )
    code, file = asked(capsys, path, *DG2)
    assert code == 1
    assert [scatter["verdict"] for scatter in file["scatters"]] == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1:1"),
        ("\x00\xff\x7fELF garbage", "1:2"),
        (HEAD + "    scatter4_scaled.R (M1, 8) T9 0x0:ud VO.0 VS.0\n", "12:31"),
        (HEAD + "    scatter4_scaled.R (M1, 8) T6 0x0:ud VO.4096 VS.0\n", "12:41"),
        (HEAD + "    scatter4_scaled.R (M1, 8) T6 0x0:ud VO", "12:"),
    ],
)
def test_a_file_that_cannot_be_read_gives_exit_code_2_and_a_place(
    text: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.visaasm"
    path.write_text(text, encoding="latin-1")
    assert main(["conflicts", str(path)]) == 2
    assert f"error: {path}:{place}" in capsys.readouterr().err


def test_a_missing_file_and_a_bad_launch_give_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conflicts", str(tmp_path / "none.visaasm")]) == 2
    bad = tmp_path / "launch"
    bad.write_bytes(b"\x7fELF")
    assert main(["conflicts", dump("vadd", "tgllp-O2"), "--launch", str(bad)]) == 2
    assert main(["conflicts", dump("vadd", "tgllp-O2"), "--input", "V9999=local_id_x"]) == 2
    assert main(["conflicts", dump("vadd", "tgllp-O2"), "--platform", "Z80"]) == 2
    assert "one of BDW" in capsys.readouterr().err


def test_several_files_are_counted_and_a_bad_one_does_not_stop_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.visaasm"
    bad.write_text("garbage")
    files = [str(bad), dump("vadd", "tgllp-O2"), dump("lane_conflict", "tgllp-O2")]
    assert main(["conflicts", *files, "--launch", str(MANIFEST)]) == 2
    assert "3 files: 1 free of conflicts, 1 with a conflict, 1 not readable" in capsys.readouterr().out


def test_a_saved_conflict_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "found"
    arguments = [dump("conflict_div", "tgllp-O2-simd8"), "--launch", str(MANIFEST), "--save", str(folder)]
    assert main(["conflicts", *arguments]) == 1
    (saved,) = folder.iterdir()
    assert saved.name == "conflict_div-tgllp-O2-simd8-line-83.json"
    assert main(["replay", str(saved)]) == 0
    record = json.loads(saved.read_text())
    record["state"]["exec_mask"] = "0x1"
    record["runs"][0]["steps"] = ["0x1"]
    saved.write_text(json.dumps(record))
    assert main(["replay", str(saved)]) == 1
    capsys.readouterr()


def test_lanes_that_write_one_texel_conflict_and_the_table_shows_where(capsys: pytest.CaptureFixture[str]) -> None:
    """The first scatter goes to (x, y + lane), the second of all lanes to u = 0."""
    code, file = asked(capsys, dump("vc_typed_rw", "tgllp-vc"), "--launch", str(MANIFEST))
    apart, met = file["scatters"]
    assert (code, apart["verdict"], met["verdict"], met["replayed"]) == (1, "proved", "refuted", True)
    assert {tuple(write["texel"]) for write in met["writes"]} == {(0, 0, 0, 0)}
    assert {write["channel"] for write in met["writes"]} == {"R"}
    main(["conflicts", dump("vc_typed_rw", "tgllp-vc"), "--launch", str(MANIFEST)])
    output = capsys.readouterr().out
    assert "free: no two of 8 lanes can write the same texel of argument 1" in output
    assert "both: texel (0, 0, 0, 0)" in output


@pytest.mark.parametrize("kernel", ["img_invert", "img_rw"])
def test_image_kernels_write_texels_of_their_own_if_their_ids_differ(
    kernel: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They read an image through the sampler, of which nothing is known; without the ids, lanes meet."""
    question = (dump(kernel, "tgllp-O2-simd8"), "--launch", str(MANIFEST), "--assume")
    code, file = asked(capsys, *question, "ids")
    assert (code, [scatter["verdict"] for scatter in file["scatters"]]) == (0, ["proved"])
    code, file = asked(capsys, *question, "none")
    assert (code, [scatter["verdict"] for scatter in file["scatters"]]) == (1, ["refuted"])
    assert all(len(write["texel"]) == 4 for write in file["scatters"][0]["writes"])


IN_SHARED_MEMORY = """.version 4.1
.kernel "k"
.decl V1 v_type=G type=ud num_elts=8 align=hword
.decl V2 v_type=G type=ud num_elts=8 align=hword
.input V1 offset=32 size=32
.kernel_attr Target="cm"

  and (M1, 8) V2(0,0)<1> V1(0,0)<1;1,0> 0xfc:ud
  scatter4_scaled.R (M1, 8) %slm {offset}:ud V2.0 V1.0
  ret (M1, 1)
"""


@pytest.mark.parametrize(("offset", "code"), [("0x20000", 0), ("0x1fffc", 1)])
def test_no_group_has_more_shared_memory_than_a_device(tmp_path, capsys, offset, code):
    """Beyond 128 KiB there is none of it, and stores are dropped; the last dword is there."""
    (path := tmp_path / "k.visaasm").write_text(IN_SHARED_MEMORY.format(offset=offset))
    found, file = asked(capsys, str(path), "--platform", "TGLLP", "--assume", "none")
    assert found == code
    assert "slm-limit" in {one["name"] for one in file["premises"]}
    assert main(["conflicts", str(path), "--platform", "TGLLP", "--assume", "none"]) == code
    assert ("surface shared local memory: 131072 bytes" in capsys.readouterr().out) is (code == 1)
