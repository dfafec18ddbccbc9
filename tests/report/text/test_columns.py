"""Two columns: beside each other where there is room, else one below the other."""

import sys

import pytest

from visaproof.report.text.columns import beside

LEFT = ["source", "    105: scatter4_scaled.R (M1, 8) T6 0x0:ud V0052.0 V0055.0 and more words"]
RIGHT = ["target", "    96: scatter4_scaled.R (M1, 8) T6 0x0:ud V0052.0 V0053.0 and more words"]


@pytest.mark.parametrize("columns", [60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = list(beside(LEFT, RIGHT))
    assert max(map(len, lines)) <= columns
    words = sorted(" ".join(lines).replace("|", "").split())
    assert words == sorted(" ".join([*LEFT, *RIGHT]).split())
    assert any("source" in line and "target" in line for line in lines) == (columns >= 100)


def test_a_pipe_has_two_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert "source" in next(beside(LEFT, RIGHT))
    assert "target" in next(beside(LEFT, RIGHT))
