"""How far a run is, on a terminal; nothing at all in a pipe."""

from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import IO

from visaproof.report.text.console import console_on


class Progress:
    """A line at the bottom of a terminal: a bar, the claim being decided, and the time so far."""

    def __init__(self, total: int, stream: IO[str]) -> None:
        self._bar = None
        if not stream.isatty():
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
        from rich.table import Column

        name = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
        self._bar = Bar(
            *(BarColumn(bar_width=16), MofNCompleteColumn(), TimeElapsedColumn(), name),
            console=console_on(stream),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=total)
        self._started = 0

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
            self._started += 1

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
