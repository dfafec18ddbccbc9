"""The line that a terminal shows while a question takes its time."""

import re
import sys
from io import StringIO
from threading import active_count
from time import monotonic, sleep

import pytest

from visaproof.cli.many.recorded import recorded
from visaproof.report.text.waiting import Waiting

SOON_S = 0.02
MOST_S = 30.0


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True

    def wait(self) -> None:
        """Until something was written: a loaded machine may let the other thread wait."""
        end = monotonic() + MOST_S
        while not self.getvalue() and monotonic() < end:
            sleep(SOON_S)


def test_it_comes_after_some_silence_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    terminal = Terminal()
    with Waiting("bounds k.visaasm:", 60, terminal, SOON_S):
        terminal.wait()
    assert re.match(r"\r\x1b\[Kbounds k\.visaasm: \d+ s \(--limit 60\)", terminal.getvalue())
    assert terminal.getvalue().endswith("\r\x1b[K"), "what comes next begins on an empty line"


def test_an_answer_that_is_there_soon_shows_none() -> None:
    terminal = Terminal()
    with Waiting("bounds k.visaasm:", 60, terminal):
        pass
    assert not terminal.getvalue()


def test_where_there_is_no_terminal_nothing_runs() -> None:
    before, stream = active_count(), StringIO()
    with Waiting("bounds k.visaasm:", 60, stream, SOON_S):
        assert active_count() == before
        sleep(5 * SOON_S)
    assert not stream.getvalue()


@pytest.mark.parametrize("columns", [20, 40, 60])
def test_a_long_name_fits_into_one_line(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """A line that the terminal wraps could not be taken away."""
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal = Terminal()
    with Waiting(f"bounds {'deep/' * 30}k.visaasm:", 60, terminal, SOON_S):
        terminal.wait()
    lines = [one for one in terminal.getvalue().split("\r\x1b[K") if one]
    assert lines
    assert all(len(one) < columns for one in lines)


def test_the_name_of_a_file_cannot_steer_the_terminal() -> None:
    terminal = Terminal()
    with Waiting("bounds \x1b[2Jk\n.visaasm:", 60, terminal, SOON_S):
        terminal.wait()
    assert "\x1b[2J" not in terminal.getvalue()
    assert "\n" not in terminal.getvalue()


def test_what_is_printed_takes_it_away_first(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    with (
        Waiting("bounds k.visaasm:", 60, terminal, SOON_S) as waiting,
        recorded(live_out=True, live_said=True, clear=waiting.clear) as streams,
    ):
        terminal.wait()
        print("an answer", flush=True)
    assert "\r\x1b[Kan answer\n" in terminal.getvalue()
    assert streams.out() == "an answer\n", "it is in no record"
