"""`visaproof bounds` at 64-bit addresses: in which buffer, whether inside, and what then happens."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
CORPUS = DATA.parent.parent.parent / "shared" / "corpus"
SIZES = ("--size", "src=4*n", "--size", "dst=4*n")

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl OTHER v_type=G type=uq num_elts=1 align=qword
.decl N v_type=G type=ud num_elts=1
.decl OWN v_type=G type=uq num_elts=1 align=qword
.decl IDX v_type=G type=ud num_elts=8 align=GRF
.decl OFF v_type=G type=uq num_elts=8 align=GRF
.decl SOFF v_type=G type=q num_elts=8 align=GRF alias=<OFF, 0>
.decl SIDX v_type=G type=d num_elts=8 align=GRF alias=<IDX, 0>
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=32 align=GRF
.decl BLOCK v_type=G type=uq num_elts=1 align=qword
.decl L v_type=G type=ud num_elts=1
.decl P1 v_type=P num_elts=8
.input IDX offset=32 size=32
.input PTR offset=128 size=8
.input OTHER offset=136 size=8
.input N offset=144 size=4
.input OWN offset=152 size=8
.kernel_attr SimdSize=8
.function "k"
k:
    mov (M1_NM, 8) D(0,0)<1> 0x0:ud
    mov (M1_NM, 8) D(1,0)<1> 0x0:ud
    mov (M1_NM, 8) D(2,0)<1> 0x0:ud
    mov (M1_NM, 8) D(3,0)<1> 0x0:ud
"""
LAUNCH = ("--input", "PTR=buffer_address:arg0", "--input", "OTHER=buffer_address:arg1", "--platform", "TGLLP")
LOW = "    and (M1, 8) IDX(0,0)<1> IDX(0,0)<1;1,0> 0xf:ud\n"
ADDRESS = """    mov (M1, 8) OFF(0,0)<1> IDX(0,0)<1;1,0>
    shl (M1, 8) OFF(0,0)<1> OFF(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> OFF(0,0)<1;1,0> PTR(0,0)<0;1,0>
"""
SIGNED = ADDRESS.replace("OFF(0,0)<1> IDX", "SOFF(0,0)<1> SIDX")
STORE = "    svm_scatter.4.1 (M1, 8) A.0 D.0\n"
LOAD = "    svm_gather.4.1 (M1, 8) A.0 D.0\n"
BLOCK = "    add (M1_NM, 1) BLOCK(0,0)<1> PTR(0,0)<0;1,0> 0x10:ud\n    svm_block_ld (2) BLOCK(0,0)<0;1,0> D.0\n"


def asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, *options: str, launch: tuple[str, ...] = LAUNCH
) -> tuple[int, list[dict[str, Any]]]:
    path = tmp_path / "k.visaasm"
    path.write_text(f"{HEAD}{body}    ret (M1, 1)\n")
    code = main(["bounds", "--format", "json", str(path), *launch, *options])
    return code, json.loads(capsys.readouterr().out)["files"][0]["messages"]


def of_dump(capsys: pytest.CaptureFixture[str], kernel: str, variant: str, *options: str) -> tuple[int, dict[str, Any]]:
    corpus = DATA if (DATA / "visaasm" / kernel / f"{variant}.visaasm").is_file() else CORPUS
    path = corpus / "visaasm" / kernel / f"{variant}.visaasm"
    if not path.is_file():
        pytest.skip("the corpus is not beside the repository")
    code = main(["bounds", "--format", "json", str(path), "--launch", str(corpus / "manifest.json"), *options])
    return code, json.loads(capsys.readouterr().out)["files"][0]


def verdicts(file: dict[str, Any]) -> list[str]:
    return [message["bounds"]["verdict"] for message in file["messages"]]


# ---------------------------------------------------------------- real files


