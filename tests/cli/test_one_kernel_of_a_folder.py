"""Commands about one kernel take a folder with one, as `visaproof dump` makes it."""

import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).parent.parent / "data"
KERNEL = DATA / "sizes" / "one_before.visaasm"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With the kernel, and the file of a function that it might call."""
    (made := tmp_path / "one_before.dump").mkdir()
    shutil.copy(KERNEL, made)
    shutil.copy(DATA / "sizes" / "sizes.ze_info", made / "one_before.ze_info")
    shutil.copy(KERNEL, made / "one_before_f0.visaasm")
    return made


def test_two_folders_with_a_kernel_each_are_compared(folder: Path, visaproof) -> None:
    ran = visaproof("refine", folder, folder)
    assert ran.code == 0
    assert f"{folder / KERNEL.name}: kernel one_before" in ran.out


def test_the_kernel_of_a_folder_is_run(folder: Path, visaproof) -> None:
    buffers = "--arg", "n=8", "--buffer", "in=zeros:64", "--buffer", "out=zeros:64"
    ran = visaproof("run", folder, "--global-size", "8", *buffers)
    assert ran.code == 0
    assert ran.out.startswith(f"{folder / KERNEL.name}: kernel one_before")


@pytest.mark.parametrize("command", [("run", "--global-size", "8"), ("refine",)], ids=["run", "refine"])
def test_a_folder_with_two_kernels_is_an_error(command: tuple[str, ...], folder: Path, visaproof) -> None:
    shutil.copy(KERNEL, folder / "another.visaasm")
    ran = visaproof(*command, folder)
    assert ran.code == 2
    assert ran.err.startswith(f"error: {folder} has 2 kernels, and this is about one\n  hint: name it, as in {folder}")


def test_a_folder_without_a_kernel_is_an_error(tmp_path: Path, visaproof) -> None:
    ran = visaproof("run", tmp_path, "--global-size", "8")
    assert (ran.code, ran.err.splitlines()[0]) == (2, f"error: no .visaasm file in {tmp_path}")
