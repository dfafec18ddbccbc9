"""What `visaproof replay` says about each counterexample."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from visaproof.checking.claims.errata import Erratum
from visaproof.checking.replay import Replay
from visaproof.isa.errors import ReadError
from visaproof.report.text.documents import Document, encode, shown_path
from visaproof.report.text.excerpt import printable


class Replayed(msgspec.Struct, kw_only=True):
    """One file; `replays` is null where it could not be read."""

    file: str
    claim: str | None
    shows: str | None
    replays: bool | None
    differences: list[str]
    """What is not as recorded, in words."""
    error: str | None


class ReplayDocument(Document, kw_only=True):
    """`visaproof replay`."""

    files: list[Replayed]


class ReplayReport:
    """Prints file by file if `as_text`, else one document at the end."""

    def __init__(self, stream: IO[str], as_text: bool) -> None:
        self._stream = stream
        self._as_text = as_text
        self._files: list[Replayed] = []

    def add(self, path: Path, found: Replay) -> None:
        self._add(str(path), found.counterexample.claim, found.shows, list(found.differences))

    def add_finding(self, path: Path, finding: Erratum, differences: Sequence[str]) -> None:
        """An entry of the errata ledger; its file is `errata.toml#id`."""
        self._add(f"{path}#{finding.id}", f"errata/{finding.id}", finding.title, list(differences))

    def add_run(self, path: Path, claim: str, shows: str, differences: Sequence[str]) -> None:
        """Two kernels that were run again."""
        self._add(str(path), claim, shows, list(differences))

    def _add(self, path: str, claim: str, shows: str, differences: list[str]) -> None:
        self._files.append(
            Replayed(
                file=shown_path(path),
                claim=claim,
                shows=shows,
                replays=not differences,
                differences=differences,
                error=None,
            )
        )
        self._say(f"{'FAIL' if differences else 'ok  '} {path}: {shows}")
        for difference in differences:
            self._say(f"     {difference}")

    def unreadable(self, path: Path, error: ReadError) -> None:
        self._files.append(
            Replayed(
                file=shown_path(path),
                claim=None,
                shows=None,
                replays=None,
                differences=[],
                error=shown_path(str(error)),
            )
        )

    def finish(self, exit_code: int) -> None:
        if not self._as_text:
            print(encode(ReplayDocument(command="replay", exit_code=exit_code, files=self._files)), file=self._stream)
            return
        counts = [sum(file.replays is kind for file in self._files) for kind in (True, False, None)]
        words = ("replayed", "DID NOT REPLAY", "unreadable")
        self._say(", ".join(f"{count} {word}" for count, word in zip(counts, words, strict=True) if count))

    def _say(self, line: str) -> None:
        if self._as_text:
            print(printable(line), file=self._stream)
