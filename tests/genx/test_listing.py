"""Canonical text, byte code and hazards against what Intel's tool writes."""

import re
from pathlib import Path

import pytest

from tests.genx.generator import DECLARATIONS, Case, cases
from tests.genx.tool import REASON, TOOL, run_tool
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.execution import ExecMask
from visaproof.isa.platform import SUPPORTED, Platform
from visaproof.visaasm.bytecode.instructions import encode
from visaproof.visaasm.bytecode.messages import indices_of
from visaproof.visaasm.bytecode.statements import encoded_statement
from visaproof.visaasm.printing.printer import print_encoded
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Instruction, Kernel
from visaproof.visaasm.validity import Mode, check_instruction
from visaproof.visaasm.validity.hazards import EMITTED_ATOMICS, hazards
from visaproof.visaasm.validity.message import PREDICATED

pytestmark = pytest.mark.skipif(TOOL is None, reason=REASON)

MNEMONIC = re.compile(r"\b(scatter4_scaled|oword_ld|qw_scatter|typed_atomic)\b")
UNWRITTEN = {"scatter4_scaled": 12, "qw_scatter": 12, "typed_atomic": 12, "oword_ld": 0}
"""Bytes that this build leaves out: the last two raw operands of messages with lanes (docs/pages/validity.md §6)."""


def read(case: Case) -> tuple[Instruction, Kernel]:
    kernel = read_kernel(case.text, "t.visaasm", grf_bytes=case.platform.grf_bytes)
    return next(kernel.instructions()), kernel


def accepted(count: int, seed: int) -> list[Case]:
    """Generated cases that both readers take."""
    found: list[Case] = []
    for case in cases(count, seed):
        try:
            statement, kernel = read(case)
            encoded_statement(statement, indices_of(kernel.variables, case.platform.grf_bytes))
        except (ReadError, NotModelled):
            continue
        narrow = re.search(r"0xffffffff\s*:\s*(ub|uw|b|w|UW|Uw)\b", case.statement)  # more bits than the type has
        if not narrow and not check_instruction(statement, kernel, case.platform, Mode.IGC):
            found.append(case)
    return found


@pytest.mark.slow
def test_text_and_bytes_are_those_that_the_tool_writes(tmp_path: Path) -> None:
    tried = 0
    for case in accepted(600, seed=7):
        run = run_tool(case.text, case.platform, tmp_path / "t", listing=True)
        if run.crashed:
            continue
        statement, kernel = read(case)
        indices = indices_of(kernel.variables, case.platform.grf_bytes)
        fields = encoded_statement(statement, indices)
        listed = next(line for line in run.listing.splitlines() if MNEMONIC.search(line))
        ours = re.sub(r"\bT5\b", "T7", print_encoded(fields, indices))  # the listing calls it by its index
        assert ours == listed.partition("///")[0].strip(), case.statement
        data = encode(fields)
        assert data[: len(data) - UNWRITTEN[fields.mnemonic]] in run.byte_code, case.statement
        tried += 1
    assert tried >= 150


def sent(statement: str, platform: Platform, directory: Path) -> str:
    """The message that is emitted for a statement, as assembly."""
    run = run_tool(Case(statement, platform).text, platform, directory)
    assert run.accepted, statement
    return next(line for line in run.assembly.splitlines() if "send" in line and line.rstrip().endswith("// $2"))


@pytest.mark.slow
def test_the_hazard_of_the_mask_is_where_the_message_goes_out_for_other_lanes(tmp_path: Path) -> None:
    """Every pair of size and mask: D1."""
    forms = {
        "scatter4_scaled": ".R {} T6 0x0:ud O.0 U.0",
        "qw_scatter": ".1 {} T6 O.0 Q.0",
        "typed_atomic": ".inc {} T6 O.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0",
    }
    for platform in (Platform.TGLLP, Platform.DG2, Platform.PVC):
        for mnemonic in PREDICATED:
            for mask in ("M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8"):
                for size in (1, 4, 8, 16):
                    statement = f"{mnemonic}{forms[mnemonic].format(f'({mask}, {size})')}"
                    instruction, kernel = read(Case(statement, platform))
                    if check_instruction(instruction, kernel, platform, Mode.IGC):
                        continue
                    found = re.search(r"\(\d+\|M(\d+)\)", sent(statement, platform, tmp_path / "t"))
                    assert found is not None
                    lost = int(found.group(1)) != ExecMask[mask].lane_offset
                    ids = {hazard.id for hazard in hazards(instruction, kernel, platform)}
                    assert ("hazard.mask" in ids) == lost, (platform.name, statement, found.group())


@pytest.mark.parametrize("operation", EMITTED_ATOMICS)
def test_a_float_operation_goes_out_as_an_integer_one(operation: str, tmp_path: Path) -> None:
    """D29: the same message descriptor, bit for bit, with the payload of the float operation."""
    sources = "U.0 U.64" if operation == "fcmpwr" else "U.0 %null.0"
    form = "typed_atomic.{} (M1, 8) T6 O.0 %null.0 %null.0 %null.0 {} %null.0"

    def assembly(name: str) -> list[str]:
        run = run_tool(Case(form.format(name, sources), Platform.TGLLP).text, Platform.TGLLP, tmp_path / "t")
        return [line for line in run.assembly.splitlines() if line.strip() and not line.startswith("//")]

    assert assembly(operation) == assembly(EMITTED_ATOMICS[operation])


def test_the_platforms_have_the_names_of_the_tool() -> None:
    assert DECLARATIONS.startswith(".version")
    assert [platform.name for platform in SUPPORTED] == ["SKL", "ICLLP", "TGLLP", "XeHP_SDV", "DG2", "PVC"]
