"""What opcodes are held against that nobody of this project wrote: PoCL, and the instructions of the finalizer."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks.alu_vectors.generator import instructions, variables
from benchmarks.alu_vectors.measure import FORMS
from benchmarks.alu_vectors.vector import statement, text
from benchmarks.opencl_ops.comparison import Found, Target, compared, compile_rows, expected, groups, targets
from benchmarks.opencl_ops.evidence import MOVED, OPCODES, held_against_pocl, mnemonics, native_of, recorded
from benchmarks.opencl_ops.table import ROWS
from benchmarks.pocl.oracle import NoOracle, Oracle, oracle
from tests.genx.tool import REASON, TOOL, run_tool
from visaproof.isa.platform import platform_named

REFUSED = "mod does not support saturation"
"""What the finalizer does not take although the page has it."""


def reference() -> Oracle:
    """PoCL; skips where it is not installed."""
    try:
        return oracle()
    except NoOracle as reason:
        pytest.skip(str(reason))


def found(target: Target, device: Oracle, folder: Path) -> list[Found]:
    """How each kernel of a compiler comes out."""
    chosen = groups(target.rows)
    compiled = compile_rows(str(target.compiler), target.device, chosen, folder)
    return list(compared(compiled, expected(device, chosen), chosen))


@pytest.mark.slow
def test_compiled_expressions_give_what_pocl_gives(tmp_path: Path) -> None:
    """By all compilers that are there; with all of them, the opcodes of the file of evidence are among those held."""
    device, here = reference(), [target for target in targets() if target.compiler.is_file()]
    results = [each for target in here for each in found(target, device, tmp_path / target.device)]
    if not results:
        pytest.skip("no compiler is installed")
    assert [each.difference for each in results if each.difference] == []
    assert [each.not_run for each in results if each.not_run] == []
    if len(here) == len(targets()):
        recorded_ones = {opcode for opcode, kinds in recorded().items() if "pocl" in kinds}
        assert recorded_ones <= held_against_pocl(results)


def test_a_wrong_result_is_seen(tmp_path: Path) -> None:
    """The expression that is compiled is another one than PoCL's."""
    device, target = reference(), targets()[0]
    if not target.compiler.is_file():
        pytest.skip("ocloc is not installed")
    chosen = groups([replace(ROWS["add_int"], expression="a ^ b", reference="a + b")])
    compiled = compile_rows(str(target.compiler), target.device, chosen, tmp_path)
    (again,) = compared(compiled, expected(device, chosen), chosen)
    assert "by PoCL" in str(again.difference)


def test_every_opcode_is_in_the_file_of_evidence() -> None:
    assert sorted(recorded()) == sorted(OPCODES)
    kinds = {kind for found in recorded().values() for kind in found}
    assert all(kind == "pocl" or re.fullmatch(r"native:[a-z0-9]+", kind) for kind in kinds)


@pytest.mark.skipif(TOOL is None, reason=REASON)
@pytest.mark.parametrize("opcode", [opcode for opcode, kinds in recorded().items() if len(set(kinds) - {"pocl"})])
def test_the_finalizer_emits_the_native_instruction(opcode: str, tmp_path: Path) -> None:
    (kind,) = (kind for kind in recorded()[opcode] if kind != "pocl")
    assert kind == f"native:{native_of(opcode)}"
    assert opcode not in MOVED
    assert native_of(opcode) in emitted(opcode, tmp_path)


@pytest.mark.skipif(TOOL is None, reason=REASON)
def test_the_finalizer_takes_the_vectors(tmp_path: Path) -> None:
    """They are legal by Intel's verifier, too; a crash of the tool is no verdict."""
    said: list[str] = []
    for form in FORMS:
        for vector in instructions(form, 2, 8):
            ran = run_tool(text(vector, variables(vector)), platform_named(vector.platform), tmp_path / "tool")
            if not (ran.accepted or ran.crashed or ran.message == REFUSED):
                said.append(f"{statement(vector)}: {ran.message}")
    assert said == []


def emitted(opcode: str, folder: Path) -> set[str]:
    """The native instructions of the first vectors of an opcode that the tool accepts."""
    every: set[str] = set()
    for vector in instructions(opcode, 6, 3):
        ran = run_tool(text(vector, variables(vector)), platform_named(vector.platform), folder / "tool")
        every |= mnemonics(ran.assembly) if ran.accepted else set()
        if native_of(opcode) in every:
            break
    return every
