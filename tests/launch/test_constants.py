"""What the data sections of a zebin say of a program's tables: by hand, and from what ocloc writes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from visaproof.isa.errors import ReadError
from visaproof.launch.constants import Constant, Section, Symbol, constants_of, known, open_tables
from visaproof.launch.zebin import read_zebin

BLOB = bytes(range(64))


def found(sections: dict[str, Section], *symbols: Symbol) -> dict[str, Constant]:
    return constants_of(BLOB, "k.bin", sections, symbols)


def test_a_symbol_is_its_bytes_of_the_section() -> None:
    sections = {".data.const": Section(8, 16, False, True)}
    constants = found(sections, Symbol("t", ".data.const", 4, 8), Symbol("k", ".text.k", 0, 8))
    assert constants == {"&t": Constant(bytes(range(12, 20))), "const_base": Constant(bytes(range(8, 24)))}


def test_zeros_follow_the_section_of_the_same_address_space() -> None:
    sections = {".data.const": Section(8, 2, False, True), ".bss.const": Section(8, 3, False, False)}
    assert found(sections)["const_base"].content == bytes([8, 9, 0, 0, 0])
    assert found({".bss.global": Section(0, 4, False, False)})["global_base"] == Constant(bytes(4), is_written=True)


@pytest.mark.parametrize(
    ("constant", "reason"),
    [
        (None, "a zebin does"),
        (Constant(b"x", is_written=True), "kernels may write there"),
        (Constant(b"x", is_relocated=True), "the loader puts addresses there"),
        (Constant(bytes(5000)), "more than 4096 bytes"),
    ],
)
def test_contents_that_are_not_known_are_named_with_the_reason(constant: Constant | None, reason: str) -> None:
    constants = {} if constant is None else {"&t": constant}
    assert known(constants, "&t") is None
    (words,) = open_tables(constants, ["&t"])
    assert words.sentence.startswith("what t holds is arbitrary")
    assert reason in words.sentence


def test_known_contents_need_no_sentence() -> None:
    assert list(open_tables({"&t": Constant(b"x")}, ["&t"])) == []


def test_a_section_that_ends_after_the_file_is_an_error() -> None:
    with pytest.raises(ReadError, match="truncated"):
        found({".data.const": Section(60, 16, False, True)})
    with pytest.raises(ReadError, match="more than"):
        found({".bss.const": Section(0, 1 << 40, False, False)})


SOURCE = """constant uint t[4] = { 3, 1, 0, 2 };
kernel void k(global uint *d) { uint i = get_global_id(0); d[i] = t[i & 3]; }
"""


@pytest.mark.skipif(shutil.which("ocloc") is None, reason="ocloc is not installed")
def test_the_table_of_a_compiled_program_is_read(tmp_path: Path) -> None:
    (tmp_path / "k.cl").write_text(SOURCE)
    command = ["ocloc", "compile", "-file", "k.cl", "-device", "tgllp", "-out_dir", str(tmp_path), "--format", "zebin"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    (binary,) = tmp_path.glob("*.bin")
    constants = read_zebin(binary.read_bytes(), "k.bin", "k").constants
    table = b"".join(word.to_bytes(4, "little") for word in (3, 1, 0, 2))
    assert known(constants, "&t") == known(constants, "const_base") == table
