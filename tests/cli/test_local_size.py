"""`--local-size` and `--host`: what is stated of the groups of a launch."""

import json
from pathlib import Path

import pytest

KERNEL = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl Y v_type=G type=uw num_elts=16 align=GRF
.decl U v_type=G type=d num_elts=8 align=GRF
.decl V v_type=G type=d num_elts=8 align=GRF
.decl DATA v_type=G type=d num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.input Y offset=64 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
mov (M1, 8) DATA(0,0)<1> 0x0:d
shl (M1, 8) V(0,0)<1> Y(0,0)<1;1,0> 0x2:d
add (M1, 8) U(0,0)<1> X(0,0)<1;1,0> V(0,0)<1;1,0>
shl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:d
scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 DATA.0
ret (M1, 1)
"""
"""Writes at x + 4 · y."""


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "k.visaasm"
    path.write_text(KERNEL, "utf-8")
    return str(path)


OPTIONS = ("--input", "X=local_id_x", "--input", "Y=local_id_y", "--platform", "tgllp")


@pytest.mark.parametrize(
    ("more", "code"),
    [((), 1), (("--local-size", "4,8"), 0), (("--local-size", "5,8"), 1), (("--local-size", "64"), 0),
     (("--assume", "ids"), 0)],
)  # fmt: skip
def test_rows_of_four_are_free_in_groups_of_four_columns(
    visaproof, kernel: str, more: tuple[str, ...], code: int
) -> None:
    """With `ids` a thread has one row, which is not so of every launch."""
    assert visaproof("conflicts", kernel, *OPTIONS, *more).code == code


def test_the_local_size_of_a_conflict_is_shown(visaproof, kernel: str) -> None:
    ran = visaproof("conflicts", kernel, *OPTIONS, "--format", "json")
    (scatter,) = json.loads(ran.out)["files"][0]["scatters"]
    assert any(name.startswith("local_size_x") for name in scatter["inputs"])
    premises = [one["name"] for one in json.loads(ran.out)["files"][0]["premises"]]
    assert premises == ["local-ids", "local-size", "unread-dimensions", "global-ids", "int-ids"]


@pytest.mark.parametrize("size", ["0", "33,32", "1,2,3,4", "x", "16,"])
def test_no_group_has_such_a_size(visaproof, kernel: str, size: str) -> None:
    ran = visaproof("conflicts", kernel, *OPTIONS, "--local-size", size)
    assert ran.code == 2
    assert "--local-size" in ran.err


def test_a_kernel_refines_itself_in_groups_of_any_size(visaproof, kernel: str) -> None:
    for more in ((), ("--local-size", "4,8"), ("--local-size", "5,3", "--host", "opencl")):
        assert visaproof("refine", kernel, kernel, *OPTIONS[4:], *more).code == 0
