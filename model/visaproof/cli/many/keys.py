"""By what an answer about a file is found again: everything on which it, and the way it is shown, depends."""

import os
import re
import shutil
import sys
from argparse import Namespace
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, field

from visaproof.checking.claims.model_version import model_version
from visaproof.cli.many.files import Task, inputs_of
from visaproof.isa.errors import ReadError
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of

NOT_OF_THE_ANSWER = frozenset(
    {
        "files", "paths", "command", "launch", "launch_target", "classes", "source", "bidirectional", "format",
        "output", "jobs", "budget", "shard", "changed_since", "fail_on", "quiet", "baseline", "write_baseline", "cache",
        "cache_mode", "save", "stats", "scheduler", "config",
    }
)  # fmt: skip
"""Options on which no answer to a question depends, or that are part of the task."""

_FILE = re.compile(rb'^[ \t]*(?:FILE|\.file)[ \t]+"([^"\n]*)"', re.MULTILINE)


class FileKeys(Struct, frozen=True):
    """Keys under one set of options; each file is read once."""

    options: str
    _digests: dict[Path, str] = field(default_factory=dict[Path, str])

    @staticmethod
    def of(command: str, arguments: Namespace) -> "FileKeys":
        """Those of files that a command asks about."""
        return FileKeys("\n".join((model_version(), command, options_text(arguments), _manner())))

    def key(self, task: Task) -> str | None:
        """None where a file cannot be read: then there is nothing to remember."""
        parts = [self.options, str(task.path), str(task.launch), repr(task.stated)]
        try:
            for path in (*inputs_of(task), *_shown_sources(task.path)):
                parts += [path.name, self._digest(path)]
        except (OSError, ReadError):
            return None
        return sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()[:40]

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._digests[path] = sha256(content_of(path, LAUNCH_LIMIT)).hexdigest()
        return self._digests[path]


def _shown_sources(path: Path) -> list[Path]:
    """The files of which a report shows lines: the dump says where the compiler found them."""
    named = {found.decode(errors="surrogateescape") for found in _FILE.findall(content_of(path, LAUNCH_LIMIT))}
    near = [one for name in sorted(named) for one in (Path(name), path.parent / Path(name).name)]
    return [one for one in near if one.is_file()]


def options_text(arguments: Namespace) -> str:
    """The options on which an answer depends.

    Raises ValueError for one whose text says where it lies in memory: it would never be found again.
    """
    options = {name: value for name, value in sorted(vars(arguments).items()) if name not in NOT_OF_THE_ANSWER}
    if " at 0x" in (text := repr(options)):
        raise ValueError(text)
    return text


def _manner() -> str:
    """What decides how text looks: kept text is shown as it was."""
    colours = [os.environ.get(name, "") for name in ("NO_COLOR", "FORCE_COLOR", "TERM")]
    return repr((sys.stdout.isatty(), sys.stdout.encoding, shutil.get_terminal_size().columns, colours))
