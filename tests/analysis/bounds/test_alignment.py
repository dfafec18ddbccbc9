"""`bounds` takes buffers to begin at multiples of what their arguments point to, and of nothing larger."""

import json
from pathlib import Path

import pytest

from visaproof.cli import main

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl IX v_type=G type=uw num_elts=16 align=GRF
.decl IY v_type=G type=uw num_elts=16 align=GRF
.decl IZ v_type=G type=uw num_elts=16 align=GRF
.decl LOW v_type=G type=ud num_elts=1
.decl P1 v_type=P num_elts=8
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.input IX offset=32 size=32
.input IY offset=64 size=32
.input IZ offset=96 size=32
.input PTR offset=128 size=8
.kernel_attr SimdSize=8
.function "k"
    mov (M1_NM, 8) D(0,0)<1> 0x7:ud
"""
DWORD = "    mov (M1, 8) A(0,0)<1> PTR(0,0)<0;1,0>\n    svm_scatter.4.1 (M1, 8) A.0 D.0\n"
OWORD = "    svm_block_st (2) PTR(0,0)<0;1,0> D.0\n"
LATER = "    add (M1_NM, 1) PTR(0,0)<1> PTR(0,0)<0;1,0> 0x4:uq\n"
LOW_BITS = """    mov (M1, 1) LOW(0,0)<1> PTR(0,0)<0;1,0>
    and (M1, 1) LOW(0,0)<1> LOW(0,0)<0;1,0> 0x3:ud
    cmp.ne (M1, 8) P1 LOW(0,0)<0;1,0> 0x0:ud
    add (M1, 8) A(0,0)<1> PTR(0,0)<0;1,0> 0x1000:uq
    (P1) svm_scatter.1.1 (M1, 8) A.0 D.0
"""
"""A kernel that leaves the buffer where `(ulong)p & 3` is not 0."""
ZE_INFO = """
kernels:
  - name: k
    execution_env: {{simd_size: 8}}
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global,
         access_type: readwrite}}
    per_thread_payload_arguments:
      - {{arg_type: local_id, offset: 0, size: 96}}
kernels_misc_info:
  - name: k
    args_info:
      - {{index: 0, name: p, address_qualifier: __global, access_qualifier: NONE, type_name: '{type_name};8',
         type_qualifiers: NONE}}
"""


def verdicts(
    folder: Path, capsys: pytest.CaptureFixture[str], body: str, type_name: str, *options: str
) -> tuple[str, str, str]:
    """Whether the message stays inside and is defined, and the premise."""
    (folder / "k.visaasm").write_text(f"{HEAD}{body}    ret (M1, 1)\n")
    (folder / "k.ze_info").write_text(ZE_INFO.format(type_name=type_name))
    files = [str(folder / "k.visaasm"), "--launch", str(folder / "k.ze_info"), "--platform", "TGLLP"]
    main(["bounds", *files, "--size", "p=64", "--format", "json", *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (message,) = file["messages"]
    said = [one["sentence"] for one in file["premises"] if one["name"] == "align"]
    return message["bounds"]["verdict"], message["meaning"]["verdict"], "".join(said)


@pytest.mark.parametrize(
    ("type_name", "body", "defined"),
    [
        ("uint*", DWORD, "proved"), ("char*", DWORD, "refuted"), ("short2*", DWORD, "proved"),
        ("half*", DWORD, "refuted"),
        ("struct point*", DWORD, "proved"), ("uint4*", OWORD, "proved"), ("double*", OWORD, "refuted"),
        ("uint4*", LATER + OWORD, "refuted"),
    ],
)  # fmt: skip
def test_a_message_is_defined_where_elements_begin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], type_name: str, body: str, defined: str
) -> None:
    """Of a struct the launch information gives the name only: then 4 bytes are assumed."""
    assert verdicts(tmp_path, capsys, body, type_name)[1] == defined


@pytest.mark.parametrize(("type_name", "inside"), [("uint*", "proved"), ("char*", "refuted")])
def test_the_low_bits_of_an_address_are_those_of_an_element(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], type_name: str, inside: str
) -> None:
    assert verdicts(tmp_path, capsys, LOW_BITS, type_name)[0] == inside


def test_the_premise_names_what_is_not_as_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = "addresses and offsets of buffers in the payload are multiples of 4"
    assert verdicts(tmp_path, capsys, DWORD, "uint*")[2] == sentence
    assert verdicts(tmp_path, capsys, OWORD, "uint4*")[2] == f"{sentence}; of argument 0 (p): 16"


@pytest.mark.parametrize(
    ("options", "defined"),
    [(("--align", "4"), "proved"), (("--assume", "none", "--align", "4"), "proved"), (("--assume", "none"), "refuted")],
)
def test_the_option_stands_for_all_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], defined: str
) -> None:
    assert verdicts(tmp_path, capsys, DWORD, "char*", *options)[1] == defined
    assert verdicts(tmp_path, capsys, DWORD, "uint*", *options)[1] == defined
