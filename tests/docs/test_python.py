"""The Python of the documentation runs: the notebook's cells, and the blocks of the page on Python."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_the_cells_of_the_notebook_run(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((DOCS / "examples" / "claims.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    monkeypatch.chdir(DOCS / "examples")
    names: dict[str, Any] = {}
    for cell in cells:
        exec(compile(cell, "claims.ipynb", "exec"), names)
    assert len(cells) == 5


@pytest.mark.slow
def test_the_blocks_of_the_page_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """But for the one about files that nobody has."""
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "how-to" / "python.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(ROOT)
    for block in blocks[:-1]:
        exec(compile(block, "python.md", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.startswith("refuted 93\n0 1\nrefuted:\n")
    assert "execute" in printed
    assert len(blocks) == 3
