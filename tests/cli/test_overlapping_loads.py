"""`conflicts` and `bounds` take nothing for granted of two surfaces: a store to one may change what the other shows."""

import json
from pathlib import Path

import pytest

from visaproof.cli import main

HEAD = """.version 4.1
.kernel "k"
.decl C v_type=G type=ud num_elts=8 align=GRF
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl Y v_type=G type=ud num_elts=8 align=GRF
.decl Z v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.input X offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
mov (M1_NM, 8) C(0,0)<1> 0x76543210:v
shl (M1_NM, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:d
lsc_load.ugm (M1, 8) Y:d32 bti(0x1)[C]:a32
"""
STORE = "lsc_store.ugm (M1, 8) bti(0x0)[C]:a32 X:d32\n"
AGAIN = """lsc_load.ugm (M1, 8) Z:d32 bti(0x1)[C]:a32
cmp.ne (M1, 8) P1 Y(0,0)<1;1,0> Z(0,0)<1;1,0>
"""
COLLIDES = "mov (M1, 8) C(0,0)<1> 0x0:d\n(P1) lsc_store.ugm (M1, 8) bti(0x2)[C]:a32 X:d32\nret (M1, 1)\n"
LEAVES = "mov (M1, 8) C(0,0)<1> 0xfffffffc:d\n(P1) lsc_store.ugm (M1, 8) bti(0x2)[C]:a32 X:d32\nret (M1, 1)\n"


def answered(command: str, body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    (file := tmp_path / "k.visaasm").write_text(HEAD + body)
    main([command, str(file), "--platform", "dg2", "--assume", "none", "--format", "json"])
    return json.dumps(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(("command", "last"), [("conflicts", COLLIDES), ("bounds", LEAVES)])
def test_a_load_past_a_store_to_another_surface_may_return_something_else(
    command: str, last: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last store happens only where two loads from one place differ: never, unless the store between is there."""
    disagree = "only where loads from one place disagree"
    assert disagree not in answered(command, AGAIN + last, tmp_path, capsys)
    assert disagree in answered(command, STORE + AGAIN + last, tmp_path, capsys)
