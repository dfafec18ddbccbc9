"""`visaproof refine FILE`: one file with the kernels `src` and `tgt`."""

from pathlib import Path

import pytest

KERNEL = """.kernel "{name}"
.decl V0 v_type=G type=ud num_elts=8 align=GRF
.decl V1 v_type=G type=ud num_elts=8 align=GRF
.decl V2 v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.input V0 offset=32 size=32
.input V1 offset=64 size=32
.kernel_attr SimdSize=8
.function "{name}"
    movs (M1_NM, 1) T6(0) 0x1:ud
    {change}
    scatter4_scaled.R (M1, 8) T6 0x0:ud V0.0 V2.0
    ret (M1, 1)
"""
DOUBLED = "add (M1, 8) V2(0,0)<1> V1(0,0)<1;1,0> V1(0,0)<1;1,0>"
SHIFTED = "shl (M1, 8) V2(0,0)<1> V1(0,0)<1;1,0> 0x1:ud"
TRIPLED = "mul (M1, 8) V2(0,0)<1> V1(0,0)<1;1,0> 0x3:ud"


def written(path: Path, *kernels: tuple[str, str]) -> Path:
    text = "".join(KERNEL.replace("{name}", name).replace("{change}", change) for name, change in kernels)
    path.write_text(f".version 4.1\n{text}")
    return path


def test_the_kernels_of_one_file_are_compared(tmp_path, visaproof):
    path = written(tmp_path / "k.visaasm", ("src", DOUBLED), ("tgt", SHIFTED))
    ran = visaproof("refine", path, "--platform", "tgllp", "--bidirectional")
    assert ran.code == 0, ran.err
    assert "kernel src" in ran.out
    assert ran.out.count("REFINES: ") == 2


def test_names_say_which_is_the_source(tmp_path, visaproof):
    """The lines are those of the file, whichever kernel comes first."""
    path = written(tmp_path / "k.visaasm", ("tgt", TRIPLED), ("src", DOUBLED))
    ran = visaproof("refine", path, "--platform", "tgllp", "--save", tmp_path / "found")
    assert ran.code == 1, ran.err
    assert f"source: {path}: kernel src" in ran.out
    assert "after the source: line 26, " in ran.out
    assert "after the target: line 13, " in ran.out
    assert [found.name for found in (tmp_path / "found").iterdir()] == ["k-src-is-not-k-tgt.json"]
    assert visaproof("replay", tmp_path / "found").code == 0


def test_of_other_names_the_first_is_the_source(tmp_path, visaproof):
    ran = visaproof("refine", written(tmp_path / "k.visaasm", ("b", DOUBLED), ("a", DOUBLED)), "--platform", "tgllp")
    assert ran.code == 0, ran.err
    assert "source: " in ran.out
    assert ": kernel b, TGLLP" in ran.out.split("target: ")[0]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_of_kernels_is_an_error(count, tmp_path, visaproof):
    path = written(tmp_path / "k.visaasm", *[(f"k{number}", DOUBLED) for number in range(count)])
    ran = visaproof("refine", path)
    assert ran.code == 2
    assert f"{'1 kernel' if count == 1 else f'{count} kernels'} in a file that should have two" in ran.err
    assert "src and tgt" in ran.err


def test_an_error_in_the_second_kernel_names_its_line(tmp_path, visaproof):
    path = written(tmp_path / "k.visaasm", ("src", DOUBLED), ("tgt", DOUBLED.replace("V2", "V9")))
    ran = visaproof("refine", path)
    assert ran.code == 2
    assert f"{path}:25:17: " in ran.err


def test_a_first_kernel_that_was_cut_off_is_an_error(tmp_path, visaproof):
    path = written(tmp_path / "k.visaasm", ("src", DOUBLED), ("tgt", DOUBLED))
    path.write_text(path.read_text().replace("    ret (M1, 1)\n", "", 1))
    ran = visaproof("refine", path)
    assert ran.code == 2
    assert "the file ends before the kernel does" in ran.err
