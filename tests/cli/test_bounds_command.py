"""`visaproof bounds` on real dumps, on small kernels, and on options that it must refuse."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

DATA = Path(__file__).parent.parent / "data"
MANIFEST = DATA / "manifest.json"
STATEFUL = ("tgllp-O2-simd8", "tgllp-O2-simd16", "dg2-O2-simd8", "tgllp-O2-simd8-bindless")
SIZES = ("--size", "src=4*n", "--size", "dst=4*n")


DG2 = "--platform", "DG2"


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["bounds", "--format", "json", *arguments])
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["command"] == "bounds"
    assert document["exit_code"] == code
    return code, document["files"][0]


def dump(kernel: str, variant: str = "tgllp-O2-simd8") -> tuple[str, str, str]:
    path = DATA / "visaasm" / kernel / f"{variant}.visaasm"
    assert path.is_file(), path
    return str(path), "--launch", str(MANIFEST)


def verdicts(file: dict[str, Any], key: str = "bounds") -> list[str]:
    return [message[key]["verdict"] for message in file["messages"]]


# ---------------------------------------------------------------- off by one


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("variant", STATEFUL)
def test_the_guard_that_admits_n_reaches_outside(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`if (i <= n)` with n elements: the last lane reads 0, and its write is dropped."""
    code, file = asked(capsys, *dump("oob_offbyone", variant), *SIZES)
    assert code == 1
    assert verdicts(file) == ["refuted", "refuted"]
    assert verdicts(file, "meaning") == ["proved", "proved"]
    load, store = (message["bounds"] for message in file["messages"])
    assert (load["effect"], store["effect"]) == ("zero", "dropped")
    for found in (load, store):
        (address,) = found["cell"]
        assert f"{address} bytes" == found["extent"]  # the element behind the last
        assert found["replayed"]


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("variant", STATEFUL)
def test_the_right_guard_stays_inside(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, *dump("oob_offbyone_fixed", variant), *SIZES)
    assert code == 0
    assert verdicts(file) == ["proved", "proved"]
    assert "stated-size: argument 1 (dst) has 4*n bytes" in file["assumptions"]


def test_a_byte_less_than_the_guard_promises_is_outside(capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, *dump("oob_offbyone_fixed"), "--size", "src=4*n", "--size", "dst=3*n")
    assert code == 1
    assert verdicts(file) == ["proved", "refuted"]


def test_a_guarded_kernel_is_in_bounds_for_arrays_of_n(capsys: pytest.CaptureFixture[str]) -> None:
    corpus = DATA.parent.parent.parent / "shared" / "corpus"
    file = corpus / "visaasm" / "saxpy_guard" / "tgllp-O2-simd8.visaasm"
    if not file.is_file():
        pytest.skip("the corpus is not beside the repository")
    launch = ("--launch", str(corpus / "manifest.json"))
    code, found = asked(capsys, str(file), *launch, "--size", "x=4*n", "--size", "y=4*n")
    assert code == 0
    assert set(verdicts(found)) == {"proved"}


