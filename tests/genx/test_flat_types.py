"""Types of 64-bit addresses that Intel's verifier takes, and `check` does, too."""

from pathlib import Path

import pytest

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
