"""How far a run is: a bar on a terminal, and in the log of a long run a line each minute."""

from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import IO

LINE_EVERY_S = 60.0
"""Where there is no terminal."""


class Progress:
    """A line at the bottom of a terminal: a bar, what is being decided, the time so far and the time left."""

    def __init__(self, total: int, stream: IO[str]) -> None:
        """Of nothing in all, nothing is shown."""
        self._bar = None
        self._total, self._started, self._stream = total, 0, stream
        self._begun = self._said = monotonic()
        if not total or not stream.isatty():
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
        from rich.table import Column

        from visaproof.report.text.console import console_on

        name = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
        self._bar = Bar(
            *(BarColumn(bar_width=16), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(), name),
            console=console_on(stream),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def starting(self, what: str) -> None:
        """The next one is being decided, and those before it are done."""
        if self._bar:
            self._bar.update(self._task, description=what, completed=self._started)
        elif self._total and monotonic() - self._said >= LINE_EVERY_S:
            self._said = monotonic()
            print(self._line(what), file=self._stream, flush=True)
        self._started += 1

    def _line(self, what: str) -> str:
        """For a log: how many are done, and how long the others will take at this rate."""
        left = (monotonic() - self._begun) / max(self._started, 1) * (self._total - self._started)
        return f"[{self._started}/{self._total}] {what}; about {left / 60:.0f} min left"

    def doing(self, what: str) -> None:
        """What is being done for the one that was started last."""
        if self._bar:
            self._bar.update(self._task, description=what)

    @contextmanager
    def hidden(self) -> Generator[None]:
        """Off the terminal while something else is printed there."""
        if self._bar:
            self._bar.stop()
        try:
            yield
        finally:
            if self._bar:
                self._bar.start()