def test_the_guard_that_admits_n_leaves_the_buffer_behind_a_pointer(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is dropped there, and no zero comes back: the pages have no bounds check at 64-bit addresses."""
    code, file = of_dump(capsys, "oob_offbyone", "tgllp-O2-simd8-a64", *SIZES)
    assert code == 1
    assert verdicts(file) == ["refuted", "refuted"]
    load, store = file["messages"]
    assert (load["surface"], store["surface"]) == ("src", "dst")
    assert (load["bounds"]["effect"], store["bounds"]["effect"]) == ("reads_anything", "writes_anything")
    for found in (load["bounds"], store["bounds"]):
        n = next((int(value, 16) for name, value in found["inputs"].items() if "(n)" in name), 0)
        assert found["extent"].startswith(f"{4 * n} bytes at ")
        assert found["accesses"][0]["offset"] == 4 * n  # the element behind the last


@pytest.mark.parametrize("variant", ["tgllp-O2-simd8-a64", "pvc-O2-simd16", "tgllp-O0-simd8"])
def test_the_right_guard_stays_inside_whatever_the_pointers_are(
    variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, file = of_dump(capsys, "saxpy_guard", variant, "--size", "x=4*n", "--size", "y=4*n")
    assert code == 0
    assert set(verdicts(file)) == {"proved"}
    assert any(assumption.startswith("buffers-end: a buffer begins") for assumption in file["assumptions"])


@pytest.mark.slow
def test_an_index_with_a_sign_reaches_before_the_buffer_from_2_gib_on(capsys: pytest.CaptureFixture[str]) -> None:
    """`-cl-intel-use-32bit-ptr-arith` extends the sign of the 32-bit offset."""
    code, file = of_dump(capsys, "saxpy_guard", "tgllp-O2-simd8-a64-ptr32", "--size", "x=4*n", "--size", "y=4*n")
    assert code == 1
    assert file["messages"][0]["bounds"]["accesses"][0]["offset"] < 0
    code, file = of_dump(
        capsys, "saxpy_guard", "tgllp-O2-simd8-a64-ptr32", "--size", "x=4*n", "--size", "y=4*n", "--assume", "bounded"
    )
    assert (code, set(verdicts(file))) == (0, {"proved"})


def test_private_memory_has_the_bytes_that_ze_info_says(capsys: pytest.CaptureFixture[str]) -> None:
    _, file = of_dump(capsys, "vadd", "tgllp-O0-simd8")
    private = [message for message in file["messages"] if message["surface"] == "private memory"]
    assert private
    assert {message["bounds"]["verdict"] for message in private} == {"proved"}
    assert any("has 256 bytes" in assumption for assumption in file["assumptions"])  # 32 for each of 8 work items


@pytest.mark.slow
def test_a_table_of_the_program_is_a_buffer_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    _, file = of_dump(capsys, "const_lut", "tgllp-O2-simd8", "--size", "lut=64")
    tables = [message for message in file["messages"] if message["surface"] == "&lut"]
    assert [message["bounds"]["verdict"] for message in tables] == ["proved", "proved"]
    _, file = of_dump(capsys, "const_lut", "tgllp-O2-simd8")
    (why, *_) = [message["launch"] for message in file["messages"] if message["surface"] == "&lut"]
    assert not why["found"]
    assert why["reason"].startswith("&lut is no argument, whose size a host would choose; the zebin")
    _, file = of_dump(capsys, "const_lut", "tgllp-O2-simd8", "--size", "lut=60")
    assert "refuted" in {message["bounds"]["verdict"] for message in file["messages"] if message["surface"] == "&lut"}


# ---------------------------------------------------------------- small kernels


def test_a_size_that_the_offsets_need_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (message,) = asked(tmp_path, capsys, LOW + ADDRESS + STORE)
    assert (code, message["size_is_arbitrary"], message["enough_bytes"]) == (1, True, 0x40)
    assert asked(tmp_path, capsys, LOW + ADDRESS + STORE, "--size", "arg0=64")[0] == 0
    code, (message,) = asked(tmp_path, capsys, LOW + ADDRESS + STORE, "--size", "arg0=63")
    assert code == 1
    assert message["bounds"]["accesses"][0]["offset"] == 0x3C


@pytest.mark.parametrize("body", [ADDRESS + LOAD, SIGNED + LOAD])
def test_an_offset_of_32_bits_may_lie_anywhere(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (message,) = asked(tmp_path, capsys, body, "--size", "arg0=0x400000000")
    assert (code, message["bounds"]["verdict"]) == ((0, "proved") if body == ADDRESS + LOAD else (1, "refuted"))
    if code:
        assert message["bounds"]["accesses"][0]["offset"] < 0  # before the buffer


def test_a_sum_that_wraps_is_before_the_buffer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The 64-bit offset is −4 modulo 2^64: no size is enough."""
    down = "    mov (M1, 8) OFF(0,0)<1> 0x0:ud\n    add (M1, 8) SOFF(0,0)<1> SOFF(0,0)<1;1,0> 0xfffffffc:d\n"
    body = down + "    add (M1, 8) A(0,0)<1> OFF(0,0)<1;1,0> PTR(0,0)<0;1,0>\n" + LOAD
    code, (message,) = asked(tmp_path, capsys, body, "--size", "arg0=0xffffffff00")
    assert code == 1
    assert message["bounds"]["accesses"][0]["offset"] == -4


def test_what_lies_outside_of_one_buffer_may_be_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A buffer is told by its pointer: that other memory is there makes no access inside."""
    code, messages = asked(tmp_path, capsys, ADDRESS + LOAD, "--size", "arg0=64", "--size", "arg1=0x100000000")
    assert code == 1
    assert messages[0]["surface"] == "argument 0"


def test_an_address_that_was_loaded_is_in_no_known_buffer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = LOW + ADDRESS + "    svm_gather.8.1 (M1, 8) A.0 A.0\n" + STORE
    code, (first, second) = asked(tmp_path, capsys, body, "--size", "arg0=72", "--align", "8")
    assert second["bounds"]["verdict"] == "not-modelled"
    assert "not one buffer's plus an offset" in second["bounds"]["reason"]
    assert first["surface"] == "argument 0"
    assert code in (1, 4)


def test_without_a_launch_no_buffer_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (message,) = asked(tmp_path, capsys, LOW + ADDRESS + STORE, launch=("--platform", "TGLLP"))
    assert code == 1 or code == 4
    assert message["bounds"]["verdict"] == "not-modelled"
    assert "buffer_address:argN" in message["bounds"]["reason"]


def test_a_block_needs_its_alignment_and_its_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SVM_BLOCK_LD: two owords from 16 bytes behind the pointer; the address must be aligned to 16."""
    sized = ("--size", "arg0=48")
    code, (message,) = asked(tmp_path, capsys, BLOCK, *sized, "--align", "16")
    assert (code, message["bounds"]["verdict"]) == (0, "proved")
    code, (message,) = asked(tmp_path, capsys, BLOCK, *sized, "--align", "8")
    assert (code, message["meaning"]["verdict"]) == (1, "refuted")
    assert "not a multiple of 16" in message["meaning"]["reason"]
    code, (message,) = asked(tmp_path, capsys, BLOCK, "--size", "arg0=47", "--align", "16")
    assert (code, message["bounds"]["verdict"]) == (1, "refuted")


def test_private_memory_beyond_its_slot_is_outside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the launch information does not say how large it is, that is said."""
    body = LOW + ADDRESS.replace("PTR", "OWN") + STORE
    launch = (*LAUNCH, "--input", "OWN=private_base_stateless")
    code, (message,) = asked(tmp_path, capsys, body, launch=launch)
    assert code == 4
    assert "does not say how large private memory is" in message["bounds"]["reason"]


# ---------------------------------------------------------------- replay


def test_what_is_outside_replays_with_the_buffers_it_was_found_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "found"
    asked(tmp_path, capsys, LOW + ADDRESS + STORE, "--size", "arg0=60", "--save", str(folder))
    (path,) = folder.iterdir()
    assert main(["replay", str(path)]) == 0
    record = json.loads(path.read_text())
    flat = record["state"]["surfaces"]["flat"]
    flat["buffers"] = dict.fromkeys(flat["buffers"], 64)
    path.write_text(json.dumps(record))
    assert main(["replay", str(path)]) == 1
    assert "stays inside its surface" in capsys.readouterr().out
