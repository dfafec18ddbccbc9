"""Answers kept in a file, one line of JSON each as soon as it is there, so that an interrupted run goes on.

The first line says what the file is.  A line that was cut off by the end of a run is left out when the file is read.
"""

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.file_content import content_of

FORMAT = 1
MOST_BYTES = 2**30
NAME_ANOTHER = "a state file is written by the run that is to go on; name one that does not exist yet"


class AnswerFile:
    """The answers of earlier runs by their keys; those of this one are added."""

    def __init__(self, path: Path, what: str) -> None:
        """Reads the file if there is one.  Raises ReadError where it holds something else."""
        self._path = path
        self._head = {"visaproof": what, "format": FORMAT}
        self.damaged = 0
        """Lines that are no answers."""
        text = _text_of(path)
        self._answers = self._read(text)
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise ReadError(f"cannot be written: {error.strerror}", Position(str(path), 1, 1)) from error
        if not text:
            self._write(self._head)
        elif not text.endswith("\n"):
            self._file.write("\n")

    def get(self, key: str) -> Any:
        """What was answered; None where nothing was."""
        return self._answers.get(key)

    def add(self, key: str, answer: Any) -> None:
        """Writes a line at once."""
        self._answers[key] = answer
        self._write({"key": key, "answer": answer})

    def __enter__(self) -> "AnswerFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def _write(self, record: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(record) + "\n")
            self._file.flush()
        except OSError as error:
            raise ReadError(f"cannot be written: {error.strerror}", Position(str(self._path), 1, 1)) from error

    def _read(self, text: str) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for number, line in enumerate(text.splitlines()):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if number == 0 and record != self._head:
                raise ReadError("not a state file of this visaproof", Position(str(self._path), 1, 1), NAME_ANOTHER)
            match record:
                case {"key": str(key), "answer": answer}:
                    answers[key] = answer
                case _:
                    self.damaged += number > 0 and bool(line)
        return answers


def _text_of(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise ReadError("not a file", Position(str(path), 1, 1), NAME_ANOTHER)
    return content_of(path, MOST_BYTES, NAME_ANOTHER).decode(errors="replace") if path.exists() else ""
