"""Types beside 64-bit addresses that Intel's verifiers take, and `check` does, too."""

from pathlib import Path

import pytest

from tests.current_compiler import current_tool
from tests.genx.tool import REASON, TOOL, run_tool
from visaproof.analysis.legality import legality
from visaproof.isa.platform import Platform
from visaproof.visaasm.validity import Mode

pytestmark = pytest.mark.skipif(TOOL is None, reason=REASON)

KERNEL = """.version 4.1
.kernel k
.kernel_attr Target="cm"
.decl O v_type=G type=uq num_elts=8 align=hword
.decl D v_type=G type=ud num_elts=32 align=hword

  {opcode}.RGBA (M1, 8) 0x0:{type} O.0 D.0
  ret (M1, 1)
"""


@pytest.mark.parametrize("type_", ["ud", "uq"])
@pytest.mark.parametrize("opcode", ["svm_gather4scaled", "svm_scatter4scaled"])
def test_both_take_an_immediate_base_of_32_bits(opcode: str, type_: str, tmp_path: Path) -> None:
    text = KERNEL.format(opcode=opcode, type=type_)
    ran = run_tool(text, Platform.TGLLP, tmp_path / "tool")
    assert ran.accepted, ran.message
    assert legality(text, "k.visaasm", Platform.TGLLP, Mode.PAGE).legal


BYTES = """.version 4.1
.kernel k
.kernel_attr Target="cm"
.decl A v_type=G type=uq num_elts=8 align=hword
.decl D v_type=G type={type} num_elts={elements} align=hword

  {opcode}.{block}.{blocks} (M1, 8) A.0 D.0
  ret (M1, 1)
"""


@pytest.mark.parametrize("release", ["2022", "2026"])
@pytest.mark.parametrize("blocks", [1, 2, 4])
@pytest.mark.parametrize("opcode", ["svm_gather", "svm_scatter"])
def test_both_take_single_bytes_in_dwords(opcode: str, blocks: int, release: str, tmp_path: Path) -> None:
    text = BYTES.format(opcode=opcode, block=1, blocks=blocks, type="ud", elements=8)
    tool = current_tool("GenX_IR") if release == "2026" else None
    ran = run_tool(text, Platform.TGLLP, tmp_path / "tool", tool=tool)
    assert ran.accepted, ran.message
    assert legality(text, "k.visaasm", Platform.TGLLP, Mode.PAGE).legal


@pytest.mark.parametrize(("block", "type_"), [(1, "uw"), (1, "d"), (4, "uq"), (8, "ud")])
@pytest.mark.parametrize("opcode", ["svm_gather", "svm_scatter"])
def test_other_sizes_than_the_blocks_are_illegal_as_the_page_says(opcode: str, block: int, type_: str) -> None:
    text = BYTES.format(opcode=opcode, block=block, blocks=1, type=type_, elements=32)
    assert not legality(text, "k.visaasm", Platform.TGLLP, Mode.PAGE).legal
