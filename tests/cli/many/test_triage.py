"""`visaproof triage`, `dump` and `doctor`: from what the compiler wrote to answers."""

import json
import shutil
from pathlib import Path

import pytest

from visaproof.pairs.triage import sorted_dumps

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
PAIRS = EXAMPLES / "pairs.visaasm"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the compiler leaves of a kernel: two widths that it gave up, an attempt that spilled, and the kernel."""
    text = PAIRS.read_text()
    for name, width in (("simd32", 32), ("simd16", 16), ("simd8", 8), ("1_simd8", 8)):
        path = tmp_path / f"OCL_asm0123456789abcdef_{name}_entry_0001.visaasm"
        path.write_text(text.replace("SimdSize=8", f"SimdSize={width}"))
    shutil.copy(PAIRS.with_suffix(".bin"), tmp_path / "OCL_asm0123456789abcdef.progbin")
    (tmp_path / "OCL_asm0123456789abcdef_simd8_Intel_Symbol_Table_Void_Program.visaasm").write_text(
        text.replace('"pairs"', '"Intel_Symbol_Table_Void_Program"')
    )
    return tmp_path


def test_attempts_are_told_from_the_kernel_by_the_binary(folder):
    found = sorted_dumps(folder)
    assert [one.dump.path.name for one in found.kernels] == ["OCL_asm0123456789abcdef_1_simd8_entry_0001.visaasm"]
    assert found.kernels[0].launch == folder / "OCL_asm0123456789abcdef.progbin"
    reasons = {one.path.name.removeprefix("OCL_asm0123456789abcdef_"): one.reason for one in found.aside}
    assert reasons == {
        "simd32_entry_0001.visaasm": "an attempt with SIMD32: the binary has SIMD8",
        "simd16_entry_0001.visaasm": "an attempt with SIMD16: the binary has SIMD8",
        "simd8_entry_0001.visaasm": "an earlier attempt with the same width",
    }


def test_without_a_binary_every_width_is_a_kernel(folder):
    (folder / "OCL_asm0123456789abcdef.progbin").unlink()
    assert sorted(one.dump.width for one in sorted_dumps(folder).kernels) == [8, 16, 32]


@pytest.mark.slow
def test_every_question_is_asked_of_the_kernel_alone(visaproof, folder):
    ran = visaproof("triage", folder, "--format", "json", "--cache", folder / "answers.sqlite")
    document = json.loads(ran.out)
    (kernel,) = document["kernels"]
    assert [one["command"] for one in document["files"]] == ["check", "conflicts", "bounds"]
    assert {one["file"] for one in document["files"]} == {kernel["file"]}
    assert (ran.code, [one["kind"] for one in document["findings"]]) == (1, ["collision"])
    assert len(document["set_aside"]) == 3
    kept = ("--cache", folder / "answers.sqlite", "--cache-mode", "enforce")
    again = visaproof("triage", folder, "--format", "json", *kept)
    assert json.loads(again.out) == document


@pytest.mark.slow
def test_sizes_that_nobody_stated_are_no_findings_but_are_named(visaproof, folder):
    ran = visaproof("triage", folder)
    assert "sizes are not stated; in bounds if" in ran.out
    assert "conflicts  refuted: line 93: work items 0 and 1 both write out[0]" in ran.out
    assert "set aside: OCL_asm0123456789abcdef_simd32" in ran.out


def test_a_folder_without_kernels_is_an_error(visaproof, tmp_path):
    assert visaproof("triage", tmp_path).code == 2
    assert visaproof("triage", tmp_path / "none").code == 2


@pytest.mark.skipif(shutil.which("ocloc") is None, reason="no ocloc: nothing is compiled")
def test_a_source_is_dumped_and_asked(visaproof, tmp_path):
    shutil.copy(EXAMPLES / "pairs.cl", tmp_path)
    ran = visaproof("dump", tmp_path / "pairs.cl", "--device", "tgllp")
    assert ran.code == 0
    kernel, zebin = ran.out.split()
    assert sorted(path.name for path in (tmp_path / "pairs.dump").iterdir()) == ["pairs.bin", "pairs.visaasm"]
    assert visaproof("conflicts", kernel, "--launch", zebin).code == 1


def test_without_a_compiler_dump_says_so(visaproof, tmp_path):
    ran = visaproof("dump", EXAMPLES / "pairs.cl", "--ocloc", tmp_path / "none", "--into", tmp_path / "into")
    assert ran.code == 2
    assert "cannot be run" in ran.err
    assert not (tmp_path / "into").exists()


def test_the_doctor_proves_and_refutes(visaproof):
    ran = visaproof("doctor", "--format", "json")
    assert ran.code == 0
    found = {one["what"]: one["found"] for one in json.loads(ran.out)["checks"]}
    assert found["a proof"].startswith("proved")
    assert found["a refutation"].startswith("refuted")


def test_a_kernel_of_esimd_runs_one_work_item_a_thread(folder):
    esimd = '.kernel_attr Target="cm"\n.kernel_attr SimdSize'
    for path in folder.glob("*.visaasm"):
        path.write_text(path.read_text().replace(".kernel_attr SimdSize", esimd))
    assert {one.dump.width for one in sorted_dumps(folder).kernels} == {1}
