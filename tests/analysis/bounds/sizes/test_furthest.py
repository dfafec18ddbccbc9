"""How large a buffer has to be by what its addresses say: records, and a distance that an argument gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from visaproof.cli import main

HEAD = """.version 4.1
.kernel "k"
.decl PTR v_type=G type=uq num_elts=1 align=qword
.decl N v_type=G type=ud num_elts=1
.decl IDX v_type=G type=uw num_elts=16 align=GRF
.decl O v_type=G type=ud num_elts=8 align=GRF
.decl A v_type=G type=uq num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=16 align=GRF
.input IDX offset=32 size=32
.input PTR offset=128 size=8
.input N offset=136 size=4
.kernel_attr SimdSize=8
.function "k"
k:
    mov (M1_NM, 8) D(0,0)<1> 0x0:ud
    mov (M1_NM, 8) D(1,0)<1> 0x0:ud
"""
MEANINGS = ("PTR=buffer_address:arg0", "IDX=local_id_x", "N=arg_byvalue:arg1")
RECORDS = """    shl (M1, 8) A(0,0)<1> IDX(0,0)<1;1,0> 0x5:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x8:uq
    svm_scatter.4.2 (M1, 8) A.0 D.0
"""
SHIFTED = """    add (M1, 8) O(0,0)<1> IDX(0,0)<1;1,0> N(0,0)<0;1,0>
    mov (M1, 8) A(0,0)<1> O(0,0)<1;1,0>
    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:uq
    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> PTR(0,0)<0;1,0>
    svm_scatter.4.1 (M1, 8) A.0 D.0
"""


def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str, *options: str) -> dict[str, Any]:
    path = tmp_path / "k.visaasm"
    path.write_text(f"{HEAD}{body}    ret (M1, 1)\n")
    inputs = [word for one in MEANINGS for word in ("--input", one)]
    main(["bounds", str(path), "--platform", "TGLLP", *inputs, "--format", "json", *options])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (message,) = file["messages"]
    return message


@pytest.mark.parametrize(
    ("body", "amount", "smaller"),
    [
        (RECORDS, "32*local_size_x", "32*local_size_x - 20"),
        (SHIFTED, "4*arg1 + 4*local_size_x", "4*arg1 + 4*local_size_x - 4"),
    ],
)
def test_what_is_named_suffices_and_less_does_not(
    body: str, amount: str, smaller: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = asked(tmp_path, capsys, body)["inside_if"]
    assert named["bytes"] == amount
    where = [option for one in named["where"] for option in ("--where", one)]
    assert asked(tmp_path, capsys, body, "--size", f"arg0={amount}", *where)["bounds"]["verdict"] == "proved"
    assert asked(tmp_path, capsys, body, "--size", f"arg0={smaller}", *where)["bounds"]["verdict"] == "refuted"
