"""A kernel of the VectorCompiler: a thread is one work item and starts with all lanes on, whatever SimdSize is."""

from pathlib import Path

import pytest

from visaproof.cli import main
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.launch import NOTHING_KNOWN, launch_of
from visaproof.visaasm.reader import read_kernel

KERNEL = """.version 4.1
.kernel "k"
.decl V1 v_type=G type=ud num_elts=16 align=GRF
.decl V2 v_type=G type=ud num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input T6 offset=64 size=4
{attributes}.function "k"
_main:
    mov ({mask}, 8) V1(0,0)<1> 0x76543210:uv
    add ({mask}, 8) V1(1,0)<1> V1(0,0)<1;1,0> 0x8:ud
    shl ({mask}, 16) V2(0,0)<1> V1(0,0)<1;1,0> 0x2:ud
    movs (M1, 1) T7(0) 0x1:ud
    scatter4_scaled.R ({mask}, 16) T7 0x0:ud V2.0 V1.0
    ret (M1, 1)
"""
ZE_INFO = """kernels:
  - name: k
    execution_env: {{simd_size: {simd}}}
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 4, arg_index: 0, addrmode: stateful, addrspace: global}}
    binding_table_indices: [{{bti_value: 1, arg_index: 0}}]
"""
SIZES = ["", ".kernel_attr SimdSize=8\n"]
"""IGC of 2022 gives none, that of today the size of the widest instruction, but 8 at least."""
CM = '.kernel_attr Target="cm"\n'
EVERY = b"".join(number.to_bytes(4, "little") for number in range(16))


def kernel_file(tmp_path: Path, attributes: str, mask: str = "M1") -> Path:
    path = tmp_path / f"k{mask}.visaasm"
    path.write_text(KERNEL.format(attributes=attributes, mask=mask))
    return path


def launch_file(tmp_path: Path, simd: int) -> Path:
    path = tmp_path / "k.ze_info"
    path.write_text(ZE_INFO.format(simd=simd))
    return path


def after_a_run(tmp_path: Path, attributes: str, engine: str) -> bytes:
    """What one work item leaves of a buffer."""
    path, out = kernel_file(tmp_path, attributes), tmp_path / "out"
    launch = launch_file(tmp_path, 1 if CM in attributes else 16)
    options = ["--platform", "TGLLP", "--launch", str(launch), "--global-size", "1", "--engine", engine]
    assert main(["run", str(path), *options, "--buffer", "0=zeros:64", "--out", f"0=@{out}"]) == ExitCode.OK
    return out.read_bytes()


@pytest.mark.parametrize("engine", ["arrays", "scalar"])
@pytest.mark.parametrize("size", SIZES)
def test_one_work_item_runs_all_lanes(tmp_path: Path, size: str, engine: str) -> None:
    assert after_a_run(tmp_path, CM + size, engine) == EVERY


def test_one_work_item_of_another_compiler_runs_one_lane(tmp_path: Path) -> None:
    assert after_a_run(tmp_path, ".kernel_attr SimdSize=16\n", "arrays") == bytes(64)


@pytest.mark.parametrize("size", SIZES)
def test_symbolically_all_lanes_are_on(tmp_path: Path, size: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A kernel that asks for its execution mask is one that does not."""
    asks, does_not = (str(kernel_file(tmp_path, CM + size, mask)) for mask in ("M1", "M1_NM"))
    for pair in ((asks, does_not), (does_not, asks)):
        assert main(["refine", *pair, "--platform", "TGLLP"]) == ExitCode.OK
        assert "all-lanes" in capsys.readouterr().out


@pytest.mark.slow
def test_lanes_of_another_compiler_may_be_off(tmp_path: Path) -> None:
    asks, does_not = (str(kernel_file(tmp_path, ".kernel_attr SimdSize=16\n", mask)) for mask in ("M1", "M1_NM"))
    assert main(["refine", asks, does_not, "--platform", "TGLLP"]) == ExitCode.REFUTED


def test_the_launch_information_has_the_work_items(tmp_path: Path) -> None:
    path = launch_file(tmp_path, 1)
    kernel = read_kernel(KERNEL.format(attributes=CM + SIZES[1], mask="M1"), "k.visaasm")
    launch, _ = launch_of(path, kernel, Platform.TGLLP)
    assert (launch.simd, launch.other_simd) == (1, None)
    for known in (launch, NOTHING_KNOWN):
        assumed = {one.name for one in start_of(kernel, known, Assume.of("launch")).assumed}
        assert "all-lanes" in assumed
        assert "width" not in assumed
