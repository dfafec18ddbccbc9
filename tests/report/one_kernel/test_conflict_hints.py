"""What the text of `conflicts` advises where a scatter stays unknown."""

from pathlib import Path

import pytest

from visaproof.analysis.conflicts import kernel
from visaproof.analysis.conflicts.verdicts import Undecided
from visaproof.cli import main

DATA = Path(__file__).parents[2] / "data" / "guarded_rows"
HINT = "hint: `--local-size X,Y,Z`"


@pytest.mark.parametrize(("options", "advised"), [((), True), (("--local-size", "16,4,1"), False)])
def test_an_unknown_scatter_of_rows_advises_to_state_the_local_size(
    options: tuple[str, ...], advised: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel, "decide_conflict", lambda *_, **__: Undecided("slow"))
    monkeypatch.setattr(kernel, "easily_shown", lambda *_, **__: None)
    launch = ("--launch", str(DATA / "guarded_rows.ze_info"), "--cache-mode", "off")
    main(["conflicts", str(DATA / "halves.visaasm"), *launch, *options])
    text = capsys.readouterr().out
    assert "UNKNOWN: slow" in text
    assert (HINT in text) is advised
