"""A kernel of the VectorCompiler: one work item, and messages whose lanes are none of its own."""

import json
from pathlib import Path

import pytest

from visaproof.cli import main
from visaproof.cli.options.exit_codes import ExitCode

DATA = Path(__file__).parents[3] / "data"


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kernel", ["vc_typed_atomic", "vc_typed_rw"])
def test_lanes_beyond_the_work_items_have_no_ids(kernel: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = sorted((DATA / "visaasm" / kernel).glob("*.visaasm"))[0]
    code = main(["bounds", str(path), "--launch", str(DATA / "manifest.json"), "--format", "json", "--limit", "8"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["messages"]
    assert code in (ExitCode.OK, ExitCode.REFUTED, ExitCode.UNKNOWN)
