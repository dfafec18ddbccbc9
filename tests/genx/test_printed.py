"""A file and its printed text are the same byte code to Intel's tool."""

import re
from contextlib import suppress
from pathlib import Path

import pytest

from tests.genx.generator import Case, cases
from tests.genx.tool import REASON, TOOL, run_tool
from visaproof.isa.errors import ReadError
from visaproof.visaasm.printing.document import read_document

GENERATED = 150
NEGATIVE_UNSIGNED = re.compile(r"-\s*\w+\s*:\s*u[bw]\b", re.IGNORECASE)
"""The tool keeps 32 bits of `-4:ub`; the reader, and so the printed text, has the low 8."""


def printed(case: Case) -> str | None:
    """None for what the reader refuses, and the tool does not."""
    with suppress(ReadError):
        return str(read_document(case.text, "t.visaasm", grf_bytes=case.platform.grf_bytes))
    return None


@pytest.mark.slow
@pytest.mark.skipif(TOOL is None, reason=REASON)
def test_the_tool_emits_the_same_byte_code_for_the_printed_text(tmp_path: Path) -> None:
    compared = 0
    for number, case in enumerate(cases(GENERATED, seed=7)):
        text = None if NEGATIVE_UNSIGNED.search(case.text) else printed(case)
        before = run_tool(case.text, case.platform, tmp_path / f"{number}-written") if text else None
        if text is None or before is None or not before.accepted or before.crashed:
            continue
        after = run_tool(text, case.platform, tmp_path / f"{number}-printed")
        assert (after.accepted, after.byte_code) == (True, before.byte_code), f"{case.text}\nprinted:\n{text}"
        compared += 1
    assert compared > GENERATED // 4
