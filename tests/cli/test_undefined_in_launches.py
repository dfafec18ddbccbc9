"""Undefined uses are looked for in launches that exist: by `conflicts`, and by `check` with `--launch`."""

import json
from pathlib import Path

import pytest

KERNEL = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl U v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=32 size=32
.kernel_attr SimdSize=8
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>
shl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud
cmp.gt (M1, 8) P1 X(0,0)<1;1,0> 0x{most:x}:uw
(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 D.0
ret (M1, 1)
"""
"""Work items with larger ids store uninitialised values."""


@pytest.fixture
def kernel(tmp_path: Path):
    def written(most: int) -> tuple[str, str]:
        path, manifest = tmp_path / "k.visaasm", tmp_path / "manifest.json"
        path.write_text(KERNEL.format(most=most), "utf-8")
        entry = {
            "kernel": "k", "file": "k.visaasm", "platform": "TGLLP", "simd": 8, "payload_base": 32,
            "inputs": [{"var": "X", "offset": 32, "size": 32, "is": "per-thread"}],
            "zeinfo": {"env": {"simd_size": 8}, "payload": ["per_thread:local_id@0+96"], "bti": {"0": 0}},
        }  # fmt: skip
        manifest.write_text(json.dumps({"entries": [entry]}), "utf-8")
        return str(path), str(manifest)

    return written


@pytest.mark.parametrize(("most", "code"), [(1023, 0), (1022, 1)])
def test_check_finds_what_a_launch_may_do(kernel, visaproof, most: int, code: int) -> None:
    """No group has an id of 1,024; one of 1,023 has one."""
    path, manifest = kernel(most)
    assert visaproof("check", path, "--launch", "none", "--platform", "tgllp").code == 1
    ran = visaproof("check", path, "--launch", manifest)
    assert ran.code == code, ran.out + ran.err
    assert "assumed: local-size: " in ran.out
    document = json.loads(visaproof("check", path, "--launch", manifest, "--format", "json").out)
    assert "local-size" in [one["name"] for one in document["files"][0]["premises"]]


def test_check_takes_a_local_size(kernel, visaproof) -> None:
    path, manifest = kernel(15)
    assert visaproof("check", path, "--launch", manifest).code == 1
    assert visaproof("check", path, "--launch", manifest, "--local-size", "16").code == 0
    assert visaproof("check", path, "--launch", manifest, "--local-size", "17").code == 1


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("most", "code"), [(1023, 0), (1022, 1)])
def test_conflicts_lists_what_a_launch_may_do(kernel, visaproof, most: int, code: int) -> None:
    options = kernel(most)[0], "--platform", "tgllp", "--input", "X=local_id_x"
    assert visaproof("conflicts", *options).code == code
    assert visaproof("conflicts", *options, "--assume", "none").code == 1
