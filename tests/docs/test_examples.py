"""The kernels of docs/examples are what today's compiler makes of their sources."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.current_compiler import DUMPING, current_tool
from visaproof.launch.zebin import read_zebin

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("source", sorted(EXAMPLES.glob("*.cl")), ids=lambda source: source.stem)
def test_the_dump_is_that_of_the_source(source: Path, tmp_path: Path) -> None:
    command = ["compile", "-file", str(source), "-device", "tgllp", "--format", "zebin", "-output_no_suffix"]
    environment = {**os.environ, **DUMPING, "IGC_DumpToCustomDir": str(tmp_path / "dump")}
    subprocess.run(
        [str(current_tool("ocloc")), *command],
        cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (dump,) = (tmp_path / "dump").glob("*.visaasm")
    assert dump.read_text() == source.with_suffix(".visaasm").read_text()
    (kernel,) = re.findall(r'^\.kernel "(\w+)"', dump.read_text(), re.MULTILINE)
    made, kept = (
        read_zebin((folder / f"{source.stem}.bin").read_bytes(), "k.bin", kernel) for folder in (tmp_path, EXAMPLES)
    )
    assert made == kept
