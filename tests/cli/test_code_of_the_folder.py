"""What lies in the current folder, or beside a kernel, is not run without a word."""

import shutil
from pathlib import Path

import pytest

from visaproof.cli import main

FAKE = "#!/bin/sh\ntouch {ran}\nexit 1\n"


@pytest.fixture
def two_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The current folder and that of a kernel: both have a program `compiler`, which says that it ran."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "compiler").write_text(FAKE.format(ran=folder / "ran"))
        (folder / "compiler").chmod(0o755)
    (there / "k.cl").write_text("kernel void k(global int *a) { a[0] = 1; }\n")
    monkeypatch.chdir(here)
    return here, there


@pytest.mark.parametrize("named", ["./compiler", "../here/compiler", "compiler"])
def test_the_compiler_is_that_of_the_current_folder(named: str, two_folders, monkeypatch, capsys) -> None:
    """A folder with a kernel must not supply it: neither by a relative path nor by a relative PATH."""
    here, there = two_folders
    if named == "compiler":
        monkeypatch.setenv("PATH", ".")
    assert main(["ocloc", str(there / "k.cl"), "--ocloc", named]) == 2
    assert (here / "ran").exists() or named == "compiler"  # without a PATH the script has no `touch`
    assert not (there / "ran").exists()


def test_prove_says_that_it_runs_code_of_the_current_folder(tmp_path: Path, monkeypatch, capsys, proofs) -> None:
    shutil.copytree(proofs("proved"), tmp_path / "work" / "proofs")
    monkeypatch.chdir(tmp_path / "work")
    assert main(["prove", "--list"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert f"runs the Python code of {tmp_path / 'work' / 'proofs'}" in line
    assert main(["prove", "--list", "--proofs", "proofs"]) == 0
    assert capsys.readouterr().err == ""