@pytest.mark.slow
def test_the_counterexample_is_shown_with_lane_address_size_and_effect(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", *dump("oob_offbyone"), *SIZES]) == 1
    output = capsys.readouterr().out
    assert "86 | scatter4_scaled.R (M1, 8) T6 0x0:ud V0051.0 V0052.0" in output
    assert "OUTSIDE: work item 1 writes dst[1], bytes 0x4..0x7, and dst has 4 bytes" in output
    assert "the write is dropped (replayed)" in output
    assert "launch: 2 work items in 2 groups with n = 1" in output
    assert main(["bounds", *dump("oob_offbyone"), *SIZES, "--where", "n >= 1048576"]) == 1  # no small launch has that
    output = capsys.readouterr().out
    assert "no launch is shown: no small one is as stated" in output
    assert "►     0  bytes 0x803ff000..0x803ff003 outside" in output


@pytest.mark.parametrize(("relation", "code"), [("n < 2", 5), ("n < 3", 1)])
def test_no_buffer_has_fewer_than_no_bytes(relation: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """As 4·w·h of a negative h, which a guard may let through where h - 1 wraps."""
    sizes = "--size", "src=4*n - 8", "--size", "dst=8"
    assert main(["bounds", *dump("oob_offbyone"), *sizes, "--where", relation]) == code
    assert ("VACUOUS" in capsys.readouterr().out) == (code == 5)


def test_an_index_of_minus_one_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    """No size of the buffer helps, so that none is hinted at; further lanes do reach beyond its end."""
    folder = DATA / "sizes"
    assert main(["bounds", str(folder / "one_before.visaasm"), "--launch", str(folder / "sizes.ze_info")]) == 1
    first, second = capsys.readouterr().out.split(" 109 | ")[1].split(" 110 | ")
    assert "OUTSIDE: an access reaches in[-1], bytes 0xfffffffc..0xffffffff, before in begins: the read" in first
    assert "hint" not in first
    assert "OUTSIDE where in is too small: then the read gives 0" in second
    assert "an access reaches in[30], bytes 0x78..0x7b" in second


# ---------------------------------------------------------------- the global size


@pytest.mark.slow
def test_a_kernel_without_a_guard_is_in_bounds_up_to_its_global_size(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [option for name in "abc" for option in ("--size", f"{name}=4096")]
    assert asked(capsys, *dump("vadd"), *sizes)[0] == 1
    code, file = asked(capsys, *dump("vadd"), *sizes, "--global-size", "1024")
    assert code == 0
    assert any(assumption.startswith("global-size: 1024") for assumption in file["assumptions"])
    code, file = asked(capsys, *dump("vadd"), *sizes, "--global-size", "1025")
    assert code == 1
    assert verdicts(file) == ["refuted"] * 3
    assert all(message["bounds"]["cell"] == [4096] for message in file["messages"])


def test_assumptions_that_contradict_each_other_prove_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, *dump("vadd"), "--size", "c=4096", "--global-size", "0")
    assert code == 5
    assert file["vacuous"]
    assert file["messages"] == []


# ---------------------------------------------------------------- sizes that nothing is known of


@pytest.mark.slow
def test_an_arbitrary_size_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", *dump("vadd")]) == 1
    output = capsys.readouterr().out
    assert output.count("is too small") == 3
    assert "►" not in output
    assert output.count("has at least 4*global_size_x bytes (proved") == 3


def test_an_arbitrary_pointer_may_be_misaligned(capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, *dump("oob_offbyone", "tgllp-O2-simd8-a64"), "--align", "2")
    assert code == 1
    assert verdicts(file, "meaning") == ["refuted", "refuted"]
    assert "not a multiple of 4" in file["messages"][0]["meaning"]["reason"]
    assert all(one["launch"]["found"] or one["launch"]["reason"] for one in file["messages"])


def test_what_is_undefined_inside_of_its_surface_says_why_no_launch_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stated = ("n < 1000", "global_size_x < 1000")
    sizes = ("--size", "src=1000000000", "--size", "dst=1000000000", *(f"--where={one}" for one in stated))
    _, file = asked(capsys, *dump("oob_offbyone", "tgllp-O2-simd8-a64"), "--align", "2", *sizes)
    assert {one["meaning"]["verdict"] for one in file["messages"] if one["bounds"]["verdict"] == "proved"} == {
        "refuted"
    }
    reasons = {one["launch"]["reason"] for one in file["messages"] if one["bounds"]["verdict"] == "proved"}
    assert reasons == {"launches are searched for accesses outside alone"}


# ---------------------------------------------------------------- uninitialised values


@pytest.mark.slow
def test_a_widened_kernel_uses_predicate_bits_that_nothing_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    code, file = asked(capsys, *dump("vc_scatter4", "pvc-vc"))
    assert code == 1
    (bits,) = [one for one in file["unwritten"] if one["kind"] == "bits"]
    assert (bits["variable"], bits["line"], bits["places"]) == ("P2", 69, list(range(8, 16)))
    assert not bits["harmless"]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("variant", ["dg2-vc", "tgllp-vc"])
def test_the_kernel_that_is_not_widened_does_not(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, *dump("vc_scatter4", variant))[1]["unwritten"] == []


# ---------------------------------------------------------------- small kernels

HEAD = """.version 4.1
.kernel "k"
.decl VO v_type=G type=ud num_elts=8 align=GRF
.decl VX v_type=G type=ud num_elts=8 align=GRF
.decl VS v_type=G type=ud num_elts=8 align=GRF
.decl VN v_type=G type=ud num_elts=4 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=4
.decl T6 v_type=T num_elts=1
.input VO offset=32 size=32
.input VX offset=64 size=32
.kernel_attr SimdSize=8
"""
BIND = "movs (M1_NM, 1) T6(0) 0x1:ud"
DWORDS = "shl (M1, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x2:d"
LOW = "and (M1, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x3c:d"
SCATTER = "scatter4_scaled.R (M1, 8) T6 0x0:ud VO.0 VX.0"


def kernel(tmp_path: Path, *statements: str, attributes: str = "") -> str:
    path = tmp_path / "k.visaasm"
    lines = "\n".join(f"    {statement}" for statement in (*statements, "ret (M1, 1)"))
    path.write_text(f'{HEAD}{attributes}.function "k"\nk:\n{lines}\n')
    return str(path)


def only(capsys: pytest.CaptureFixture[str], file: str, *options: str) -> tuple[int, dict[str, Any]]:
    code, found = asked(capsys, file, "--platform", "TGLLP", *options)
    (message,) = found["messages"]
    return code, message


def test_a_size_that_the_addresses_need_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Addresses in 0..0x3c step 4: the last dword ends at 0x40."""
    file = kernel(tmp_path, BIND, LOW, SCATTER)
    code, message = only(capsys, file)
    assert (code, message["bounds"]["verdict"], message["enough_bytes"]) == (1, "refuted", 0x40)
    assert only(capsys, file, "--size", "1=0x40", *DG2)[0] == 0
    code, message = only(capsys, file, "--size", "1=0x3f")
    assert code == 1
    assert message["bounds"]["cell"] == [0x3C]


def test_a_misaligned_address_is_undefined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, message = only(capsys, kernel(tmp_path, BIND, SCATTER))
    assert code == 1
    assert message["meaning"]["verdict"] == "refuted"
    assert "not a multiple of 4" in message["meaning"]["reason"]
    assert only(capsys, kernel(tmp_path, BIND, DWORDS, SCATTER))[1]["meaning"]["verdict"] == "proved"


def test_a_predicate_without_the_bits_is_undefined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = kernel(tmp_path, BIND, LOW, "setp (M1, 4) P2 0xf:ud", f"(P2) {SCATTER}")
    code, message = only(capsys, short, "--size", "1=0x40", *DG2)
    assert code == 1
    assert message["meaning"]["verdict"] == "refuted"
    assert "P2 has no bits" in message["meaning"]["reason"]
    enough = kernel(tmp_path, BIND, LOW, "setp (M1, 8) P1 0xf:ud", f"(P1) {SCATTER}")
    assert only(capsys, enough, "--size", "1=0x40", *DG2)[0] == 0


def test_an_operand_behind_its_variable_is_undefined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = kernel(tmp_path, BIND, LOW, "mov (M1_NM, 4) VN(0,0)<1> 0x0:ud", SCATTER.replace("VX.0", "VN.0"))
    code, message = only(capsys, short, "--size", "1=0x40", *DG2)
    assert code == 1
    assert message["meaning"]["lane"] >= 4
    assert "lies beyond its variable" in message["meaning"]["reason"]


def test_shared_local_memory_ends_where_the_kernel_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    low = "and (M1, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x7fc:d"
    statements = (low, SCATTER.replace("T6", "%slm"))
    assert only(capsys, kernel(tmp_path, *statements, attributes=".kernel_attr SLMSize=2\n"))[0] == 0
    code, message = only(capsys, kernel(tmp_path, *statements, attributes=".kernel_attr SLMSize=1\n"))
    assert code == 1
    assert message["bounds"]["extent"] == "1024 bytes"
    assert message["bounds"]["cell"][0] >= 0x400
    assert only(capsys, kernel(tmp_path, *statements), "--size", "slm=0x800")[0] == 0


def test_a_tagged_address_of_shared_local_memory_is_that_without_the_tag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """IGC sets bit 28, so that no local pointer is null."""
    tagged = (LOW, "add (M1, 8) VO(0,0)<1> VO(0,0)<1;1,0> 0x10000000:d", SCATTER.replace("T6", "%slm"))
    assert only(capsys, kernel(tmp_path, *tagged), "--size", "slm=0x40")[0] == 0
    code, message = only(capsys, kernel(tmp_path, *tagged), "--size", "slm=0x3c", "--save", str(tmp_path / "found"))
    assert code == 1
    assert message["bounds"]["cell"] == [0x3C]
    assert main(["replay", str(tmp_path / "found")]) == 0
    capsys.readouterr()
    twice = (*tagged[:2], tagged[1], tagged[2])
    assert only(capsys, kernel(tmp_path, *twice), "--size", "slm=0x40")[0] == 1


@pytest.mark.slow
def test_the_launch_says_how_large_shared_local_memory_is(capsys: pytest.CaptureFixture[str]) -> None:
    """A histogram of 256 dwords: an atomic at a byte of the data stays inside, and so do the loops over it."""
    corpus = DATA.parent.parent.parent / "shared" / "corpus"
    if not corpus.is_dir():
        pytest.skip("the corpus is not beside the repository")
    path = corpus / "visaasm" / "histogram_slm" / "tgllp-O2-simd8.visaasm"
    _, file = asked(capsys, str(path), "--launch", str(corpus / "manifest.json"))
    local = [message["bounds"]["verdict"] for message in file["messages"] if message["binding"] == "%slm"]
    assert local == ["proved"] * 3
    (data,) = [message["bounds"] for message in file["messages"] if message["binding"] == "bti 0"]
    assert data["verdict"] == "refuted"  # by a run behind a loop that with a local size of 0 never ends
    assert "slm-size: a group has 1024 bytes of shared local memory, as the launch says" in file["assumptions"]


def test_what_nothing_wrote_is_listed_with_its_first_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = kernel(tmp_path, BIND, LOW, "add (M1, 4) VX(0,0)<1> VS(0,4)<1;1,0> 0x1:ud", SCATTER)
    code, found = asked(capsys, file, "--size", "1=0x40", *DG2)
    assert code == 1
    (one,) = found["unwritten"]
    assert (one["variable"], one["kind"], one["places"]) == ("VS", "bytes", list(range(16, 32)))
    assert one["instruction"].startswith("add (M1, 4)")


def test_a_write_under_a_mask_is_a_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """IGC reads lane 0 of values that are written under the mask."""
    file = kernel(tmp_path, BIND, LOW, "mov (M1, 8) VS(0,0)<1> VX(0,0)<1;1,0>",
                  "mov (M1_NM, 1) VX(0,0)<1> VS(0,0)<0;1,0>", SCATTER)  # fmt: skip
    code, found = asked(capsys, file, "--size", "1=0x40", *DG2)
    assert code == 0
    assert found["unwritten"] == []


def test_a_comparison_with_itself_is_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare = "cmp.eq (M1, 8) P1 VS(0,0)<1;1,0> VS(0,0)<1;1,0>"
    code, found = asked(
        capsys, kernel(tmp_path, BIND, LOW, compare, f"(P1) {SCATTER}"), "--size", "1=0x40", "--platform", "DG2"
    )
    assert code == 0
    (one,) = found["unwritten"]
    assert one["harmless"]
    later = "add (M1, 8) VX(0,0)<1> VS(0,0)<1;1,0> 0x1:ud"
    code, found = asked(
        capsys, kernel(tmp_path, BIND, LOW, compare, later, SCATTER), "--size", "1=0x40", "--platform", "DG2"
    )
    assert code == 1
    (one,) = found["unwritten"]
    assert not one["harmless"]
    assert one["instruction"].startswith("add")


def test_a_disabled_lane_reads_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lanes that the predicate certainly leaves out do not read uninitialised values."""
    half = (BIND, LOW, "mov (M1_NM, 4) VS(0,0)<1> 0x0:ud", "setp (M1, 8) P1 0xf:ud")
    file = kernel(tmp_path, *half, "(P1) " + SCATTER.replace("VX.0", "VS.0"))
    code, found = asked(capsys, file, "--size", "1=0x40", *DG2)
    assert code == 0
    assert found["unwritten"] == []


# ---------------------------------------------------------------- counterexamples and options


@pytest.mark.slow
def test_the_counterexamples_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "found"
    assert main(["bounds", *dump("oob_offbyone"), *SIZES, "--save", str(folder)]) == 1
    misaligned = kernel(tmp_path, BIND, SCATTER)
    assert main(["bounds", misaligned, "--platform", "TGLLP", "--save", str(folder)]) == 1
    names = sorted(path.name for path in folder.iterdir())
    assert [name.rsplit("-", 1)[1] for name in names] == ["outside.json", "undefined.json"] + ["outside.json"] * 2
    assert main(["replay", str(folder)]) == 0
    capsys.readouterr()


@pytest.mark.slow
def test_reads_of_what_nothing_wrote_are_saved_as_two_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", *dump("vc_scatter4", "pvc-vc"), "--save", str(tmp_path)]) == 1
    assert "line-69-unwritten-P2.json" in capsys.readouterr().err
    (path,) = tmp_path.glob("*unwritten*")
    assert main(["replay", str(path)]) == 0
    assert "line 69 reads uninitialised P2" in capsys.readouterr().out


@pytest.mark.slow
def test_a_larger_surface_does_not_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", *dump("oob_offbyone"), *SIZES, "--save", str(tmp_path)]) == 1
    path = min(tmp_path.iterdir())
    record = json.loads(path.read_text())
    for surface in record["state"]["surfaces"].values():
        surface["size"] = 4096
    path.write_text(json.dumps(record))
    assert main(["replay", str(path)]) == 1
    assert "stays inside its surface" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--size", "dst"), "SURFACE=BYTES"),
        (("--size", "dst=4*n+"), "something is missing at the end"),
        (("--size", "dst=n/4"), "unexpected '/4'"),
        (("--size", "dst=0x10000000000"), "is more than 0xffffffffff"),
        (("--size", "dst=n*n*n*n*n*n*n*n*n"), "numbers of 288 bits"),
        (("--size", "nowhere=4"), "surfaces: src, dst"),
        (("--size", "dst=4*m"), "arguments by value: n"),
        (("--global-size", "1,2,3,4"), "more than three dimensions"),
        (("--global-size", "m"), "arguments by value: n"),
    ],
)
def test_an_option_that_names_nothing_is_refused(
    options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bounds", *dump("oob_offbyone"), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("unit", ["0", "3", "x"])
def test_an_alignment_is_a_power_of_two(unit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", *dump("vadd"), "--align", unit]) == 2
    capsys.readouterr()


def test_a_global_size_needs_the_local_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", kernel(tmp_path, BIND, SCATTER), "--platform", "DG2", "--global-size", "64"]) == 2
    assert "local size" in capsys.readouterr().err


def test_a_counterexample_has_the_size_that_is_stated(capsys: pytest.CaptureFixture[str]) -> None:
    """In the run that confirms it, a surface of 4*n bytes has four times as many bytes as n says."""
    _, file = asked(capsys, *dump("oob_offbyone_fixed"), "--size", "src=4*n", "--size", "dst=3*n")
    found = file["messages"][1]["bounds"]
    (value,) = [one for one in found["input_values"] if "(n)" in one.get("meaning", "")]
    n = value["value"]
    assert (f"{value['register']}.{value['byte']}", value["name"]) == (value["name"], f"{value['register']}.0")
    assert found["inputs"][f"{value['name']} ({value['meaning']})"] == f"{n:#x}"
    assert [found["surfaces"][name] for name in ("src", "dst")] == [
        4 * n,
        3 * n,
    ]
