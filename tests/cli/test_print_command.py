"""`visaproof print`: the text, the question whether a file has it, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

Visaproof = Callable[..., Ran]

WRITTEN = """.version 4.1
.kernel demo
.decl V1 v_type=G type=ud num_elts=8
  mov (8) V1<1> (1+1):ud // two
ret (M1, 1)
"""
PRINTED = """.version 4.1
.kernel "demo"
.decl V1 v_type=G type=ud num_elts=8
    mov (M1, 8) V1(0,0)<1> 0x2:ud                                                // two
    ret (M1, 1)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.visaasm"
    path.write_text(WRITTEN)
    return path


def test_a_kernel_is_printed_in_the_compilers_spelling(visaproof: Visaproof, file: Path) -> None:
    ran = visaproof("print", file)
    assert (ran.code, ran.out) == (0, PRINTED)
    file.write_text(ran.out)
    assert visaproof("print", file).out == PRINTED


def test_a_file_that_would_change_is_named_with_its_first_such_line(visaproof: Visaproof, file: Path) -> None:
    same, spaced = file.with_name("same.visaasm"), file.with_name("spaced.visaasm")
    same.write_text(PRINTED)
    spaced.write_text(PRINTED.replace("ret (M1, 1)", "ret  (M1, 1) "))
    assert visaproof("print", "--check", same).code == 0
    ran = visaproof("print", "--check", file, same, spaced)
    assert ran.code == 1
    assert ran.out.splitlines() == [
        f"{file}:2: would change",
        f"{same}: as printed",
        f"{spaced}:5: would change, blanks only",
        "1 would change, 1 as printed, 1 would change in blanks only",
    ]


def test_a_missing_end_of_the_last_line_is_a_change(visaproof: Visaproof, file: Path) -> None:
    file.write_text(PRINTED.removesuffix("\n"))
    assert f"{file}:6: would change, blanks only" in visaproof("print", "--check", file).out


def test_json_has_the_text_or_the_first_line_that_changes(visaproof: Visaproof, file: Path) -> None:
    (found,) = json.loads(visaproof("print", file, "--format", "json").out)["files"]
    assert (found["changes"], found["line"], found["only_blanks"], found["text"]) == (True, 2, False, PRINTED)
    (found,) = json.loads(visaproof("print", file, "--check", "--format", "json").out)["files"]
    assert (found["line"], found["text"]) == (2, None)


def test_a_file_that_cannot_be_read_says_where(visaproof: Visaproof, file: Path) -> None:
    file.write_text(WRITTEN.replace("V1<1>", "V7<1>"))
    ran = visaproof("print", "--check", file)
    assert (ran.code, ran.out) == (2, "1 unreadable\n")
    assert f"error: {file}:4:11: V7 is not declared" in ran.err


def test_several_files_are_not_printed_as_one(visaproof: Visaproof, file: Path) -> None:
    ran = visaproof("print", file, file)
    assert (ran.code, ran.out) == (2, "")


def test_the_size_of_a_register_comes_from_the_platform(visaproof: Visaproof, file: Path) -> None:
    file.write_text(WRITTEN.replace("num_elts=8", "num_elts=%sizeof(GRF)/4"))
    assert visaproof("print", file).code == 2
    assert "num_elts=16" in visaproof("print", file, "--platform", "PVC").out
